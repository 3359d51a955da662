"""Cells of files, as text or as typed values: numbers, labels and times; names of columns."""

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from ..errors import SelectronError
from .labels import is_missing
from .times import END, FAR, FIRST, seconds

WHOLE = re.compile(r"[+-]?(0|[1-9]\d*)(\.0*)?")  # not with zeros in front, as codes have them
TRUTHS = "true", "false"
ABSENT = frozenset({"", "?", "na", "n/a", "#n/a", "<na>", "nan", "null", "\\n"})


def parse_number(text: str | bytes) -> float | None:
    """Return the number as float() reads it; None if the text is not a number.

    >>> parse_number(" 1e3 "), parse_number("abc")
    (1000.0, None)
    """
    try:
        return float(text)
    except ValueError:
        return None


def label_of(value: object) -> str | None:
    """Return a label as text, without spaces around it; None if it is missing.

    A label is missing if it is null, or one of `ABSENT`; "None" may be a class. Whole numbers are
    written without a point, truth values as "True" and "False".

    >>> list(map(label_of, (" spam ", "?", 1.0, 0.5, True, None)))
    ['spam', None, '1', '0.5', 'True', None]
    """
    if isinstance(value, str):
        text = value.strip()
        return None if text.lower() in ABSENT else text
    if is_missing(value):
        return None
    if isinstance(value, float | Decimal) and math.isfinite(value) and value == int(value):
        value = int(value)
    if isinstance(value, int | float | Decimal):
        return str(value)
    raise SelectronError("the label is neither text nor a number")


def canonical(label: Any) -> str:
    """Return a label or a category as text, the same for all ways to write it.

    That is of whole numbers and truth values. Other text stays as it is: 007 is a code, 5.10 may be
    a version, and 12E4 a name.

    >>> list(map(canonical, (1.0, "+1", " ham ", "1.0", "0.50", "007", True, "true")))
    ['1', '1', 'ham', '1', '0.50', '007', 'True', 'True']
    """
    text = str(int(label) if isinstance(label, float) and label.is_integer() else label).strip()
    if WHOLE.fullmatch(text):
        return str(int(text.partition(".")[0]))
    return text.capitalize() if text.lower() in TRUTHS else text


def time_of(cell: object, name: str) -> float:
    """Return the time in seconds since 1970; dates without a zone are in UTC.

    >>> time_of(" 1e9 ", "when"), time_of("1970-01-02T01:00:00+01:00", "when")
    (1000000000.0, 86400.0)
    """
    value = parse_number(cell) if isinstance(cell, str) else None
    found = seconds(cell if value is None else value)
    if FIRST <= found < END:
        return found
    shown = repr(cell) if len(repr(cell)) <= 40 else repr(cell)[:37] + "..."
    if math.isfinite(found):
        raise SelectronError(f"{name!r}: {shown} {FAR}")
    raise SelectronError(
        f"{name!r}: {shown} is not a time: seconds since 1970 or a date such as "
        "2026-11-22T08:30:00+01:00 would be one"
    )


def check_unique(names: Iterable[Any]) -> None:
    """Raise SelectronError if two columns have the same name."""
    known = set()
    for name in names:
        if name in known:
            raise SelectronError(f"Two columns are named {name!r}: rename one of them.")
        known.add(name)
