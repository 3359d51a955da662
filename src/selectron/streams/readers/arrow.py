"""CSV and Parquet, parsed by Arrow.

The cells of CSV are read as text and converted here, so that a cell that is not a number costs only
its own row. Arrow does not report the lines of records, which may have quoted line ends: `record`
finds them. Parquet has columns of numbers, or one column of vectors (embeddings).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.types as kinds

from ...data.cells import label, number
from ...errors import SelectronError
from .columns import PANDAS_INDEX, USUAL, Choice, Columns, Fault, Part, choose, part, plain, table
from .text import Blocks, Counted, Piece, ahead, ends, pieces, reason

MARKS = ",;\t"
BLANK = " \r\n"
SPACES = re.compile(rb"^ +$", re.MULTILINE)
COUNTED = 3  # this many numbers that count up by one are numbers of columns
NAMES = tuple(name for name in USUAL if len(name) > 1)  # "y" is as likely to be a label

BUFFER = 1 << 20  # bytes read at a time from a column, so that no row group is held whole
NUMBERS = kinds.is_integer, kinds.is_floating, kinds.is_boolean, kinds.is_decimal
TEXTS = kinds.is_string, kinds.is_large_string, kinds.is_null
VECTORS = kinds.is_list, kinds.is_large_list, kinds.is_fixed_size_list


class Table(NamedTuple):
    """The layout of a CSV file."""

    mark: str  # between cells
    record: re.Pattern[bytes]
    names: Sequence[str]
    columns: Columns
    line: int = 1  # on which the rows begin
    header: int = 0  # line of the names, 0 if the file has none
    doubtful: bool = False  # --header was not given, and some names are numbers


def begun(blocks: Blocks, choice: Choice, header: bool | None) -> Table:
    """Return the layout, by the first two records; the default names are "0", "1", ...."""
    (line,) = blocks.first()
    unquoted = re.sub(rb'"[^"]*"', b"", line)
    mark = max(MARKS, key=lambda mark: unquoted.count(mark.encode()))
    record = _record(mark)
    found = blocks.first(2, record)
    if not found:  # not even one record is whole
        raise SelectronError(f"{blocks.fault}, after 0 rows")
    first, *rest = found
    place = 1 + blocks.lines_before(first)
    try:
        names = [cell.strip() for cell in _cells(first, mark)]
    except UnicodeDecodeError:
        what = "the text is not UTF-8; convert the file to it"
        raise SelectronError(f"line {place}: {what}") from None
    if not names:
        raise SelectronError(f"line {place}: a quoted cell is opened and never closed")
    if header is None:
        headed = has_word(names)
        if is_mixed(names):
            headed = not is_row(names, _cells(b"".join(rest), mark, errors="replace"))
    else:
        headed = header
    if not headed:
        names = list(map(str, range(len(names))))
        return Table(mark, record, names, choose(names, choice))
    doubtful, columns = header is None and is_mixed(names), choose(names, choice)
    blocks.skip(first)
    return Table(mark, record, names, columns, place + first.count(b"\n"), place, doubtful)


def csv_parts(blocks: Blocks, size: int, about: Table) -> Iterator[Part]:
    """Yield the rows of the file."""
    found = pieces(blocks, size, about.record, about.line)
    return ahead(lambda piece: parsed(piece, about), found)


def parsed(piece: Piece, about: Table) -> Part:
    """Return the rows of a piece, up to the first that is faulty."""
    data, wrong = piece.data, list[Any]()

    def skip(row: Any) -> str:
        if row.text.strip(BLANK):
            wrong.append(row)
        elif not wrong:
            blank.append(row)
        return "skip"

    blank = list[Any]()
    try:
        columns = _read(data, about, skip)
    except pa.ArrowInvalid as error:
        raise SelectronError(f"line {piece.line} or later: {reason(error)}") from None
    faults = []
    if wrong:
        row = wrong[0].number - 1 - len(blank)
        what = f"{wrong[0].actual_columns} columns were found, and {len(about.names)} expected"
        unclosed = wrong[0].text.count('"') % 2
        faults = [(row, what + (": is a quoted cell never closed?" if unclosed else ""))]
    features, place, time = about.columns
    values, found = table([columns[j] for j in features], [about.names[j] for j in features])
    result = part(
        values,
        None if place is None else columns[place],
        None if time is None else columns[time],
        "" if time is None else about.names[time],
        faults + found,
        lambda row: f"line {piece.line + _line(data, about.record, row)}",
    )
    return result._replace(fault=result.fault or piece.fault)


def _read(data: bytes, about: Table, skip: Callable[[Any], str]) -> dict[int, pa.Array]:
    """Return the columns that are needed, as text."""
    features, *others = about.columns
    needed = [*features, *(place for place in others if place is not None)]
    if len(about.names) == 1:  # Arrow skips lines that are empty, but not those of spaces
        data = SPACES.sub(b"", data)
    if not data.strip(BLANK.encode()):
        return {place: pa.array([], pa.string()) for place in needed}
    quoted = b'"' in data
    read = pyarrow.csv.read_csv(
        pa.py_buffer(data),
        pyarrow.csv.ReadOptions(
            column_names=[str(place) for place in range(len(about.names))],
            use_threads=False,
            block_size=len(data) + 1,
        ),
        pyarrow.csv.ParseOptions(
            delimiter=about.mark,
            quote_char='"' if quoted else False,
            newlines_in_values=quoted,
            invalid_row_handler=skip,
        ),
        pyarrow.csv.ConvertOptions(
            include_columns=[str(place) for place in needed],
            column_types={str(place): pa.string() for place in needed},
            strings_can_be_null=False,
            check_utf8=False,  # all of the text has been checked
        ),
    )
    chunks = [column.combine_chunks() for column in read.columns]
    return dict(zip(needed, chunks, strict=True))


def _line(data: bytes, record: re.Pattern[bytes], row: int) -> int:
    """Return the number of line ends before a row that is not blank."""
    found = pairwise([0, *ends(data, record), len(data)])
    starts = [start for start, stop in found if data[start:stop].strip(BLANK.encode())]
    return data.count(b"\n", 0, starts[min(row, len(starts) - 1)])


def _record(mark: str) -> re.Pattern[bytes]:
    """Return the pattern of a record: a quote opens a cell only at its beginning, as in Arrow."""
    quoted, plain = r'"[^"]*+(?:""[^"]*+)*+"[^M\n]*+', r'[^"M\n][^M\n]*+'
    cell = f"(?:{quoted}|{plain})?+"
    return re.compile(f"{cell}(?:M{cell})*+\n".replace("M", mark).encode())


def _cells(record: bytes, mark: str, errors: str = "strict") -> list[str]:
    """Return the cells of a record, parsed as Arrow's names; none if a quote is not closed."""
    text = record.decode(errors=errors).strip(BLANK).encode()
    if not text:
        return []
    try:
        return pyarrow.csv.read_csv(
            pa.py_buffer(text + b"\n"),
            pyarrow.csv.ReadOptions(use_threads=False, block_size=len(text) + 2),
            pyarrow.csv.ParseOptions(delimiter=mark, newlines_in_values=True),
        ).column_names
    except pa.ArrowInvalid:  # a quoted cell is never closed
        return []


def has_word(cells: Sequence[str]) -> bool:
    """Return whether any of the cells is a word."""
    return any(map(_is_word, cells))


def is_mixed(cells: Sequence[str]) -> bool:
    """Return whether there are words and numbers: names, or a row."""
    return has_word(cells) and any(map(_is_number, cells))


def is_row(cells: Sequence[str], below: Sequence[str]) -> bool:
    """Return whether a mixed first record is a row, by the record below it.

    It is a header if a word, or an empty cell, is above a number, if it has the usual name of the
    label, or if its numbers count the columns.

    >>> is_row(["1", "2", "spam"], ["3", "4", "ham"]), is_row(["2019", "area"], ["3", "4"])
    (True, False)
    >>> is_row(["0", "1", "label"], ["3", "4", "ham"])
    False
    >>> is_row(["kind", "1", "2", "3"], ["ham", "3", "3", "7"])
    False
    """
    if below and len(below) != len(cells):
        return False
    above = [one for one, two in zip(cells, below, strict=False) if _is_number(two)]
    unlike = any(_is_word(cell) or not cell.strip() for cell in above)
    named = any(cell.strip().lower() in NAMES for cell in cells)
    counted = _counts_up(cells) and not _counts_up(below)
    return not (unlike or named or counted)


def _counts_up(cells: Sequence[str]) -> bool:
    found = [value for cell in cells if label(cell) and (value := number(cell)) is not None]
    return len(found) >= COUNTED and all(b == a + 1 for a, b in pairwise(found))


def _is_word(cell: str) -> bool:
    return label(cell) is not None and number(cell) is None


def _is_number(cell: str) -> bool:
    return label(cell) is not None and number(cell) is not None


def parquet_parts(file: Counted, size: int, choice: Choice) -> Iterator[Part]:
    """Yield the rows of the file; `file.count` grows with them."""
    import pyarrow.parquet as pq

    if not file.file.seekable():
        raise SelectronError("Parquet needs a file and cannot be read from a pipe")
    whole, done, width = file.file.seek(0, 2), 0, 0
    with _as_one_error("this is not a whole Parquet file, it may be cut short"):
        parquet = pq.ParquetFile(file.file, buffer_size=BUFFER)
    names, columns = parquet.schema_arrow.names, _columns(parquet.schema_arrow, choice)
    needed = [names[place] for place in (*columns.features, *columns[1:]) if place is not None]
    batches = parquet.iter_batches(size, columns=needed)
    while True:
        with _as_one_error(f"the Parquet data are damaged after {done} rows"):
            batch = next(batches, None)
        if batch is None:
            return
        found = _part(batch, names, columns, done, width)
        width = found.rows.values.shape[1]
        done += len(found.labels)
        yield found
        file.count = whole * done // parquet.metadata.num_rows


@contextmanager
def _as_one_error(what: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, EOFError) as error:
        raise SelectronError(f"{what} ({reason(error)})") from None


def _columns(schema: pa.Schema, choice: Choice) -> Columns:
    """Return the columns to read; the row names that pandas writes are left out."""
    index = [name for name in schema.names if PANDAS_INDEX.fullmatch(name) and name != choice.label]
    columns = choose(schema.names, choice._replace(drop=(*choice.drop, *index)))
    for place in columns.features:
        _check_feature(schema.field(place), alone=len(columns.features) == 1)
    if columns.label is not None and not _is(schema.field(columns.label).type, NUMBERS + TEXTS):
        name, kind = schema.names[columns.label], schema.field(columns.label).type
        raise SelectronError(
            f"column {name!r} holds {kind}, which is no label; name another column as the label"
        )
    return columns


def _check_feature(field: pa.Field, alone: bool) -> None:
    name, kind = field.name, field.type
    if _is(kind, VECTORS) and _is(kind.value_type, NUMBERS):
        if not alone:
            raise SelectronError(
                f"column {name!r} holds vectors, which have to be the only feature; drop the others"
            )
    elif not _is(kind, NUMBERS):
        kind = kind.value_type if kinds.is_dictionary(kind) else kind
        raise SelectronError(
            f"column {name!r} holds {kind}, and numbers are needed; "
            f"leave it out (--drop {name}) or name it as the label"
        )


def _is(kind: pa.DataType, tests: tuple) -> bool:
    kind = kind.value_type if kinds.is_dictionary(kind) else kind
    return any(test(kind) for test in tests)


def _part(batch: pa.RecordBatch, names: list[str], columns: Columns, done: int, width: int) -> Part:
    chosen = [names[place] for place in columns.features]
    features = [batch.column(name) for name in chosen]
    if _is(features[0].type, VECTORS):
        values, faults = _vectors(features[0], chosen[0], width)
    else:
        values, faults = table(features, chosen)
    label = None if columns.label is None else batch.column(names[columns.label])
    time = None if columns.time is None else batch.column(names[columns.time])
    if time is not None and (kinds.is_timestamp(time.type) or kinds.is_date(time.type)):
        import pyarrow.compute as pc  # slow to import

        time = pc.divide(pc.cast(pc.cast(time, pa.timestamp("us")), pa.int64()), 1e6)
    name = "" if columns.time is None else names[columns.time]
    return part(values, label, time, name, faults, lambda row: f"row {done + row + 1}")


def _vectors(array: pa.Array, name: str, width: int) -> tuple[np.ndarray, list[Fault]]:
    """Return vectors of one length, that of the first row of the file, and the first fault."""
    import pyarrow.compute as pc  # slow to import

    lengths = plain(pc.cast(pc.list_value_length(array), pa.int32()).fill_null(-1), np.int32)
    if not len(lengths):
        return np.empty((0, width)), []
    width = width or int(lengths[0])
    if width <= 0:
        return np.empty((0, 0)), [(0, f"column {name!r} holds no vector")]
    odd = np.flatnonzero(lengths != width)
    count = int(odd[0]) if len(odd) else len(array)
    length = max(0, int(lengths[count])) if len(odd) else 0
    what = f"column {name!r} holds {length} numbers, and {width} were expected"
    flat = array.slice(0, count).flatten()
    values, faults = table([flat], [name])
    faults = [(place // width, text) for place, text in faults]
    if len(odd):
        faults.append((count, what))
    return np.array(values.reshape(count, width)), faults
