"""CSV files of what was worked on from when on: declared, or the truth."""

import csv
import os
from collections.abc import Iterator

from ...errors import SelectronError


def stated(path: str | os.PathLike) -> Iterator[tuple[float, str]]:
    """Yield times in seconds since 1970, and activities; SelectronError if it is no such file."""
    from ...activity.watcher.raw import moment

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
