"""Labels that somebody gave, as CSV: one line per answer, rows counted from 1."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..data.files import replace
from ..errors import SelectronError

if TYPE_CHECKING:
    from ..pool import PoolRun

COLUMNS = ("row", "label", "proposal", "corrected")  # others are copied between the first two


def write_labels(run: "PoolRun", path: str) -> None:
    """Write one CSV line per answer: row number from 1 on, label, proposal, corrected (0 or 1)."""
    columns = (run.order + 1).tolist(), run.labels, run.proposals, run.wrong.astype(int).tolist()
    _write(path, COLUMNS, zip(*columns, strict=True))


def _write(path: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text).writerows([names, *rows])
    replace(path, text.getvalue().encode())


class LabelFile:
    """The labels that `selectron label` has learned, in a file that is written after each.

    `rows` holds its lines by the number of the row. Without a path, nothing is written.
    """

    def __init__(self, path: str | None, why_not: str, continued: Any):
        self.path, self.names = path, list[str]()
        self.rows = dict[int, list[Any]]()
        if path is not None:
            self._read(path)
        if self.rows and not continued:
            raise SelectronError(
                f"{path} holds labels already, and {why_not}: give another -o, or the row to go on "
                "at with --from"
            )

    def _read(self, path: str) -> None:
        """Read the lines of an earlier session; SelectronError if the file is another one."""
        try:
            with open(path, newline="", encoding="utf-8-sig") as file:
                names, *lines = [line for line in csv.reader(file) if line] or [[]]
            ours = not names or (names[0], *names[-3:]) == COLUMNS
            if not ours or any(len(line) != len(names) for line in lines):
                raise ValueError
            self.names, self.rows = names, {int(line[0]): line for line in lines}
        except FileNotFoundError:
            return
        except (ValueError, csv.Error):
            raise SelectronError(
                f"{path} is no file of labels that `selectron label` has written: give another -o"
            ) from None

    @property
    def written(self) -> bool:
        """Whether there is a file with labels."""
        return self.path is not None and bool(self.rows)

    def put(self, row: int, others: dict[str, Any], label: Any, proposal: Any) -> None:
        """Add the label of a row, in the place of an earlier one."""
        self.names = self.names or [COLUMNS[0], *others, *COLUMNS[1:]]
        copied = [others.get(name) for name in self.names[1:-3]]
        self.rows[row] = [row, *copied, label, proposal, int(label != proposal)]
        self._update()

    def drop(self, row: int) -> None:
        """Remove the label of a row."""
        self.rows.pop(row, None)
        self._update()

    def _update(self) -> None:
        if self.path is not None:
            _write(self.path, self.names, [self.rows[row] for row in sorted(self.rows)])
