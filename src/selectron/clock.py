"""The times of rows, in seconds since 1970."""

from typing import Any

import numpy as np

from .errors import SelectronError


def times(given: Any, n: int, wanted: bool) -> np.ndarray:
    """Return the times of n rows in seconds since 1970; none where the asker wants none."""
    if not wanted:
        return np.zeros(0)
    if given is None:
        raise SelectronError("Budget(per=...) goes by the times of rows: give times.")
    try:
        found = np.asarray(given)
        if found.dtype.kind in "MO":
            found = found.astype("datetime64[us]").astype(float) / 1e6
        found = found.astype(float)
    except (TypeError, ValueError) as error:
        raise SelectronError("times must be dates or seconds, one a row.") from error
    if found.shape != (n,) or not np.isfinite(found).all():
        raise SelectronError(f"times must be dates or seconds, one for each of {n} rows.")
    return np.ascontiguousarray(found)
