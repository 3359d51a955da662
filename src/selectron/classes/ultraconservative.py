"""Many classes, all at once: the exact step of a learner such as `MIRA` (its `ceded`).

    minimise  sum_k |w'_k - w_k|^2 / 2 + C xi   subject to  <w'_b - w'_k, x> >= 1 - xi, xi >= 0

for the right class b and every other class k. Its dual variables give each rival's share: class k
moves by -max(0, loss_k - mu) / q x, where loss_k is 1 - (score_b - score_k), and class b by what
they have ceded in all.

The programme has a solution for every row but a zero one, which is passed over as it is with two
classes: no round is strained. `feasible` and `noted` are of one margin each, and there is none here
that stands for all classes, so a learner with `ceded` has neither.

Source: Crammer & Singer, "Ultraconservative Online Algorithms for Multiclass Problems" (JMLR 3,
2003).
"""

from typing import Any

import numpy as np

from ..engine.bind import allocating, apart
from ..engine.parts import learner, space
from ..engine.round import REFUSED, UPDATED, Step
from . import joint
from .stack import COUNT

margin, extent, spread = joint.margin, joint.extent, joint.spread
limit, predicted, truth, due = joint.limit, joint.predicted, joint.truth, joint.due
part, share, rivals = joint.part, joint.share, joint.rivals
record_scores = joint.record_scores


def learn(
    p: Any, s: Any, rows: Any, i: int, scale: float, m: float, q: float, y: int, t: float
) -> int:
    """Step with all classes that the right one does not lead by 1; a zero row moves none."""
    xx = space.length(rows, i) / (scale * scale)
    if xx > 0 and not all_at_once(p, s, rows, i, scale, y - 1, xx):
        return REFUSED
    s.tally[COUNT] += 1
    return UPDATED


@apart
@allocating
def all_at_once(p: Any, s: Any, rows: Any, i: int, scale: float, b: int, xx: float) -> bool:
    """Push the rivals back and the right class b forward."""
    losses = 1 + (s.scores - s.scores[b]) / scale
    mu = learner.ceded(p, -np.sort(-np.concatenate((losses[:b], losses[b + 1 :]))), xx)
    taken = 0.0
    for k in range(len(losses)):
        share = max(0.0, losses[k] - mu) / xx
        if k != b and share > 0:
            taken += share
            if not part(p, s, rows, i, scale, k, space.length(rows, i), Step(1.0, -share)):
                return False
    return part(p, s, rows, i, scale, b, space.length(rows, i), Step(1.0, taken))
