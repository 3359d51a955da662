"""Sparse rows, first order: w = factor * v, so that any step costs O(non-zeros)."""

import math
from typing import Any

import numpy as np

from ..engine.arithmetic import multiply, span_square, sparse_dot
from ..engine.round import Round
from ..engine.rows import Sparse, readonly
from ..engine.rows import SparseRows as Rows
from .dense_first import square_after
from .dense_first import upper_bound_all as upper_bound_all
from .state import BIAS, COUNT, FACTOR, LENGTH, SQUARE, Field, Table, numbers

order = 1

# When the factor leaves this range, it is multiplied into v. That costs O(d), at most once in a
# hundred steps even if each of them halves w.
LOWEST, HIGHEST = 1e-30, 1e30

TABLE = Table(
    {
        "v": Field(lambda r: (r.width - 1,)),  # without the constant's weight
        "scalars": numbers(LENGTH, {BIAS: 1, FACTOR: 1, SQUARE: 2}, {FACTOR: 1.0}),
    }
)
State, at, start, size = TABLE.State, TABLE.at, TABLE.start, TABLE.size
scaled, widen, sound = TABLE.scaled, TABLE.widen, TABLE.sound


def rows(block: Sparse, constant: bool, kernel: tuple[float, ...] = ()) -> Rows:
    """Return the block as the loop takes it."""
    indptr, indices = block.indptr.view(np.uint64), block.indices.view(np.uint32)
    found = readonly(indptr), readonly(indices), readonly(block.values)
    return Rows(*found, float(constant), kernel)


def weights(s: Any) -> np.ndarray:
    """Return w, the constant's weight first."""
    return np.concatenate([s.scalars[[BIAS]], s.scalars[FACTOR] * s.v])


def inner(s: Any, rows: Any, i: int) -> float:
    """Return <w, x>."""
    total = sparse_dot(s.v, rows.indices, rows.values, rows.indptr[i], rows.indptr[i + 1])
    return s.scalars[FACTOR] * total + s.scalars[BIAS] * rows.constant


def products(w: Any, rows: Any, i: int, found: Any) -> None:
    """Leave <row k of w, row i> of every row of w in `found`."""
    for k in range(len(w)):
        total = 0.0
        for j in range(rows.indptr[i], rows.indptr[i + 1]):
            total += w[k, rows.indices[j]] * rows.values[j]
        found[k] = total


def score_all(s: Any, rows: Any, i: int) -> None:
    """Leave <w_k, x> of every class k in s.scores."""
    products(s.v, rows, i, s.scores)
    for k in range(len(s.scores)):
        s.scores[k] = s.scalars[k, FACTOR] * s.scores[k] + s.scalars[k, BIAS] * rows.constant


def squared_norm(rows: Any, i: int) -> float:
    """Return <x, x>."""
    total = span_square(rows.values, rows.indptr[i], rows.indptr[i + 1])
    return total + rows.constant * rows.constant


def move(s: Any, rows: Any, i: int, scale: float, now: Round, step: Any) -> int:
    """w <- keep w + eta x, for x scaled; return whether <w, w> is finite, without a pass over w."""
    after = square_after(now, step)
    if not math.isfinite(after):
        return False
    factor = s.scalars[FACTOR] * step.keep
    if not LOWEST < abs(factor) < HIGHEST:
        multiply(s.v, factor)
        factor = 1.0
    add(s.v, step.eta / factor, rows, i, scale)
    s.scalars[FACTOR] = factor
    s.scalars[BIAS] = step.keep * s.scalars[BIAS] + step.eta * (rows.constant / scale)
    s.scalars[SQUARE] = abs(after)
    s.scalars[COUNT] += 1
    return True


def add(v: np.ndarray, eta: float, rows: Any, i: int, scale: float) -> None:
    """v <- v + eta x / scale."""
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        v[rows.indices[j]] += eta * (rows.values[j] / scale)
