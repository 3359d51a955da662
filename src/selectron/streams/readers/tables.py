"""CSV and Parquet, read by Arrow: tables of the features, and the labels and times next to them.

Cells of CSV stay text, so that no cell depends on the others of its chunk. Arrow does not report
the lines of records, which may have quoted line ends: `record` finds them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.types as kinds

from ...data.cells import check_unique, time_of
from ...data.times import seconds
from ...data.values import PANDAS_INDEX, dates_of, labels_of, values_of
from ...errors import SelectronError
from .columns import UNDAMAGED, Choice, Damage, Part, Positions, choose, is_number, is_row, is_word
from .text import (
    CELL,
    NEVER_CLOSED,
    NO_ROWS,
    NOT_UTF_8,
    QUOTED,
    Blocks,
    Counted,
    Piece,
    Record,
    ahead,
    ends,
    pieces,
    reason,
    swallowed,
    titles,
)

MARKS = ",;\t|"
LINES = 8  # that settle whether commas or semicolons are between cells
GIVEN = re.compile(rb'"?sep=([,;\t|])"?', re.IGNORECASE)  # a line that Excel reads, and writes
BLANK = " \r\n"
SPACES = re.compile(rb"^ +$", re.MULTILINE)
LOOKED = 100_000  # lines among which quotes that take in rows are looked for, which takes time
FEW_ROWS = 4  # rows of which the first is expected to share a word with others
BUFFER = 1 << 20  # bytes read at a time from a column, so that no row group is held whole


class CsvLayout(NamedTuple):
    """The layout of a CSV file."""

    mark: str  # between cells
    record: Record
    names: Sequence[str]
    columns: Positions
    line: int = 1  # on which the rows begin
    header: int = 0  # line of the names, 0 if the file has none
    delete: str = ""  # how lines above the names are left out
    doubts: tuple[str, ...] = ()  # about the names, and columns that are left out
    unsure: int = 0  # line of the first row, if it may hold names, or of names that may be a row


def csv_parts(blocks: Blocks, size: int, choice: Choice, header: bool | None) -> Iterator[Part]:
    """Yield the rows of the file; `header` is whether it begins with names, None if not known."""
    layout, read, doubted = begun(blocks, choice, header), 0, ""
    found = pieces(blocks, size, layout.record, layout.line)

    def checked(piece: Piece) -> tuple[Part, str]:
        part, given = parsed(piece, layout), (layout.record, layout.mark.encode())
        look = piece.data.count(b"\n") > len(part.labels) + part.damage.rows and piece.line < LOOKED
        return part, swallowed(piece, *given, len(layout.names)) if look else ""

    for part, doubt in ahead(checked, found, blocks.file.comes):
        read += len(part.labels) + part.damage.rows
        yield part._replace(doubts=(*part.doubts, doubt)) if doubt and not doubted else part
        doubted = doubted or doubt
    if layout.header and not (read or blocks.fault):
        taken = f"line {layout.header} was taken for names (if it is a row, use --no-header)"
        yield parsed(Piece(b"", layout.line), layout)._replace(fault=f"{NO_ROWS}: {taken}")


def begun(blocks: Blocks, choice: Choice, header: bool | None) -> CsvLayout:
    """Return the layout, by the first two records; the default names are "0", "1", ...."""
    mark = _mark(blocks)
    record = _record(mark)
    found = blocks.first(2, record)
    if not found:  # not even one record is whole
        raise SelectronError(f"{blocks.fault or 'there is no header'}, after 0 rows")
    first, below = found[0], _cells(b"".join(found[1:]), mark, errors="replace")
    start = blocks.ahead.find(first)  # there may be blank lines before it
    place = 1 + blocks.ahead.count(b"\n", 0, start)
    names = _names(first, mark, place)
    wordy = any(map(is_word, names))
    open_ = header is None and not any(is_word(name) for name in {*names} & choice.names())
    alike, doubtful = open_ and is_row(names, below), open_ and wordy and any(map(is_number, names))
    if header is None:
        header = wordy and not (doubtful and alike)
    if not header:
        names = list(map(str, range(len(names))))
        hint = f"line {place} was taken for a row; if it holds names, use --header" * doubtful
        unsure = place * (doubtful and not choice.known)
        return CsvLayout(mark, record, names, _chosen(names, choice, hint), unsure=unsure)
    # of several columns only lines that are there: those of a pipe may come late
    lines = blocks.ahead[: 1 << 16].splitlines() if len(names) > 1 else blocks.first(LINES, record)
    lines, taken = [x for x in lines if x.strip()][:LINES], f"line {place} was taken for names"
    delete, other = titles(blocks.ahead, lines, place, MARKS)
    columns = _chosen(names, choice, delete if other else "")
    doubts = [f"{taken}, though some are numbers: if it is a row, use --no-header"] * doubtful
    if other not in ("", ",") and len(names) == 1:
        doubts.append(f"{taken}, and others have {other!r}: {delete}")
    if any(cell.strip() for name, cell in zip(names, below, strict=False) if not name):
        doubts.append(_nameless(names.count(""), place))
    begin, blocks.ahead = place + first.count(b"\n"), blocks.ahead[start + len(first) :]
    known = mark, record, names, columns
    return CsvLayout(*known, begin, place, delete, tuple(doubts), place * alike)


def _names(record: bytes, mark: str, place: int) -> list[str]:
    """Return the cells of the first record, at this line."""
    try:
        names = [cell.strip() for cell in _cells(record, mark)]
    except UnicodeDecodeError:
        raise SelectronError(f"line {place}: {NOT_UTF_8}") from None
    if not names:
        raise SelectronError(f"line {place}: {NEVER_CLOSED}")
    return names


def _chosen(names: Sequence[str], choice: Choice, hint: str) -> Positions:
    """Return the chosen columns; if there are none such, add the hint to the error."""
    try:
        return choose(names, choice)
    except SelectronError as error:
        raise SelectronError(f"{error}: {hint}" if hint else str(error)) from None


def _nameless(count: int, place: int) -> str:
    """Return that columns without a name are left out, and what would do."""
    several = count > 1
    left = "columns without a name are" if several else "column without a name is"
    advice = f"give {'them names' if several else 'it a name'} in line {place}"
    return f"the {left} left out: {advice}, or delete it if it is a title"


def _check_line(line: bytes) -> None:
    """Raise SelectronError if the first line is of another encoding, or ends in another way."""
    if b"\0" in line:
        raise SelectronError(
            "line 1 has null characters: name the encoding, as with --encoding utf-16-le"
        )
    if b"\n" not in line and b"\r" in line.strip():
        raise SelectronError(
            "the lines end in carriage returns alone: convert them, as `tr '\\r' '\\n'` does"
        )


def _mark(blocks: Blocks) -> str:
    """Return the mark between cells: a given one, or that of which the first record has most.

    It is a semicolon next to as many or more commas, as in names and decimals, if all of the first
    lines have as many semicolons, and either not as many commas, or spaces behind these alone.
    """
    (line,) = blocks.first()
    _check_line(line)
    if given := GIVEN.fullmatch(line.strip(BLANK.encode())):
        blocks.ahead = blocks.ahead.replace(line, b"\n", 1)  # so that lines are counted right
        return given[1].decode()
    counts = {mark: _count(mark, line, blocks) for mark in MARKS}
    most = max(MARKS, key=counts.__getitem__)
    if most != "," or not counts[";"]:
        return most
    found = [re.sub(QUOTED, b"", text) for text in blocks.first(LINES)]
    regular = {mark: len({text.count(mark.encode()) for text in found}) == 1 for mark in ",;"}
    text = not regular[","] or (b", " in found[0] and b"; " not in found[0])
    return ";" if regular[";"] and text else ","


def _count(mark: str, line: bytes, blocks: Blocks) -> int:
    """Return how many such marks the first record has; `line` is its first line."""
    if line.count(b'"') % 2:  # a quoted name goes on
        line = (blocks.first(1, _record(mark)) or [line])[0]
    return re.sub(QUOTED, b"", line).count(mark.encode())


def parsed(piece: Piece, layout: CsvLayout) -> Part:
    """Return the rows of a piece."""
    wrong, blank = list[Any](), 0

    def skip(record: Any) -> str:
        nonlocal blank
        if record.text.strip(BLANK):
            wrong.append(record)
        else:
            blank += not wrong
        return "skip"

    def line(place: int) -> str:
        found = pairwise([0, *ends(piece.data, layout.record), len(piece.data)])
        starts = [start for start, stop in found if piece.data[start:stop].strip(BLANK.encode())]
        before = piece.data.count(b"\n", 0, starts[min(place, len(starts) - 1)])
        return f"line {piece.line + before}"

    try:
        table = _read(piece.data, layout, skip)
    except pa.ArrowInvalid as error:
        raise SelectronError(f"line {piece.line} or later: {reason(error)}") from None
    damage = UNDAMAGED
    if wrong:
        place = wrong[0].number - 1 - blank
        most = piece.line == layout.line and len(wrong) > table.num_rows
        why, hint = _other_width(wrong[0], layout, most)
        damage = Damage(len(wrong), place, f"{line(place)}: {why}{hint}", bool(hint))
    again = _repeats(table, layout) if layout.header else []
    if again:  # as in files that were put together
        hint = f" (if line {layout.header} is a row, too, use --no-header)" * bool(layout.unsure)
        why = f"{line(again[0])}: the names of the columns are repeated{hint}"
        damage = damage.and_also(Damage(len(again), again[0], why))
        table = table.take(np.delete(np.arange(table.num_rows), again))
    part = _part(table, layout.names, layout.columns, line, piece.fault, damage)
    return _with_doubts(part, layout) if piece.line == layout.line else part


def _other_width(record: Any, layout: CsvLayout, most: bool) -> tuple[str, str]:
    """Return that a record has another number of cells, and what would do if `most` have."""
    found, width, hint = record.actual_columns, len(layout.names), ""
    columns = "1 column was" if found == 1 else f"{found} columns were"
    if most and found == width + 1 and record.text.rstrip(BLANK).endswith(layout.mark):
        hint = f": if rows end with {layout.mark!r}, end line {layout.header or 1} with it, too"
    elif layout.header and (most or width == 1):
        hint = f": {layout.delete}"
    return f"{columns} found, and {width} expected", hint


def _with_doubts(part: Part, layout: CsvLayout) -> Part:
    """Return the first part with the doubts about the names."""
    if layout.unsure and not layout.header and stands_out(part):
        advice = "though its words do not come again: if it holds names, use --header"
        part = part._replace(doubts=(f"line {layout.unsure} was taken for a row, {advice}",))
    return part._replace(doubts=layout.doubts + part.doubts)


def _repeats(table: pa.Table, layout: CsvLayout) -> list[int]:
    """Return the rows that hold the names of their columns."""
    same = np.ones(table.num_rows, bool)
    for place in layout.columns.needed():
        if same.any():
            same &= pc.equal(table[str(place)], layout.names[place]).to_numpy()
    return np.flatnonzero(same).tolist()


def _read(data: bytes, layout: CsvLayout, skip: Callable[[Any], str]) -> pa.Table:
    """Return the cells as text, in columns named by their positions."""
    if len(layout.names) == 1:  # Arrow skips lines that are empty, but not those of spaces
        data = SPACES.sub(b"", data)
    places = [str(place) for place in range(len(layout.names))]
    if not data.strip(BLANK.encode()):
        return pa.table({place: pa.array([], pa.string()) for place in places})
    quoted = b'"' in data
    return pyarrow.csv.read_csv(
        pa.py_buffer(data),
        pyarrow.csv.ReadOptions(column_names=places, use_threads=False, block_size=len(data) + 1),
        pyarrow.csv.ParseOptions(
            delimiter=layout.mark,
            quote_char='"' if quoted else False,
            newlines_in_values=quoted,
            invalid_row_handler=skip,
        ),
        pyarrow.csv.ConvertOptions(
            include_columns=[str(place) for place in layout.columns.needed()],
            column_types=dict.fromkeys(places, pa.string()),
            strings_can_be_null=False,
            check_utf8=False,  # all of the text has been checked
        ),
    )


def _record(mark: str) -> Record:
    """Return the form of a record: a quote opens a cell only at its beginning, as in Arrow."""
    # (?>...) because groups with *+ match wrongly before Python 3.11.5 (CPython's issue 106052)
    quoted, literal = CELL.decode(), r'(?<=[^M\n])"'
    pattern = rf'(?>(?:[^"\n]++|{quoted}|{literal})*)\n'.replace("M", re.escape(mark))
    return re.compile(pattern.encode())


def _cells(record: bytes, mark: str, errors: str = "strict") -> list[str]:
    """Return the cells of a record, parsed as Arrow's names; none if a quote is not closed."""
    found = record.decode(errors=errors).strip(BLANK).replace("\r\n", "\n")
    text = found.replace("\r", " ").encode()
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


def stands_out(part: Part) -> bool:
    """Return whether no word of the first row comes again in its column."""
    columns = [pa.array(part.labels, pa.string()), *part.rows.columns]
    words = [column for column in columns if len(column) >= FEW_ROWS and is_word(column[0].as_py())]
    return bool(words) and all(pc.sum(pc.equal(one, one[0])).as_py() == 1 for one in words)


def parquet_parts(file: Counted, size: int, choice: Choice) -> Iterator[Part]:
    """Yield the rows of the file; `file.count` grows with them."""
    import pyarrow.parquet as pq

    whole, done = file.file.seek(0, 2), 0
    with _as_one_error("this is not a whole Parquet file, it may be cut short"):
        parquet = pq.ParquetFile(file.file, buffer_size=BUFFER)
    names, columns = parquet.schema_arrow.names, _columns(parquet.schema_arrow, choice)
    needed = columns.needed()
    read = {names[place] for place in needed}
    check_unique(name for name in names if name in read)  # others of the same name would be read
    batches = parquet.iter_batches(size, columns=[names[place] for place in needed])
    while True:
        with _as_one_error(f"the Parquet data are damaged after {done} rows"):
            batch = next(batches, None)
        if batch is None:
            if not done:
                none = parquet.schema_arrow.empty_table().select(needed)
                yield _part(none.rename_columns([*map(str, needed)]), names, columns, str, NO_ROWS)
            return
        table = pa.table({str(place): batch.column(names[place]) for place in needed})

        def where(row: int, done: int = done) -> str:
            return f"row {done + row + 1}"

        yield _part(table, names, columns, where)
        done += table.num_rows
        file.count = whole * done // parquet.metadata.num_rows


@contextmanager
def _as_one_error(what: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, EOFError) as error:
        raise SelectronError(f"{what} ({reason(error)})") from None


def _columns(schema: pa.Schema, choice: Choice) -> Positions:
    """Return the columns to read; the row names that pandas writes are left out."""
    index = [name for name in schema.names if PANDAS_INDEX.fullmatch(name) and name != choice.label]
    columns = choose(schema.names, choice._replace(ignore=(*choice.ignore, *index)))
    if columns.label is not None:
        name, kind = schema.names[columns.label], schema.field(columns.label).type
        if kinds.is_nested(kind) or kinds.is_temporal(kind) or kinds.is_binary(kind):
            raise SelectronError(
                f"column {name!r} holds {kind}, which is not a label; name another as the label"
            )
    return columns


def _part(
    table: pa.Table,
    names: Sequence[str],
    columns: Positions,
    where: Callable[[int], str],
    fault: str = "",
    damage: Damage = UNDAMAGED,
) -> Part:
    """Return a table, with columns named by position, as features, labels and times.

    Rows whose time is none are left out; `where` returns the place of a row before any `damage`.
    """
    times: list[float] = []
    if columns.time is not None:
        column, lost, why = table[str(columns.time)], list[int](), ""
        if kinds.is_timestamp(column.type) or kinds.is_date(column.type):
            found = dates_of(column.combine_chunks(), seconds)  # some are none that Python has
            column = pa.chunked_array([pa.array(found, from_pandas=True)])
        for row, cell in enumerate(values_of(column)):
            try:
                times.append(time_of(cell, names[columns.time]))
            except SelectronError as error:
                why = why or f"{where(row)}: {error}"
                lost.append(row)
        if lost:
            damage = damage.and_also(Damage(len(lost), lost[0], why))
            table = table.take(np.delete(np.arange(table.num_rows), lost))
    features = [table[str(place)] for place in columns.features]
    labels = np.full(table.num_rows, None)
    if columns.label is not None:
        labels = labels_of(table[str(columns.label)].combine_chunks())
    return Part(
        pa.Table.from_arrays(features, [names[place] for place in columns.features]),
        labels,
        np.array(times, dtype=float),
        fault,
        columns.named(names),
        damage=damage,
    )
