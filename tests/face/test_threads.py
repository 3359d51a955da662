"""What may be done in several threads at once: anything, as long as each has models of its own."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.askers import Budget, Margin
from selectron.learners import LASEC, Perceptron
from selectron.streams import switching_gaussian

pytestmark = pytest.mark.compiles

ROWS, STREAMS = 3_000, range(6)
MADE = [
    lambda seed: OnlineClassifier(LASEC(), asker=Margin(0.1), random_state=seed),
    lambda seed: OnlineClassifier(Perceptron(), asker=Budget(rate=0.2), random_state=seed),
]


def played(made, seed, barrier=None):
    X, y = switching_gaussian(ROWS, 20, seed=seed)
    clf = made(seed)
    if barrier is not None:
        barrier.wait(timeout=60)  # so that they compile, and play, at the same time
    run = clf.run(X[:-50], y[:-50])
    live = [clf.decide(x).margin for x in X[-50:]]
    return run.margin.tobytes(), run.asked.tobytes(), live, clf.coef_.tobytes()


@pytest.mark.slow
def test_models_of_ones_own_in_threads():
    """Draws, what askers remember, and rooms for single rounds are each model's own."""
    for made in MADE:
        alone = [played(made, seed) for seed in STREAMS]
        barrier = Barrier(len(STREAMS))
        with ThreadPoolExecutor(len(STREAMS)) as threads:
            both = list(threads.map(lambda seed, b=barrier, m=made: played(m, seed, b), STREAMS))
        assert both == alone


def test_one_fitted_model_predicts_in_threads():
    """`predict` and `decision_function` change nothing of a fitted model."""
    X, y = switching_gaussian(ROWS, 20, seed=1)
    clf = OnlineClassifier(LASEC()).fit(X, y)
    before, expected = clf.coef_.tobytes(), clf.decision_function(X).tobytes()
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: clf.decision_function(X).tobytes(), range(20)))
    assert set(found) == {expected}
    assert clf.coef_.tobytes() == before
    assert np.array_equal(clf.predict(X), np.where(clf.decision_function(X) >= 0, 1, -1))
