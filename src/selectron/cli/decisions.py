"""Files of decisions, and what appends tables to a file of any format."""

import io
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from ..errors import SelectronError
from ..evaluate.contest import Contestant
from ..storage import writing
from . import echo
from .files import as_json, nested_as_text, records_of

WRITTEN = 1 << 22  # bytes of decisions that are read at a time
COLUMNS = {  # of a file of decisions, with Arrow's types
    "row": "int64",
    "learner": "string",
    "asker": "string",
    "prediction": "string",
    "proba": "float64",  # of the prediction
    "margin": "float64",
    "ask_probability": "float64",
    "asked": "bool",
    "updated": "bool",
    "label": "string",
}


def decision_table(
    names: list[str], first: int, contestant: Contestant, outcome: Any, numbers: np.ndarray
) -> pa.Table:
    """Return the decisions of a chunk, given the numbers of its labels: null for 0; rows from 1.

    Classes that the model does not know yet have the probability 0.
    """
    n, text = len(numbers), np.array([None, *names], dtype=object)
    proba = np.zeros((n, len(names)))
    proba[:, : outcome.proba.shape[1]] = outcome.proba
    columns = [
        np.arange(first + 1, first + n + 1),
        np.full(n, contestant.name, dtype=object),
        np.full(n, contestant.asker, dtype=object),
        text[outcome.index + 1],
        outcome.proba[np.arange(n), outcome.index],
        outcome.margin,
        outcome.ask_probability,
        outcome.asked,
        np.full(n, None) if contestant.delay else outcome.updated,  # late ones are in later chunks
        text[numbers],
        *proba.T,
    ]
    types = COLUMNS | {f"proba_{name}": "float64" for name in names}
    return pa.table(columns, schema=pa.schema(list(types.items())))


class DecisionFile:
    """A file of decisions, which is new from the first ones on; `stack` closes it.

    It has a column for each class. If later decisions have more, the file is written again.
    """

    def __init__(self, path: Path, stack: ExitStack):
        self.path, self.opened = path, stack.enter_context(ExitStack())
        self.schema: Any = None
        self.append: Any = None

    def add(self, table: pa.Table) -> None:
        """Append decisions."""
        if self.schema is None:
            self._begin(table.schema)
        elif table.schema != self.schema:
            self._widen(table.schema)
        self.append(table)

    def _begin(self, schema: pa.Schema) -> None:
        self.schema, self.append = schema, appender(self.path, schema, self.opened)

    def _widen(self, schema: pa.Schema) -> None:
        """Write the file again, with the probability 0 of classes that are new."""
        self.opened.close()
        self.append = None  # Arrow closes a file when its writer is gone
        target, new = self.path.resolve(), schema.names[len(self.schema) :]
        if not target.is_file():
            name = new[0].removeprefix("proba_")
            raise SelectronError(
                f"{self.path} is no regular file, and cannot get a column for the late class "
                f"{name!r}: name all classes with --classes"
            )
        with writing(self.path), TemporaryDirectory(dir=target.parent) as folder:
            before = target.replace(Path(folder, target.name))
            try:
                written = tables_of(before, self.schema)
                self._begin(schema)
                for table in written:
                    zeros = [np.zeros(len(table))] * len(new)
                    self.append(pa.table([*table.columns, *zeros], schema=schema))
                shutil.copymode(before, target)
            except BaseException:
                try:
                    self.opened.close()
                finally:  # nothing is lost, even if the new file cannot be closed
                    before.replace(target)
                raise


def tables_of(path: Path, schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the decisions in a file that `appender` has written, as tables."""
    from pyarrow import csv, dataset, json

    kind: Any = dataset.JsonFileFormat(read_options=json.ReadOptions(block_size=WRITTEN))
    if path.suffix.lower() == ".csv":
        null: Any = {"strings_can_be_null": True, "quoted_strings_can_be_null": False}
        convert = csv.ConvertOptions(null_values=[""], **null)
        lines = csv.ParseOptions(newlines_in_values=True)  # as names of classes may have
        options = dataset.CsvFragmentScanOptions(convert, csv.ReadOptions(block_size=WRITTEN))
        kind = dataset.CsvFileFormat(lines, options)
    elif path.suffix.lower() in (".parquet", ".pq"):
        kind = "parquet"
    yield from map(pa.table, dataset.dataset(path, schema, kind).to_batches())


def appender(
    path: Path | None, schema: pa.Schema, stack: ExitStack, name: str = ""
) -> Callable[[Any], None]:
    """Return a function that appends tables to a new CSV, Parquet or JSON lines file.

    The ending of the path is the format; None is standard output, as CSV. JSON lines take lists of
    dicts, too. `stack` closes the file. Errors have its path, or the `name`.
    """
    name = name or str(path or "standard output")
    with writing(name):
        file, append = _begun(path, schema)
    stack.callback(writing(name)(file.close))

    @writing(name)
    def write(rows: Any) -> None:
        append(rows)
        sys.stdout.flush()

    return write


class Screen(io.RawIOBase):
    """A terminal, where values are not written as they are: see `printable`."""

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: Any) -> int:
        """Write whole lines of UTF-8."""
        echo(bytes(data).decode(errors="replace"), nl=False)
        return len(data)


def _begun(path: Path | None, schema: pa.Schema) -> tuple[Any, Callable[[Any], Any]]:
    """Return a new file, and a function that appends tables to it."""
    ending = path.suffix.lower() if path else ".csv"
    if ending in (".parquet", ".pq"):
        from pyarrow.parquet import ParquetWriter

        parquet = ParquetWriter(path, schema)
        return parquet, parquet.write
    if path and ending != ".csv":
        lines = path.open("w", encoding="utf-8")
        return lines, lambda rows: lines.writelines(as_json(x) + "\n" for x in records_of(rows))
    from pyarrow.csv import CSVWriter, WriteOptions

    columns = nested_as_text(schema.empty_table()).schema
    options = WriteOptions(quoting_style="needed")
    target = path or (Screen() if sys.stdout.isatty() else sys.stdout.buffer)
    file = CSVWriter(target, columns, write_options=options)
    return file, lambda table: file.write(nested_as_text(table))
