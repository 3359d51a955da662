"""Whole passes against loops written by hand, through the estimator's face."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse

from benchmarks import rivals
from benchmarks.ratio import ratio
from selectron import OnlineClassifier
from selectron.learners import LASEC, Perceptron
from selectron.streams import switching_gaussian

Row = tuple[str, str, str]


def passes() -> Iterator[Row]:
    """Yield (what, ratio, absolute figures)."""
    for d in (50, 256):
        X, y = switching_gaussian(100_000, d)
        yield row(
            f"Perceptron, dense d={d} / fused Numba loop",
            classifier(Perceptron(), X, y),
            lambda X=X, y=y, d=d: rivals.perceptron(X, y, np.zeros(d)),
            len(y),
        )
    X, y = text(20_000, 50_000, 80)
    parts = X.indptr, X.indices, X.data
    yield row(
        "Perceptron, sparse d=50,000, 80 non-zeros / fused Numba loop",
        classifier(Perceptron(), X, y),
        lambda: rivals.sparse_perceptron(*parts, y, np.zeros(50_000)),
        len(y),
    )
    for name, every in (("one concept", 10_000), ("another concept every 500 rows", 500)):
        X, y = switching_gaussian(10_000, 256, every)
        yield row(
            f"LASEC, d=256, every label, {name} / loop with P x (BLAS) on every round",
            classifier(LASEC(), X, y),
            lambda X=X, y=y: rivals.lasec(X, y, 1.0, 1000.0),
            len(y),
            pairs=7,
        )


def row(what: str, ours: Callable, theirs: Callable, rows: int, pairs: int = 15) -> Row:
    """Measure, and write the figures down."""
    found = ratio(ours, theirs, pairs)
    return (
        what,
        f"{found.median:.2f} ({found.low:.2f}-{found.high:.2f})",
        f"{rows / found.ours / 1e6:.2f} M and {rows / found.theirs / 1e6:.2f} M rows/s",
    )


def classifier(learner: Any, X: Any, y: np.ndarray) -> Callable[[], Any]:
    """Return a pass of a fresh classifier, on the same terms as the loops written by hand."""

    def call() -> Any:
        clf = OnlineClassifier(learner, fit_intercept=False, normalize=False, classes=(-1, 1))
        return clf.run(X, y, margins=False)

    return call


def text(n: int, d: int, non_zeros: int) -> tuple[scipy.sparse.csr_array, np.ndarray]:
    """Return rows like those of text: sparse, a few features frequent, labels nearly linear."""
    random = np.random.default_rng(0)
    indices = (d * random.random((n, non_zeros)) ** 3).astype(np.int32)
    indptr = np.arange(n + 1) * non_zeros
    X = scipy.sparse.csr_array((random.random(n * non_zeros), indices.ravel(), indptr), (n, d))
    X.sum_duplicates()
    return X, np.where(X @ random.standard_normal(d) >= 0, 1, -1)
