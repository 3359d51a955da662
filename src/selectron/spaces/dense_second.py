"""Dense rows, second order: P is symmetric, and its lower triangle is kept row by row.

A product P x and a step pass once over d (d + 1) / 2 numbers.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..engine.arithmetic import dot, reassociated, row_dot, row_square
from ..engine.round import Round, Shape
from ..engine.rows import Dense, readonly
from .dense_first import products
from .scalars import NOISE, SQUARE
from .second import bound, damped, due, grain, rescale_bounds, scalars, tighten, walk
from .second import ceiling as ceiling
from .second import ceiling_all as ceiling_all
from .second import largest as largest
from .second import opposite as opposite
from .second import shrunk as shrunk
from .second import still as still

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
    values.setflags(write=False)
    return Rows(values)


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


def scaled(state: State, by: float) -> State:
    """Return a copy in which w is multiplied."""
    numbers = state.scalars.copy()
    numbers[SQUARE] *= by * by
    return State(by * state.w, state.triangle.copy(), state.g.copy(), numbers)


def at(s: Any, k: int) -> Any:
    """What a stack keeps of class k."""
    return State(s.w[k], s.triangle[k], s.g[k], s.scalars[k])


def inner(s: Any, rows: Any, i: int) -> float:
    """<w, x>."""
    return row_dot(s.w, rows.values, i)


def score_all(s: Any, rows: Any, i: int) -> None:
    """<w_k, x> for every class k of a stack, without taking each state out of it."""
    products(s.w, rows.values, i, s.scores)


def length(rows: Any, i: int) -> float:
    """<x, x>."""
    return row_square(rows.values, i)


@reassociated
def row_product(p: Any, x: np.ndarray, by: float, g: np.ndarray) -> float:
    """g <- g + by p; return <p, x>, p being what stands before the diagonal in a row of P."""
    total = 0.0
    for k in range(len(p)):
        total += p[k] * x[k]
        g[k] += p[k] * by
    return total


@reassociated
def pair_product(
    p: Any, q: np.ndarray, x: np.ndarray, first: float, second: float, g: np.ndarray
) -> tuple[float, float]:
    """`row_product` of two rows in one pass over x and g, which takes a quarter less time."""
    total, other = 0.0, 0.0
    for k in range(len(p)):
        total += p[k] * x[k]
        other += q[k] * x[k]
        g[k] += p[k] * first + q[k] * second
    return total, other


def form(s: Any, rows: Any, i: int) -> float:
    """q = <x, g> with g = (P + eps I) x, which is left in s.g."""
    x, g, t, eps = rows.values[i], s.g, s.triangle, s.scalars[NOISE]
    pairs = len(x) - len(x) % 2
    at = 0
    for j in range(0, pairs, 2):
        below = at + j + 1
        corner = t[below + j]
        p, q = t[at : at + j], t[below : below + j]
        total, other = pair_product(p, q, x, x[j], x[j + 1], g)
        g[j] = total + (t[at + j] + eps) * x[j] + corner * x[j + 1]
        g[j + 1] = other + corner * x[j] + (t[below + j + 1] + eps) * x[j + 1]
        at = below + j + 2
    for j in range(pairs, len(x)):  # the last row, if their number is odd
        total = row_product(t[at : at + j], x, x[j], g)
        g[j] = total + (t[at + j] + eps) * x[j]
    return dot(x, g)


def move(s: Any, rows: Any, i: int, scale: float, now: Round, step: Any) -> int:
    """w <- w + eta g and P <- mu (P + eps I) - nu g g', for x scaled and g as `form` left it."""
    most = ceiling(s, length(rows, i)) / (scale * scale)
    doubt = len(s.g) * grain(s) * most
    step = damped(s, now, step, doubt)
    if not walk(s, scale, now, step):
        return False
    lift = bound(s, now, step, most, doubt)
    update(s.triangle, s.g, s.scalars[NOISE], lift, step.mu, step.nu)
    if due(s):
        tighten(s, norm(s.triangle, len(s.g)))
    return True


def update(
    triangle: np.ndarray, g: np.ndarray, eps: float, lift: float, mu: float, nu: float
) -> None:
    """P <- mu (P + eps I) - nu g g', the diagonal of P + eps I multiplied by `lift` first."""
    at = 0
    for j in range(len(g)):
        p = triangle[at : at + j + 1]
        p[j] = (p[j] + eps) * lift
        by = nu * g[j]
        for k in range(len(p)):
            p[k] = mu * p[k] - by * g[k]
        at += j + 1


def rescale(s: Any, by: float) -> None:
    """P <- by P."""
    rescale_bounds(s, by)
    for j in range(len(s.triangle)):
        s.triangle[j] *= by


def norm(triangle: np.ndarray, d: int) -> float:
    """Return the Frobenius norm of P; what is not on the diagonal occurs twice."""
    squares = 2 * dot(triangle, triangle)
    for j in range(d):
        squares -= triangle[j * (j + 3) // 2] ** 2
    return math.sqrt(squares)
