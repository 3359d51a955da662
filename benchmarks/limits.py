"""Limits of the machine: loops in C, and second order with a product by BLAS on every round."""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.extending import get_cython_function_address

PASSES = r"""
#include <stdint.h>

/* Perceptron over dense rows: the number of mistakes. */
int64_t dense(const double *X, const int8_t *y, double *w, int64_t n, int64_t d) {
    int64_t mistakes = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *x = X + i * d;
        double m = 0;
        for (int64_t j = 0; j < d; j++) m += w[j] * x[j];
        if ((m >= 0) != (y[i] > 0)) {
            mistakes++;
            for (int64_t j = 0; j < d; j++) w[j] += y[i] * x[j];
        }
    }
    return mistakes;
}

/* The same over sparse rows. */
int64_t sparse(const int64_t *indptr, const int32_t *indices, const double *values,
               const int8_t *y, double *w, int64_t n, int64_t d) {
    int64_t mistakes = 0;
    for (int64_t i = 0; i < n; i++) {
        double m = 0;
        for (int64_t j = indptr[i]; j < indptr[i + 1]; j++) m += w[indices[j]] * values[j];
        if ((m >= 0) != (y[i] > 0)) {
            mistakes++;
            for (int64_t j = indptr[i]; j < indptr[i + 1]; j++) w[indices[j]] += y[i] * values[j];
        }
    }
    return mistakes;
}
"""


@cache
def library() -> ctypes.CDLL:
    """Return the loops in C, compiled on the spot."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise RuntimeError("There is no C compiler: install cc to measure against C.")
    folder = Path(tempfile.mkdtemp())
    (folder / "passes.c").write_text(PASSES)
    options = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
    subprocess.run([compiler, *options, "passes.c", "-o", "passes.so"], cwd=folder, check=True)
    found = ctypes.CDLL(str(folder / "passes.so"))
    found.dense.restype = found.sparse.restype = ctypes.c_int64
    return found


def c_dense(X: np.ndarray, y: np.ndarray) -> Callable[[], int]:
    """Return a pass of the Perceptron in C over dense rows."""
    return partial(in_c, "dense", (X, y.astype(np.int8)), *X.shape)


def c_sparse(X: Any, y: np.ndarray) -> Callable[[], int]:
    """Return a pass of the Perceptron in C over sparse rows."""
    rows = X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data, y.astype(np.int8)
    return partial(in_c, "sparse", rows, *X.shape)


def in_c(name: str, arrays: tuple[np.ndarray, ...], n: int, d: int) -> int:
    """Call a loop on arrays and weights of 0."""
    arrays = *arrays, np.zeros(d)
    addresses = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
    return getattr(library(), name)(*addresses, ctypes.c_int64(n), ctypes.c_int64(d))


def blas(name: str, arguments: int) -> Callable:
    """Return a routine of SciPy's BLAS, all of its arguments being addresses."""
    address = get_cython_function_address("scipy.linalg.cython_blas", name)
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * arguments)(address)


dsymv, dsyr = blas("dsymv", 10), blas("dsyr", 7)


@numba.njit
def second_order(X, y, b, c, every):
    """LASEC with dsymv on every round, and dsyr on every round with a mistake, or on all.

    The noise 1/c is kept separate from P, as in Selectron. Return the number of steps.
    """
    n, d = X.shape
    P, w, g = np.eye(d) * (1 / b - 1 / c), np.zeros(d), np.zeros(d)
    low = np.array([76], np.uint8)  # "L"
    size, one, unit, zero = np.array([d], np.int32), np.ones(1, np.int32), np.ones(1), np.zeros(1)
    by, steps = np.zeros(1), 0
    for i in range(n):
        x = X[i]
        dsymv(
            low.ctypes.data, size.ctypes.data, unit.ctypes.data, P.ctypes.data, size.ctypes.data,
            x.ctypes.data, one.ctypes.data, zero.ctypes.data, g.ctypes.data, one.ctypes.data,
        )  # fmt: skip
        q = m = 0.0
        for j in range(d):
            g[j] += x[j] / c
            q += x[j] * g[j]
            m += x[j] * w[j]
        if every or (m >= 0) != (y[i] > 0):
            steps += 1
            for j in range(d):
                w[j] += (y[i] - m) / (1 + q) * g[j]
                P[j, j] += 1 / c
            by[0] = -1 / (1 + q)
            dsyr(
                low.ctypes.data, size.ctypes.data, by.ctypes.data, g.ctypes.data, one.ctypes.data,
                P.ctypes.data, size.ctypes.data,
            )  # fmt: skip
    return steps
