"""Decisions, written to a file row by row as they are made: CSV, JSON lines or Parquet."""

import json
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ..model import Outcome

ENDINGS = (".csv", ".jsonl", ".ndjson", ".parquet", ".pq")
SCHEMA = pa.schema(
    {
        "row": pa.int64(),
        "learner": pa.string(),
        "prediction": pa.string(),
        "margin": pa.float64(),
        "probability": pa.float64(),
        "asked": pa.bool_(),
        "updated": pa.bool_(),
        "label": pa.string(),
    }
)


def decisions(
    names: tuple[str, str], first: int, learner: str, outcome: Outcome, labels: np.ndarray
) -> pa.Table:
    """Return the decisions of a chunk as a table; `label` is null where there is none."""
    n = len(labels)
    text = np.array(names, dtype=object)
    columns = [
        np.arange(first, first + n),
        np.full(n, learner, dtype=object),
        text[outcome.positive.astype(int)],
        outcome.margin,
        outcome.probability,
        outcome.asked,
        outcome.updated,
        np.where(labels == 0, None, text[(labels > 0).astype(int)]),
    ]
    return pa.table(columns, schema=SCHEMA)


class Writer:
    """A file of decisions, in the format of its ending, to be closed by `with`."""

    def __init__(self, path: str | os.PathLike):
        self._stack = ExitStack()
        self._write = self._open(Path(path))

    def _open(self, path: Path) -> Callable[[pa.Table], Any]:
        if path.suffix == ".csv":
            from pyarrow.csv import CSVWriter, WriteOptions

            options = WriteOptions(quoting_style="needed")
            return self._stack.enter_context(CSVWriter(path, SCHEMA, write_options=options)).write
        if path.suffix in (".parquet", ".pq"):
            from pyarrow.parquet import ParquetWriter

            return self._stack.enter_context(ParquetWriter(path, SCHEMA)).write
        file = self._stack.enter_context(path.open("w", encoding="utf-8"))
        return lambda table: file.writelines(json.dumps(row) + "\n" for row in table.to_pylist())

    def write(self, table: pa.Table) -> None:
        """Append decisions."""
        self._write(table)

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, *exception: Any) -> None:
        self._stack.close()
