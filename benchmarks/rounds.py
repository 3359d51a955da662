"""One round at a time: `decide` and `tell`."""

import time
from collections.abc import Iterator

import numpy as np

from selectron import OnlineClassifier
from selectron.learners import LASEC, Perceptron
from selectron.streams import switching_gaussian


def rounds() -> Iterator[tuple[str, str, str]]:
    """Yield (what, median time, 99th percentile) for decide and tell of one row."""
    for learner in (Perceptron(), LASEC()):
        X, y = switching_gaussian(20_000, 50)
        times = np.sort(latencies(OnlineClassifier(learner), X, y))
        middle, late = times[len(times) // 2], times[int(0.99 * len(times))]
        what = f"decide + tell, {type(learner).__name__}, d=50, every label"
        yield what, f"{middle * 1e6:.1f} us", f"99th percentile {late * 1e6:.1f} us"


def latencies(clf: OnlineClassifier, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the seconds of every round but the first."""
    times = np.empty(len(y))
    for i in range(len(y)):
        start = time.perf_counter()
        decision = clf.decide(X[i])
        clf.tell(decision.ticket, y[i])
        times[i] = time.perf_counter() - start
    return times[1:]
