"""Dense rows, a ring: every member has a matrix of its own, kept as in `dense_second`.

A member takes rows in units of its own: every feature less its mean, as the labelled rows before
its birth had it, over its size (`scaling`). There its prior is isotropic, but for what former
leaders knew (`prior`). Where there is no constant feature, which could make up for the means,
nothing is subtracted.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..engine.arithmetic import dot, row_dot, row_square
from ..engine.rows import Dense, readonly
from ..spaces import dense_second
from ..spaces.dense_second import State as Member
from ..spaces.dense_second import form as product
from ..spaces.dense_second import update
from .experts import KEPT, ceiling, form, inner, learn, tables
from .experts import units as unit_lengths
from .posterior import LABELS, MEMBERS, age, leader, life
from .prior import inherit, remember
from .scaling import drawn, measure, near, place, reached, rescale

__all__ = ["age", "ceiling", "form", "inner", "learn", "life", "remember", "rescale"]

order = 2
atomic = False
NO_SCALARS = np.zeros(8)


class State(NamedTuple):
    """All that is learned, and the products g of the last row."""

    w: np.ndarray  # (MEMBERS, d)
    triangle: np.ndarray  # (MEMBERS, d (d + 1) / 2)
    g: np.ndarray  # (MEMBERS, d)
    members: np.ndarray  # (MEMBERS, 6)
    shares: np.ndarray  # (MEMBERS, kinds of concepts)
    terms: np.ndarray  # (2, MEMBERS, KEPT): tau and nu of every label that is kept
    answers: np.ndarray  # (KEPT,): the labels
    scalars: np.ndarray
    seen: np.ndarray  # (MEMBERS + 1, 3): what they said of the last row
    constant: np.ndarray  # (1,): is there a constant in front?
    kept: np.ndarray  # (KEPT, d): their rows
    sums: np.ndarray  # (3, d): of all labelled rows; squared, and how far they are, from the mean
    far: np.ndarray  # (d,): how many labelled rows were far off one after the other, up to the last
    units: np.ndarray  # (2, MEMBERS + 1, d): what to subtract and to multiply by; of now, below
    row: np.ndarray  # (2, d): the last row, no feature too far off; 1.0 where it is far off
    z: np.ndarray  # (1, d): the same in units of the last member
    former: np.ndarray  # (d (d + 1) / 2,): second moments of former leaders, summed
    means: np.ndarray  # (d,): their w, summed


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
        values = readonly(values / unit_lengths(np.array([x @ x for x in values]))[:, None])
    return Rows(values, float(constant))


def size(width: int) -> int:
    """Return the bytes that the state takes."""
    half = width * (width + 1) // 2
    return 8 * (MEMBERS * (half + 4 * width) + half + (KEPT + 7) * width)


def start(width: int, shape: object) -> State:
    """Return the state before the first round."""
    w = np.zeros((MEMBERS, width))
    triangle = np.zeros((MEMBERS, width * (width + 1) // 2))
    sums = np.zeros((3, width)), np.zeros(width)
    units = np.zeros((2, MEMBERS + 1, width)), np.zeros((2, width)), np.zeros((1, width))
    former = np.zeros(triangle.shape[1]), np.zeros(width)
    kept = np.zeros((KEPT, width))
    arrays: Any = (w, triangle, w.copy(), *tables(), kept, *sums, *units, *former)
    return State(*arrays)


def weights(s: State) -> np.ndarray:
    """Return w of the member with the largest share, for rows as they are."""
    k = leader(s)
    mean, by = s.units[:, k]
    w = s.w[k] * by
    w[0] -= w @ mean  # which is 0 where there is no constant
    return w


def scaled(state: State, by: float) -> State:
    """Return a copy for the opposite class, by = -1, or for the same one, by = 1."""
    terms, copies = state.terms.copy(), [array.copy() for array in state]
    terms[1] *= by
    turned = {name: by * getattr(state, name) for name in ("w", "answers", "means")}
    return State(*copies)._replace(terms=terms, **turned)


def at(s: Any, k: int) -> Any:
    """What a stack keeps of class k."""
    return State(
        s.w[k],
        s.triangle[k],
        s.g[k],
        s.members[k],
        s.shares[k],
        s.terms[k],
        s.answers[k],
        s.scalars[k],
        s.seen[k],
        s.constant[k],
        s.kept[k],
        s.sums[k],
        s.far[k],
        s.units[k],
        s.row[k],
        s.z[k],
        s.former[k],
        s.means[k],
    )


def member(s: Any, k: int) -> Any:
    """Member k, as `dense_second` takes it."""
    return Member(s.w[k], s.triangle[k], s.g[k], NO_SCALARS)


def length(rows: Any, i: int) -> float:
    """<x, x>."""
    return row_square(rows.values, i)


def taken(s: Any, rows: Any, i: int) -> Any:
    """The row with what is far off brought nearer; NaN where it, or its square, is not finite."""
    for j in range(len(s.far)):
        value, reach = rows.values[i, j], reached(s, j)
        nearer = near(s, j, value, reach * 2.0 ** s.far[j])
        s.row[0, j] = nearer + 0.0 * (nearer * nearer) + 0.0 * value
        s.row[1, j] = 1.0 if near(s, j, value, reach) != value else 0.0
    return Kept(s.row), 0


def inspect(s: Any, k: int, rows: Any, i: int) -> tuple[float, float]:
    """M and q of member k, with g = P z left in it."""
    mean, by = s.units[0, k], s.units[1, k]
    for j in range(len(by)):
        s.z[0, j] = (rows.values[i, j] - mean[j]) * by[j]
    return row_dot(s.w[k], s.z, 0), product(member(s, k), Kept(s.z), 0)


def replayed(s: Any, k: int, slot: int) -> tuple[float, float]:
    """The same for a row that is kept."""
    return inspect(s, k, Kept(s.kept), slot)


def shift(s: Any, k: int, rows: Any, i: int, eta: float, nu: float) -> bool:
    """w <- w + eta g, P <- P - nu g g'; is all finite?"""
    g, w = s.g[k], s.w[k]
    for j in range(len(g)):
        w[j] += eta * g[j]
    update(s.triangle[k], g, 0.0, 1.0, 1.0, nu)
    return math.isfinite(dot(w, w) + nu * dot(g, g))


def reshift(s: Any, k: int, slot: int, eta: float, nu: float) -> bool:
    """The same for a row that is kept."""
    return shift(s, k, Kept(s.kept), slot, eta, nu)


def renew(s: Any, k: int) -> None:
    """Put member k back to the prior, in the units of now, with what former leaders knew."""
    for j in range(len(s.w[k])):
        s.units[0, k, j], s.units[1, k, j] = s.units[0, -1, j], s.units[1, -1, j]
    s.w[k, :] = 0.0
    s.triangle[k, :] = 0.0
    add_prior(s, k, 1.0)
    inherit(s, k)


def fade(s: Any, k: int, by: float) -> None:
    """Draw member k towards the prior."""
    for j in range(len(s.w[k])):
        s.w[k, j] *= by
    for j in range(len(s.triangle[k])):
        s.triangle[k, j] *= by * by
    add_prior(s, k, 1 - by * by)


def add_prior(s: Any, k: int, share: float) -> None:
    """P <- P + share prior."""
    for j in range(len(s.w[k])):
        s.triangle[k, place(j, j)] += share * drawn(s, j)


def imitate(s: Any, k: int, other: int) -> None:
    """Let member k know what another one does, in its units."""
    for j in range(len(s.w[k])):
        s.w[k, j] = s.w[other, j]
        s.units[0, k, j], s.units[1, k, j] = s.units[0, other, j], s.units[1, other, j]
    for j in range(len(s.triangle[k])):
        s.triangle[k, j] = s.triangle[other, j]


def hold(s: Any, rows: Any, i: int, slot: int) -> bool:
    """Keep a row, add it up, and take the units of now; is all finite?"""
    s.constant[0] = rows.constant
    n, total = s.scalars[LABELS], 0.0
    for j in range(len(s.kept[slot])):
        value, before = s.row[0, j], s.sums[0, j] / max(1.0, n - 1)
        s.kept[slot, j] = value
        s.far[j] = s.row[1, j] * (s.far[j] + 1)
        s.sums[0, j] += value
        off = value - s.constant[0] * s.sums[0, j] / n
        s.sums[1, j] += (value - s.constant[0] * before) * off  # as Welford (1962) has it
        s.sums[2, j] += abs(off)
        total += value * value + s.sums[1, j]
    if not math.isfinite(total):
        return False
    measure(s)
    return True
