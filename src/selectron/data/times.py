"""The times of rows in seconds since 1970, given as numbers or dates."""

import math
import re
import time as system
import warnings
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import numpy as np

from ..errors import SelectronError

FIRST, END = -62_135_596_800.0, 253_402_300_800.0  # the years 1 to 9999, all that a date may be in
START = datetime(1970, 1, 1)
FAR = "lies outside the years 1 to 9999, as milliseconds do: give seconds since 1970, or dates"
NONE = "is not a time: give seconds since 1970, or dates"
YEARS = "1800", "2199"  # other numbers are more likely codes
CLOCK = r"([0-9]{1,2})(:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)(?: ?([AP])\.?M\.?)?"
TIME = rf"(?:[T ,:]+{CLOCK}(?: ?(Z|UTC|GMT|[+-][0-9]{{2}}:?[0-9]{{2}})(?: \([A-Z]+\))?)?)?"
NUMERIC = re.compile(r"([0-9]{1,4})([./-])([0-9]{1,2})\2([0-9]{1,4})" + TIME, re.IGNORECASE)
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
MONTH = (  # in English
    "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    "sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
MONTH_NAMED = re.compile(  # as in "Tue, 03 Nov 2026", "November 3, 2026" and "03/Nov/2026"
    r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? +)?"
    rf"(?:([0-9]{{1,2}})(?:[ /-]|\. ){MONTH}|{MONTH}\.? +([0-9]{{1,2}})),?[ /-]([0-9]{{4}})" + TIME,
    re.IGNORECASE,
)
CLOCKS = re.compile(
    r"[0-9]:[0-9]{2}(.*(?:Z|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?)(?: \([A-Z]+\))?$)?"
)
SIZE = r"[+-]?[0-9]{1,12}(?:\.[0-9]+)?"
ISO_DURATION = re.compile(
    rf"(?P<sign>[+-]?)P(?:(?P<weeks>{SIZE})W)?(?:(?P<days>{SIZE})D)?"
    rf"(?:T(?:(?P<hours>{SIZE})H)?(?:(?P<minutes>{SIZE})M)?(?:(?P<seconds>{SIZE})S)?)?"
)
CLOCKED = re.compile(  # as Python, pandas and databases write durations
    r"(?:(?P<days>[+-]?[0-9]{1,12}) days?,? ?)?(?:(?P<sign>[+-]?)(?P<hours>[0-9]{1,12})"
    r":(?P<minutes>[0-9]{2}):(?P<seconds>[0-9]{2}(?:\.[0-9]+)?))?"
)


def times(given: Any, n: int, wanted: bool) -> np.ndarray:
    """Return the times of n rows in seconds since 1970; empty unless `wanted` by the asker."""
    if given is None:
        if wanted:
            raise SelectronError("Budget(per=...) needs the times of rows: give times.")
        return np.zeros(0)
    try:
        found = np.asarray(given)
    except ValueError:  # it is ragged
        found = np.zeros(())
    if found.shape != (n,):
        raise SelectronError(f"times must be dates or seconds, one for each of {n} rows.")
    if not wanted:
        return np.zeros(0)
    seconds = _seconds(found, "times: row {} has")
    if (earlier := np.flatnonzero(np.diff(seconds) < 0)).size:
        warnings.warn(
            f"times: row {earlier[0] + 1} is earlier than row {earlier[0]}: the budget uses the "
            "latest time so far, and asks too rarely if that is far ahead; sort the rows by time.",
            stacklevel=3,
        )
    return seconds


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
    try:
        found = np.asarray(given)
    except ValueError:  # it is ragged
        found = np.zeros(1)
    if found.shape != ():
        raise SelectronError(f"time must be a date or seconds since 1970, got {given!r}.")
    return float(_seconds(found[None], "time is")[0])


def warn_if_earlier(time: float, since: float) -> None:
    """Warn that a row is earlier than the period of the budget, which began at `since`."""
    if time < since:
        row, period = (datetime.fromtimestamp(at, UTC).isoformat(" ")[:16] for at in (time, since))
        warnings.warn(
            f"time: {row} is earlier than {period}, when the period of the budget began: the "
            "budget uses the latest time so far, which is now for rows without a time, and asks "
            "too rarely if that is far ahead.",
            stacklevel=3,
        )


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

    It is "" if the text is not such a date. The year has four digits. The order does not matter if
    the year is first, or the month is an English name; without an order, the day is first in
    "23.11.2026". "time" is for a time of day, on 1970-01-01.

    >>> iso("23/11/2026 8:30 PM", "dmy"), iso("11/23/2026", "mdy"), iso("3.1.2026", "mdy")
    ('2026-11-23 20:30', '2026-11-23', '')
    >>> iso("Tue, 3 Nov 2026 08:30:00 +0100", ""), iso("November 3, 2026", "")
    ('2026-11-03 08:30:00+0100', '2026-11-03')
    >>> iso("8:30 PM", "time"), iso("8:30 PM", "dmy")
    ('1970-01-01 20:30', '')
    """
    if order == "time":
        found = re.fullmatch(CLOCK, text, re.IGNORECASE)
        return f"1970-01-01{_time(*found.groups())}" if found else ""
    if found := MONTH_NAMED.fullmatch(text):
        day, month, other, last, year, *clock = found.groups()
        day, month = day or last, str(1 + MONTHS.index((month or other)[:3].lower()))
    elif found := NUMERIC.fullmatch(text):
        first, mark, second, third, *clock = found.groups()
        if len(first) == 4:
            year, month, day = first, second, third
        elif order == "dmy" or (mark == "." and not order):
            day, month, year = first, second, third
        elif order == "mdy" and mark != ".":
            month, day, year = first, second, third
        else:
            return ""
    else:
        return ""
    if len(year) != 4 or len(day) > 2 or not YEARS[0] <= year <= YEARS[1]:
        return ""
    return f"{year}-{month:0>2}-{day:0>2}{_time(*clock)}"


def _time(hour: str | None, rest: str, half: str | None, zone: str | None = None) -> str:
    """Return the time of a day as ISO 8601 writes it, after a space; "" if there is none."""
    if hour is None:
        return ""
    hours = int(hour) % 12 + 12 * (half in "pP") if half else int(hour)
    zone = (zone or "").upper()
    return f" {hours:02}{rest}{'Z' if zone in ('UTC', 'GMT') else zone}"


def seconds(value: Any, order: str = "") -> float:
    """Return a date, text or number in seconds since 1970; NaN if it is none of them.

    Dates in text are in ISO 8601, with the name of a month, as 23.11.2026, or in this `order` of
    day, month and year; they are in UTC if they have no time zone.

    >>> seconds("1970-01-02T01:00:00+01:00"), seconds("1e9"), seconds("tomorrow")
    (86400.0, 1000000000.0, nan)
    >>> seconds("Fri, 2 Jan 1970 00:00:00 GMT")
    86400.0
    >>> seconds("02/01/1970", "dmy"), seconds("02.01.1970"), seconds("02/01/1970")
    (86400.0, 86400.0, nan)
    """
    if isinstance(value, (str, time)) or hasattr(value, "start_time"):  # a period of pandas
        text = str(value).strip()
        try:
            # milliseconds may look like a date, an hour and a minute without marks
            digits = len(text) == 13 and text.isdecimal()
            value = text if digits else datetime.fromisoformat(text)
        except ValueError:
            with suppress(ValueError):
                value = datetime.fromisoformat(iso(text, order))
    elif isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    elif hasattr(value, "nanosecond"):  # of pandas
        value = value.to_pydatetime(warn=False)
    try:
        if isinstance(value, date) and not isinstance(value, datetime):
            value = datetime(value.year, value.month, value.day)
        if isinstance(value, datetime):
            return value.timestamp() if value.tzinfo else (value - START).total_seconds()
        return math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def zone_of(value: Any) -> str:
    """Return whether a time has a zone, in words; "" if it is no time of a day.

    >>> zone_of("2026-11-23T08:30:00+01:00"), zone_of(datetime(2026, 11, 23)), zone_of("2026-11-23")
    ('a zone', 'no zone', '')
    """
    if isinstance(value, datetime):
        return "no zone" if value.tzinfo is None else "a zone"
    found = CLOCKS.search(value.strip()) if isinstance(value, str) else None
    return ("a zone" if found[1] else "no zone") if found else ""


def duration(text: str, known: bool = False) -> float:
    """Return a duration in seconds, NaN if it is none: in ISO 8601, or days and a clock.

    Forms that may be others, such as times of day, are durations only where this is `known`.

    >>> duration("P0DT0H3M24S"), duration("0 days 00:03:24"), duration("-1 day, 23:59:00.5")
    (204.0, 204.0, -59.5)
    >>> duration("0:03:24"), duration("0:03:24", known=True), duration("P1D", known=True)
    (nan, 204.0, 86400.0)
    """
    found = ISO_DURATION.fullmatch(text) or CLOCKED.fullmatch(text)
    given = found.groupdict() if found else {}
    sign = -1 if given.pop("sign", "") == "-" else 1
    parts = {name: float(number) for name, number in given.items() if number}
    if not parts or not (known or "T" in text or {"days", "hours"} <= parts.keys()):
        return math.nan
    try:
        days = timedelta(days=parts.pop("days", 0.0))
        return (days * (sign if "P" in text else 1) + sign * timedelta(**parts)).total_seconds()
    except OverflowError:
        return math.nan


def iso_duration(x: timedelta) -> str:
    """Return a duration as ISO 8601 writes it, in seconds.

    >>> iso_duration(timedelta(minutes=3, seconds=24.5)), iso_duration(timedelta(seconds=-60))
    ('PT204.5S', '-PT60S')
    """
    whole, rest = divmod(abs(x) // timedelta(microseconds=1), 10**6)
    fraction = f".{rest:06}".rstrip("0") if rest else ""
    return f"{'-' * (x < timedelta(0))}PT{whole}{fraction}S"


def circle(n: int) -> tuple[list[float], list[float]]:
    """Return sine and cosine at n points of a circle."""
    angles = 2 * math.pi * np.arange(n) / n
    return np.sin(angles).tolist(), np.cos(angles).tolist()


# Names, units in seconds, and how many of them make a circle
CIRCLES = [("hour", 60.0, 1440.0), ("weekday", 86_400.0, 7.0), ("day of year", 86_400.0, 365.2425)]
TABLES = [
    (1 + 2 * j, unit, period, *circle(math.ceil(period)))
    for j, (_, unit, period) in enumerate(CIRCLES)
]


def parts(dates: Any) -> list[Any]:
    """Return dates, and where they are on each circle."""
    return [dates, *(dates // unit % period for _, unit, period, *_ in TABLES)]
