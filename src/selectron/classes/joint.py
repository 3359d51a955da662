"""Many classes, jointly: a step moves the right class and its closest rival apart.

Class k has the score <w_k, x>. The label b and its rival a are ordered by number, lo < hi, and the
step goes along z = e_hi (x) x - e_lo (x) x, with m = score_hi - score_lo and y = +1 if b is hi: in
first order, two classes give what one vector gives on rows sqrt(2) x, ties included. In second
order every class has its own P: q = q_hi + q_lo, and the step changes these two P only. This is the
block form, K d^2 / 2 numbers; the exact form, one matrix over all K d weights, is `exact.py`.

`ranking`: several classes may be relevant. b is the relevant class with the lowest score and a the
irrelevant one with the highest; the "label" y of a row is the number, from 1, of a row of
`s.relevant`. The pair is ordered as (a, b), not by number, with y = -1: equal scores are a mistake,
as in the talk, whose mistakes are score_b - score_a <= 0.

`ultraconservative`: all classes move at once, by the exact step of a learner such as `MIRA`,

    minimise  sum_k |w'_k - w_k|^2 / 2 + C xi   subject to  <w'_b - w'_k, x> >= 1 - xi, xi >= 0

The learner's `ceded` gives the threshold mu of the dual solution: class k != b moves by
-max(0, loss_k - mu) / q x with loss_k = 1 - (score_b - score_k), and b by the negative sum of these
steps. Only a zero row has no solution, and is passed over.

Sources: Crammer, Dekel, Keshet, Shalev-Shwartz & Singer, "Online Passive-Aggressive Algorithms"
(JMLR 2006), section 8; Yang, Jin & Ye, "Online Learning by Ellipsoid Method" (ICML 2009); Crammer &
Singer, "Ultraconservative Online Algorithms for Multiclass Problems" (JMLR 3, 2003).
"""

import math
import sys
from typing import Any

import numpy as np

from ..engine.arithmetic import reassociated
from ..engine.bind import needs_refcounts, noinline, variant
from ..engine.loop import asker, classes
from ..engine.parts import VAST, learner, space
from ..engine.round import REFUSED, STRAINED, UPDATED, Round, Step, shaped
from .stack import BEST, SECOND, TALLY_COUNT, TALLY_NOTE


def share(normalize: Any) -> Any:
    """Return the share of w that each of two classes takes, so that their gap is <w, x>.

    Where rows are normalized, z is brought to unit length, which is longer than x by sqrt(2).
    """
    return math.sqrt(0.5) if normalize else 0.5


def inner(s: Any, rows: Any, i: int) -> float:
    """Score every class and return the gap between the two best."""
    space.score_all(s, rows, i)
    return gap(s.scores, s.ranks)


def gap(scores: Any, ranks: Any) -> float:
    """Rank the scores and return the gap between the two best; of equal scores, the last wins.

    Nothing branches on the scores: the two best values are found first, then their places.
    """
    top, runner = two_best(scores)
    best = second = 0
    for k in range(len(scores)):
        best = k if scores[k] == top else best
        second = k if scores[k] == runner else second
    if not top > runner:  # both are now the last of the equal ones
        second = 0
        for k in range(best):
            second = k if scores[k] == runner else second
    ranks[BEST], ranks[SECOND] = best, second
    return top - runner + 0.0 * total(scores)  # NaN if any score is


def two_best(scores: Any) -> tuple[float, float]:
    """Return the two best scores."""
    top = runner = -math.inf
    for k in range(len(scores)):
        value = scores[k]
        lesser = top if top < value else value
        top, runner = (top if top > value else value), (runner if runner > lesser else lesser)
    return top, runner


@reassociated
def total(scores: Any) -> float:
    """Return the sum of the scores."""
    found = 0.0
    for k in range(len(scores)):
        found += scores[k]
    return found


def squared_norm(rows: Any, i: int) -> float:
    """<z, z>."""
    return 2 * space.squared_norm(rows, i)


def quadratic_form(s: Any, rows: Any, i: int) -> float:
    """Return q of the two best classes."""
    best, second = space.at(s, s.ranks[BEST]), space.at(s, s.ranks[SECOND])
    return space.quadratic_form(best, rows, i) + space.quadratic_form(second, rows, i)


def upper_bound(s: Any, zz: float) -> float:
    """Return twice the largest upper bound of q of one class."""
    return 2 * space.upper_bound_all(s, zz / 2)


def predicted(s: Any, m: float) -> int:
    """Return the class with the best score."""
    return s.ranks[BEST]


def record_scores(s: Any, m: float, scale: float, scores: Any, i: int) -> None:
    """Record the scores of all classes."""
    for k in range(len(s.scores)):
        scores[i, k] = s.scores[k] / scale


def rivals(scores: Any, ranks: Any, relevant: Any, y: int) -> tuple[int, int, float]:
    """Return the label's class and the best of the others as (hi, lo), and +1 if hi is right."""
    b = y - 1
    a = ranks[SECOND] if ranks[BEST] == b else ranks[BEST]
    return max(a, b), min(a, b), 1.0 if b > a else -1.0


def needs_growth(s: Any, rows: Any, i: int) -> bool:
    """Return whether there is too little room for a step on row i in any class."""
    found = False
    for k in range(len(s.scores)):
        found = found or space.needs_growth(space.at(s, k), rows, i)
    return found


def full(s: Any) -> bool:
    """Return whether the sketch of any class is full."""
    found = False
    for k in range(len(s.scores)):
        found = found or space.full(space.at(s, k))
    return found


def versus(s: Any, scale: float, y: int) -> tuple[int, int, float, float]:
    """Return the pair that the label separates, (hi, lo, m, y); lo is -1 if there is none."""
    hi, lo, sign = classes.rivals(s.scores, s.ranks, s.relevant, y)
    return hi, lo, (s.scores[hi] - s.scores[lo]) / scale, sign


def lasting_and_steps(p: Any, s: Any, t: float, remaining: float) -> tuple[float, float]:
    """Return that nothing is known about the concept, and the number of steps."""
    return 0.0, s.tally[TALLY_COUNT]


@noinline
def learn_label(
    p: Any, a: Any, s: Any, rows: Any, i: int, scale: float, m: float, q: float, y: int, t: int
) -> int:
    """Step on label y, unless all classes are relevant, or none is; return flags, or REFUSED."""
    hi, lo, m, sign = versus(s, scale, y)
    if lo < 0 or not (asker.passes(a, m, sign) and asker.trains(p, m, sign)):
        return 0
    if classes.needs_growth(s, rows, i):
        return REFUSED
    return classes.step(p, s, rows, i, scale, hi, lo, m, sign)


def step(
    p: Any, s: Any, rows: Any, i: int, scale: float, hi: int, lo: int, m: float, y: float
) -> int:
    """Step with classes hi and lo, in opposite directions; return flags, or REFUSED."""
    above, below = (
        space.quadratic_form(space.at(s, hi), rows, i),
        space.quadratic_form(space.at(s, lo), rows, i),
    )
    ww = 0.0
    for k in range(len(s.scores)):
        ww += space.own_square(space.at(s, k))
    now = Round(m, shaped(scale, above + below), y, s.tally[TALLY_COUNT], ww, s.tally[TALLY_NOTE])
    way = learner.step(p, now)
    moved = step_class(p, s, rows, i, scale, hi, above, way)
    moved = moved and step_class(p, s, rows, i, scale, lo, below, space.opposite(way))
    if not (moved and shrink_others(s, rows, i, hi, lo, way)):
        return REFUSED
    if learner.scale_free(p):
        rescale(s)
    return count_step(p, s, now)


def count_step(p: Any, s: Any, now: Round) -> int:
    """Count a step with all classes; return flags."""
    s.tally[TALLY_COUNT] += 1
    s.tally[TALLY_NOTE] = learner.noted(p, now)
    return UPDATED if learner.feasible(p, now) else UPDATED | STRAINED


def rescale(s: Any) -> None:
    """Divide P of all classes alike once that of one is vast."""
    most = 0.0
    for k in range(len(s.scores)):
        most = max(most, space.largest(space.at(s, k)))
    if most > VAST:
        for k in range(len(s.scores)):
            space.rescale(space.at(s, k), 1 / VAST)


@noinline
def step_class(p: Any, s: Any, rows: Any, i: int, scale: float, k: int, q: float, way: Any) -> int:
    """Step with class k alone, given q of `quadratic_form`; return 0 if not finite."""
    c = space.at(s, k)
    square = space.own_square(c)
    now = Round(s.scores[k] / scale, shaped(scale, q), 1.0, s.tally[TALLY_COUNT], square, 0.0)
    done = space.move(c, rows, i, scale, now, way)
    space.evict(p, c, rows)
    return done


@noinline
def shrink_others(s: Any, rows: Any, i: int, hi: int, lo: int, way: Any) -> bool:
    """Shrink the other classes as much as these two; return whether all is finite."""
    for k in range(len(s.scores)):
        if k != hi and k != lo and not space.shrunk(space.at(s, k), rows, i, way):
            return False
    return True


def worst_ranked(scores: Any, ranks: Any, relevant: Any, y: int) -> tuple[int, int, float]:
    """Return the best irrelevant class, the worst relevant one and -1.0; -1 where there is none."""
    low = high = -1
    for k in range(len(scores)):
        if relevant[y - 1, k]:
            if low < 0 or scores[k] < scores[low]:
                low = k
        elif high < 0 or scores[k] >= scores[high]:
            high = k
    return (high, low, -1.0) if high >= 0 else (low, -1, -1.0)


def step_at_once(
    p: Any, s: Any, rows: Any, i: int, scale: float, hi: int, lo: int, m: float, y: float
) -> int:
    """Step with all classes that the right one does not lead by 1; a zero row moves none."""
    xx = space.squared_norm(rows, i) / (scale * scale)
    if xx > 0 and not all_at_once(p, s, rows, i, scale, hi if y > 0 else lo, xx):
        return REFUSED
    s.tally[TALLY_COUNT] += 1
    return UPDATED


@noinline
@needs_refcounts
def all_at_once(p: Any, s: Any, rows: Any, i: int, scale: float, b: int, xx: float) -> bool:
    """Move the rivals back and the right class b forward; return False if that is not finite."""
    losses, q = 1 + (s.scores - s.scores[b]) / scale, space.squared_norm(rows, i)
    mu = learner.ceded(p, -np.sort(-np.concatenate((losses[:b], losses[b + 1 :]))), xx)
    taken = 0.0
    for k in range(len(losses)):
        share = max(0.0, losses[k] - mu) / xx
        if k != b and share > 0:
            taken += share
            if not step_class(p, s, rows, i, scale, k, q, Step(1.0, -share)):
                return False
    return step_class(p, s, rows, i, scale, b, q, Step(1.0, taken))


ranking = variant("ranking", sys.modules[__name__], rivals=worst_ranked)
ultraconservative = variant("ultraconservative", sys.modules[__name__], step=step_at_once)
