"""Parquet: columns of numbers, or one column of vectors (embeddings)."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...engine.rows import Dense
from ...errors import SelectronError
from .arrow import plain
from .columns import PANDAS_INDEX, Choice, choose
from .labels import as_text, column
from .opening import Counted, reason
from .times import second

BUFFER = 1 << 20  # bytes read at a time from a column, so that no row group is held whole


class Names(NamedTuple):
    """Names of the columns that are read."""

    features: list[str]
    label: str | None
    time: str | None = None


def parts(
    file: Counted, size: int, choice: Choice
) -> Iterator[tuple[Dense, int, np.ndarray, np.ndarray]]:
    """Rows, width, labels and times of at most `size` rows at a time.

    `file.count` grows with the rows, as the bytes of a row are not together.
    """
    if not file.file.seekable():
        raise SelectronError("Parquet needs a file and cannot be read from a pipe")
    whole, done, width = file.file.seek(0, 2), 0, 0
    with _as_one_error("this is not a whole Parquet file, it may be cut short"):
        parquet = pq.ParquetFile(file.file, buffer_size=BUFFER)
    names = _names(parquet.schema_arrow, choice)
    for batch in _batches(parquet, names, size):
        times, wrong = _times(batch, names.time)
        values, fault = _values(batch, names.features, width)
        if wrong and len(times) <= len(values):
            values, fault = values[: len(times)], wrong
        labels = _labels(batch, names.label, len(values))
        if len(values):
            width = values.shape[1]
            yield Dense(values), width, labels, times[: len(values)]
        done += len(values)
        if fault:
            raise SelectronError(f"row {done + 1}: {fault}")
        file.count = whole * done // parquet.metadata.num_rows


@contextmanager
def _as_one_error(what: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, EOFError) as error:
        raise SelectronError(f"{what} ({reason(error)})") from None


def _batches(parquet: pq.ParquetFile, names: Names, size: int) -> Iterator[pa.RecordBatch]:
    """Batches of at most `size` rows and at least one."""
    wanted = [*names.features, *(name for name in names[1:] if name is not None)]
    batches = parquet.iter_batches(size, columns=wanted)
    done = 0
    while True:
        with _as_one_error(f"the Parquet data are damaged after {done} rows"):
            batch = next(batches, None)
        if batch is None:
            return
        if len(batch):
            yield batch
        done += len(batch)


def _names(schema: pa.Schema, choice: Choice) -> Names:
    index = [name for name in schema.names if PANDAS_INDEX.fullmatch(name)]
    drop = (*choice.drop, *(name for name in index if name != choice.label))
    places, label, time = choose(schema.names, choice._replace(drop=drop))
    for place in places:
        _check_feature(schema.field(place), alone=len(places) == 1)
    if label is not None and not _may_be_label(schema.field(label).type):
        raise SelectronError(
            f"column {schema.names[label]!r} holds {schema.field(label).type}, which is no label; "
            "name another column as the label"
        )
    names = [schema.names[place] for place in places]
    return Names(names, *(None if at is None else schema.names[at] for at in (label, time)))


def _check_feature(field: pa.Field, alone: bool) -> None:
    kind, name = _plain(field.type), field.name
    if _is_vector(kind) and _is_number(kind.value_type):
        if not alone:
            raise SelectronError(
                f"column {name!r} holds vectors, which have to be the only feature; drop the others"
            )
    elif not _is_number(kind):
        raise SelectronError(
            f"column {name!r} holds {kind}, and numbers are needed; "
            f"leave it out (--drop {name}) or name it as the label"
        )


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_number(kind: pa.DataType) -> bool:
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
    return any(test(kind) for test in tests)


def _is_vector(kind: pa.DataType) -> bool:
    tests = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(test(kind) for test in tests)


def _may_be_label(kind: pa.DataType) -> bool:
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_null)
    return _is_number(_plain(kind)) or any(test(_plain(kind)) for test in tests)


def _labels(batch: pa.RecordBatch, name: str | None, count: int) -> np.ndarray:
    if name is None:
        return column([None] * count)
    encoded = batch.column(name)[:count].dictionary_encode()  # few of them differ
    texts = column([*map(as_text, encoded.dictionary.to_pylist()), None])
    return texts[plain(encoded.indices.fill_null(len(texts) - 1))]


def _times(batch: pa.RecordBatch, name: str | None) -> tuple[np.ndarray, str | None]:
    """The times before the first that is none, and what is wrong with that one."""
    found: list[float] = []
    if name is None:
        return np.array(found), None
    array, fault = batch.column(name), None
    if pa.types.is_timestamp(array.type) or pa.types.is_date(array.type):
        array = pc.divide(pc.cast(pc.cast(array, pa.timestamp("us")), pa.int64()), 1e6)
    try:
        for cell in array.to_pylist():
            found.append(second(cell, name))  # noqa: PERF401 those before a fault are kept
    except SelectronError as error:
        fault = str(error)
    return np.array(found, dtype=float), fault


def _values(
    batch: pa.RecordBatch, names: Sequence[str], width: int
) -> tuple[np.ndarray, str | None]:
    """The rows before the first that will not do, and what is wrong with that one."""
    first = batch.column(names[0])
    if _is_vector(first.type):
        values, fault = _vectors(first, names[0], width)
    else:
        values, fault = np.empty((len(batch), len(names))), None
        for place, name in enumerate(names):
            values[:, place] = _numbers(batch.column(name))
    good = np.isfinite(values)
    if not good.all():
        row = int(np.argmin(good.all(axis=1)))
        place = int(np.argmin(good[row]))
        name = names[0] if _is_vector(first.type) else names[place]
        found = batch.column(name)[row].as_py()
        found = found[place] if _is_vector(first.type) else found
        what = "is empty (null)" if found is None else f"is not finite ({found})"
        return values[:row], f"column {name!r} {what}"
    return values, fault


def _numbers(array: pa.Array) -> np.ndarray:
    """As float64, with NaN for nulls."""
    if pa.types.is_float64(array.type) and not array.null_count:
        return plain(array)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    return plain(pc.cast(array, pa.float64(), safe=False).fill_null(math.nan))


def _vectors(array: pa.Array, name: str, width: int) -> tuple[np.ndarray, str | None]:
    """Vectors of one length, that of the first row of the file."""
    lengths = plain(pc.cast(pc.list_value_length(array), pa.int32()).fill_null(-1))
    width = width or int(lengths[0])
    if width <= 0:
        return np.empty((0, 1)), f"column {name!r} holds no vector"
    wrong = np.flatnonzero(lengths != width)
    count = int(wrong[0]) if len(wrong) else len(array)
    values = _numbers(array.slice(0, count).flatten()).reshape(count, width)
    if not len(wrong):
        return np.array(values), None
    length = max(0, int(lengths[count]))
    return np.array(values), f"column {name!r} holds {length} numbers, and {width} were expected"
