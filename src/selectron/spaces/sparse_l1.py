"""Sparse rows, first order, w in an L1 ball: a step touches w's and x's non-zeros alone."""

import math
from typing import Any, NamedTuple

import numpy as np

from ..engine.arithmetic import dot, sparse_dot
from ..engine.bind import allocating
from ..engine.round import Round, Shape
from .l1 import CONSTANT, Coordinates, nearest
from .scalars import BIAS, COUNT, LENGTH, SQUARE, SUPPORT
from .sparse_first import Rows as Rows
from .sparse_first import ceiling as ceiling
from .sparse_first import ceiling_all as ceiling_all
from .sparse_first import form as form
from .sparse_first import length as length
from .sparse_first import rows as rows

order = 1
atomic = True


class State(NamedTuple):
    """All that is learned."""

    w: np.ndarray  # (d,), without the constant's weight
    support: np.ndarray  # (d,), int32: the features whose weights are not 0, in any order
    place: np.ndarray  # (d,), int32: where in `support` such a feature stands
    scalars: np.ndarray


def size(width: int) -> int:
    """Return the bytes that the state takes."""
    return 16 * width


def start(width: int, shape: Shape | None) -> State:
    """Return the state before the first round."""
    n = width - 1
    return State(np.zeros(n), np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros(LENGTH))


def widen(s: State, width: int) -> State:
    """Return the state with zero weights for the new features."""
    fresh = start(width - len(s.w), None)
    w, support, place, _ = (np.concatenate(pair) for pair in zip(s, fresh, strict=True))
    return State(w, support, place, s.scalars)


def weights(s: State) -> np.ndarray:
    """Return w, the constant's weight first."""
    return np.concatenate([s.scalars[[BIAS]], s.w])


def scaled(state: State, by: float) -> State:
    """Return a copy in which w is multiplied."""
    numbers = state.scalars.copy()
    numbers[BIAS] *= by
    numbers[SQUARE] *= by * by
    return State(by * state.w, state.support.copy(), state.place.copy(), numbers)


def at(s: Any, k: int) -> Any:
    """What a stack keeps of class k."""
    return State(s.w[k], s.support[k], s.place[k], s.scalars[k])


def sound(s: State) -> bool:
    """Is the support that of w? Nothing checks it in the loop."""
    n = s.scalars[SUPPORT]
    if not 0 <= n <= len(s.w):
        return False
    support = s.support[: int(n)]
    found = np.array_equal(np.sort(support), np.flatnonzero(s.w))
    return found and np.array_equal(s.place[support], np.arange(len(support)))


def inner(s: Any, rows: Any, i: int) -> float:
    """<w, x>."""
    total = sparse_dot(s.w, rows.indices, rows.values, rows.indptr[i], rows.indptr[i + 1])
    return total + s.scalars[BIAS] * rows.constant


@allocating
def coordinates(s: Any, rows: Any, i: int, y: float, scale: float) -> Coordinates:
    """Return the constant, w's support, and then what else x has: 0 at most at the constant."""
    begin, end, n = rows.indptr[i], rows.indptr[i + 1], int(s.scalars[SUPPORT])
    room = 1 + n + int(end - begin)
    c = Coordinates(np.empty(room, np.int64), np.zeros(room), np.zeros(room))
    c.of[0], c.w[0], c.z[0] = CONSTANT, s.scalars[BIAS], y * (rows.constant / scale)
    for k in range(n):
        c.of[1 + k], c.w[1 + k] = s.support[k], s.w[s.support[k]]
    n += 1
    for k in range(begin, end):
        j, z = rows.indices[k], y * (rows.values[k] / scale)
        if s.w[j] != 0:
            c.z[1 + s.place[j]] = z
        elif z != 0:
            c.of[n], c.z[n] = j, z
            n += 1
    return Coordinates(c.of[:n], c.w[:n], c.z[:n])


def move(s: Any, rows: Any, i: int, scale: float, now: Round, step: Any) -> int:
    """w <- the nearest point of the ball with margin 1, for x scaled; 2 if there is none."""
    if not math.isfinite(step.radius * step.radius * now.q):  # nor would all that follows be
        return 0
    c = coordinates(s, rows, i, now.y, scale)
    found = nearest(c, step.radius)
    put(s, c.of, found.v)
    s.scalars[SQUARE] = dot(found.v, found.v)
    s.scalars[COUNT] += 1
    return 1 if found.feasible else 2


def put(s: Any, of: np.ndarray, v: np.ndarray) -> None:
    """Write w down, and its support anew; the constant comes first."""
    s.scalars[BIAS] = v[0]
    n = 0
    for k in range(1, len(of)):
        j = of[k]
        s.w[j] = v[k]
        if v[k] != 0:
            s.support[n], s.place[j] = j, n
            n += 1
    s.scalars[SUPPORT] = n
