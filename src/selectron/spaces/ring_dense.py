"""Dense rows, a ring: every member has a matrix of its own, kept as in `dense_second`."""

import math
from typing import Any, NamedTuple

import numpy as np

from ..engine.arithmetic import dot, row_dot, row_square
from ..engine.rows import Dense, readonly
from . import dense_second
from .dense_second import State as Member
from .dense_second import form as product
from .dense_second import update
from .ring import KEPT, MEMBERS, PRIOR, age, ceiling, form, inner, leader, learn, tables, units

__all__ = ["age", "ceiling", "form", "inner", "learn"]

order = 2
atomic = False
NO_SCALARS = np.zeros(8)


class State(NamedTuple):
    """All that is learned, and the products g of the last row."""

    w: np.ndarray  # (MEMBERS, d)
    triangle: np.ndarray  # (MEMBERS, d (d + 1) / 2)
    g: np.ndarray  # (MEMBERS, d)
    members: np.ndarray  # (MEMBERS, 6)
    terms: np.ndarray  # (2, MEMBERS, KEPT): tau and nu of every label that is kept
    answers: np.ndarray  # (KEPT,): the labels
    scalars: np.ndarray
    seen: np.ndarray  # (MEMBERS + 1, 3): what they said of the last row
    constant: np.ndarray  # (1,): is there a constant in front?
    kept: np.ndarray  # (KEPT, d): their rows


class Rows(NamedTuple):
    """A block as the loop takes it."""

    values: np.ndarray  # (n, d), the constant in front if there is one
    constant: float  # 1.0 or 0.0


class Kept(NamedTuple):
    """Rows that are kept."""

    values: np.ndarray


def rows(block: Dense, constant: bool, normalize: bool = False) -> Rows:
    """Return the block as the loop takes it, the rows brought to unit length if they shall be."""
    values = dense_second.rows(block, constant).values
    if normalize:
        values = readonly(values * units(np.array([x @ x for x in values]))[:, None])
    return Rows(values, float(constant))


def size(width: int) -> int:
    """Return the bytes that the state takes."""
    return 8 * (MEMBERS * (width * (width + 1) // 2 + 2 * width) + KEPT * width)


def start(width: int, shape: object) -> State:
    """Return the state before the first round."""
    w = np.zeros((MEMBERS, width))
    triangle = np.zeros((MEMBERS, width * (width + 1) // 2))
    kept = np.zeros((KEPT, width))
    arrays: Any = (w, triangle, w.copy(), *tables(), kept)
    return State(*arrays)


def weights(s: State) -> np.ndarray:
    """Return w of the member with the largest share."""
    return s.w[leader(s)].copy()


def scaled(state: State, by: float) -> State:
    """Return a copy for the opposite class, by = -1, or for the same one, by = 1."""
    terms, copies = state.terms.copy(), [array.copy() for array in state]
    terms[1] *= by
    changed = {"w": by * state.w, "terms": terms, "answers": by * state.answers}
    return State(*copies)._replace(**changed)


def at(s, k):
    """What a stack keeps of class k."""
    return State(
        s.w[k],
        s.triangle[k],
        s.g[k],
        s.members[k],
        s.terms[k],
        s.answers[k],
        s.scalars[k],
        s.seen[k],
        s.constant[k],
        s.kept[k],
    )


def member(s, k):
    """Member k, as `dense_second` takes it."""
    return Member(s.w[k], s.triangle[k], s.g[k], NO_SCALARS)


def length(rows, i):
    """<x, x>."""
    return row_square(rows.values, i)


def weigh(rows, i):
    """<x, x> without the constant."""
    total = 0.0
    for j in range(int(rows.constant), rows.values.shape[1]):
        total += rows.values[i, j] * rows.values[i, j]
    return total


def inspect(s, k, rows, i):
    """M and q of member k, with g = P x left in it."""
    return row_dot(s.w[k], rows.values, i), product(member(s, k), rows, i)


def replayed(s, k, slot):
    """The same for a row that is kept."""
    return row_dot(s.w[k], s.kept, slot), product(member(s, k), Kept(s.kept), slot)


def shift(s, k, rows, i, eta, nu):
    """w <- w + eta g, P <- P - nu g g'; is all finite?"""
    g, w = s.g[k], s.w[k]
    for j in range(len(g)):
        w[j] += eta * g[j]
    update(s.triangle[k], g, 0.0, 1.0, 1.0, nu)
    return math.isfinite(dot(w, w) + nu * dot(g, g))


def reshift(s, k, slot, eta, nu):
    """The same for a row that is kept."""
    return shift(s, k, Kept(s.kept), slot, eta, nu)


def renew(s, k, variance):
    """Put member k back to the prior."""
    s.w[k, :] = 0.0
    s.triangle[k, :] = 0.0
    at = 0
    for j in range(len(s.w[k])):
        s.triangle[k, at] = variance
        at += j + 2
    if s.constant[0] > 0:
        s.triangle[k, 0] = PRIOR / 2


def fade(s, k, by, variance):
    """Draw member k towards the prior."""
    for j in range(len(s.w[k])):
        s.w[k, j] *= by
    for j in range(len(s.triangle[k])):
        s.triangle[k, j] *= by * by
    at = 0
    for j in range(len(s.w[k])):
        own = PRIOR / 2 if j == 0 and s.constant[0] > 0 else variance
        s.triangle[k, at] += (1 - by * by) * own
        at += j + 2


def hold(s, rows, i, slot):
    """Keep a row."""
    s.constant[0] = rows.constant
    for j in range(len(s.kept[slot])):
        s.kept[slot, j] = rows.values[i, j]
