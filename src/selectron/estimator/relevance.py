"""Tables that tell which classes are relevant to a row: what users give `OnlineRanker`, checked."""

from typing import Any

import numpy as np
import scipy.sparse

from ..data.labels import as_array, distinct
from ..errors import SelectronError
from .checks import in_one_sentence


def indicators(y: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a table of 0 and 1 for n rows, and which of the rows are missing: those of NaN."""
    with in_one_sentence("y is no table of 0 and 1"):
        table = np.asarray(y.toarray() if scipy.sparse.issparse(y) else y, dtype=float)
    if table.ndim != 2 or table.shape[1] < 2:
        raise SelectronError(f"y must be a table of two columns or more, got shape {table.shape}.")
    if len(table) != n:
        raise SelectronError(f"X has {n} rows, and y has {len(table)}.")
    without = np.isnan(table).all(axis=1)
    odd = ~(np.isin(table, (0, 1)).all(axis=1) | without)
    if odd.any():
        row = int(odd.argmax())
        raise SelectronError(f"Row {row} of y must hold 0 and 1 only, got {table[row].tolist()}.")
    return np.nan_to_num(table).astype(np.uint8), without


def columns(estimator: Any, number: int, given: Any) -> np.ndarray:
    """Return the names of so many classes, in the order of their columns."""
    wanted = estimator.classes if given is None else given
    known = getattr(estimator, "classes_", None)
    if wanted is None:
        wanted = np.arange(number) if known is None else known
    if isinstance(wanted, str) or np.ndim(wanted) != 1:
        raise SelectronError(f"classes must be a list of labels, got {wanted!r}.")
    names = as_array(list(wanted))
    if len(distinct(names)) != number:
        raise SelectronError(f"y has {number} columns, and classes are {names.tolist()}.")
    if known is not None and known.tolist() != names.tolist():
        raise SelectronError(f"The classes are {known.tolist()} already, got {names.tolist()}.")
    return names
