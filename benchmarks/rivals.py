"""Loops written by hand, one for one learner: what a general loop is measured against."""

import numba
import numpy as np


@numba.njit(fastmath=True)
def perceptron(X, y, w):
    """Perceptron over dense rows; return the number of mistakes."""
    mistakes = 0
    for i in range(X.shape[0]):
        m = 0.0
        for j in range(X.shape[1]):
            m += w[j] * X[i, j]
        if (m >= 0) != (y[i] > 0):
            mistakes += 1
            for j in range(X.shape[1]):
                w[j] += y[i] * X[i, j]
    return mistakes


@numba.njit(fastmath=True)
def sparse_perceptron(indptr, indices, values, y, w):
    """Perceptron over sparse rows; return the number of mistakes."""
    mistakes = 0
    for i in range(len(y)):
        m = 0.0
        for j in range(indptr[i], indptr[i + 1]):
            m += w[indices[j]] * values[j]
        if (m >= 0) != (y[i] > 0):
            mistakes += 1
            for j in range(indptr[i], indptr[i + 1]):
                w[indices[j]] += y[i] * values[j]
    return mistakes


@numba.njit
def lasec(X, y, b, c):
    """LASEC with P x formed by BLAS on every round; return the number of mistakes."""
    d = X.shape[1]
    P, w = np.eye(d) * (1 / b - 1 / c), np.zeros(d)
    mistakes = 0
    for i in range(X.shape[0]):
        x = X[i]
        g = np.dot(P, x) + x / c
        q, m = np.dot(x, g), np.dot(w, x)
        if (m / (1 + q) >= 0) != (y[i] > 0):
            mistakes += 1
            w += (y[i] - m) / (1 + q) * g
            for j in range(d):
                P[j, j] += 1 / c
                by = g[j] / (1 + q)
                for k in range(d):
                    P[j, k] -= by * g[k]
    return mistakes
