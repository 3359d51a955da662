"""Files of a command: the rows that it reads, and the decisions that it writes."""

import json
import math
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..data.files import writing
from ..errors import Refused, SelectronError, Unwritten

if TYPE_CHECKING:
    import pyarrow as pa

    from ..evaluate.contest import Contestant
    from ..streams.readers import Chunk, Source

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
WARNING = (
    "selectron: {}: row {} is earlier than {}: labels are asked for by the latest time so far, too "
    "few if that is far ahead; sort the rows by {!r}"
)


def digits(seed: int) -> Iterator["Chunk"]:
    """Yield the handwritten digits in chunks."""
    from ..engine.rows import Dense
    from ..streams import digits
    from ..streams.readers import Chunk

    X, y = digits(seed=seed)
    for start in range(0, len(y), 1024):
        part = slice(start, start + 1024)
        yield Chunk(Dense(X[part]), X.shape[1], y[part].astype(float), start)


def source_of(file: str, choice: Any = None, **options: Any) -> "Source":
    """Return a file to be read, with the columns of a model's choice, or else of the options."""
    from ..streams.readers import read

    columns = {key: options[key] for key in ("label", "ignore")}
    if choice:
        columns = choice._replace(lenient=True)._asdict()
    given = {key: options[key] for key in ("header", "encoding")}
    return read(file, format=options["kind"], **given | {"time": options.get("time")} | columns)


def refuse_columns(option: str, given: Any) -> None:
    """Refuse an option about columns for svmlight rows, which it would not change."""
    if given:
        raise SelectronError(f"svmlight has no named columns: leave {option} out")


def watched(source: "Source") -> Generator["Chunk", None, None]:
    """Yield the chunks of a file, with a progress bar on a terminal."""
    from tqdm import tqdm

    bar = tqdm(total=source.size_in_bytes, unit="B", unit_scale=True, disable=None, delay=0.5)
    with bar:
        for chunk in source:
            for doubt in source.doubts if not chunk.first else ():
                click.echo(f"selectron: {source.name}: {doubt}", err=True)
            yield chunk
            bar.update(source.position() - bar.n)


def after(chunks: Iterable["Chunk"], behind: int, file: str) -> Iterator["Chunk"]:
    """Yield chunks without the rows that are behind; SelectronError if there are no others."""
    rows = 0
    for chunk in chunks:
        rows = chunk.first + len(chunk.labels)
        if rows > behind:
            yield chunk.part(max(0, behind - chunk.first), len(chunk.labels))
    if 0 < rows <= behind:
        raise SelectronError(f"{file}: --from {behind + 1} is after its last row, {rows}")


def in_order(chunks: Iterable["Chunk"], file: str, column: str, since: float) -> Iterator["Chunk"]:
    """Pass chunks on, with a warning at the first row that is earlier than the one before it.

    The row before the first came at the time `since`, or later.

    Such rows are not refused: clocks are set back, and how far rows are out of order is only known
    at the end.
    """
    import numpy as np

    last, warned, started = since, False, False
    for chunk in chunks:
        if not warned:
            earlier = np.flatnonzero(np.diff(chunk.times, prepend=last) < 0)
            last, warned = float(chunk.times[-1]), len(earlier) > 0
            if warned:
                row = chunk.first + int(earlier[0])
                before = f"row {row}" if earlier[0] or started else "rows that the model has seen"
                click.echo(WARNING.format(file, row + 1, before, column), err=True)
        yield chunk
        started = True


@contextmanager
def naming(file: str | None, first: int = 0) -> Iterator[None]:
    """Put the name of the file before the message of an error, and number rows by the stream."""
    try:
        with numbering(file, first):
            yield
    except Unwritten:
        raise
    except SelectronError as error:
        known = file is None or str(error).startswith((f"{file}:", "standard input:"))
        raise SelectronError(f"{'' if known else f'{file}: '}{error}") from None


@contextmanager
def numbering(file: str | None, first: int = 0) -> Iterator[None]:
    """Name a row that is refused by the file and its number there, counted from 1."""
    try:
        yield
    except Refused as error:
        row = first + error.row + 1
        raise SelectronError(f"{file}: row {row}{error.reason}") from None


def decisions(
    names: list[str], first: int, contestant: "Contestant", outcome: Any, labels: Any
) -> "pa.Table":
    """Return the decisions of a chunk: rows from 1, null for a label that is missing."""
    import numpy as np
    import pyarrow as pa

    from ..model.run import indices

    n, text = len(labels), np.array(names, dtype=object)
    columns = [
        np.arange(first + 1, first + n + 1),
        np.full(n, contestant.name, dtype=object),
        np.full(n, contestant.asker, dtype=object),
        text[outcome.index],
        outcome.proba[np.arange(n), outcome.index],
        outcome.margin,
        outcome.ask_probability,
        outcome.asked,
        outcome.updated,
        np.where(labels == 0, None, text[indices(labels, contestant.model.stacked)]),
    ]
    return pa.table(columns, schema=pa.schema(list(COLUMNS.items())))


def opened(path: Path, stack: ExitStack) -> Callable[["pa.Table"], None]:
    """Return a function that appends decisions to a new file."""
    import pyarrow as pa

    return appending(path, pa.schema(list(COLUMNS.items())), stack)


def appending(
    path: Path | None, schema: "pa.Schema", stack: ExitStack
) -> Callable[["pa.Table"], None]:
    """Return a function that appends tables to a new CSV, Parquet or JSON lines file.

    The ending of the path is the format; None is standard output, as CSV. `stack` closes the file.
    """
    name = path or "standard output"
    with writing(name):
        file, append = (
            csv_writer(sys.stdout.buffer, schema) if path is None else _begun(path, schema)
        )

    def close() -> None:
        with writing(name):
            file.close()
            sys.stdout.flush()

    def write(table: "pa.Table") -> None:
        with writing(name):
            append(table)

    stack.callback(close)
    return write


def csv_writer(target: Any, schema: "pa.Schema") -> tuple[Any, Callable[["pa.Table"], Any]]:
    """Return a CSV file, by its path or open, and a function that appends tables to it."""
    from pyarrow.csv import CSVWriter, WriteOptions

    options = WriteOptions(quoting_style="needed")
    file = CSVWriter(target, flat(schema.empty_table()).schema, write_options=options)
    return file, lambda table: file.write(flat(table))


def flat(table: "pa.Table") -> "pa.Table":
    """Return a table with lists, structs and bytes as text.

    >>> import pyarrow as pa
    >>> flat(pa.table({"v": [[1.0, 2.0]], "b": [b"ham"]})).to_pylist()
    [{'v': '[1.0, 2.0]', 'b': 'ham'}]
    """
    import pyarrow as pa

    t = pa.types
    binary = t.is_binary, t.is_large_binary, t.is_fixed_size_binary, t.is_binary_view
    for place, field in enumerate(table.schema):
        if any(test(field.type) for test in (t.is_nested, t.is_string_view, *binary)):
            texts = pa.array(map(cell, table.column(place).to_pylist()), pa.string())
            table = table.set_column(place, field.name, texts)
    return table


def cell(value: Any) -> str | None:
    """Return a value as text: JSON, unless it is text.

    >>> cell(True), cell("ham"), cell(None), cell({"a": [1]})
    ('true', 'ham', None, '{"a": [1]}')
    """
    value = json_value(value)
    return value if value is None or isinstance(value, str) else as_json(value)


def json_value(value: Any) -> Any:
    """Return a value as JSON can hold it: dates and bytes as text, NaN as None."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def as_json(value: Any) -> str:
    """Return a value in JSON; a dict may hold any value that Arrow has.

    >>> as_json({"score": float("nan"), "of": b"ham"})
    '{"score": null, "of": "ham"}'
    """
    if isinstance(value, dict):
        value = {name: json_value(each) for name, each in value.items()}
    return json.dumps(value, ensure_ascii=False, default=lambda each: str(json_value(each)))


def _begun(path: Path, schema: "pa.Schema") -> tuple[Any, Callable[["pa.Table"], Any]]:
    ending = path.suffix.lower()
    if ending == ".csv":
        return csv_writer(path, schema)
    if ending in (".parquet", ".pq"):
        from pyarrow.parquet import ParquetWriter

        parquet = ParquetWriter(path, schema)
        return parquet, parquet.write
    file = path.open("w", encoding="utf-8")
    return file, lambda table: file.writelines(as_json(row) + "\n" for row in table.to_pylist())
