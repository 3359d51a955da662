"""Sparse rows, second order: P is a full d x d array.

q costs O(non-zeros^2); a step costs O(d^2), as P fills up.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..engine.arithmetic import dot, span_square, sparse_dot
from ..engine.round import Round, Shape
from ..engine.rows import Sparse, readonly
from . import dense_second
from .dense_second import SCALARS, bound, damped, due, grain, tighten, walk
from .state import FRESH, LARGEST, NOISE, SMALLEST, Field, Table

order = 2
atomic = True
ceiling, ceiling_all = dense_second.ceiling, dense_second.ceiling_all
opposite, shrunk, still = dense_second.opposite, dense_second.shrunk, dense_second.still


def fill_diagonal(p: np.ndarray, shape: Shape) -> None:
    """Start with P = shape.scale I."""
    np.fill_diagonal(p, shape.scale)


TABLE = Table(
    {
        "w": Field(lambda r: (r.width,), power=1),
        "p": Field(lambda r: (r.width, r.width), fill=fill_diagonal),
        "g": Field(lambda r: (r.width,)),  # room for a step
        "scalars": SCALARS,
    }
)
State, at, start, size, scaled = TABLE.State, TABLE.at, TABLE.start, TABLE.size, TABLE.scaled


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


def widen(s: Any, width: int) -> Any:
    """Return the state with new features, as if they had been there, at zero, from the start."""
    wide, new, fresh = TABLE.widen(s, width), range(len(s.w), width), s.scalars[FRESH]
    wide.p[new, new] = fresh
    wide.scalars[LARGEST] = max(s.scalars[LARGEST], fresh)
    wide.scalars[SMALLEST] = min(s.scalars[SMALLEST], fresh)
    return wide


def weights(s: Any) -> np.ndarray:
    """Return w."""
    return s.w.copy()


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


def norm(p: Any) -> float:
    """Return the Frobenius norm of P."""
    squares = 0.0
    for j in range(len(p)):
        squares += dot(p[j], p[j])
    return math.sqrt(squares)
