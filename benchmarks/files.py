"""From a file to decisions: svmlight and Parquet, compared with Vowpal Wabbit's text."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner

from benchmarks.passes import Row, faster, text
from benchmarks.peers import dicts, vowpal_file, vowpal_lines
from selectron.cli import main
from selectron.streams import switching_gaussian

OPTIONS = ("--learner", "perceptron", "--ask", "always")


def files() -> Iterator[Row]:
    """Yield the speed of decisions on a file, relative to Vowpal Wabbit."""
    with tempfile.TemporaryDirectory() as folder:
        for name, X, y in (
            ("dense, d=50", *switching_gaussian(200_000, 50)),
            ("sparse, 80 of 50,000", *text(100_000, 50_000, 80)),
        ):
            lines = vowpal_lines(X, y)
            theirs = vowpal_file(written(folder, "rows.vw", lines))
            what = f"{name}: Vowpal Wabbit, text / selectron run, svmlight"
            yield faster(
                what, theirs, running(written(folder, "rows.svm", one_based(X, y))), len(y), 5
            )
            if isinstance(X, np.ndarray):
                path = str(Path(folder, "rows.parquet"))
                columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
                pq.write_table(pa.table({**columns, "label": y}), path)
                what = f"{name}: Vowpal Wabbit, text / selectron run, Parquet"
                yield faster(what, theirs, running(path), len(y), 5)


def one_based(X: object, y: np.ndarray) -> list[str]:
    """Return rows in svmlight's format, four digits per value."""
    return [
        f"{label} " + " ".join(f"{j + 1}:{v:.4f}" for j, v in row.items())
        for row, label in zip(dicts(X), y, strict=True)
    ]


def written(folder: str, name: str, lines: list[str]) -> str:
    """Write a file, and return its path."""
    path = Path(folder, name)
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def running(path: str) -> Callable[[], object]:
    """Return `selectron run` on a file, in this process, which has imported it already."""

    def call() -> None:
        done = CliRunner().invoke(main, ["run", path, *OPTIONS])
        if done.exit_code:
            raise RuntimeError(done.output)

    return call
