"""Times: seconds since 1970, or dates as ISO 8601 writes them."""

import math
from collections.abc import Iterable

import numpy as np

from ...data.times import END, FAR, FIRST, dated
from ...errors import SelectronError
from .numerals import number


def second(cell: object, name: str) -> float:
    """The time in seconds since 1970; dates without a zone are in UTC.

    >>> second(" 1e9 ", "when"), second("1970-01-02T01:00:00+01:00", "when")
    (1000000000.0, 86400.0)
    """
    found = _number(cell) if isinstance(cell, float | int) else _text(str(cell or ""))
    if found is not None and FIRST <= found < END:
        return found
    shown = repr(cell) if len(repr(cell)) <= 40 else repr(cell)[:37] + "..."
    if found is None or not math.isfinite(found):
        raise SelectronError(
            f"{name!r}: {shown} is no time: seconds since 1970 or a date such as "
            "2026-11-22T08:30:00+01:00 would be one"
        )
    raise SelectronError(f"{name!r}: {shown} {FAR}")


def seconds(cells: Iterable[object], name: str) -> np.ndarray:
    """The times of several rows, (n,)."""
    return np.array([second(cell, name) for cell in cells], dtype=float)


def _number(cell: float) -> float | None:
    try:
        return None if isinstance(cell, bool) else float(cell)
    except OverflowError:  # a whole number of hundreds of digits
        return None


def _text(cell: str) -> float | None:
    found = number(cell)
    return dated(cell) if found is None else found
