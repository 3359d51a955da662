"""What the transcriptions compute with, in double or in long double."""

import numpy as np


def sgn(r):
    return 1 if r >= 0 else -1


def zeros(x):
    return np.zeros(len(x), x.dtype)


def eye(x):
    return np.eye(len(x), dtype=x.dtype)


def inverse(M):
    """Return M^-1; NumPy has none in long double."""
    return np.linalg.inv(M) if M.dtype == np.float64 else eliminated(M)


def eliminated(M):
    """Return M^-1 by Gauss-Jordan elimination with row pivoting."""
    d = len(M)
    rows = np.hstack([M, np.eye(d, dtype=M.dtype)])
    for i in range(d):
        pivot = i + int(np.argmax(abs(rows[i:, i])))
        rows[[i, pivot]] = rows[[pivot, i]]
        rows[i] /= rows[i, i]
        factors = rows[:, i].copy()
        factors[i] = 0
        rows -= np.outer(factors, rows[i])
    return rows[:, d:]
