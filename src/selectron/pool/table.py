"""The table of a pool: finite numbers, small enough for what learners make of them."""

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils.validation import check_array

from ..errors import Refused
from ..estimator.checks import TABLE, in_one_sentence
from ..model.support import TOO_LARGE

APART = 4.0  # |x - x'|^2 is at most so many times the larger square, and is reached by sums


def table(X: Any) -> Any:
    """Return a table of finite numbers, dense or CSR, with a row at least.

    Columns are scaled by sums of squares over all rows, so that these must be finite as well.

    >>> table([[1.0], [1e200]])
    Traceback (most recent call last):
    selectron.errors.Refused: Row 1 is too large for floating point: scale the features.
    """
    with in_one_sentence(TABLE):
        X = check_array(X, accept_sparse="csr", dtype=np.float64)
    X = scipy.sparse.csr_array(X) if scipy.sparse.issparse(X) else X
    with np.errstate(over="ignore"):
        found = squares(X)
        finite = np.isfinite(APART * found.sum())
    if not finite:
        raise Refused(int(found.argmax()), TOO_LARGE)
    return X


def squares(X: Any) -> np.ndarray:
    """Return <x, x> of every row."""
    if scipy.sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)
