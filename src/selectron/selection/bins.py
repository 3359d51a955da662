"""Bins: what a number is taken for where information is counted."""

from typing import Any

import numpy as np
import scipy.sparse


def cuts(X: Any, bins: int) -> np.ndarray:
    """Return the values between bins that hold equally many rows of X each, (d, bins - 1).

    Cut b of a feature is the least value that b / bins of the rows do not exceed. X is dense or
    CSR, of shape (n, d).

    >>> cuts(np.array([[5.0], [1.0], [4.0], [2.0]]), 4)
    array([[1., 2., 4.]])
    """
    n = X.shape[0]
    ranks = -(-np.arange(1, bins) * n // bins) - 1
    if scipy.sparse.issparse(X):
        return _ranked(X.tocsc(), ranks)
    return np.partition(X, ranks, axis=0)[ranks].T


def _ranked(X: Any, ranks: np.ndarray) -> np.ndarray:
    """Return the values of these ranks (from 0) in every column; zeros are counted, not made."""
    n, d = X.shape
    columns = np.repeat(np.arange(d), np.diff(X.indptr))
    order = np.lexsort([X.data, columns])
    values = np.append(X.data[order], 0.0)
    below = np.bincount(columns, X.data < 0, minlength=d).astype(int)[:, None]
    zeros = n - np.diff(X.indptr)[:, None]
    after = ranks >= below + zeros
    place = X.indptr[:-1, None] + ranks - np.where(after, zeros, 0)
    return np.where(after | (ranks < below), values[np.minimum(place, len(X.data))], 0.0)


def binned(values: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Return the bin of every value, from 0 to as many as there are cuts.

    `values` has the shape of `cuts` without its last axis, or one that broadcasts to it. A bin ends
    with its cut. Where two cuts are equal, that one value fills a bin and has it to itself: so are
    zeros among text features. With two cuts or more, an indicator is told apart as it is.

    >>> binned(np.array([-1.0, 0.0, 0.5, 2.0]), np.array([0.0, 0.0, 1.0]))
    array([0, 1, 2, 3])
    """
    below = np.zeros(np.broadcast_shapes(values.shape, cuts.shape[:-1]), np.intp)
    equal = np.zeros(below.shape, np.intp)
    for cut in np.moveaxis(cuts, -1, 0):
        below += values > cut
        equal += values == cut
    return below + (equal > 1)
