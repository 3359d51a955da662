"""Labels of the rows of a file: in a column, or in another file by the number of the row."""

import csv
import io
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data.cells import canonical, label_of
from ..engine.parameters import counted
from ..engine.rows import Sparse, as_matrix, joined
from ..errors import SelectronError
from ..storage import replace
from ..streams.classes import names_of
from ..streams.readers import Chunk, Source
from . import echo, warn
from .files import (
    all_columns,
    as_text,
    column_lines,
    concatenated,
    content_of,
    naming,
    records_of,
    refuse_columns,
    source_of,
    with_progress,
)

if TYPE_CHECKING:
    from ..pool import PoolRun

COLUMNS = ("row", "label", "proposal", "corrected")  # others are copied between the first two
LONGEST = 64 << 20  # characters of a cell, as of files


class UnmatchedLabels(SelectronError):
    """Labels are of other rows than those that were read."""


class GivenLabels(NamedTuple):
    """The labels of a file, and what it has copied from other columns."""

    path: str | None  # None: there is no file, and no labels are given
    labels: dict[int, str | None]  # by the number of the row, from 1 on
    copied: dict[int, dict[str, str]]  # the values of other columns, by their name


def read_labels(path: str | None) -> GivenLabels:
    """Return the labels of a file; none without a path."""
    found = GivenLabels(path, {}, {})
    if path is None:
        return found
    lines: Any = None
    csv.field_size_limit(LONGEST)  # of copied columns
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            lines = csv.DictReader(file)
            if not {"row", "label"} <= {*(lines.fieldnames or ())}:
                raise ValueError
            for line in lines:
                row = int(line["row"])
                if row < 1 or row in found.labels or line["label"] is None:
                    raise ValueError
                found.labels[row] = label_of(line["label"])
                names = (name for name in line if name not in (*COLUMNS, None))
                found.copied[row] = {name: (line[name] or "").strip() for name in names}
    except (OSError, ValueError, TypeError, csv.Error):
        fails = f"; that fails in line {lines.line_num:,}" if lines and lines.line_num > 1 else ""
        raise SelectronError(
            f"{path} should have the columns row and label, and each row once, as "
            f"`selectron pool -o` and `selectron label -o` write them{fails}"
        ) from None
    return found


def relabelled(chunks: Iterable[Chunk], source: Source, given: GivenLabels) -> Iterator[Chunk]:
    """Yield chunks with the given labels, if there are any, in place of their own."""
    rows, wanted = 0, given.labels
    for chunk in chunks:
        if given.path and source.guessed:
            raise SelectronError(
                "give --label, too: the column of labels, whose other rows keep theirs, or ''"
            )
        rows, labels = chunk.first + len(chunk.labels), chunk.labels.copy()
        for at in range(len(labels) if wanted else 0):
            labels[at] = wanted.get(chunk.first + at + 1, labels[at])
        check_copied(chunk, given)
        yield chunk._replace(labels=labels)
    if wanted and max(wanted) > rows:
        raise UnmatchedLabels(
            f"{given.path} has a label for row {max(wanted):,}, and there are "
            f"{counted(rows, 'row')}: are these labels of another file?"
        )


def check_copied(chunk: Chunk, given: GivenLabels) -> None:
    """Raise UnmatchedLabels if rows have other values than those that were copied from them."""
    if isinstance(chunk.rows, Sparse) or not any(given.copied.values()):
        return
    for row, values in enumerate(records_of(chunk.rows), chunk.first + 1):
        for name, text in given.copied.get(row, {}).items():
            value = values.get(name, text)
            written = as_text(value) if isinstance(chunk.rows, list) else value
            if (found := "" if written is None else str(written).strip()) != text:
                raise UnmatchedLabels(
                    f"row {row:,} has the {name} {found!r}, and {given.path} has {text!r}: are "
                    f"these labels of another file, or in another order? Without its column {name},"
                    " only the numbers of rows count"
                )


def columns_of_classes(rows: list[dict[str, Any]], classes: Iterable[Any]) -> list[str]:
    """Return the columns of some rows that hold these classes, and nothing else but blanks.

    >>> columns_of_classes([{"a": "ham", "b": "?"}, {"a": " ", "b": 1}], ["ham", "spam"])
    ['a']
    """
    found: dict[str, set[str]] = {}
    for name, value in chain.from_iterable(row.items() for row in rows):
        label = label_of(value) if isinstance(value, str) else value
        if label is not None:
            found.setdefault(name, set()).add(canonical(label))
    return [name for name, values in found.items() if values <= {*map(canonical, classes)}]


def warn_of_labels(file: str, rows: Any, classes: list[str], model: Any = None) -> None:
    """Warn of a column of a table that holds the classes, where no column of labels is known.

    If the encoder of a `model` is given, the column has had no values so far.
    """
    kinds = model.kinds_ if model else {}
    found = columns_of_classes(records_of(rows), classes)
    names = [name for name in found if kinds.get(name) is None]
    if len(names) == 1 or (model and names):
        option = shlex.quote(names[0])
        other = "" if model else f", or --ignore {option}"
        what = f"the column {names[0]!r} holds classes, and the model has no column of labels"
        warn(f"{file}: {what}: give --label {option} to learn them{other}")


class LoadedTable(NamedTuple):
    """A file in memory."""

    X: Any  # (n, d), dense or CSR
    y: np.ndarray  # (n,) text, or None
    rows: Any  # before they were encoded; None of svmlight
    columns: list[str]  # what they were taken for
    ignored: list[str]  # names of those that are no features, the label and the time apart
    given: dict[int, str | None]  # labels of another file, by the number of the row, from 1 on


def load_table(file: str, **options: Any) -> LoadedTable:
    """Return the rows of a file, and their labels as text."""
    from ..data.encoder import TableEncoder

    source = source_of(file, **options)
    with naming(file), closing(with_progress(source)) as read:
        given = read_labels(options["labels"])
        chunks = list(relabelled(read, source, given))
    if source.guessed:
        echo(f"{source.choice.label}: the label, as the last column", err=True)
    rows: Any = [chunk.rows for chunk in chunks]
    width, blocks, whole = chunks[-1].width, rows, None
    columns, ignored = list[str](), [*map(str, source.choice.ignore)]
    with naming(file):
        if isinstance(rows[0], Sparse):
            refuse_columns("--column", options["columns"])
        else:
            encoder, whole = TableEncoder(options["columns"] or None), concatenated(rows)
            for piece in rows:
                encoder.partial_fit(piece)
            width, blocks = encoder.width_, [*map(encoder.look, rows)]
            columns = column_lines(encoder)
            ignored += [name for name, kind in encoder.kinds_.items() if kind == "ignored"]
        block: Any = joined(blocks)
        found = [label for chunk in chunks for label in chunk.labels]
        y = checked_labels(found, options["classes"])
    return LoadedTable(as_matrix(block, width), y, whole, columns, ignored, given.labels)


def checked_labels(found: list[Any], classes: list[str] | None) -> np.ndarray:
    """Return labels as text; raise SelectronError if they look like another column."""
    from ..pool.classifier import scarce

    y = names_of(found, classes)
    present = [label for label in y if label is not None]
    if classes is None and scarce(different := len(set(present)), len(present)):
        raise SelectronError(
            f"{len(present):,} rows have {different:,} different labels: is this the label column? "
            "Name it with --label, or if it is, all labels with --classes"
        )
    return y


def copied_columns(file: str, table: LoadedTable, options: Any) -> dict[str, list[Any]]:
    """Return the columns that are not features, such as ids, to be copied next to labels."""
    from ..data.dicts import flattened
    from ..data.tables import arrow
    from ..data.values import values_of

    rows = table.rows
    if rows is None:
        return {}
    if options["ignore"] and content_of(file):  # a pipe has been read
        whole = whole_rows(file, options)
        rows = whole if len(whole) == len(rows) else rows  # others may be damaged
    wanted = [name for name in table.ignored if name not in COLUMNS]
    columns: Any = rows if isinstance(rows, list) else arrow(rows, ())
    if not hasattr(columns, "column_names"):  # but dicts, or a table with maps
        flat = [flattened(row) for row in columns[:]]
        known = [name for name in wanted if any(name in row for row in flat)]
        return {name: [as_text(row.get(name)) for row in flat] for name in known}
    times = Counter(columns.column_names)
    return {name: values_of(columns[name]) for name in wanted if times[name] == 1}


def whole_rows(file: str, options: Any) -> Any:
    """Return the rows with all columns."""
    source = all_columns(file, known=(options["label"], *options["ignore"]), **options)
    return concatenated([chunk.rows for chunk in source])


def check_labels(path: str | None) -> None:
    """Raise SelectronError if there is a file that `write_labels` has not written."""
    if path is not None and Path(path).is_file():
        read_lines(path)


def read_lines(path: str) -> tuple[list[str], dict[int, list[Any]]]:
    """Return the names in a file of labels, and its lines by the number of the row."""
    csv.field_size_limit(LONGEST)  # of copied columns
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            names, *lines = [line for line in csv.reader(file) if line] or [[]]
        same = not names or (names[0], *names[-3:]) == COLUMNS
        if not same or any(len(line) != len(names) for line in lines):
            raise ValueError
        return names, {int(line[0]): line for line in lines}
    except (ValueError, csv.Error):
        raise SelectronError(
            f"{path} is not a file of labels that `selectron pool` or `selectron label` wrote: "
            "give another -o"
        ) from None


def write_labels(
    run: "PoolRun", path: str, known: dict[int, Any], others: dict[str, list[Any]]
) -> None:
    """Write one CSV line per answer: row number from 1 on, label, proposal, corrected (0 or 1).

    First come the labels `known` before, by the number of the row. The `others` are columns of all
    rows that are copied.
    """
    before = [(row, label, None, 0) for row, label in known.items()]
    columns = (run.order + 1).tolist(), run.labels, run.proposals, run.wrong.astype(int).tolist()
    lines = [
        (row, *(values[row - 1] for values in others.values()), *answer)
        for row, *answer in chain(before, zip(*columns, strict=True))
    ]
    write_csv(path, [COLUMNS[0], *others, *COLUMNS[1:]], lines)


class LabelFile:
    """Lines of labels by the number of the row; written to the path, if any, after each label."""

    def __init__(self, path: str | None, why_not: str, next_row: int, continued: Any):
        self.path, self.names, self.rows = path, list[str](), dict[int, list[Any]]()
        if path is not None and Path(path).exists():
            self.names, self.rows = read_lines(path)
        if self.rows and not continued:
            raise SelectronError(
                f"{path} holds labels already, and {why_not}: give another -o, or the row to "
                f"continue at, such as --from {next_row}"
            )

    def put(self, row: int, others: dict[str, Any], label: Any, proposal: Any) -> None:
        """Add the label of a row, in the place of an earlier one."""
        first, *rest = COLUMNS
        self.names = self.names or [first, *others, *rest]
        copied = [others.get(name) for name in self.names[1:-3]]
        self.rows[row] = [row, *copied, label, proposal, int(label != proposal)]
        self._update()

    def drop(self, row: int) -> None:
        """Remove the label of a row."""
        self.rows.pop(row, None)
        self._update()

    def _update(self) -> None:
        if self.path is not None:
            write_csv(self.path, self.names, [self.rows[row] for row in sorted(self.rows)])


def write_csv(path: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write names and rows to a CSV file, atomically."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([names, *rows])
    replace(path, text.getvalue().encode())
