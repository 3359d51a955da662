"""Dense rows, first order: w is an array. A step costs O(d)."""

from typing import Any

import numpy as np

from ..engine.arithmetic import dot, reassociated
from ..engine.round import Round
from ..engine.rows import Dense, readonly
from ..engine.rows import DenseRows as Rows
from .state import BIAS, COUNT, LENGTH, SQUARE, Field, Table, numbers

order = 1
LARGEST_SQUARE = 1e300  # of <w, w>, so that rounding errors do not decide whether it is finite

TABLE = Table(
    {
        "w": Field(lambda r: (r.width - 1,), power=1),  # without the constant's weight
        "scalars": numbers(LENGTH, {BIAS: 1, SQUARE: 2}),
    }
)
State, at, start, size = TABLE.State, TABLE.at, TABLE.start, TABLE.size
scaled, widen, sound = TABLE.scaled, TABLE.widen, TABLE.sound


def rows(block: Dense, constant: bool) -> Rows:
    """Return the block as the loop takes it."""
    return Rows(readonly(block.values), float(constant), ())


def weights(s: Any) -> np.ndarray:
    """Return w, the constant's weight first."""
    return np.concatenate([s.scalars[[BIAS]], s.w])


def inner(s: Any, rows: Any, i: int) -> float:
    """Return <w, x>."""
    return dot(s.w, rows.values[i]) + s.scalars[BIAS] * rows.constant


@reassociated
def dots(w: np.ndarray, k: int, rows: Any, i: int) -> tuple[float, float, float, float]:
    """Return <row k of w, row i>, and of the next three rows of w: x is fetched once for all."""
    a = b = c = d = 0.0
    for j in range(w.shape[1]):
        x = rows[i, j]
        a += w[k, j] * x
        b += w[k + 1, j] * x
        c += w[k + 2, j] * x
        d += w[k + 3, j] * x
    return a, b, c, d


def products(w: np.ndarray, rows: Any, i: int, found: Any) -> None:
    """Leave <row k of w, row i> of every row of w in `found`."""
    fours = len(w) - len(w) % 4
    for k in range(0, fours, 4):
        found[k], found[k + 1], found[k + 2], found[k + 3] = dots(w, k, rows, i)
    for k in range(fours, len(w)):
        found[k] = dot(w[k], rows[i])


def score_all(s: Any, rows: Any, i: int) -> None:
    """Leave <w_k, x> of every class k in s.scores."""
    products(s.w, rows.values, i, s.scores)
    for k in range(len(s.scores)):
        s.scores[k] += s.scalars[k, BIAS] * rows.constant


def upper_bound_all(s: Any, xx: float) -> float:
    """Return q itself, for every class."""
    return xx


def squared_norm(rows: Any, i: int) -> float:
    """Return <x, x>."""
    return dot(rows.values[i], rows.values[i]) + rows.constant * rows.constant


@reassociated
def add(w: np.ndarray, keep: float, eta: float, rows: Any, i: int, scale: float) -> float:
    """w <- keep w + eta x / scale; return <w, w>."""
    total, plain = 0.0, scale == 1.0  # the compiler makes two loops, as few steps divide
    for j in range(len(w)):
        value = keep * w[j] + eta * (rows[i, j] if plain else rows[i, j] / scale)
        w[j] = value
        total += value * value
    return total


def move(s: Any, rows: Any, i: int, scale: float, now: Round, step: Any) -> int:
    """w <- keep w + eta x, for x scaled; return whether <w, w> is finite, known before the step."""
    if not square_after(now, step) <= LARGEST_SQUARE:
        return False
    bias = step.keep * s.scalars[BIAS] + step.eta * (rows.constant / scale)
    s.scalars[BIAS] = bias
    s.scalars[SQUARE] = add(s.w, step.keep, step.eta, rows.values, i, scale) + bias * bias
    s.scalars[COUNT] += 1
    return True


def square_after(now: Round, step: Any) -> float:
    """Return <w, w> after a step, without a pass over w: up to rounding, which may make it < 0."""
    keep, eta = step.keep, step.eta
    return keep * (keep * now.ww + 2 * eta * now.m) + eta * (eta * now.q)
