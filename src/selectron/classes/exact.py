"""Many classes, jointly and exactly in second order: one matrix P over all K d weights.

A step goes along z = e_hi (x) x - e_lo (x) x as in `joint.py`, but every step changes all of P: 8
(K d)^2 bytes, or one stored pair for each step in dual form. The weights of all classes, one class
after the other, are one long vector in a space for sparse rows, and z is a sparse row.

`ranking`: several classes may be relevant, with the pairs of `joint.ranking`.

Source: Yang, Jin & Ye, "Online Learning by Ellipsoid Method" (ICML 2009), multi-label form.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.bind import needs_refcounts, noinline, variant
from ..engine.parts import VAST, learner, space
from ..engine.round import REFUSED, Round, shaped
from ..engine.rows import Dense, Sparse, SparseRows
from ..errors import SelectronError
from . import joint
from .joint import count_step, gap
from .stack import BEST, SECOND, TALLY_COUNT, TALLY_NOTE, Stack

squared_norm, predicted, record_scores = joint.squared_norm, joint.predicted, joint.record_scores
rivals, learn_label, lasting_and_steps = joint.rivals, joint.learn_label, joint.lasting_and_steps


class Exact(Stack):
    """A stack of one long vector."""

    def begin(self, start: Callable[..., Any], classes: int) -> Any:
        """Return the state before the first round; `start` returns that of a longer vector."""
        return self.stacked([start(classes)])._replace(scores=np.zeros(classes))

    def rows(self, block: Dense | Sparse, constant: bool, *kernel: Any) -> Any:
        """Return the block as the loop takes it: as sparse rows."""
        if isinstance(block, Dense):
            found = block.values != 0
            indptr = np.concatenate([[0], found.sum(axis=1).cumsum()])
            indices = np.nonzero(found)[1].astype(np.int32)
            block = Sparse(indptr, indices, block.values[found])
        return self.space.rows(block, constant, *kernel)

    def widen(self, state: Any, width: int) -> Any:
        """Raise SelectronError: new features would lie between the classes."""
        raise SelectronError(
            'With many="exact" the first rows settle the number of features: take many="joint".'
        )

    def extend(self, state: Any, classes: int, start: Callable[..., Any]) -> Any:
        """Return the state with new classes at the end."""
        one = self.unstacked(state)[0]
        width = len(one.w) // len(state.scores)
        long = self.space.widen(one, width * classes)
        return self.stacked([long], state)._replace(scores=np.zeros(classes))

    def wanted(self, state: Any, rows: Any) -> tuple[int, int]:
        """Return the room for a step on the first row: z has twice as many non-zeros."""
        capacity, slot = self.space.wanted(self.unstacked(state)[0], rows)
        return capacity, max(slot, 2 * self.space.storage.needed(rows))

    def weights(self, state: Any) -> np.ndarray:
        """Return w of every class, (K, d)."""
        return self.unstacked(state)[0].w.reshape(len(state.scores), -1).copy()


def width_of(s: Any) -> int:
    """Return the number of weights of a class."""
    return len(space.at(s, 0).w) // len(s.scores)


def inner(s: Any, rows: Any, i: int) -> float:
    """Score every class and return the gap between the two best."""
    c, begin, end = space.at(s, 0), rows.indptr[i], rows.indptr[i + 1]
    for k in range(len(s.scores)):
        total = 0.0
        for j in range(begin, end):
            total += c.w[rows.indices[j] + np.uint32(k * width_of(s))] * rows.values[j]
        s.scores[k] = total
    return gap(s.scores, s.ranks)


@needs_refcounts
def needs_growth(s: Any, rows: Any, i: int) -> bool:
    """Return whether there is too little room for z, with twice as many non-zeros as the row."""
    n, indptr = int(rows.indptr[i + 1] - rows.indptr[i]), np.zeros(2, np.uint64)
    indptr[1] = 2 * n
    z = SparseRows(indptr, rows.indices, rows.values, rows.constant, rows.kernel)
    return space.needs_growth(space.at(s, 0), z, 0)


@noinline
@needs_refcounts
def pair(s: Any, rows: Any, i: int, hi: int, lo: int) -> Any:
    """Return z as a row of the space."""
    begin, n = rows.indptr[i], int(rows.indptr[i + 1] - rows.indptr[i])
    indices, values = np.empty(2 * n, np.uint32), np.empty(2 * n)
    for j in range(n):
        index, value = rows.indices[begin + np.uint64(j)], rows.values[begin + np.uint64(j)]
        indices[j], values[j] = index + np.uint32(hi * width_of(s)), value
        indices[n + j], values[n + j] = index + np.uint32(lo * width_of(s)), -value
    indptr = np.zeros(2, np.uint64)
    indptr[1] = 2 * n
    return SparseRows(indptr, indices, values, rows.constant, rows.kernel)


def quadratic_form(s: Any, rows: Any, i: int) -> float:
    """Return q of the two best classes."""
    first, second = s.ranks[BEST], s.ranks[SECOND]
    z = pair(s, rows, i, max(first, second), min(first, second))
    return space.quadratic_form(space.at(s, 0), z, 0)


def upper_bound(s: Any, zz: float) -> float:
    """Return an upper bound of q."""
    return space.upper_bound(space.at(s, 0), zz)


@noinline
def step(
    p: Any, s: Any, rows: Any, i: int, scale: float, hi: int, lo: int, m: float, y: float
) -> int:
    """Step along z of classes hi and lo; return flags, or REFUSED."""
    c, z = space.at(s, 0), pair(s, rows, i, hi, lo)
    q = shaped(scale, space.quadratic_form(c, z, 0))
    now = Round(m, q, y, s.tally[TALLY_COUNT], space.own_square(c), s.tally[TALLY_NOTE])
    if not space.move(c, z, 0, scale, now, learner.step(p, now)):
        return REFUSED
    if learner.scale_free(p) and space.largest(c) > VAST:
        space.rescale(c, 1 / VAST)
    return count_step(p, s, now)


ranking = variant("exact_ranking", sys.modules[__name__], rivals=joint.worst_ranked)
