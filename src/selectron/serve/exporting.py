"""The whole log of a stream as a file: JSON lines, CSV or Parquet, made as it is sent."""

import csv
import io
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from . import strict
from .reading import COLUMNS

TOGETHER = 2000
NUMBERS = dict.fromkeys(("at", "shown_at", "margin", "probability"), pa.float64())
COUNTS = dict.fromkeys(("entry", "item", "supersedes", "version"), pa.int64())
FLAGS = dict.fromkeys(("late", "counts", "asked"), pa.bool_())
TYPES = {**NUMBERS, **COUNTS, **FLAGS}
SCHEMA = pa.schema([(name, TYPES.get(name, pa.string())) for name in COLUMNS])
MEDIA = {
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}


def exported(rows: Iterable[dict[str, Any]], kind: str) -> Iterator[bytes]:
    """Yield a file in pieces; memory does not grow with it."""
    return {"jsonl": json_lines, "csv": table, "parquet": parquet}[kind](rows)


def parts(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield some rows at a time."""
    rows = iter(rows)
    while part := list(islice(rows, TOGETHER)):
        yield part


def json_lines(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Yield a line of JSON for each row."""
    for part in parts(rows):
        yield "".join(strict.dumps(row) + "\n" for row in part).encode()


def table(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Yield CSV: what is not there is empty."""
    yield (",".join(COLUMNS) + "\n").encode()
    for part in parts(rows):
        text = io.StringIO()
        csv.DictWriter(text, COLUMNS, lineterminator="\n").writerows(part)
        yield text.getvalue().encode()


def parquet(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Yield a Parquet file: its end tells where all is, so that it is made aside first."""
    with tempfile.TemporaryFile() as file:
        with pq.ParquetWriter(file, SCHEMA) as writer:
            for part in parts(rows):
                writer.write_table(pa.Table.from_pylist(part, schema=SCHEMA))
        file.seek(0)
        yield from pieces(file)


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """Yield a file in pieces."""
    while piece := file.read(1 << 16):
        yield piece
