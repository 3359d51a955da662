"""The sums over vectors, in whatever order suits the processor."""

from typing import Any

import numpy as np

ONE, TWO, THREE, FOUR = np.arange(1, 5, dtype=np.uint64)  # indices are unsigned


def reassociated(function: Any) -> Any:
    """Let the compiler reorder the sums of this function, and of nothing else.

    The order is fixed once compiled, so that a row gives the same bits alone as in a block.
    Infinities and NaN keep their meaning.
    """
    function.fastmath = frozenset({"reassoc", "contract"})
    return function


@reassociated
def dot(u: np.ndarray, v: np.ndarray) -> float:
    """<u, v>."""
    total = 0.0
    for j in range(len(v)):
        total += u[j] * v[j]
    return total


@reassociated
def row_dot(u: np.ndarray, rows: Any, i: int) -> float:
    """<u, row i>."""
    total = 0.0
    for j in range(rows.shape[1]):
        total += u[j] * rows[i, j]
    return total


@reassociated
def row_square(rows: Any, i: int) -> float:
    """<row i, row i>."""
    total = 0.0
    for j in range(rows.shape[1]):
        total += rows[i, j] * rows[i, j]
    return total


def sparse_dot(u: np.ndarray, indices: Any, values: Any, start: int, stop: int) -> float:
    """<u, x>, x having these values at these indices, from `start` to `stop`.

    Four sums by hand: left to itself the compiler gathers eight weights with one instruction, which
    has to wait until all that the step before it has written has reached the cache.
    """
    a = b = c = d = 0.0
    fours = stop - (stop - start) % FOUR
    for j in range(start, fours, FOUR):
        a += u[indices[j]] * values[j]
        b += u[indices[j + ONE]] * values[j + ONE]
        c += u[indices[j + TWO]] * values[j + TWO]
        d += u[indices[j + THREE]] * values[j + THREE]
    for j in range(fours, stop):
        a += u[indices[j]] * values[j]
    return (a + b) + (c + d)


@reassociated
def span_square(values: Any, start: int, stop: int) -> float:
    """Sum of squares from `start` to `stop`."""
    total = 0.0
    for j in range(start, stop):
        total += values[j] * values[j]
    return total
