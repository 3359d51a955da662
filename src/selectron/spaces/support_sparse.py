"""Stored examples of sparse rows: slots of equal width, so that any example can be replaced.

A row is written out as a dense vector while it is compared with the stored examples.
"""

from typing import Any

import numpy as np

from ..engine.arithmetic import span_square, sparse_dot
from ..engine.bind import noinline
from ..engine.parts import kernel
from .sparse_second import Rows as Rows
from .sparse_second import rows as rows
from .state import HELD, Field

FIELDS = {
    "indices": Field(lambda r: (r.capacity, r.slot), dtype=np.uint32),
    "values": Field(lambda r: (r.capacity, r.slot)),
    "lengths": Field(lambda r: (r.capacity,), dtype=np.uint64),
    "xx": Field(lambda r: (r.capacity,)),
    "wide": Field(lambda r: (r.width,)),  # zeros, except for a row being compared
}
START = (16, 16)  # room at the start: examples, and non-zeros of each


def needed(rows: Any) -> int:
    """Return the slot width that the first row needs."""
    return int(rows.indptr[1] - rows.indptr[0])


def sound(s: Any, held: int) -> bool:
    """Return whether the stored examples are finite and their indices valid."""
    taken = np.arange(s.values.shape[1])[None, :] < s.lengths[:held, None]
    fits = (s.lengths[:held] <= s.values.shape[1]).all()
    indices = (s.indices[:held][taken] < len(s.wide)).all()
    return bool(fits and indices and np.isfinite(s.values[:held][taken]).all() and not s.wide.any())


def combined(s: Any, by: np.ndarray, width: int) -> np.ndarray:
    """Return sum_j by_j x_j."""
    total = np.zeros(width)
    for j, factor in enumerate(by):
        n = int(s.lengths[j])
        total[s.indices[j, :n]] += factor * s.values[j, :n]
    return total


def too_long(s: Any, rows: Any, i: int) -> bool:
    """Return whether row i has more non-zeros than a slot."""
    return rows.indptr[i + 1] - rows.indptr[i] > s.values.shape[1]


@noinline
def squared_norm(rows: Any, i: int) -> float:
    """Return k(x, x)."""
    xx = span_square(rows.values, rows.indptr[i], rows.indptr[i + 1])
    return kernel.value(kernel.Parameters(*rows.kernel), xx, xx, xx)


@noinline
def fill(s: Any, rows: Any, i: int) -> None:
    """Leave k(x_j, x) of row i and every stored example in s.kappa."""
    begin, end = rows.indptr[i], rows.indptr[i + 1]
    xx = span_square(rows.values, begin, end)
    compare(s, rows, rows.indices, rows.values, begin, end, xx)


@noinline
def among(s: Any, rows: Any, r: int) -> None:
    """Leave k(x_j, x_r) of all stored examples in s.kappa."""
    none = s.lengths[r] - s.lengths[r]  # 0, of the same type as the ends of rows
    compare(s, rows, s.indices[r], s.values[r], none, s.lengths[r], s.xx[r])


def compare(s: Any, rows: Any, indices: Any, values: Any, begin: int, end: int, xx: float) -> None:
    """Leave the kernel's values of stored examples and a row in s.kappa; s.wide is 0 again."""
    p = kernel.Parameters(*rows.kernel)
    for j in range(begin, end):
        s.wide[indices[j]] = values[j]
    for j in range(int(s.scalars[HELD])):
        none = s.lengths[j] - s.lengths[j]
        xy = sparse_dot(s.wide, s.indices[j], s.values[j], none, s.lengths[j])
        s.kappa[j] = kernel.value(p, xy, s.xx[j], xx)
    for j in range(begin, end):
        s.wide[indices[j]] = 0.0


@noinline
def put(s: Any, rows: Any, i: int, j: int) -> None:
    """Store row i in slot j."""
    begin, end = rows.indptr[i], rows.indptr[i + 1]
    s.lengths[j] = end - begin
    s.xx[j] = span_square(rows.values, begin, end)
    for k in range(end - begin):
        s.indices[j, k], s.values[j, k] = rows.indices[begin + k], rows.values[begin + k]


def shift(s: Any, source: int, target: int) -> None:
    """Copy the example of one slot to another."""
    s.lengths[target], s.xx[target] = s.lengths[source], s.xx[source]
    for k in range(s.lengths[source]):
        s.indices[target, k] = s.indices[source, k]
        s.values[target, k] = s.values[source, k]


def add(w: np.ndarray, s: Any, j: int, by: float) -> None:
    """w <- w + by x_j."""
    for k in range(s.lengths[j]):
        w[s.indices[j, k]] += by * s.values[j, k]
