"""Times as the user writes them: on the command line, and in CSV files of declarations."""

import csv
import io
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, timedelta
from pathlib import Path

import click

from selectron import SelectronError


def shown(time: float) -> str:
    """Return a time in local time, to the minute."""
    return f"{datetime.fromtimestamp(time):%Y-%m-%d %H:%M}"


def moment(text: str, now: float) -> float:
    """Return a time that is written as a time of day, with its date, or as a duration before now.

    Raises click.BadParameter if it is none of these.

    >>> moment("20min", 3600.0)
    2400.0
    """
    from selectron.askers import Budget

    if text.strip()[-1:] in ("s", "n", "h", "d", "w"):  # a unit; Z, the end of a date, is not
        with suppress(SelectronError):
            if (then := now - Budget(labels=1, per=text).numbers()[3]) >= 0:  # from 1970 on
                return then
    today = datetime.fromtimestamp(now)
    try:
        if re.fullmatch(r"\d\d?:\d\d(:\d\d)?", text):
            found = datetime.fromisoformat(f"{today:%Y-%m-%d}T{'0' * (text[1] == ':')}{text}")
            return (found - timedelta(days=found > today)).timestamp()
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise click.BadParameter(
            f"{text!r} is not a time such as 14:05, 2024-05-01T14:05, 20min or 1.5h.",
            param_hint="--since",
        ) from None


def day_of(text: str) -> date:
    """Return a day, written as "today", "yesterday" or a date; raises click.BadParameter."""
    from .report import bounds

    if text in ("today", "yesterday"):
        return date.today() - timedelta(days=text == "yesterday")
    try:
        found = date.fromisoformat(text)
        bounds(found)  # fails for the last day of the calendar
        return found
    except (ValueError, OverflowError):
        raise click.BadParameter(
            f"{text!r} is not a day such as 2024-05-01.", param_hint="--day"
        ) from None


def stated(path: str | os.PathLike) -> Iterator[tuple[float, str]]:
    """Yield the times, in seconds since 1970, and the activities of a CSV file.

    Times without an offset from UTC are local. Raises SelectronError if the file is not UTF-8, does
    not have these columns, or a time or an activity's name is invalid.
    """
    from .joining import moment
    from .saying import sound

    try:
        text = Path(path).read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise SelectronError(f"{path} must be a CSV file in UTF-8.") from None
    rows = csv.DictReader(io.StringIO(text), restval="")
    try:
        if not {"time", "activity"} <= set(rows.fieldnames or ()):
            raise SelectronError("there must be columns time and activity.")
        for row in rows:
            local = datetime.fromisoformat(row["time"].strip()).astimezone()
            yield moment(local.isoformat()), sound(row["activity"])
    except (csv.Error, ValueError, OverflowError) as error:
        reason = f"{path}, line {rows.reader.line_num}: {error!s:.200}".rstrip(".")
        raise SelectronError(f"{reason}; a row is such as 2024-05-01T14:05+02:00,mail.") from None
