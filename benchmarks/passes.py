"""Whole passes against loops written by hand."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse

from benchmarks import rivals
from benchmarks.ratio import ratio
from selectron import OnlineClassifier
from selectron.askers import Always
from selectron.engine.rows import Dense, Sparse
from selectron.learners import LASEC, Perceptron
from selectron.model import Model
from selectron.streams import switching_gaussian

Row = tuple[str, str, str]


def passes() -> Iterator[Row]:
    """Yield (what, ratio, absolute figures)."""
    for n, d in ((500_000, 50), (100_000, 256)):
        X, y = switching_gaussian(n, d)
        theirs = partial(dense_rival, X, y)
        what = f"Perceptron, dense d={d}"
        yield row(f"{what}, the model / fused Numba loop", model(Dense(X), d, y), theirs, n)
        yield row(f"{what}, the estimator / the same", classifier(Perceptron(), X, y), theirs, n)
    n, d = 50_000, 50_000
    X, y = text(n, d, 80)
    theirs = partial(sparse_rival, X, y)
    block = Sparse(X.indptr.astype(np.int64), X.indices, X.data)
    what = "Perceptron, sparse d=50,000, 80 non-zeros"
    yield row(f"{what}, the model / fused Numba loop", model(block, d, y), theirs, n)
    yield row(f"{what}, the estimator / the same", classifier(Perceptron(), X, y), theirs, n)
    for name, every in (("one concept", 10_000), ("another concept every 500 rows", 500)):
        X, y = switching_gaussian(10_000, 256, every)
        yield row(
            f"LASEC, d=256, every label, {name} / loop with P x (BLAS) on every round",
            classifier(LASEC(), X, y),
            partial(rivals.lasec, X, y, 1.0, 1000.0),
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


def dense_rival(X: np.ndarray, y: np.ndarray) -> int:
    """Play the loop written by hand on dense rows."""
    return rivals.perceptron(X, y, np.zeros(X.shape[1]))


def sparse_rival(X: scipy.sparse.csr_array, y: np.ndarray) -> int:
    """Play the loop written by hand on sparse rows."""
    return rivals.sparse_perceptron(X.indptr, X.indices, X.data, y, np.zeros(X.shape[1]))


def model(block: Dense | Sparse, width: int, y: np.ndarray) -> Callable[[], Any]:
    """Return a pass of a fresh model, on rows and labels that need no conversion."""
    codes, sparse = y.astype(np.int8), isinstance(block, Sparse)

    def call() -> Any:
        fresh = Model(
            Perceptron(), Always(), width=width, sparse=sparse, constant=False, normalize=False
        )
        return fresh.run(block, codes, full=False)

    return call


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
