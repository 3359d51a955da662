"""Decisions, written to a file row by row as they are made: CSV, JSON lines or Parquet."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ..data.files import writing
from ..evaluate.contest import Contestant
from ..model.run import Outcome, indices

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
    names: list[str],
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
        text[outcome.index],
        outcome.margin,
        outcome.probability,
        outcome.asked,
        outcome.updated,
        np.where(labels == 0, None, text[indices(labels, contestant.model.stacked)]),
    ]
    return pa.table(columns, schema=SCHEMA)


def opened(path: Path, stack: ExitStack) -> Callable[[pa.Table], Any]:
    """Return what appends decisions to a new file of this ending; `stack` closes it."""
    with writing(path):
        file, append = _begun(path)

    def close() -> None:
        with writing(path):
            file.close()

    def write(table: pa.Table) -> None:
        with writing(path):
            append(table)

    stack.callback(close)
    return write


def _begun(path: Path) -> tuple[Any, Callable[[pa.Table], Any]]:
    """Return a new file of this ending, and what appends decisions to it."""
    ending = path.suffix.lower()
    if ending == ".csv":
        from pyarrow.csv import CSVWriter, WriteOptions

        csv = CSVWriter(path, SCHEMA, write_options=WriteOptions(quoting_style="needed"))
        return csv, csv.write
    if ending in (".parquet", ".pq"):
        from pyarrow.parquet import ParquetWriter

        parquet = ParquetWriter(path, SCHEMA)
        return parquet, parquet.write
    file = path.open("w", encoding="utf-8")
    return file, lambda table: file.writelines(json.dumps(row) + "\n" for row in table.to_pylist())
