"""The paper's learner for arbitrary points: Algorithm 2, boosted.

In a phase, a subspace V is found that holds at least dim V / d of the rows left and can be put into
radially isotropic position; there, no halfspace is without rows of good margin. From a random w,
the rows in V are proposed by decreasing margin up to a mistake, w steps, and the rest is sorted
anew, until half of them are told. The next phase takes up what is left, until a share of 1 - delta
of the pool is told. Every row is proposed once. Mistakes: O(d log(1/delta)), whatever their number.

A phase that starts too far from the target gets nowhere: after LONG k log k mistakes another one
begins, with another w, as the proof wants, in which a phase succeeds with constant probability.

Source: Diakonikolas, Kontonis, Tzamos & Zarifis, "Self-Directed Linear Classification" (COLT 2023),
section 3.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse

from ..errors import SelectronError
from .heavy import forster
from .perceptron import two_classes
from .plan import OPEN, Plan, Pool, Told
from .scatter import unit

LONG = 4.0
WIDEST = 1_000  # features


class Phase(NamedTuple):
    """What is carried: the rows of this phase, their map, and the vector."""

    number: int
    rows: np.ndarray  # told and open ones
    matrix: np.ndarray  # (k, d): z = matrix x, brought to unit length
    w: np.ndarray  # (k,)
    missed: int  # mistakes in this phase


class Boosted(NamedTuple):
    """The paper's learner for arbitrary points, boosted; `share` of a phase's rows end it.

    The position is brought within `eps` of isotropic, in `most` steps at most. Dense rows only.
    """

    share: float = 0.5
    eps: float = 0.01
    most: int = 200

    def plan(self, pool: Pool, told: Told, carry: Phase | None) -> tuple[Phase, Plan]:
        """Return the plan after a mistake."""
        two_classes(told)
        if not takes(pool, told):
            raise SelectronError(
                f"This learner takes dense rows of up to {WIDEST:,} features; Confident takes all."
            )
        phase = opened(self, pool, told, 0) if carry is None else stepped(pool, carry, told.missed)
        if over(self, phase, told):
            phase = opened(self, pool, told, phase.number + 1)
        rows = phase.rows[told.codes[phase.rows] == OPEN]
        margins = mapped(pool, phase, rows) @ phase.w
        return phase, Plan(rows, (margins >= 0).astype(np.int32), np.abs(margins), 1)


def takes(pool: Pool, told: Told) -> bool:
    """Can this learner take the pool?"""
    narrow = not scipy.sparse.issparse(pool.X) and pool.X.shape[1] <= WIDEST
    return narrow and told.classes == 2


def over(learner: Boosted, phase: Phase, told: Told) -> bool:
    """Has enough been told of this phase, or is it lost?"""
    k, done = len(phase.w), np.count_nonzero(told.codes[phase.rows] != OPEN)
    lost = phase.missed > LONG * k * math.log(k + 2)
    return bool(done >= max(1, learner.share * len(phase.rows))) or lost


def opened(learner: Boosted, pool: Pool, told: Told, number: int) -> Phase:
    """Return a phase of the rows left; those of 0 come with whatever subspace is found."""
    rows = told.left
    X = pool.X[rows]
    zero = ~X.any(axis=1)
    random = np.random.default_rng([pool.seed, 3, number])
    if zero.all():
        return Phase(number, rows, np.zeros((1, X.shape[1])), np.ones(1), 0)
    found = forster(X[~zero], learner.eps, learner.most)
    inside = zero.copy()
    inside[~zero] = found.inside
    w = random.normal(size=len(found.basis))
    return Phase(
        number, rows[inside], found.position.matrix @ found.basis, w / np.linalg.norm(w), 0
    )


def stepped(pool: Pool, phase: Phase, missed: np.ndarray) -> Phase:
    """Return the phase after a mistake: w <- w - <w, z> z  (eq. 1)."""
    w = phase.w
    for z in mapped(pool, phase, missed):
        w = w - (w @ z) * z
    length = np.linalg.norm(w)
    w = w / length if length > 0 else phase.w  # its direction is all that counts
    return phase._replace(w=w, missed=phase.missed + len(missed))


def mapped(pool: Pool, phase: Phase, rows: np.ndarray) -> np.ndarray:
    """Return z of these rows."""
    return unit(pool.X[rows] @ phase.matrix.T)
