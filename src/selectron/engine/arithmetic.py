"""Sums over vectors, in the order that is fastest; linear algebra in one thread; outliers."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

ONE, TWO, THREE, FOUR = np.arange(1, 5, dtype=np.uint64)  # indices are unsigned
OUTLYING = 50.0  # median absolute deviations off the median, beyond which a number is an outlier


def reassociated(function: Any) -> Any:
    """Allow the compiler to reorder the sums of this function only.

    The order is fixed once compiled, so that a row gives the same bits alone as in a block.
    Infinities and NaN keep their meaning.
    """
    function.fastmath = frozenset({"reassoc", "contract"})
    return function


@reassociated
def dot(u: np.ndarray, v: np.ndarray) -> float:
    """Return <u, v>."""
    total = 0.0
    for j in range(len(v)):
        total += u[j] * v[j]
    return total


@reassociated
def add_multiple(u: np.ndarray, v: np.ndarray, by: float) -> None:
    """u <- u + by v, over the length of v."""
    for j in range(len(v)):
        u[j] += by * v[j]


def multiply(u: Any, by: float) -> None:
    """u <- by u."""
    for j in range(len(u)):
        u[j] *= by


def sparse_dot(u: np.ndarray, indices: Any, values: Any, start: int, stop: int) -> float:
    """Return <u, x>, where x has these values at these indices, from `start` to `stop`.

    The four partial sums are written by hand: the compiler would gather eight weights with one
    instruction, which has to wait until the writes of the step before have reached the cache.
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
    """Return the sum of squares from `start` to `stop`."""
    total = 0.0
    for j in range(start, stop):
        total += values[j] * values[j]
    return total


controller = cache(ThreadpoolController)  # it looks for the libraries, which takes a while


def one_thread() -> AbstractContextManager[Any]:
    """Return a context in which BLAS has one thread: small systems are solved faster, and alike.

    >>> with one_thread():
    ...     {found["num_threads"] for found in controller().info() if found["user_api"] == "blas"}
    {1}
    """
    limited: AbstractContextManager[Any] = controller().limit(limits=1, user_api="blas")
    return limited


def limit_outliers(values: np.ndarray, limit: float) -> np.ndarray:
    """Return columns of numbers, with outliers at `limit` median absolute deviations.

    If most numbers are equal, those that differ are no outliers.

    >>> limit_outliers(np.array([1.0, 2.0, 3.0, 4.0, -999.0]), 10.0).tolist()
    [1.0, 2.0, 3.0, 4.0, -8.0]
    """
    middle = np.median(values, axis=0)
    off = values - middle
    usual = np.median(abs(off), axis=0)
    far = (abs(off) > OUTLYING * usual) & (usual > 0)
    return np.where(far, middle + np.copysign(limit * usual, off), values)
