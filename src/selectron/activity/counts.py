"""Counts: how much of a resource, or of a word, came with which activity."""

from typing import Any

MOST = 32  # activities that a row tells apart: so memory is linear in rows


class Counts:
    """A sparse table of whole numbers, rows by name and columns by the numbers of activities.

    A row keeps the `MOST` activities that have most of it; its total stays that of all. What came
    with no activity counts in the total alone.

    >>> counts = Counts()
    >>> counts.add("tax.ods", 3, 60)
    >>> counts.add("tax.ods", None, 20)
    >>> counts.row("tax.ods"), counts.total("tax.ods")
    ({3: 60}, 80)
    """

    def __init__(self) -> None:
        self.rows: dict[str, dict[int, int]] = {}
        self.totals: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, key: str) -> dict[int, int]:
        """Return what each activity has of a row."""
        return self.rows.get(key, NOTHING)

    def total(self, key: str) -> int:
        """Return how much of a row there is."""
        return self.totals.get(key, 0)

    def add(self, key: str, activity: int | None, amount: int) -> None:
        """Count more of a row, for an activity or for none."""
        row = self.rows.setdefault(key, {})
        self.totals[key] = self.totals.get(key, 0) + amount
        if activity is None:
            return
        row[activity] = row.get(activity, 0) + amount
        if len(row) > MOST:  # not the new one, or none could ever come in
            del row[min((one for one in row if one != activity), key=row.__getitem__)]

    def take(self, key: str, activity: int | None, amount: int) -> None:
        """Count less of a row; what has been forgotten is not missed."""
        if key not in self.rows:
            return
        row = self.rows[key]
        self.totals[key] = max(0, self.totals[key] - amount)
        left = row.get(activity, 0) - amount if activity is not None else 0
        if left > 0 and activity is not None:
            row[activity] = left
        elif activity is not None:
            row.pop(activity, None)

    def merge(self, old: int, into: int) -> None:
        """Let one activity have what another had."""
        for row in self.rows.values():
            if old in row:
                row[into] = row.get(into, 0) + row.pop(old)

    def forget(self, most: int) -> None:
        """Where there are more than `most` rows, keep the half with the largest totals.

        Of rows alike, younger ones are kept.
        """
        if len(self.rows) <= most:
            return
        for key in sorted(self.totals, key=self.totals.__getitem__)[: len(self.rows) - most // 2]:
            del self.rows[key], self.totals[key]

    def pack(self) -> list[Any]:
        """Return the table as JSON can hold it."""
        return [[key, self.totals[key], list(row.items())] for key, row in self.rows.items()]

    @classmethod
    def unpack(cls, packed: list[Any]) -> "Counts":
        """Return the table that was packed."""
        counts = cls()
        for key, total, row in packed:
            counts.rows[key], counts.totals[key] = dict(row), total
        return counts


NOTHING: dict[int, int] = {}
