"""`python -m benchmarks.encoding [ROWS]`: tables of mixed columns to rows of numbers."""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from benchmarks.tables import show
from selectron.data.encoder import TableEncoder
from selectron.streams.readers.source import read

WORDS = np.array([f"word{i}" for i in range(3000)])
TIMES = 5  # of which the best counts


def strings(rng: np.random.Generator, n: int) -> dict[str, pa.Array]:
    """Return ten columns of text: four of numbers, three of categories, a date, a flag, words."""
    columns: dict[str, Any] = {}
    for i in range(4):
        numbers = rng.normal(100, 20, n).round(2).astype(str).astype(object)
        numbers[rng.random(n) < 0.05] = ""
        columns[f"number{i}"] = numbers
    for i, values in enumerate((5, 38, 300)):
        columns[f"category{i}"] = np.char.add("v", rng.integers(0, values, n).astype(str))
    seconds = rng.integers(0, 10**7, n) * np.timedelta64(1, "s")
    columns["when"] = (np.datetime64("2024-01-01T00:00:00") + seconds).astype(str)
    columns["flag"] = np.where(rng.random(n) < 0.5, "true", "false")
    columns["note"] = [" ".join(words) for words in WORDS[rng.integers(0, 3000, (n, 4))]]
    return {name: pa.array(list(values), pa.string()) for name, values in columns.items()}


def dicts(rng: np.random.Generator, n: int) -> list[dict[str, Any]]:
    """Return rows of 20 values: ten numbers, seven categories, two dates, and four words."""
    return [
        {
            **{f"number{i}": float(rng.normal()) for i in range(10)},
            **{f"category{i}": f"v{rng.integers(0, 9)}" for i in range(7)},
            "day": f"2024-03-{rng.integers(1, 29):02d}",
            "when": f"2024-03-{rng.integers(1, 29):02d}T10:30:00",
            "note": " ".join(rng.choice(WORDS, 4)),
        }
        for _ in range(n)
    ]


def best(call: Callable[[], object]) -> float:
    """Return the shortest of several times, in seconds."""
    times = []
    for _ in range(TIMES):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def with_reading(table: pa.Table) -> float:
    """Return the seconds that reading a CSV file with a column of labels takes, and encoding it."""
    labels = pa.array(np.where(np.arange(len(table)) % 2, "spam", "ham"))

    def call() -> None:
        encoder = TableEncoder()
        for chunk in read(str(path), label="label"):
            for _ in encoder.learn(chunk.rows):
                pass

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")
        pyarrow.csv.write_csv(table.append_column("label", labels), path)
        return best(call)


def encoding(n: int = 200_000) -> Iterator[tuple[str, str, str]]:
    """Yield (what, figure, more) for tables and for single rows."""
    rng = np.random.default_rng(0)
    table = pa.table(strings(rng, n))
    for what, chosen in (("10 mixed columns", table), ("9, no text", table.drop_columns("note"))):
        took = best(lambda chosen=chosen: TableEncoder().fit(chosen))  # type: ignore[misc]
        yield f"a table of text, {what}", f"{n / took:,.0f} rows/s", f"{n:,} rows"
    took = with_reading(table)
    yield "the first, with reading its CSV file", f"{n / took:,.0f} rows/s", f"{n:,} rows"
    rows = dicts(rng, 2_000)
    for form in ("sparse", "dense"):
        encoder = TableEncoder({"note": "text"}, form=form).fit(rows)
        took = best(lambda encoder=encoder: list(map(encoder.learn_one, rows)))  # type: ignore[misc]
        yield f"learn_one, 20 values, {form}", f"{took / len(rows) * 1e6:.1f} us", ""
        took = best(encoder.copy)
        yield f"copy, 20 columns, {form}", f"{took * 1e6:.1f} us", ""


if __name__ == "__main__":
    show(("Encoding", "best", "more"), encoding(*map(int, sys.argv[1:])))
