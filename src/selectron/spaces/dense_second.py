"""Dense rows, second order: P is symmetric, and its lower triangle is kept row by row.

A product P x and a step pass once over d (d + 1) / 2 numbers.
"""

from typing import NamedTuple

import numpy as np

from ..engine.arithmetic import dot, reassociated, row_dot, row_square
from ..engine.round import Shape
from ..engine.rows import Dense, readonly
from .scalars import NOISE, TRACE, count, square
from .second import ceiling, scalars, walk

__all__ = ["ceiling", "count", "square"]

order = 2
atomic = True


class State(NamedTuple):
    """All that is learned, and the product g of the last row that needed one."""

    w: np.ndarray  # (d,)
    triangle: np.ndarray  # (d (d + 1) / 2,): P_00, P_10, P_11, P_20, ...
    g: np.ndarray  # (d,)
    scalars: np.ndarray


class Rows(NamedTuple):
    """A block as the loop takes it."""

    values: np.ndarray  # (n, d), the constant in front if there is one


def rows(block: Dense, constant: bool) -> Rows:
    """Return the block as the loop takes it; the constant costs a copy, small beside P x."""
    if not constant:
        return Rows(readonly(block.values))
    n, d = block.values.shape
    values = np.empty((n, d + 1))
    values[:, 0] = 1.0
    values[:, 1:] = block.values
    return Rows(readonly(values))


def size(width: int) -> int:
    """Return the bytes that the state takes."""
    return 8 * (width * (width + 1) // 2 + 2 * width)


def start(width: int, shape: Shape) -> State:
    """Return the state before the first round."""
    triangle = np.zeros(width * (width + 1) // 2)
    triangle[np.arange(1, width + 1).cumsum() - 1] = shape.scale
    return State(np.zeros(width), triangle, np.zeros(width), scalars(width, shape))


def weights(s: State) -> np.ndarray:
    """Return w."""
    return s.w.copy()


def inner(s, rows, i):
    """<w, x>."""
    return row_dot(s.w, rows.values, i)


def length(rows, i):
    """<x, x>."""
    return row_square(rows.values, i)


@reassociated
def row_product(p, x, xi, g):
    """Add xi * p to g and return <p, x>, in one pass over this part of a row of P."""
    total = 0.0
    for j in range(len(p)):
        total += p[j] * x[j]
        g[j] += p[j] * xi
    return total


def form(s, rows, i):
    """q = <x, g> with g = (P + eps I) x, which is left in s.g."""
    x, eps = rows.values[i], s.scalars[NOISE]
    at = 0
    for j in range(len(x)):
        total = row_product(s.triangle[at : at + j], x, x[j], s.g)
        s.g[j] = total + (s.triangle[at + j] + eps) * x[j]
        at += j + 1
    return max(0.0, dot(x, s.g))


def move(s, rows, i, scale, now, step):
    """w <- w + eta g and P <- mu (P + eps I) - nu g g', for x scaled and g as `form` left it."""
    nu = scale * scale * step.nu
    if not walk(s, scale * step.eta, nu, step.mu, now):
        return False
    s.scalars[TRACE] = update(s.triangle, s.g, s.scalars[NOISE], step.mu, nu)
    return True


def update(triangle, g, eps, mu, nu):
    """P <- mu (P + eps I) - nu g g'; return the trace."""
    trace = 0.0
    at = 0
    for j in range(len(g)):
        p = triangle[at : at + j + 1]
        p[j] += eps
        by = nu * g[j]
        for k in range(len(p)):
            p[k] = mu * p[k] - by * g[k]
        trace += p[j]
        at += j + 1
    return trace
