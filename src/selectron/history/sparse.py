"""Sparse rows, a ring: a variance for each weight alone, so that a round costs O(non-zeros).

Rows are not kept, and labels not considered again. The prior is isotropic, as features of text
are alike, and follows the scale of the rows: a row of mean length has a margin of variance PRIOR.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..engine.arithmetic import span_square, sparse_dot
from ..engine.rows import Sparse, readonly
from ..engine.scales import SHORTEST
from ..spaces import sparse_second
from .experts import PRIOR, ceiling, form, inner, learn, tables, units
from .posterior import LABELS, MEMBERS, age, leader, life

__all__ = ["age", "ceiling", "form", "inner", "learn", "life"]

order = 2
atomic = False


class State(NamedTuple):
    """All that is learned."""

    w: np.ndarray  # (MEMBERS, d)
    p: np.ndarray  # (MEMBERS, d): the variance of every weight
    members: np.ndarray  # (MEMBERS, 6)
    shares: np.ndarray  # (MEMBERS, kinds of concepts)
    terms: np.ndarray  # (2, MEMBERS, KEPT)
    answers: np.ndarray  # (KEPT,)
    scalars: np.ndarray
    seen: np.ndarray  # (MEMBERS + 1, 3): what they said of the last row
    constant: np.ndarray  # (1,): is there a constant in front?
    squares: np.ndarray  # (1,): sum of <x, x> over all labelled rows, without the constant
    prior: np.ndarray  # (MEMBERS,): variance of a weight that no row has met


class Rows(NamedTuple):
    """A block as the loop takes it."""

    indptr: np.ndarray  # uint64
    indices: np.ndarray  # uint32, 0 being the constant if there is one
    values: np.ndarray
    constant: float  # 1.0 or 0.0


def rows(block: Sparse, constant: bool, normalize: bool = False) -> Rows:
    """Return the block as the loop takes it, the rows brought to unit length if they shall be."""
    indptr, indices, values = sparse_second.rows(block, constant)
    if normalize:
        row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr).astype(int))
        squares = np.bincount(row, values * values, minlength=len(indptr) - 1)
        values = readonly(values / units(squares)[row])
    return Rows(indptr, indices, values, float(constant))


def size(width: int) -> int:
    """Return the bytes that the state takes."""
    return 16 * MEMBERS * width


def start(width: int, shape: object) -> State:
    """Return the state before the first round."""
    w = np.zeros((MEMBERS, width))
    arrays: Any = (w, w.copy(), *tables(), np.zeros(1), np.zeros(MEMBERS))
    return State(*arrays)


def widen(s: State, width: int) -> State:
    """Return the state with new features, as uncertain as they are at a member's birth."""
    more = width - s.w.shape[1]
    fresh = np.repeat(s.prior[:, None], more, axis=1)
    return s._replace(
        w=np.concatenate([s.w, np.zeros_like(fresh)], axis=1),
        p=np.concatenate([s.p, fresh], axis=1),
    )


def weights(s: State) -> np.ndarray:
    """Return w of the member with the largest share."""
    return s.w[leader(s)].copy()


def scaled(state: State, by: float) -> State:
    """Return a copy for the opposite class, by = -1, or for the same one, by = 1."""
    copies = [array.copy() for array in state]
    return State(*copies)._replace(w=by * state.w, answers=by * state.answers)


def at(s: Any, k: int) -> Any:
    """What a stack keeps of class k."""
    return State(
        s.w[k],
        s.p[k],
        s.members[k],
        s.shares[k],
        s.terms[k],
        s.answers[k],
        s.scalars[k],
        s.seen[k],
        s.constant[k],
        s.squares[k],
        s.prior[k],
    )


def length(rows: Any, i: int) -> float:
    """<x, x>."""
    return span_square(rows.values, rows.indptr[i], rows.indptr[i + 1])


def taken(s: Any, rows: Any, i: int) -> Any:
    """The row as it is."""
    return rows, i


def inspect(s: Any, k: int, rows: Any, i: int) -> tuple[float, float]:
    """M and q of member k."""
    begin, end = rows.indptr[i], rows.indptr[i + 1]
    q = 0.0
    for j in range(begin, end):
        q += s.p[k, rows.indices[j]] * rows.values[j] * rows.values[j]
    return sparse_dot(s.w[k], rows.indices, rows.values, begin, end), q


def shift(s: Any, k: int, rows: Any, i: int, eta: float, nu: float) -> bool:
    """Move w and P in the features of the row; is all finite?"""
    total = 0.0
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        at = rows.indices[j]
        g = s.p[k, at] * rows.values[j]
        s.w[k, at] += eta * g
        s.p[k, at] -= nu * g * g
        total += abs(s.w[k, at]) + abs(s.p[k, at])
    return math.isfinite(total)


def replayed(s: Any, k: int, slot: int) -> tuple[float, float]:
    """No row is kept."""
    return 0.0, 0.0


def reshift(s: Any, k: int, slot: int, eta: float, nu: float) -> bool:
    """No row is kept."""
    return True


def variance(s: Any) -> float:
    """Variance of a weight under the prior, but for the constant's."""
    mean = s.squares[0] / s.scalars[LABELS]
    return PRIOR / mean if mean >= SHORTEST else PRIOR


def renew(s: Any, k: int) -> None:
    """Put member k back to the prior."""
    s.prior[k] = variance(s)
    s.w[k, :] = 0.0
    s.p[k, :] = s.prior[k]
    if s.constant[0] > 0:
        s.p[k, 0] = PRIOR / 2


def fade(s: Any, k: int, by: float) -> None:
    """Draw member k towards the prior."""
    now = variance(s)
    s.prior[k] = by * by * s.prior[k] + (1 - by * by) * now
    for j in range(len(s.w[k])):
        own = PRIOR / 2 if j == 0 and s.constant[0] > 0 else now
        s.w[k, j] *= by
        s.p[k, j] = by * by * s.p[k, j] + (1 - by * by) * own


def imitate(s: Any, k: int, other: int) -> None:
    """Let member k know what another one does."""
    for j in range(len(s.w[k])):
        s.w[k, j], s.p[k, j] = s.w[other, j], s.p[other, j]
    s.prior[k] = s.prior[other]


def rescale(s: Any) -> None:
    """Members keep the one unit of their birth."""


def remember(s: Any, k: int) -> None:
    """Nothing is kept for newborns."""


def hold(s: Any, rows: Any, i: int, slot: int) -> bool:
    """Keep no row, but add up its square, and note whether there is a constant; is all finite?"""
    s.constant[0] = rows.constant
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        if rows.constant == 0 or rows.indices[j] > 0:
            s.squares[0] += rows.values[j] * rows.values[j]
    return math.isfinite(s.squares[0])
