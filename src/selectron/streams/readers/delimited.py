"""CSV: cells between commas, semicolons or tabs; a row a record, which may hold quoted line ends.

A piece is parsed by Arrow, every column with a type given beforehand, never with one guessed from
the first rows. Where that fails, cells are read one by one, with the same result, to find the
error.
"""

import io
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv

from ...engine.rows import Dense
from ...errors import SelectronError
from .ahead import ahead
from .arrow import plain
from .cells import Grammar
from .columns import Choice, Columns, choose
from .heading import Heading, has_word, is_mixed, is_row
from .labels import column, given
from .lines import Piece, line_ends, not_utf8, pieces
from .numerals import number
from .opening import Blocks
from .times import second, seconds


class Table(NamedTuple):
    """What holds for all rows of a file."""

    grammar: Grammar
    names: Sequence[str]
    columns: Columns
    line: int = 1  # on which the rows begin
    heading: Heading | None = None  # where the names are in the file


class Result(NamedTuple):
    """The rows of a piece before the first error, and that error if there is one."""

    values: np.ndarray
    labels: np.ndarray
    times: np.ndarray  # (n,), or (0,) where none are wanted
    fault: SelectronError | None = None


def parts(
    blocks: Blocks, size: int, table: Table
) -> Iterator[tuple[Dense, int, np.ndarray, np.ndarray]]:
    """Rows, width, labels and times of at most `size` rows at a time."""
    found = pieces(blocks, size, table.grammar.ends, table.line)
    for result in ahead(lambda piece: quick(piece, table) or careful(piece, table), found):
        values, labels, times, fault = result
        if len(values):
            yield Dense(values), values.shape[1], labels, times
        if fault:
            raise fault


def begun(blocks: Blocks, choice: Choice, header: bool | None) -> Table:
    """The table that begins here; without names, the columns are named "0", "1", ...."""
    grammar = Grammar.sniffed(blocks.first(line_ends))
    first = blocks.first(grammar.ends)
    line = 1 + first[: len(first) - len(first.lstrip(b" \r\n"))].count(b"\n")
    if not_utf8(first) is not None:
        raise SelectronError(f"line {line}: the text is not UTF-8; convert the file to it")
    names = [cell.strip() for cell in grammar.cells(first.lstrip(b" \r\n").decode())]
    if not (_headed(names, len(first), blocks, grammar) if header is None else header):
        names = [str(place) for place in range(len(names))]
        return Table(grammar, names, choose(names, choice))
    blocks.skip(len(first))
    heading = Heading(line, header is None and is_mixed(names))
    return Table(grammar, names, choose(names, choice), 1 + first.count(b"\n"), heading)


def _headed(cells: Sequence[str], size: int, blocks: Blocks, grammar: Grammar) -> bool:
    """Does a first line of these cells, and of `size` bytes, hold the names of columns?"""
    if not is_mixed(cells):
        return has_word(cells)
    second = blocks.first(grammar.ends, size).strip(b" \r\n").decode(errors="replace")
    try:
        return not is_row(cells, grammar.cells(second) if second else [])
    except SelectronError:  # a quoted cell is never closed, which is told of when it is read
        return not is_row(cells, [])


def quick(piece: Piece, table: Table) -> Result | None:
    """All rows at one go; None if anything is unusual, be it right or wrong."""
    if b"\r" in piece.data:  # Arrow would end a row here
        return None
    features, label, time = table.columns
    try:
        found = _arrow(piece.data, table)
        cells = [] if time is None else found.column(str(time)).to_pylist()
        times = seconds(cells, table.names[time or 0])
    except (pa.ArrowException, SelectronError):
        return None
    values = np.empty((found.num_rows, len(features)))
    for place in range(len(features)):
        values[:, place] = plain(found.column(place))
    if not np.isfinite(values).all():
        return None
    texts = [None] * len(values) if label is None else found.column(str(label)).to_pylist()
    return Result(values, column(None if text is None else given(text) for text in texts), times)


def _arrow(data: bytes, table: Table) -> pa.Table:
    features, *texts = table.columns
    types = {str(place): pa.float64() for place in features}
    types |= {str(place): pa.string() for place in texts if place is not None}
    quoted = b'"' in data
    return pa.csv.read_csv(
        io.BytesIO(data),
        pa.csv.ReadOptions(
            column_names=[str(place) for place in range(len(table.names))],
            use_threads=False,
            block_size=len(data) + 1,
        ),
        pa.csv.ParseOptions(
            delimiter=table.grammar.mark,
            quote_char='"' if quoted else False,
            newlines_in_values=quoted,
        ),
        pa.csv.ConvertOptions(
            include_columns=list(types),
            column_types=types,
            null_values=[],
            strings_can_be_null=False,
        ),
    )


def careful(piece: Piece, table: Table) -> Result:
    """Cell by cell."""
    rows: list[list[float]] = []
    labels: list[str | None] = []
    times: list[float] = []
    fault = None
    _, label, time = table.columns
    for record, line in table.grammar.records(piece):
        try:
            cells = table.grammar.cells(record)
            row = _row(cells, table)
            now = [] if time is None else [second(cells[time], table.names[time])]
        except SelectronError as error:
            fault = SelectronError(f"line {line}: {error}")
            break
        rows.append(row)
        times += now
        labels.append(None if label is None else given(cells[label]))
    shape = len(rows), len(table.columns.features)
    values = np.array(rows, dtype=float).reshape(shape)
    return Result(values, column(labels), np.array(times, dtype=float), fault)


def _row(cells: Sequence[str], table: Table) -> list[float]:
    if len(cells) != len(table.names):
        raise SelectronError(f"{len(cells)} columns were found, and {len(table.names)} expected")
    return [_value(cells[place], table.names[place]) for place in table.columns.features]


def _value(cell: str, name: str) -> float:
    value = number(cell)
    if not cell.strip():
        raise SelectronError(f"column {name!r} is empty; fill it in or leave it out: --drop {name}")
    if value is None:
        raise SelectronError(
            f"column {name!r}: {cell.strip()[:40]!r} is not a number; "
            f"leave the column out (--drop {name}) or name it as the label"
        )
    if not math.isfinite(value):
        raise SelectronError(f"column {name!r} is not finite ({cell.strip()})")
    return value
