"""The whole log of a stream as a file: JSON lines, CSV or Parquet, made as it is sent."""

import csv
import io
import tempfile
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from . import strict
from .reading import COLUMNS

PIECE = 1 << 16  # bytes that are sent at a time
TOGETHER, LONG = 2000, 8 << 20  # rows, and characters, of a group in Parquet
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


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row for a table: an item's own fields are JSON in one column."""
    data = None if row["data"] is None else strict.dumps(row["data"], sort=False)
    return {**row, "data": data}


def json_lines(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Yield a line of JSON for each row."""
    return joined(strict.dumps(row, sort=False) + "\n" for row in rows)


def table(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Yield CSV: what is not there is empty."""
    return joined(chain([",".join(COLUMNS) + "\n"], map(comma_separated, rows)))


def comma_separated(row: dict[str, Any]) -> str:
    """Return a row as a line of CSV."""
    text = io.StringIO()
    csv.DictWriter(text, COLUMNS, lineterminator="\n").writerow(flat(row))
    return text.getvalue()


def joined(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield lines together, as long as they are short."""
    found, size = [], 0
    for line in lines:
        found.append(line)
        size += len(line)
        if size >= PIECE:
            yield "".join(found).encode()
            found, size = [], 0
    yield "".join(found).encode()


def parquet(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Yield a Parquet file: its end tells where all is, so that it is made aside first."""
    with tempfile.TemporaryFile() as file:
        with pq.ParquetWriter(file, SCHEMA) as writer:
            for part in parts(map(flat, rows)):
                writer.write_table(pa.Table.from_pylist(part, schema=SCHEMA))
        file.seek(0)
        while piece := file.read(PIECE):
            yield piece


def parts(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield some rows at a time, fewer if the items are long."""
    part: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        part.append(row)
        size += len(row["data"] or "")
        if len(part) == TOGETHER or size > LONG:
            yield part
            part, size = [], 0
    if part:
        yield part
