"""`python -m benchmarks.sketch`: sketches of P, compared with all of it, its diagonal, and none.

Accuracy is that of one pass with every label given, the mean of three orders of the rows where they
have none of their own. First order is the better of Perceptron and PassiveAggressive. The gain of
the whole matrix over it is 1; "-" stands where that gain is below 2 points. Vowpal Wabbit's
OjaNewton has the best of three learning rates in the first order of the rows, on streams of two
classes with at most 256 features or sparse rows.
"""

import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from experiments.datasets import digits, isolet, rcv1, usps

from benchmarks.diagonal import Diagonal
from benchmarks.passes import text
from benchmarks.peers import vowpal_lines
from benchmarks.tables import show
from selectron.askers import Always
from selectron.engine.rows import Dense, Sparse
from selectron.learners import AROW, LASEC, PassiveAggressive, Perceptron, SecondOrderPerceptron
from selectron.model.model import Model
from selectron.streams import switching_gaussian

SIZE = 32
ORDERS = 3
ALPHAS = (0.1, 1.0, 10.0)  # VW's alpha_inverse
LEARNERS = LASEC(), SecondOrderPerceptron(), AROW()


class Stream(NamedTuple):
    """Rows, and class codes as a model takes them; `ordered` if their order is their own."""

    name: str
    X: Any
    codes: np.ndarray
    classes: int = 2
    ordered: bool = False

    def block(self, order: np.ndarray) -> Dense | Sparse:
        """Return the rows in this order."""
        X = self.X[order]
        if isinstance(X, np.ndarray):
            return Dense(np.ascontiguousarray(X, dtype=float))
        return Sparse(X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data)

    def orders(self) -> list[np.ndarray]:
        """Return the orders in which the rows are played."""
        n = len(self.codes)
        if self.ordered:
            return [np.arange(n)]
        return [np.random.default_rng(seed).permutation(n) for seed in range(ORDERS)]


def gaussian(d: int, decay: float, every: int = 0, n: int = 10_000) -> Stream:
    """Return rows whose k-th principal component has the standard deviation k^-decay.

    The label is the sign of <u, x>, whose components grow as k^(decay / 2), and wrong for 2%; there
    is another u after `every` rows, if that is not 0.
    """
    random = np.random.default_rng(0)
    turn = np.linalg.qr(random.normal(size=(d, d)))[0]
    deviations = np.arange(1, d + 1) ** -decay
    X = random.normal(size=(n, d)) * deviations @ turn.T
    margins = np.empty(n)
    for start in range(0, n, every or n):
        u = turn @ (random.normal(size=d) / np.sqrt(deviations))
        margins[start : start + (every or n)] = X[start : start + (every or n)] @ u
    codes = np.where((margins >= 0) != (random.random(n) < 0.02), 1, -1).astype(np.int8)
    name = f"Gaussian, d={d}, k^-{decay:g}" + f", another every {every:,}" * bool(every)
    return Stream(name, X / np.sqrt((X * X).sum(axis=1).mean()), codes, ordered=bool(every))


def streams() -> Iterator[Stream]:
    """Yield the streams for the comparison of accuracy."""
    for data in (digits, usps, isolet):
        found = data()
        codes = np.searchsorted(np.unique(found.y), found.y).astype(np.int32) + 1
        yield Stream(data.__name__, np.asarray(found.X), codes, int(codes.max()))
    yield Stream("switching, d=50", *map(_codes, switching_gaussian(10_000, 50)), ordered=True)
    for d in (256, 1024):
        for decay in (0.5, 1.0, 2.0):
            yield gaussian(d, decay)
        yield gaussian(d, 1.0, every=2_000)


def _codes(values: np.ndarray) -> np.ndarray:
    return values if values.ndim == 2 else values.astype(np.int8)


def accuracy(stream: Stream, learner: Any, kind: Any = Model, sketch: int | None = None) -> float:
    """Return the mean accuracy of a pass with every label given."""
    found = []
    for order in stream.orders():
        codes, options = stream.codes[order], {} if sketch is None else {"sketch": sketch}
        sparse = not isinstance(stream.X, np.ndarray)
        model = kind(
            learner,
            Always(),
            width=stream.X.shape[1],
            sparse=sparse,
            classes=stream.classes,
            **options,
        )
        index = np.asarray(model.run(stream.block(order), codes, full=False).index)
        found.append(np.mean(index == (codes > 0 if stream.classes == 2 else codes - 1)))
    return float(np.mean(found))


@cache
def first_order(name: str) -> float:
    """Return the accuracy of the better of two learners of first order."""
    stream = KNOWN[name]
    return max(accuracy(stream, one) for one in (Perceptron(), PassiveAggressive()))


KNOWN: dict[str, Stream] = {}


def gains() -> Iterator[tuple[str, ...]]:
    """Yield (stream and learner, accuracies, shares of the whole matrix's gain)."""
    for stream in streams():
        KNOWN[stream.name] = stream
        base, theirs = first_order(stream.name), vowpal(stream)
        for learner in LEARNERS:
            whole = accuracy(stream, learner)
            sizes = [accuracy(stream, learner, sketch=size) for size in (8, SIZE)]
            diagonal = accuracy(stream, learner, Diagonal)
            found = base, whole, diagonal, *sizes, theirs
            share = f"{(sizes[1] - base) / (whole - base):.2f}" if whole - base > 0.02 else "-"
            figures = ["" if np.isnan(one) else f"{one:.2%}" for one in found]
            yield f"{stream.name}: {type(learner).__name__}", *figures, share


def vowpal(stream: Stream) -> float:
    """Return the accuracy of OjaNewton, of the best learning rate; NaN if it is not measured."""
    if stream.classes > 2 or (isinstance(stream.X, np.ndarray) and stream.X.shape[1] > 256):
        return np.nan
    from vowpalwabbit import Workspace

    X = scipy.sparse.csr_array(stream.X)
    lines, order, found = vowpal_lines(X, stream.codes), stream.orders()[0], []
    for alpha in ALPHAS:
        vw = Workspace(f"--quiet --OjaNewton --sketch_size {SIZE} --alpha_inverse {alpha} -b 18")
        margins = []
        for i in order:
            example = vw.parse(lines[i])
            margins.append(vw.predict(example))
            vw.learn(example)
            vw.finish_example(example)
        vw.finish()
        found.append(np.mean((np.array(margins) >= 0) == (stream.codes[order] > 0)))
    return float(max(found))


def words() -> Iterator[tuple[str, ...]]:
    """Yield (learner, accuracy, rows a second) on RCV1: is a story about companies (CCAT)?"""
    data = rcv1()
    codes = np.where(
        np.asarray(data.y[:, list(data.classes).index("CCAT")].todense()).ravel(), 1, -1
    )
    stream = Stream("RCV1", data.X.tocsr(), codes.astype(np.int8))
    for name, learner, kind, sketch in (
        ("Perceptron", Perceptron(), Model, None),
        ("PassiveAggressive", PassiveAggressive(), Model, None),
        ("AROW, the diagonal", AROW(), Diagonal, None),
        *((f"{type(one).__name__}, sketch={SIZE}", one, Model, SIZE) for one in LEARNERS),
    ):
        right = accuracy(stream, learner, kind, sketch)
        seconds = fastest(passing(stream, learner, kind, sketch))
        yield name, f"{right:.2%}", f"{len(codes) / seconds:,.0f}"
    yield "Vowpal Wabbit, OjaNewton", f"{vowpal(stream):.2%}", ""


def passing(stream: Stream, learner: Any, kind: Any = Model, sketch: int | None = None) -> Callable:
    """Return a pass of a fresh model."""
    block, sparse = stream.block(np.arange(len(stream.codes))), not isinstance(stream.X, np.ndarray)
    options = {"constant": False} | ({} if sketch is None else {"sketch": sketch})

    def call() -> Any:
        model = kind(learner, Always(), width=stream.X.shape[1], sparse=sparse, **options)
        return model.run(block, stream.codes, full=False)

    return call


def fastest(call: Callable, times: int = 5) -> float:
    """Return the processor time of a call in seconds, the least of several after a warm-up."""
    call()
    found = []
    for _ in range(times):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def costs() -> Iterator[tuple[str, ...]]:
    """Yield (stream, rows with a step, pass of a sketch and of all of P in Perceptron passes)."""
    easy = gaussian(1024, 2.0)
    u = np.linalg.svd(easy.X[:2_000], full_matrices=False)[2][:8].sum(axis=0)
    easy = Stream("Gaussian, d=1024, k^-2, by its 8 main components", easy.X, _sign(easy.X @ u))
    X, y = text(50_000, 50_000, 80)
    sparse = Stream("text, d=50,000, 80 non-zeros", scipy.sparse.csr_array(X), y.astype(np.int8))
    for stream in (easy, gaussian(1024, 2.0), gaussian(1024, 1.0), gaussian(256, 1.0), sparse):
        once = fastest(passing(stream, Perceptron()))
        sketched = passing(stream, LASEC(), sketch=SIZE)
        steps, seconds = sketched().updated, fastest(sketched)
        wide = stream.X.shape[1] > 5_000
        whole = np.nan if wide else fastest(passing(stream, LASEC()), 2)
        more = seconds - once
        yield (
            stream.name,
            f"{steps.mean():.1%}",
            f"{seconds / once:.1f}",
            "" if wide else f"{whole / once:.1f}",
            f"{len(steps) / seconds:,.0f}",
            f"{more / steps.sum() * 1e6:.0f}",
        )


def _sign(margins: np.ndarray) -> np.ndarray:
    return np.where(margins >= 0, 1, -1).astype(np.int8)


def main(*which: str) -> None:
    """Print the tables, or those named: costs, words, gains."""
    if not which or "costs" in which:
        head = (
            "LASEC, one pass",
            "rows with a step",
            "sketch / Perceptron",
            "all of P / Perceptron",
        )
        show((*head, "rows/s", "µs a step"), costs())
    if not which or "words" in which:
        show(("RCV1, CCAT", "right", "rows/s"), words())
    if not which or "gains" in which:
        head = (
            "stream: learner",
            "first order",
            "all of P",
            "diagonal",
            "sketch=8",
            f"sketch={SIZE}",
        )
        show((*head, "OjaNewton", "part of the gain"), gains())


if __name__ == "__main__":
    main(*sys.argv[1:])
