"""LIBSVM pairs, all rows of a piece at one go: a pair is a line of a table with two columns."""

import io
import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.csv

from ...engine.rows import Sparse
from .arrow import plain

HIGHEST = 2**31 - 2  # so that the width is an int32 as well
TABLE = bytes.maketrans(b": \t\r\v\f", b",\n\n\n\n\n")
FOREIGN = (b",", b"x", b"X")  # commas would be taken for colons, and 0x10 for sixteen
QUERY = re.compile(rb"qid:(?<!\Sqid:)\S*")  # the text first, which is searched for fast


def quick(tails: Sequence[bytes]) -> Sparse | None:
    """Rows of `index:value` pairs; None if anything is unusual, be it right or wrong."""
    text = b"\n".join(tails)
    if b"qid:" in text:
        tails = QUERY.sub(b"", text).split(b"\n") if tails else tails
        text = b"\n".join(tails)
    counts = np.fromiter((tail.count(b":") for tail in tails), np.int64, len(tails))
    indptr = np.concatenate(([0], np.cumsum(counts)))
    pairs = _pairs(text, int(indptr[-1]))
    return None if pairs is None else _in_order(indptr, *pairs)


def _pairs(text: bytes, count: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Indices and values of `count` pairs."""
    if not text.strip():
        return np.empty(0, np.int32), np.empty(0)
    if any(mark in text for mark in FOREIGN):
        return None
    try:
        table = _table(text.translate(TABLE) + b"\n")
    except pa.ArrowException:
        return None
    indices, values = (plain(column).copy() for column in table.columns)
    if len(indices) != count or not np.isfinite(values).all():
        return None
    return (indices, values) if 0 <= indices.min(initial=0) <= indices.max() <= HIGHEST else None


def _table(text: bytes) -> pa.Table:
    return pa.csv.read_csv(
        io.BytesIO(text),
        pa.csv.ReadOptions(
            column_names=["index", "value"], use_threads=False, block_size=len(text) + 1
        ),
        pa.csv.ParseOptions(quote_char=False),
        pa.csv.ConvertOptions(
            column_types={"index": pa.int32(), "value": pa.float64()},
            null_values=[],
            strings_can_be_null=False,
        ),
    )


def _in_order(indptr: np.ndarray, indices: np.ndarray, values: np.ndarray) -> Sparse | None:
    """Sorted within each row; None if an index occurs twice in a row."""
    rises = np.diff(indices) > 0
    inner = indptr[(indptr > 0) & (indptr < len(indices))]
    rises[inner - 1] = True  # the first of a row may be anything
    if not rises.all():
        row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        order = np.lexsort((indices, row))
        indices, values = indices[order], values[order]
        if ((np.diff(indices) == 0) & (np.diff(row) == 0)).any():
            return None
    return Sparse(indptr, indices, values)
