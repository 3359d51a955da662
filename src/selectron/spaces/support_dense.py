"""Stored examples of dense rows: one array, a row each."""

from typing import Any

import numpy as np

from ..engine.arithmetic import dot
from ..engine.bind import noinline
from ..engine.parts import kernel
from .dense_second import Rows as Rows
from .dense_second import rows as rows
from .state import HELD, Field

FIELDS = {"x": Field(lambda r: (r.capacity, r.width)), "xx": Field(lambda r: (r.capacity,))}
START = (16, 0)  # room at the start: examples


def needed(rows: Any) -> int:
    """Return the slot width that the first row needs."""
    return 0


def sound(s: Any, held: int) -> bool:
    """Return whether the stored examples are finite and their indices valid."""
    return bool(np.isfinite(s.x[:held]).all())


def combined(s: Any, by: np.ndarray, width: int) -> np.ndarray:
    """Return sum_j by_j x_j."""
    return by @ s.x[: len(by)]


@noinline
def squared_norm(rows: Any, i: int) -> float:
    """Return k(x, x)."""
    x = rows.values[i]
    xx = dot(x, x)
    return kernel.compare(rows.kernel, x, xx, x, xx)


@noinline
def fill(s: Any, rows: Any, i: int) -> None:
    """Leave k(x_j, x) of row i and every stored example in s.kappa."""
    x = rows.values[i]
    xx = dot(x, x)
    for j in range(int(s.scalars[HELD])):
        s.kappa[j] = kernel.compare(rows.kernel, s.x[j], s.xx[j], x, xx)


@noinline
def among(s: Any, rows: Any, r: int) -> None:
    """Leave k(x_j, x_r) of stored examples in s.kappa."""
    for j in range(int(s.scalars[HELD])):
        s.kappa[j] = kernel.compare(rows.kernel, s.x[j], s.xx[j], s.x[r], s.xx[r])


@noinline
def put(s: Any, rows: Any, i: int, j: int) -> None:
    """Store row i in slot j."""
    s.xx[j] = dot(rows.values[i], rows.values[i])
    for k in range(rows.values.shape[1]):
        s.x[j, k] = rows.values[i, k]


def shift(s: Any, source: int, target: int) -> None:
    """Copy the example of one slot to another."""
    s.xx[target] = s.xx[source]
    for k in range(s.x.shape[1]):
        s.x[target, k] = s.x[source, k]
