"""Loops written by hand, one for one learner, to compare a general loop with."""

import numba


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
