"""Checks of what users give a classifier: once, here, and in one sentence each."""

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from .engine.rows import Dense, Sparse
from .errors import SelectronError
from .labels import missing, two_classes
from .model import Model


def rows(estimator: Any, X: Any, *, first: bool, sparse: bool) -> tuple[Dense | Sparse, int]:
    """Return X as a block, and its number of rows.

    The first rows settle the kind of block, and their names and number of features; later ones are
    converted to `sparse` or dense.
    """
    if scipy.sparse.issparse(X):
        X = _sound(X)
    X = validate_data(
        estimator,
        X,
        reset=first,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_all_finite=False,  # the loop finds what is not
    )
    found = scipy.sparse.issparse(X)
    if found and not sparse and not first:
        X = X.toarray()
    elif sparse and not found:
        X = scipy.sparse.csr_array(X)
    n = X.shape[0]
    if not scipy.sparse.issparse(X):
        return Dense(X), n
    return Sparse(X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data), n


def _sound(X: Any) -> Any:
    """Return a sparse matrix as CSR, its indices in range and unique within each row."""
    try:
        X = X.tocsr() if X.format != "csr" else X
        X.check_format(full_check=True)
    except ValueError as error:
        raise SelectronError(f"X is not a sound sparse matrix: {error}.") from error
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def plain_row(x: Any, model: Model) -> bool:
    """Can x be taken as it is: a 1-D array of numbers, as long as the model is wide?"""
    plain = type(x) is np.ndarray and x.ndim == 1 and x.dtype.kind in "fiub"
    return plain and len(x) == model.width and not model.sparse


def one_row(x: Any) -> Any:
    """Return one row of a table from a 1-D array, or from anything that has one row."""
    if scipy.sparse.issparse(x):
        x = x.reshape(1, -1) if x.ndim == 1 else x
    elif not hasattr(x, "iloc"):
        x = np.asarray(x)
    elif x.ndim == 1:
        x = x.to_frame().T
    if isinstance(x, np.ndarray) and x.ndim == 1:
        x = x[None, :]
    if x.shape[0] != 1:
        raise SelectronError(f"decide takes one row, got an array of shape {x.shape}.")
    return x


def labels(y: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels of n rows as an array, and which of them are missing."""
    if y is None:
        raise SelectronError("This classifier requires y to be passed, but the target y is None.")
    y = column_or_1d(np.asarray(y), warn=True)
    check_consistent_length(range(n), y)
    without = missing(y)
    if y.dtype.kind == "f":
        assert_all_finite(y[~without], input_name="y")
    return y, without


def classes(estimator: Any, present: np.ndarray, given: Any) -> np.ndarray:
    """Return the two classes: those that are known, or given, or present in the first labels."""
    known = getattr(estimator, "classes_", None)
    if given is None:
        given = estimator.classes
    if given is None and known is None:
        if len(np.unique(present)) > 2:
            check_classification_targets(present)
        given = present
    if known is None:
        return two_classes(given)
    if given is not None and list(two_classes(given)) != list(known):
        raise SelectronError(f"The classes are {list(known)} already, got {list(given)}.")
    return known


def code(label: Any, known: np.ndarray) -> int:
    """Return -1 or +1 for a label."""
    if label == known[1]:
        return 1
    if label == known[0]:
        return -1
    raise SelectronError(f"Label {label!r} is neither {known[0]!r} nor {known[1]!r}.")


def part(value: Any, role: str) -> Any:
    """Return a learner or an asker, if it is one."""
    wanted = {"learner": "step", "asker": "probability"}[role]
    if isinstance(value, tuple) and hasattr(value, wanted):
        return value
    raise SelectronError(
        f"{role} must be an object from selectron.{role}s, such as "
        f"{'LASEC()' if role == 'learner' else 'Margin(0.1)'}, got {value!r}."
    )


def fields(value: Any) -> tuple[str, ...]:
    """Return the names of the parameters of a learner or an asker, none for None."""
    return getattr(value, "_fields", ())
