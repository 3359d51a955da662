"""Times: seconds since 1970, or dates as ISO 8601 writes them."""

import math
from collections.abc import Iterable
from datetime import UTC, datetime

import numpy as np

from ...errors import SelectronError
from .numerals import number


def second(cell: object, name: str) -> float:
    """The time in seconds since 1970; dates without a zone are in UTC.

    >>> second(" 1e9 ", "when"), second("1970-01-02T01:00:00+01:00", "when")
    (1000000000.0, 86400.0)
    """
    found = _number(cell) if isinstance(cell, float | int) else _text(str(cell or ""))
    if found is None or not math.isfinite(found):
        shown = repr(cell)
        raise SelectronError(
            f"{name!r}: {shown if len(shown) <= 40 else shown[:37] + '...'} is no time: seconds "
            "since 1970 or a date such as 2026-11-22T08:30:00+01:00 would be one"
        )
    return found


def seconds(cells: Iterable[object], name: str) -> np.ndarray:
    """The times of several rows, (n,)."""
    return np.array([second(cell, name) for cell in cells], dtype=float)


def _number(cell: float) -> float | None:
    return None if isinstance(cell, bool) or abs(cell) > 1e300 else float(cell)


def _text(cell: str) -> float | None:
    found = number(cell)
    if found is not None:
        return found
    try:
        date = datetime.fromisoformat(cell.strip())
    except ValueError:
        return None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
