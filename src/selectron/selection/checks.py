"""Checks of what users give a selector."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils.multiclass import type_of_target

from ..data.labels import as_array
from ..engine.parameters import shown
from ..engine.rows import Dense, Sparse
from ..errors import SelectronError
from ..estimator import checks
from ..model.support import check_memory


def table(estimator: Any, X: Any, *, first: bool) -> Any:
    """Return X as a dense array or a CSR array, every value of it finite."""
    block, n = checks.rows(estimator, X, first=first, sparse=scipy.sparse.issparse(X))
    if not np.isfinite(block.values).all():
        raise SelectronError("X contains NaN or infinity: every value must be finite.")
    return array_of(block, n, estimator.n_features_in_)


def array_of(block: Dense | Sparse, n: int, width: int) -> Any:
    """Return a block as an array, dense or CSR."""
    if isinstance(block, Dense):
        return block.values
    return scipy.sparse.csr_array((block.values, block.indices, block.indptr), shape=(n, width))


def labelled(X: Any, y: Any) -> tuple[Any, np.ndarray]:
    """Return the rows with a label, and their labels; there may be none."""
    y, without = checks.labels(y, X.shape[0])
    present = y[~without]
    if len(present) and type_of_target(present).startswith("continuous"):
        raise SelectronError(
            f"y must hold the names of classes, got numbers such as {shown(present[0])}: "
            "Unknown label type: continuous."
        )
    return (X[np.flatnonzero(~without)] if without.any() else X), present


def classes(known: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the classes so far, sorted: those that are known and those of new labels."""
    try:
        return np.unique(as_array([*known, *np.unique(y)]))
    except TypeError as error:
        raise SelectronError("The labels are of kinds that cannot be sorted together.") from error


def bins(value: Any, X: Any, power: int) -> int:
    """Return a number of bins, from 3 on; what is counted takes (d bins)^power numbers, which fit.

    They take at least as much room as the values between bins do, which are found first.
    """
    if not isinstance(value, int | np.integer) or value <= 2:
        raise SelectronError(f"bins must be a whole number above 2, got {shown(value)}.")
    width = X.shape[1]
    what = f"Counting {value} bins of {width} features"
    check_memory(8 * (width * int(value)) ** power, what, "take fewer bins, or fewer features")
    return int(value)


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Put an estimator's attributes back as they were if anything goes wrong."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        raise


def forget(estimator: Any) -> None:
    """Take away all that was fitted."""
    for name in [name for name in vars(estimator) if name.endswith("_")]:
        delattr(estimator, name)
