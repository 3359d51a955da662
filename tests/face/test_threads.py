"""Several threads at once, with models of their own, or with one that they share."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.askers import Budget, Margin
from selectron.estimator.parameters import LOCKS
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


@pytest.mark.filterwarnings("ignore:The last 64 rows have no")
def test_one_model_decides_and_learns_in_threads(tmp_path):
    """As in a web server: no round is lost, and what is left works, in copies too."""
    rows = [{"n": i % 7, "text": f"red w{i % 40}", f"late {i // 100}": 1.0} for i in range(600)]
    clf = OnlineClassifier(classes=["a", "b"], encoder="auto", asker=Budget(rate=0.5))
    clf.decide(rows[0])

    def play(i):
        decision = clf.decide(rows[i])
        if decision.ask:
            clf.tell(decision.ticket, "ab"[i % 2])
        if i % 20 == 0:
            clf.save(tmp_path / f"{i}.model")
            assert clf.predict_proba(rows[:3]).shape == (3, 2)
        return decision.ask

    with ThreadPoolExecutor(6) as threads:
        asked = sum(threads.map(play, range(1, len(rows))))
    assert (clf.n_rounds_, clf.model_.labels) == (len(rows), asked)
    assert len(clf.open_tickets_) == 1
    wanted = clf.predict_proba(rows)
    for twin in (copy.deepcopy(clf), pickle.loads(pickle.dumps(clf))):
        assert np.array_equal(twin.predict_proba(rows), wanted)
        assert twin.decide(rows[5]).label in ("a", "b")


def test_the_lock_of_a_classifier_goes_with_it():
    clf = OnlineClassifier(Perceptron()).fit([[1.0], [-1.0]], [1, -1])
    key = id(clf)
    assert key in LOCKS
    twin = copy.deepcopy(clf)
    twin.predict([[1.0]])
    assert LOCKS[id(twin)] is not LOCKS[key]
    del clf
    assert key not in LOCKS
