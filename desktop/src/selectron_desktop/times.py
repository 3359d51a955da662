"""Times as a person writes them: on the command line, and in CSV files of what was worked on."""

import csv
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, timedelta

import click

from selectron import SelectronError


def shown(time: float) -> str:
    """Return a time in local time, to the minute."""
    return f"{datetime.fromtimestamp(time):%Y-%m-%d %H:%M}"


def moment(text: str, now: float) -> float:
    """Return a time that is written as one of today, with its date, or as how long ago it was.

    Raises click.BadParameter if it is none.

    >>> moment("20min", 3600.0)
    2400.0
    """
    from selectron.askers import Budget

    if text.strip()[-1:] in ("s", "n", "h", "d", "w"):  # a unit, as Z of a date is not
        with suppress(SelectronError):
            return now - Budget(labels=1, per=text).numbers()[3]  # the period in seconds
    today = datetime.fromtimestamp(now)
    try:
        if re.fullmatch(r"\d\d?:\d\d(:\d\d)?", text):
            found = datetime.fromisoformat(f"{today:%Y-%m-%d}T{text:0>5}")
            return (found - timedelta(days=found > today)).timestamp()
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise click.BadParameter(
            f"{text!r} is no time: 14:05, 2024-05-01T14:05, 20min or 1.5h would be.",
            param_hint="--since",
        ) from None


def day_of(text: str) -> date:
    """Return the day that is written so; raises click.BadParameter if it is none."""
    from .report import bounds

    if text in ("today", "yesterday"):
        return date.today() - timedelta(days=text == "yesterday")
    try:
        found = date.fromisoformat(text)
        bounds(found)  # the first and the last days of the calendar have none
        return found
    except (ValueError, OverflowError):
        raise click.BadParameter(
            f"{text!r} is no day: 2024-05-01 would be.", param_hint="--day"
        ) from None


def stated(path: str | os.PathLike) -> Iterator[tuple[float, str]]:
    """Yield times in seconds since 1970, and activities; SelectronError if it is no such file."""
    from .joining import moment

    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        if not {"time", "activity"} <= set(rows.fieldnames or ()):
            raise SelectronError(f"{path} must have the columns time and activity.")
        for row in rows:
            try:
                yield moment(row["time"]), row["activity"]
            except ValueError:
                raise SelectronError(
                    f"{path}, line {rows.line_num}: {row['time']!r} is no time, as "
                    "2024-05-01T14:05:00+02:00 would be."
                ) from None
