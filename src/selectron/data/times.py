"""The times of rows in seconds since 1970, given as numbers or dates."""

import math
import re
import time as system
from contextlib import suppress
from datetime import date, datetime
from typing import Any

import numpy as np

from ..errors import SelectronError

FIRST, END = -62_135_596_800.0, 253_402_300_800.0  # the years 1 to 9999, all that a date may be in
START = datetime(1970, 1, 1)
FAR = "lies outside the years 1 to 9999, as milliseconds do: give seconds since 1970, or dates"
NONE = "is no time: give seconds since 1970, or dates"
YEARS = "1800", "2199"  # other numbers are more likely codes
WRITTEN = re.compile(  # three numbers, a time, AM or PM, a zone
    r"([0-9]{1,4})([./-])([0-9]{1,2})\2([0-9]{1,4})"
    r"(?:[T ,]+([0-9]{1,2})(:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)"
    r"(?: ?([AP])\.?M\.?)?( ?(?:Z|[+-][0-9]{2}:?[0-9]{2}))?)?",
    re.IGNORECASE,
)


def times(given: Any, n: int, wanted: bool) -> np.ndarray:
    """Return the times of n rows in seconds since 1970; empty unless `wanted` by the asker."""
    if given is None:
        if wanted:
            raise SelectronError("Budget(per=...) goes by the times of rows: give times.")
        return np.zeros(0)
    try:
        found = np.asarray(given)
    except ValueError:  # it is ragged
        found = np.zeros(())
    if found.shape != (n,):
        raise SelectronError(f"times must be dates or seconds, one for each of {n} rows.")
    return _seconds(found, "times: row {} has") if wanted else np.zeros(0)


def moment(given: Any, wanted: bool) -> float:
    """Return the time of one row, by default now; 0 unless `wanted` by the asker.

    >>> moment("1970-01-02", True), moment(None, False)
    (86400.0, 0.0)
    """
    if not wanted:
        return 0.0
    if given is None:
        return system.time()
    if type(given) is float and FIRST <= given < END:
        return given
    found = np.asarray(given)
    if found.shape != ():
        raise SelectronError(f"time must be a date or seconds since 1970, got {given!r}.")
    return float(_seconds(found[None], "time is")[0])


def _seconds(given: np.ndarray, name: str) -> np.ndarray:
    """Return times as seconds since 1970; `name` precedes a faulty one in the message."""
    if given.dtype.kind == "M":
        found = np.where(np.isnat(given), math.nan, given.astype("datetime64[us]").astype(float))
        found /= 1e6
    elif given.dtype.kind in "iuf":
        found = given.astype(float)
    else:
        found = np.array([seconds(value) for value in given.tolist()])
    wrong = np.flatnonzero(~((found >= FIRST) & (found < END)))
    if len(wrong):
        row, value = int(wrong[0]), given[wrong[0]]
        shown = repr(str(value)) if isinstance(value, str) else str(value)
        reason = FAR if math.isfinite(found[row]) else NONE
        raise SelectronError(f"{name.format(row)} {shown[:40]}, which {reason}.")
    return np.ascontiguousarray(found)


def iso(text: str, order: str) -> str:
    """Return a date as ISO 8601 writes it, given the order of its day, month and year.

    It is "" if the text is no such date. The year has four digits, and may be first in any order.

    >>> iso("23/11/2026 8:30 PM", "dmy"), iso("11/23/2026", "mdy"), iso("3.1.2026", "mdy")
    ('2026-11-23 20:30', '2026-11-23', '')
    """
    found = WRITTEN.fullmatch(text)
    if not found:
        return ""
    first, mark, second, third, hour, rest, half, zone = found.groups()
    if len(first) == 4:
        year, month, day = first, second, third
    elif order == "dmy":
        day, month, year = first, second, third
    elif order == "mdy" and mark != ".":
        month, day, year = first, second, third
    else:
        return ""
    if len(year) != 4 or len(day) > 2 or not YEARS[0] <= year <= YEARS[1]:
        return ""
    if hour is None:
        return f"{year}-{month:0>2}-{day:0>2}"
    hours = int(hour) % 12 + 12 * (half in "pP") if half else int(hour)
    return f"{year}-{month:0>2}-{day:0>2} {hours:02}{rest}{(zone or '').strip().upper()}"


def seconds(value: Any, order: str = "") -> float:
    """Return a date, text or number in seconds since 1970; NaN if it is none of them.

    Dates in text are written as ISO 8601 has them, or in this `order` of day, month and year; they
    are in UTC if they have no zone.

    >>> seconds("1970-01-02T01:00:00+01:00"), seconds("1e9"), seconds("tomorrow")
    (86400.0, 1000000000.0, nan)
    >>> seconds("02/01/1970", "dmy")
    86400.0
    """
    if isinstance(value, str):
        text = value.strip()
        with suppress(ValueError):
            value = datetime.fromisoformat(iso(text, order) or text if order else text)
    elif isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    try:
        if isinstance(value, date) and not isinstance(value, datetime):
            value = datetime(value.year, value.month, value.day)
        if isinstance(value, datetime):
            return value.timestamp() if value.tzinfo else (value - START).total_seconds()
        return math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan
