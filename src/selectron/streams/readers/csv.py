"""CSV, parsed by Arrow: cells between commas, semicolons or tabs, quoted or not.

All cells are read as text and converted here, so that a cell that is no number costs only its own
row. Arrow does not give the lines of records, which may hold quoted line ends: `record` finds them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.csv

from ...data.cells import label, number
from ...errors import SelectronError
from .columns import USUAL, Choice, Columns, Part, choose, part, table
from .text import Blocks, Piece, ahead, ends, pieces, reason

MARKS = ",;\t"
BLANK = " \r\n"
SPACES = re.compile(rb"^ +$", re.MULTILINE)
COUNTED = 3  # this many numbers that count up by one are numbers of columns
NAMES = tuple(name for name in USUAL if len(name) > 1)  # "y" is as likely to be a label


class Table(NamedTuple):
    """What holds for all rows of a file."""

    mark: str  # between cells
    record: re.Pattern[bytes]
    names: Sequence[str]
    columns: Columns
    line: int = 1  # on which the rows begin
    header: int = 0  # line of the names, 0 if the file has none
    doubtful: bool = False  # the user said nothing of a header, and some names are numbers


def begun(blocks: Blocks, choice: Choice, header: bool | None) -> Table:
    """Return what the first two records show; without names, columns are named "0", "1", ...."""
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


def parts(blocks: Blocks, size: int, about: Table) -> Iterator[Part]:
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
    """Return how many line ends are before a row that is not blank."""
    found = pairwise([0, *ends(data, record), len(data)])
    starts = [start for start, stop in found if data[start:stop].strip(BLANK.encode())]
    return data.count(b"\n", 0, starts[min(row, len(starts) - 1)])


def _record(mark: str) -> re.Pattern[bytes]:
    """Return the pattern of a record: a quote opens a cell only at its beginning, as in Arrow."""
    quoted, plain = r'"[^"]*+(?:""[^"]*+)*+"[^M\n]*+', r'[^"M\n][^M\n]*+'
    cell = f"(?:{quoted}|{plain})?+"
    return re.compile(f"{cell}(?:M{cell})*+\n".replace("M", mark).encode())


def _cells(record: bytes, mark: str, errors: str = "strict") -> list[str]:
    """Return the cells of a record, which Arrow takes for names; none if a quote is not closed."""
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
    """Is any of the cells a word?"""
    return any(map(_is_word, cells))


def is_mixed(cells: Sequence[str]) -> bool:
    """Are there words and numbers, so that they may be names or a row?"""
    return has_word(cells) and any(map(_is_number, cells))


def is_row(cells: Sequence[str], below: Sequence[str]) -> bool:
    """Is a mixed first record like the next one, so that it is a row as well?

    It is not if a word, or nothing, is above a number, nor with the name that labels usually have,
    nor if numbers count the columns.

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
