"""One ellipsoid over all classes compared with one for each: `OnlineRanker(many="exact")`."""

import time
from collections.abc import Iterator

import numpy as np
from experiments import datasets

from benchmarks.tables import show
from selectron import OnlineRanker
from selectron.learners import CELLIP, IELLIP

ORDERS = 5
TOPICS, WORDS = 10, 200  # of Reuters, the most frequent ones
MARGIN = 0.01  # of the separable stream
FADING, LASTING = IELLIP(p0=0.1), IELLIP(c=0.005, b=0.99, p0=0.1)
Tables = tuple[np.ndarray, np.ndarray]


def separable(n: int = 5000, d: int = 20, classes: int = 5) -> Tables:
    """Return rows whose z has length 1, and labels that some v of length 1 ranks with MARGIN."""
    rng = np.random.default_rng(0)
    X, v = rng.normal(size=(10 * n, d)), rng.normal(size=(d, classes))
    X /= np.sqrt(2) * np.linalg.norm(X, axis=1, keepdims=True)
    scores = X @ (v / np.linalg.norm(v))
    best = np.sort(scores, axis=1)[:, ::-1]
    last = rng.integers(classes - 1, size=len(X))  # the last relevant rank, from 0
    rows = np.arange(len(X))
    wide = best[rows, last] - best[rows, last + 1] >= MARGIN
    return X[wide][:n], (scores >= best[rows, last][:, None])[wide][:n]


def letters() -> Tables:
    """Return Letter, each feature scaled to [-1, 1], one relevant class a row."""
    found = datasets.letter()
    return found.X / 7.5 - 1, found.y[:, None] == found.classes


def stories() -> Tables:
    """Return the stories of Reuters' most frequent topics, by their most frequent words."""
    found = datasets.reuters()
    y = found.y.toarray()
    y = y[:, np.argsort(-y.sum(axis=0))[:TOPICS]]
    some = y.any(axis=1)
    X = found.X[some]
    words = np.argsort(-np.asarray((X != 0).sum(axis=0)).ravel(), kind="stable")[:WORDS]
    return X[:, words].toarray(), y[some]


def compared() -> Iterator[tuple[str, ...]]:
    """Yield a row for each set, learner and way to rank: means over random orders.

    After ± is the standard error of the mean; the time is the median.
    """
    for name, tables, learners in (
        ("separable, d = 20, K = 5", separable(), [CELLIP(gamma=MARGIN), FADING, LASTING]),
        ("Letter, d = 16, K = 26", letters(), [FADING, LASTING]),
        ("Reuters-21578, d = 200, K = 10", stories(), [FADING, LASTING]),
    ):
        for learner in learners:
            for many in ("joint", "exact"):
                played(learner, many, tables[0][:10], tables[1][:10], 0)  # compiled or loaded
                found = [played(learner, many, *tables, seed) for seed in range(ORDERS)]
                errors, updates, seconds = np.transpose(found)
                error = f"{errors.mean():.2%} ± {errors.std(ddof=1) / np.sqrt(ORDERS):.2%}"
                figures = error, f"{updates.mean():,.0f}", f"{1e3 * np.median(seconds):,.1f} ms"
                yield name, described(learner), many, *figures


def played(
    learner: CELLIP | IELLIP, many: str, X: np.ndarray, Y: np.ndarray, seed: int
) -> tuple[float, int, float]:
    """Return the error, the updates and the seconds of a pass in a random order."""
    order = np.random.default_rng(seed).permutation(len(X))
    clf = OnlineRanker(learner, many=many, fit_intercept=False, normalize=True)
    start = time.perf_counter()
    run = clf.run(X[order], Y[order].astype(float), margins=False)
    return run.mistakes / len(X), run.steps, time.perf_counter() - start


def described(learner: CELLIP | IELLIP) -> str:
    """Return the parameters that make a difference here."""
    if isinstance(learner, CELLIP):
        return f"CELLIP, gamma = {learner.gamma}"
    return f"IELLIP, c = {learner.c}, b = {learner.b}"


if __name__ == "__main__":
    show(("set", "learner", "many", "error", "updates", "a pass"), compared())
