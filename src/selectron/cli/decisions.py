"""Decisions, written to a file row by row as they are made: CSV, JSON lines or Parquet."""

import json
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ..evaluate.contest import Contestant
from ..model import Outcome

SCHEMA = pa.schema(
    {
        "row": pa.int64(),
        "learner": pa.string(),
        "asker": pa.string(),
        "prediction": pa.string(),
        "margin": pa.float64(),
        "probability": pa.float64(),
        "asked": pa.bool_(),
        "updated": pa.bool_(),
        "label": pa.string(),
    }
)


def decisions(
    names: tuple[str, str],
    first: int,
    contestant: Contestant,
    outcome: Outcome,
    labels: np.ndarray,
) -> pa.Table:
    """Return the decisions of a chunk as a table: rows from 0, null for a label that is missing."""
    n = len(labels)
    text = np.array(names, dtype=object)
    columns = [
        np.arange(first, first + n),
        np.full(n, contestant.name, dtype=object),
        np.full(n, contestant.asker, dtype=object),
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
        ending = path.suffix.lower()
        if ending == ".csv":
            from pyarrow.csv import CSVWriter, WriteOptions

            options = WriteOptions(quoting_style="needed")
            return self._stack.enter_context(CSVWriter(path, SCHEMA, write_options=options)).write
        if ending in (".parquet", ".pq"):
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
