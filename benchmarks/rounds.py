"""One round at a time: `decide` and `tell`."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse

from benchmarks.passes import text
from benchmarks.peers import dicts
from selectron import OnlineClassifier
from selectron.learners import LASEC, LeadingHistory, Perceptron
from selectron.streams import switching_gaussian

ROUNDS = 20_000


def rounds() -> Iterator[tuple[str, str, str]]:
    """Yield (name, median time, 99th percentile) for decide and tell of one row."""
    X, y = switching_gaussian(ROUNDS, 50)
    for learner in (Perceptron(), LASEC(), LeadingHistory()):
        what = f"decide and tell, {type(learner).__name__}, an array, d=50"
        yield shown(what, live(OnlineClassifier(learner)), X, y)
    wide, topics = text(5_000, 50_000, 80)
    rows = scipy.sparse.csr_matrix(wide)
    clf = OnlineClassifier(Perceptron()).partial_fit(rows[:10], topics[:10])
    several = [rows[i] for i in range(len(topics))]
    yield shown(
        "decide and tell, Perceptron, a sparse row, 80 of 50,000", live(clf), several, topics
    )
    clf, records = OnlineClassifier(Perceptron(), classes=[-1, 1]), named(X)
    yield shown("decide and tell, Perceptron, a dict, d=50", live(clf), records, y)
    from river.linear_model import Perceptron as Theirs

    peer = Theirs()

    def predicted(row: dict, label: Any) -> None:
        peer.predict_one(row)
        peer.learn_one(row, label > 0)

    yield shown(
        "River's predict_one and learn_one, Perceptron, a dict, d=50", predicted, records, y
    )


def named(X: np.ndarray) -> list[dict[str, float]]:
    """Return rows as dicts of features with names."""
    return [{f"x{j}": value for j, value in row.items()} for row in dicts(X)]


def live(clf: OnlineClassifier) -> Callable[[Any, Any], None]:
    """Return a round whose label is known at once."""

    def call(row: Any, label: Any) -> None:
        decision = clf.decide(row)
        clf.tell(decision.ticket, label)

    return call


def shown(
    what: str, call: Callable[[Any, Any], None], rows: Sequence, y: np.ndarray
) -> tuple[str, str, str]:
    """Time every round except the first."""
    times = np.empty(len(y))
    for i, label in enumerate(y.tolist()):
        row = rows[i]
        start = time.perf_counter()
        call(row, label)
        times[i] = time.perf_counter() - start
    middle, late = np.quantile(times[1:], (0.5, 0.99))
    return what, f"{middle * 1e6:.1f} us", f"99th percentile {late * 1e6:.1f} us"
