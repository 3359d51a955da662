"""Sparse rows, second order: P is a full d x d array.

q costs O(non-zeros^2); a step costs O(d^2), as P fills up.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..engine.arithmetic import dot, span_square, sparse_dot
from ..engine.round import Round, Shape
from ..engine.rows import Sparse, readonly
from .scalars import FRESH, LARGEST, NOISE, SMALLEST, SQUARE
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
    """All that is learned."""

    w: np.ndarray  # (d,)
    p: np.ndarray  # (d, d)
    g: np.ndarray  # (d,), room for a step
    scalars: np.ndarray


class Rows(NamedTuple):
    """A block as the loop takes it; unsigned, since each signed index costs a comparison."""

    indptr: np.ndarray  # uint64
    indices: np.ndarray  # uint32, the constant in front if there is one
    values: np.ndarray


def rows(block: Sparse, constant: bool) -> Rows:
    """Return the block as the loop takes it; the constant costs a copy, small beside q."""
    indptr, indices, values = block
    if constant:
        indices = np.insert(indices + 1, indptr[:-1], 0)
        values = np.insert(values, indptr[:-1], 1.0)
        indptr = indptr + np.arange(len(indptr))
    return Rows(
        readonly(indptr.view(np.uint64)), readonly(indices.view(np.uint32)), readonly(values)
    )


def like(rows: Any, indptr: Any, indices: Any, values: Any) -> Any:
    """Return other rows of the same kind."""
    return Rows(indptr, indices, values)


def size(width: int) -> int:
    """Return the bytes that the state takes."""
    return 8 * width * (width + 2)


def start(width: int, shape: Shape) -> State:
    """Return the state before the first round."""
    p = np.zeros((width, width))
    np.fill_diagonal(p, shape.scale)
    return State(np.zeros(width), p, np.zeros(width), scalars(width, shape))


def widen(s: State, width: int) -> State:
    """Return the state with new features, as if they had been there, at zero, from the start."""
    old, fresh = len(s.w), s.scalars[FRESH]
    p = np.zeros((width, width))
    p[:old, :old] = s.p
    p[range(old, width), range(old, width)] = fresh
    numbers = s.scalars.copy()
    numbers[LARGEST] = max(numbers[LARGEST], fresh)
    numbers[SMALLEST] = min(numbers[SMALLEST], fresh)
    return State(np.concatenate([s.w, np.zeros(width - old)]), p, np.zeros(width), numbers)


def weights(s: State) -> np.ndarray:
    """Return w."""
    return s.w.copy()


def scaled(state: State, by: float) -> State:
    """Return a copy in which w is multiplied."""
    numbers = state.scalars.copy()
    numbers[SQUARE] *= by * by
    return State(by * state.w, state.p.copy(), state.g.copy(), numbers)


def at(s: Any, k: int) -> Any:
    """What a stack keeps of class k."""
    return State(s.w[k], s.p[k], s.g[k], s.scalars[k])


def inner(s: Any, rows: Any, i: int) -> float:
    """<w, x>."""
    return sparse_dot(s.w, rows.indices, rows.values, rows.indptr[i], rows.indptr[i + 1])


def score_all(s: Any, rows: Any, i: int) -> None:
    """<w_k, x> for every class k of a stack, without taking each state out of it."""
    for k in range(len(s.scores)):
        total = 0.0
        for j in range(rows.indptr[i], rows.indptr[i + 1]):
            total += s.w[k, rows.indices[j]] * rows.values[j]
        s.scores[k] = total


def length(rows: Any, i: int) -> float:
    """<x, x>."""
    return span_square(rows.values, rows.indptr[i], rows.indptr[i + 1])


def form(s: Any, rows: Any, i: int) -> float:
    """q = <x, (P + eps I) x>, from the entries of P in the row's rows and columns alone."""
    begin, end = rows.indptr[i], rows.indptr[i + 1]
    total = s.scalars[NOISE] * length(rows, i)
    for j in range(begin, end):
        p = s.p[rows.indices[j]]
        total += rows.values[j] * sparse_dot(p, rows.indices, rows.values, begin, end)
    return total


def product(s: Any, rows: Any, i: int) -> None:
    """g = (P + eps I) x, left in s.g."""
    s.g[:] = 0.0
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        p, value = s.p[rows.indices[j]], rows.values[j]
        for k in range(len(p)):
            s.g[k] += value * p[k]
        s.g[rows.indices[j]] += s.scalars[NOISE] * value


def move(s: Any, rows: Any, i: int, scale: float, now: Round, step: Any) -> int:
    """w <- w + eta g and P <- mu (P + eps I) - nu g g', for x scaled."""
    product(s, rows, i)
    most = ceiling(s, length(rows, i)) / (scale * scale)
    doubt = len(s.g) * grain(s) * most
    step = damped(s, now, step, doubt)
    if not walk(s, scale, now, step):
        return False
    lift = bound(s, now, step, most, doubt)
    update(s.p, s.g, s.scalars[NOISE], lift, step.mu, step.nu)
    if due(s):
        tighten(s, norm(s.p))
    return True


def update(p: Any, g: np.ndarray, eps: float, lift: float, mu: float, nu: float) -> None:
    """P <- mu (P + eps I) - nu g g', as symmetric as it was; see the dense one for `lift`."""
    for j in range(len(g)):
        row = p[j]
        row[j] = (row[j] + eps) * lift
        for k in range(len(g)):
            row[k] = mu * row[k] - nu * (g[j] * g[k])


def rescale(s: Any, by: float) -> None:
    """P <- by P."""
    rescale_bounds(s, by)
    for j in range(len(s.p)):
        for k in range(len(s.p)):
            s.p[j, k] *= by


def norm(p: Any) -> float:
    """Return the Frobenius norm of P."""
    squares = 0.0
    for j in range(len(p)):
        squares += dot(p[j], p[j])
    return math.sqrt(squares)
