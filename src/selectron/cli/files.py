"""Files of a command: their rows, what is odd about them, and values as text."""

import json
import math
import shlex
import zlib
from collections.abc import Container, Generator, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from ..data.times import iso_duration
from ..engine.parameters import counted
from ..engine.rows import Dense
from ..errors import Refused, SelectronError, Unwritten
from ..streams import digits as handwritten
from ..streams import readers
from ..streams.readers import Chunk, Source
from ..streams.readers.columns import Choice
from ..streams.readers.text import size_of
from . import warn

MOST_SHOWN = 40  # lines about columns
MANY_NUMBERS = 20  # different ones that no category should have
BLOCK = 1 << 20  # bytes of a file that are read at once


def digit_chunks(seed: int) -> Iterator[Chunk]:
    """Yield the handwritten digits in chunks."""
    X, y = handwritten(seed=seed)
    whole = Chunk(Dense(X), X.shape[1], y.astype(float), 0)
    for start in range(0, len(y), 1024):
        yield whole.part(start, start + 1024)


def source_of(file: str, choice: Choice | None = None, **options: Any) -> Source:
    """Return a file to be read, with the columns of a model's choice, or else of the options."""
    chosen = choice or Choice(options["label"], options["ignore"], options.get("time"))
    columns = {name: getattr(chosen, name) for name in ("label", "ignore", "time")}
    given = {name: options[name] for name in ("header", "encoding", "skip_damaged")}
    source = readers.read(file, format=options["kind"], lenient=bool(choice), **columns, **given)
    more = {"unlabelled": bool(options.get("labels")), "known": options.get("known", ())}
    source.choice = source.choice._replace(**more)
    return source


def all_columns(file: str, **options: Any) -> Source:
    """Return a file to be read with all of its columns."""
    svmlight = (options["kind"] or readers.by_name(file)) == "svmlight"
    return source_of(file, Choice(None if svmlight else ""), **options)


def refuse_columns(option: str, given: Any) -> None:
    """Refuse an option about columns for svmlight rows, which it would not change."""
    if given:
        raise SelectronError(f"svmlight has no named columns: leave {option} out")


def concatenated(pieces: list[Any]) -> Any:
    """Return the pieces of a table, or of a list, as one."""
    listed = isinstance(pieces[0], list)
    return [*chain.from_iterable(pieces)] if listed else pa.concat_tables(pieces)


def content_of(path: str, first: int | None = None) -> str:
    """Return the size of a file and its check sum, or those of its `first` bytes; "" of a pipe."""
    size = size_of(path)
    if size is None:
        return ""
    found, left = 0, size if first is None else first
    with open(path, "rb") as file:
        while block := file.read(min(left, BLOCK)):
            found, left = zlib.crc32(block, found), left - len(block)
    return f"{size if first is None else first}:{found}"


def grown_from(path: str, content: str) -> bool:
    """Return whether lines were added to the end of a file since it had that content."""
    first, size = int(content.partition(":")[0] or 0), size_of(path) or 0
    if not 0 < first < size:
        return False
    with open(path, "rb") as file:
        file.seek(first - 1)
        return not {*b"\r\n"}.isdisjoint(file.read(2)) and content_of(path, first) == content


def check_shown(file: str, names: Iterable[str], known: Container[str]) -> None:
    """Raise SelectronError if a column that is to be shown is not in the file."""
    if missing := [name for name in names if name not in known]:
        raise SelectronError(f"{file}: --show finds no column {missing[0]!r}")


def column_lines(encoder: Any) -> list[str]:
    """Return what the columns of a table were taken for, in lines."""
    missing = [name for name in encoder.columns or () if name not in encoder.columns_]
    lines = [*encoder.report(), *(f"{name}: no row has it" for name in missing)]
    if len(lines) > MOST_SHOWN:
        lines = [*lines[: MOST_SHOWN - 1], f"and {len(lines) - MOST_SHOWN + 1} more columns"]
    return lines


def warn_of_numbers(encoder: Any, file: str) -> None:
    """Warn of categories that are numbers but for the first one, which settled the kind."""
    from ..data.values import CODE, number_of  # slow to import

    for column in encoder.columns_.values():
        values = [*filter(None, getattr(column.encoder, "places", ()))]
        if column.kind != "category" or column.given or len(values) <= MANY_NUMBERS:
            continue
        first, *others = values
        numbers = sum(number_of(x) == number_of(x) and not CODE.fullmatch(x) for x in others)
        if math.isnan(number_of(first)) and numbers >= 0.9 * len(others):
            name = shlex.quote(f"{column.name}=number")
            warn(
                f"{file}: {column.name}: {numbers} of {len(values)} categories are numbers, which "
                f"came after {first!r}: for a new model, --column {name} takes {first!r} as blank"
            )


def warn_of_odd(encoder: Any, odd: dict[str, Any], file: str, rows: int) -> None:
    """Warn of columns with values that have no effect, or far off, by the sums of `odd_values`."""
    from ..estimator.rows import changed  # slow to import

    for name, found in odd.items():
        if (column := encoder.columns_.get(name)) is None:
            continue
        if what := changed(encoder, name, found, rows):
            warn(f"{file}: {name}: {what}")
        if count := int(found[0]):
            new = column.kind == "category"
            which, what = ("new value", "ignored") if new else ("odd value", "taken as blank")
            but = f": the model knows {name} as {column.learned()}" * (2 * count > rows and not new)
            warn(f"{file}: {name}: {counted(count, which)} in {counted(rows, 'row')} {what}{but}")


def with_progress(source: Source) -> Generator[Chunk, None, None]:
    """Yield the chunks of a file, with a progress bar on a terminal."""
    from tqdm import tqdm

    size = source.size_in_bytes  # small files are read before their first row is played
    bar = tqdm(total=size, unit="B", unit_scale=True, disable=None, delay=0.5, miniters=0)
    with bar, reporting_damage(source):
        shown = 0
        for chunk in source:
            for doubt in source.doubts[shown:]:
                warn(f"{source.name}: {doubt}")
            shown = len(source.doubts)
            yield chunk
            bar.set_postfix_str(counted(chunk.first + len(chunk.labels), "row"), refresh=False)
            bar.update(source.position() - bar.n)


@contextmanager
def reporting_damage(source: Source) -> Iterator[None]:
    """Warn of rows that were left out, at the end."""
    try:
        yield
    finally:
        if source.damage.rows:
            left = f"{counted(source.damage.rows, 'row')} that cannot be read"
            warn(f"{source.name}: left out {left}, the first in {source.damage.why}")


def skip_rows(chunks: Iterable[Chunk], behind: int, file: str, least: int = 1) -> Iterator[Chunk]:
    """Yield the rows after those behind; raise SelectronError if fewer than `least` are left."""
    rows = 0
    for chunk in chunks:
        rows = chunk.first + len(chunk.labels)
        if rows > behind:
            yield chunk.part(max(0, behind - chunk.first), len(chunk.labels))
    if 0 < rows < behind + least:
        raise SelectronError(f"{file}: --from {behind + 1} is after its last row, {rows}")


def warn_of_period(file: str, row: int, since: float) -> None:
    """Warn that a row is earlier than the period of the budget, which began at `since`."""
    day = datetime.fromtimestamp(since, UTC).isoformat(" ", "minutes")[:16]
    warn(
        f"{file}: row {row} is earlier than {day}, when the period of the model's budget began: "
        "the budget uses the latest time so far, and asks too rarely if that is far ahead; take "
        "an earlier model, or --budget with another period"
    )


def warn_if_unordered(
    chunks: Iterator[Chunk], file: str, column: str, since: float
) -> Iterator[Chunk]:
    """Pass chunks on; warn of the first row that is earlier than the one before, or than `since`.

    Such rows are not refused: clocks are set back, and by how much is only known at the end.
    """
    last = -math.inf
    for chunk in chunks:
        if last == -math.inf and chunk.times[0] < since:
            warn_of_period(file, chunk.first + 1, since)
        earlier = np.flatnonzero(np.diff(chunk.times, prepend=last) < 0)
        if len(earlier):
            row = chunk.first + int(earlier[0])
            warn(
                f"{file}: row {row + 1} is earlier than row {row}: the budget uses the latest time "
                f"so far, and asks too rarely if that is far ahead; sort the rows by {column!r}"
            )
            yield from chain([chunk], chunks)
            return
        yield chunk
        last = chunk.times[-1]


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


def records_of(piece: Any) -> list[dict[str, Any]]:
    """Return the rows of a piece of a table as dicts.

    >>> records_of([{"hue": 0.5}])
    [{'hue': 0.5}]
    """
    from ..data.values import records  # it takes a while to import

    return piece if isinstance(piece, list) else records(piece)


def regrouped(table: Any, encoder: Any, forms: dict[str, bool], file: str) -> Any:
    """Return a table whose thousands, such as 1.234, are as the model has learned a column.

    Where that has whole numbers alone, `GROUPED` such numbers, and none that has another form, are
    thousands, as in a first file; warn of fewer. What the first chunk with fractions shows is kept
    in `forms`.
    """
    from ..data.numbers import OTHER
    from ..data.tables import GROUPED
    from ..data.values import is_text, numbers_of

    for place, (name, dtype) in enumerate(zip(table.column_names, table.schema.types, strict=True)):
        column = encoder.columns_.get(name)
        if not (column and column.kind == "number" and is_text(dtype) and forms.get(name, True)):
            continue
        number, array = column.encoder, table.column(place).combine_chunks()
        mark, other = number.style or ".", OTHER[number.style] or "."
        found = numbers_of(array, mark, number.unit)
        whole = number.count > 0 and number.whole
        if not (forms.get(name, whole) and (found % 1 > 0).any()):
            continue
        grouped = numbers_of(array, other, number.unit)
        both = np.flatnonzero((found % 1 > 0) & (grouped % 1 == 0))
        texts = array.to_pylist()
        if name not in forms and (np.isnan(grouped) & ~np.isnan(found)).any():
            forms[name] = False  # as of 0.5
        elif name not in forms and len(both):
            forms[name] = len(both) >= GROUPED and not (grouped % 1 > 0).any()
            if not forms[name]:
                text, value = texts[both[0]], grouped[both[0]]
                what = f"{text!r} is read as a fraction, and the model has learned whole numbers"
                warn(f"{file}: {name}: {what}: if it is {value:.15g}, write that")
        for at in np.flatnonzero(~(found % 1 == 0) & ~np.isnan(grouped)) if forms.get(name) else ():
            texts[at] = f"{grouped[at]:.15g}".replace(".", mark)
        table = table.set_column(place, name, pa.array(texts, dtype))
    return table


def warn_of_zones(rows: Any, encoder: Any, forms: dict[str, bool], file: str) -> None:
    """Warn of times with a zone where the model has learned times without one, or the reverse.

    Columns that have been compared are kept in `forms`.
    """
    from ..data.tables import FIRST_ROWS
    from ..data.times import zone_of
    from ..data.values import values_of

    listed = isinstance(rows, list)
    for name, column in encoder.columns_.items():
        if column.kind != "date" or name in forms or not (listed or name in rows.column_names):
            continue
        some = rows[:FIRST_ROWS] if listed else values_of(rows[name][:FIRST_ROWS])
        zones = (zone_of(x.get(name) if listed else x) for x in some)
        if here := next(filter(None, zones), ""):
            forms[name] = True
            if (learned := column.encoder.zone or here) != here:
                what = f"times have {here}, and those that the model has learned have {learned}"
                warn(f"{file}: {name}: {what}: without one, they are in UTC; write both alike")


def nested_as_text(table: pa.Table) -> pa.Table:
    """Return a table with lists, structs, bytes and durations as text.

    >>> import pyarrow as pa
    >>> nested_as_text(pa.table({"v": [[1.0, 2.0]], "b": [b"ham"]})).to_pylist()
    [{'v': '[1.0, 2.0]', 'b': 'ham'}]
    """
    from ..data.values import values_of

    t = pa.types
    binary = t.is_binary, t.is_large_binary, t.is_fixed_size_binary, t.is_binary_view
    tests = t.is_nested, t.is_duration, t.is_string_view, *binary
    for place, field in enumerate(table.schema):
        extended = isinstance(field.type, pa.BaseExtensionType)  # such as pa.uuid()
        if extended or any(test(field.type) for test in tests):
            texts = pa.array(map(as_text, values_of(table.column(place))), pa.string())
            table = table.set_column(place, field.name, texts)
    return table


def as_text(value: Any) -> str | None:
    """Return a value as text: JSON if it has such values, but of text the text itself.

    >>> as_text(True), as_text("ham"), as_text(None), as_text({"a": [1]})
    ('true', 'ham', None, '{"a": [1]}')
    >>> as_text(datetime(2026, 1, 3, tzinfo=UTC))
    '2026-01-03 00:00:00+00:00'
    """
    value = json_value(value)
    if value is None or isinstance(value, str):
        return value
    return as_json(value) if isinstance(value, bool | int | float | list | dict) else str(value)


def json_value(value: Any) -> Any:
    """Return a value as JSON can hold it: dates as text, arrays as lists, NaN as None.

    Arrow's maps are dicts. Bytes are text, too, in hexadecimal digits unless they are UTF-8.

    >>> json_value(timedelta(minutes=3)), json_value(b"ham"), json_value(bytes([200, 1]))
    ('PT180S', 'ham', 'c801')
    """
    if isinstance(value, timedelta):
        return iso_duration(value)
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value.hex()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list):
        from ..data.dicts import as_dict  # slow to import

        value = as_dict(value, object)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {name: json_value(each) for name, each in value.items()}
    return [*map(json_value, value)] if isinstance(value, list | tuple) else value


def as_json(value: Any) -> str:
    """Return a value in JSON; a dict may hold any value that Arrow has.

    >>> as_json({"score": float("nan"), "of": b"ham"})
    '{"score": null, "of": "ham"}'
    """
    plain = json_value(value)
    return json.dumps(plain, ensure_ascii=False, default=lambda each: str(json_value(each)))
