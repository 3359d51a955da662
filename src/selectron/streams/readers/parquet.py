"""Parquet: columns of numbers, or one column of vectors (embeddings)."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as kinds

from ...errors import SelectronError
from .columns import PANDAS_INDEX, Choice, Columns, Fault, Part, choose, part, plain, table
from .text import Counted, reason

BUFFER = 1 << 20  # bytes read at a time from a column, so that no row group is held whole
NUMBERS = kinds.is_integer, kinds.is_floating, kinds.is_boolean, kinds.is_decimal
TEXTS = kinds.is_string, kinds.is_large_string, kinds.is_null
VECTORS = kinds.is_list, kinds.is_large_list, kinds.is_fixed_size_list


def parts(file: Counted, size: int, choice: Choice) -> Iterator[Part]:
    """Yield the rows of the file; `file.count` grows with them."""
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
        time = pc.divide(pc.cast(pc.cast(time, pa.timestamp("us")), pa.int64()), 1e6)
    name = "" if columns.time is None else names[columns.time]
    return part(values, label, time, name, faults, lambda row: f"row {done + row + 1}")


def _vectors(array: pa.Array, name: str, width: int) -> tuple[np.ndarray, list[Fault]]:
    """Return vectors of one length, that of the first row of the file, and the first fault."""
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
