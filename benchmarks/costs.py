"""`python -m benchmarks.costs`: what `LeadingHistory` costs, with 20% of the labels.

Rows a second of processor time, over 20,000 rows, renewals included; the median time of `decide`
on one row, and the file of the model. Dense rows are of one concept, of two classes or of 20;
sparse ones have 80 words of 50,000.
"""

import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from benchmarks.passes import text
from benchmarks.tables import show
from selectron import Budget, LeadingHistory, OnlineClassifier

ROWS, LABELS, WIDTHS, WORDS, DECISIONS = 20_000, 0.2, (10, 50, 256, 768), 50_000, 1000
CLASSES = 20


def dense(width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of independent features, and the sign of their sum."""
    X = np.random.default_rng(width).standard_normal((ROWS, width))
    return X, np.where(X.sum(axis=1) >= 0, 1, -1)


def many(width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of independent features, and the largest of 20 sums of a part of them."""
    X, _ = dense(width)
    return X, np.add.reduceat(X, np.arange(CLASSES) * (width // CLASSES), axis=1).argmax(axis=1)


def costs(X: Any, y: np.ndarray) -> tuple[str, str, str]:
    """Return rows a second, the time of a decision, and the size of the model's file."""
    clf = OnlineClassifier(LeadingHistory(), Budget(rate=LABELS), random_state=0)
    clf.run(X[:10], y[:10], classes=np.unique(y))  # compiled by now
    clf = OnlineClassifier(LeadingHistory(), Budget(rate=LABELS), random_state=0)
    start = time.process_time()
    clf.run(X, y, margins=False)
    speed = len(y) / (time.process_time() - start)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.model"
        clf.save(path)
        size = path.stat().st_size
    taken = []
    for i in range(DECISIONS):
        row = X[i : i + 1] if scipy.sparse.issparse(X) else X[i]
        start = time.perf_counter()
        clf.decide(row)
        taken.append(time.perf_counter() - start)
    return f"{speed:,.0f}", f"{statistics.median(taken) * 1e6:.0f} µs", f"{size / 1e6:.1f} MB"


def rows() -> Iterator[tuple[str, ...]]:
    """Yield the costs for each number of features."""
    for width in WIDTHS:
        yield f"{width}", *costs(*dense(width))
        if width in (50, 768):
            yield f"{width}, {CLASSES} classes", *costs(*many(width))
    words, topics = text(ROWS, WORDS, 80)
    yield f"{WORDS:,}, sparse", *costs(scipy.sparse.csr_array(words), topics)


if __name__ == "__main__":
    show(("features", "rows/s", "decide", "file"), rows())
