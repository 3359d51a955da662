"""Sparse rows, second order: P is a full d x d array.

q costs O(non-zeros^2); a step costs O(d^2), as P fills up.
"""

import math
from typing import Any

import numpy as np

from ..engine.arithmetic import dot, multiply, span_square, sparse_dot
from ..engine.round import Round
from ..engine.rows import Sparse
from ..engine.rows import SparseRows as Rows
from . import dense_second, sparse_first
from .dense_second import SCALARS, STEPS_BETWEEN_NORMS, rescale_bounds, walk_and_bound
from .sparse_first import products
from .state import COUNT, FRESH, LARGEST, NOISE, SMALLEST, Field, Table

order = 2
ZERO, ONE, ONE_MORE = np.zeros(1, np.int32), np.ones(1), np.array([0, 1])
upper_bound, largest, weights = dense_second.upper_bound, dense_second.largest, dense_second.weights
opposite, shrunk = dense_second.opposite, dense_second.shrunk


TABLE = Table(
    {
        "w": Field(lambda r: (r.width,), power=1),
        "p": Field(
            lambda r: (r.width, r.width), fill=lambda p, shape: np.fill_diagonal(p, shape.scale)
        ),
        "g": Field(lambda r: (r.width,)),  # room for a step
        "scalars": SCALARS,
    }
)
State, at, start, size, scaled = TABLE.State, TABLE.at, TABLE.start, TABLE.size, TABLE.scaled
sound = TABLE.sound


def rows(block: Sparse, constant: bool, kernel: tuple[float, ...] = ()) -> Rows:
    """Return the block as the loop takes it; a constant costs a copy, cheap compared with q."""
    indptr, indices, values = block
    if constant and len(indptr) == 2:  # the same for one row, six times as fast
        indptr, values = indptr + ONE_MORE, np.concatenate((ONE, values))
        indices = np.concatenate((ZERO, indices + 1))
    elif constant:
        indices = np.insert(indices + 1, indptr[:-1], 0)
        values = np.insert(values, indptr[:-1], 1.0)
        indptr = indptr + np.arange(len(indptr))
    return sparse_first.rows(Sparse(indptr, indices, values), constant, kernel)


def widen(s: Any, width: int) -> Any:
    """Return the state with new features, as if they had been 0 from the start."""
    wide, new, fresh = TABLE.widen(s, width), range(len(s.w), width), s.scalars[FRESH]
    wide.p[new, new] = fresh
    wide.scalars[LARGEST] = max(s.scalars[LARGEST], fresh)
    wide.scalars[SMALLEST] = min(s.scalars[SMALLEST], fresh)
    return wide


def inner(s: Any, rows: Any, i: int) -> float:
    """Return <w, x>."""
    return sparse_dot(s.w, rows.indices, rows.values, rows.indptr[i], rows.indptr[i + 1])


def score_all(s: Any, rows: Any, i: int) -> None:
    """Leave <w_k, x> of every class k in s.scores."""
    products(s.w, rows, i, s.scores)


def squared_norm(rows: Any, i: int) -> float:
    """Return <x, x>."""
    return span_square(rows.values, rows.indptr[i], rows.indptr[i + 1])


def quadratic_form(s: Any, rows: Any, i: int) -> float:
    """Return q = <x, (P + eps I) x>, from the entries of P at the non-zeros of x."""
    begin, end = rows.indptr[i], rows.indptr[i + 1]
    total = s.scalars[NOISE] * squared_norm(rows, i)
    for j in range(begin, end):
        p = s.p[rows.indices[j]]
        total += rows.values[j] * sparse_dot(p, rows.indices, rows.values, begin, end)
    return total


def product(s: Any, rows: Any, i: int) -> None:
    """Leave g = (P + eps I) x in s.g."""
    s.g[:] = 0.0
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        p, value = s.p[rows.indices[j]], rows.values[j]
        for k in range(len(p)):
            s.g[k] += value * p[k]
        s.g[rows.indices[j]] += s.scalars[NOISE] * value


def move(s: Any, rows: Any, i: int, scale: float, now: Round, step: Any) -> int:
    """w <- w + eta g and P <- mu (P + eps I) - nu g g', for x scaled."""
    product(s, rows, i)
    step, lift = walk_and_bound(s, squared_norm(rows, i), scale, now, step)
    if lift == 0:
        return False
    update(s.p, s.g, s.scalars[NOISE], lift, step.mu, step.nu)
    if s.scalars[COUNT] % STEPS_BETWEEN_NORMS == 0:
        s.scalars[LARGEST] = min(s.scalars[LARGEST], norm(s.p))
    return True


def update(p: Any, g: np.ndarray, eps: float, lift: float, mu: float, nu: float) -> None:
    """P <- mu (P + eps I) - nu g g', with symmetry; `lift` is as in `dense_second`."""
    for j in range(len(g)):
        row = p[j]
        row[j] = (row[j] + eps) * lift
        for k in range(len(g)):
            row[k] = mu * row[k] - nu * (g[j] * g[k])


def rescale(s: Any, by: float) -> None:
    """P <- by P."""
    rescale_bounds(s, by)
    for j in range(len(s.p)):
        multiply(s.p[j], by)


def norm(p: Any) -> float:
    """Return the Frobenius norm of P."""
    squares = 0.0
    for j in range(len(p)):
        squares += dot(p[j], p[j])
    return math.sqrt(squares)
