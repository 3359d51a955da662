"""Whole passes of the Perceptron, compared with C, a loop by hand, and other libraries."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from benchmarks import limits, peers, rivals
from benchmarks.ratio import ratio
from selectron import OnlineClassifier
from selectron.askers import Always, Margin
from selectron.engine.rows import Dense, Sparse
from selectron.learners import Perceptron
from selectron.model.model import Model
from selectron.streams import switching_gaussian

Row = tuple[str, str, str]


class Stream(NamedTuple):
    """Rows and labels, and the number of them that slow libraries receive."""

    name: str
    X: Any
    y: np.ndarray
    few: int

    @property
    def block(self) -> Dense | Sparse:
        """The rows as a model takes them."""
        X = self.X
        if isinstance(X, np.ndarray):
            return Dense(X)
        return Sparse(X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data)


def streams() -> Iterator[Stream]:
    """Yield the streams of the design: (a) and (b) dense, with drift, and (c) sparse."""
    yield Stream("(a) dense, d=50", *switching_gaussian(500_000, 50), 5_000)
    yield Stream("(b) dense, d=256", *switching_gaussian(100_000, 256), 1_000)
    yield Stream("(c) sparse, d=50,000, 80 non-zeros", *text(50_000, 50_000, 80), 2_000)


def passes() -> Iterator[Row]:
    """Yield (name, ratio, absolute figures)."""
    for stream in streams():
        X, y, n = stream.X, stream.y, len(stream.y)
        ours = model(stream)
        sparse = isinstance(stream.block, Sparse)
        in_c = (limits.c_sparse if sparse else limits.c_dense)(X, y)
        by_hand = partial(sparse_rival if sparse else dense_rival, X, y)
        yield row(f"{stream.name}: model / C", ours, in_c, n)
        yield row(f"{stream.name}: model / naive Numba loop", ours, by_hand, n)
        asking = model(stream, Margin(1e9))
        yield row(f"{stream.name}: with a margin asker inside / without", asking, ours, n)
        estimator = classifier(stream)
        yield row(f"{stream.name}: estimator / model", estimator, ours, n)
        epoch = peers.scikit_epoch(X, y)
        yield faster(f"{stream.name}: scikit-learn's epoch / estimator", epoch, estimator, n, 5)
        some = Stream("", X[: stream.few], y[: stream.few], 0)
        for name, peer, pairs in (
            ("Vowpal Wabbit, parsed", peers.vowpal_learning, 9),
            ("River, dicts", peers.river_learning, 3),
        ):
            theirs, what = peer(some.X, some.y), f"{stream.name}: {name} / model"
            yield faster(what, theirs, ours, n, pairs, few=stream.few)


def decisions() -> Iterator[Row]:
    """Yield decisions of scikit-activeml and of Selectron, with margins and probabilities."""
    X, y = switching_gaussian(20_000, 50)
    clf, few = OnlineClassifier(Perceptron(), asker=Margin(0.1)).fit(X, y), 100
    for name in peers.ACTIVEML:
        theirs = peers.activeml_deciding(X[:few], y[:few], name)
        what = f"scikit-activeml, {name} / rows one by one, by decide"
        yield faster(what, theirs, lambda: [clf.decide(x) for x in X], len(y), 3, few)
        what = f"scikit-activeml, {name} / a block, by run"
        yield faster(what, theirs, lambda: clf.run(X, y), len(y), 3, few)


def row(what: str, ours: Callable, theirs: Callable, rows: int, pairs: int = 15) -> Row:
    """Measure the ratio ours / theirs, and return it with the figures."""
    found = ratio(ours, theirs, pairs)
    return (
        what,
        f"{found.median:.2f} ({found.low:.2f}-{found.high:.2f})",
        f"{speed(rows / found.ours)} and {speed(rows / found.theirs)} rows/s",
    )


def faster(what: str, theirs: Callable, ours: Callable, rows: int, pairs: int, few: int = 0) -> Row:
    """Measure the ratio theirs / ours per row; theirs may receive fewer rows."""
    found, times = ratio(theirs, ours, pairs), rows / (few or rows)
    median, low, high = (times * value for value in found[:3])
    return (
        what,
        f"{median:,.1f} ({low:,.1f}-{high:,.1f})",
        f"{speed((few or rows) / found.ours)} and {speed(rows / found.theirs)} rows/s",
    )


def speed(rows: float) -> str:
    """Return rows per second in millions or thousands.

    >>> speed(2_500_000), speed(1_234)
    ('2.50 M', '1.2 k')
    """
    return f"{rows / 1e6:.2f} M" if rows >= 1e5 else f"{rows / 1e3:.1f} k"


def dense_rival(X: np.ndarray, y: np.ndarray) -> int:
    """Play the loop written by hand on dense rows."""
    return rivals.perceptron(X, y, np.zeros(X.shape[1]))


def sparse_rival(X: scipy.sparse.csr_array, y: np.ndarray) -> int:
    """Play the loop written by hand on sparse rows."""
    return rivals.sparse_perceptron(X.indptr, X.indices, X.data, y, np.zeros(X.shape[1]))


def model(stream: Stream, asker: Any = None) -> Callable[[], Any]:
    """Return a pass of a fresh model, on rows and labels that need no conversion."""
    codes, block, width = stream.y.astype(np.int8), stream.block, stream.X.shape[1]
    options = {"width": width, "sparse": isinstance(block, Sparse)}

    def call() -> Any:
        plain = {"constant": False, "normalize": False}
        return Model(Perceptron(), asker or Always(), **options, **plain).run(block, codes, False)

    return call


def classifier(stream: Stream) -> Callable[[], Any]:
    """Return a pass of a fresh classifier, on the same terms as the loops written by hand."""

    def call() -> Any:
        clf = OnlineClassifier(Perceptron(), fit_intercept=False, normalize=False, classes=(-1, 1))
        return clf.run(stream.X, stream.y, margins=False)

    return call


def text(n: int, d: int, non_zeros: int) -> tuple[scipy.sparse.csr_array, np.ndarray]:
    """Return rows like those of text: sparse, a few features frequent, labels nearly linear."""
    random = np.random.default_rng(0)
    indices = (d * random.random((n, non_zeros)) ** 3).astype(np.int32)
    indptr = np.arange(n + 1) * non_zeros
    X = scipy.sparse.csr_array((random.random(n * non_zeros), indices.ravel(), indptr), (n, d))
    X.sum_duplicates()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # as scikit-learn
    return X, np.where(X @ random.standard_normal(d) >= 0, 1, -1)
