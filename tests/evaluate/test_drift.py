"""Drift is noticed where it is, once a switch, in whatever pieces the stream comes."""

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.askers import Budget
from selectron.evaluate import Drifts
from selectron.learners import LeadingHistory, Perceptron
from selectron.streams import digits, switching_gaussian


@pytest.fixture(scope="module")
def run():
    X, y = switching_gaussian(2400, d=5, every=600, seed=1)
    clf = OnlineClassifier(LeadingHistory(), asker=Budget(rate=0.4), random_state=0)
    return clf.run(X, y)


def test_every_switch_is_noticed_once(run):
    switches = np.array([600, 1200, 1800])
    assert len(run.drifts) == len(switches)
    late = run.drifts - switches
    assert np.all((late >= 0) & (late < 100))  # in the very row if the switch was expected


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_pieces_do_not_matter(run, size):
    drifts = Drifts()
    found = [drifts.add(run.age[start : start + size]) for start in range(0, len(run.age), size)]
    assert [at for part in found for at in part] == drifts.rounds == run.drifts


def test_at_rest_there_is_none():
    X, y = switching_gaussian(2400, d=5, every=2400, seed=1)
    clf = OnlineClassifier(LeadingHistory(), asker=Budget(rate=0.4), random_state=0)
    assert clf.run(X, y).drifts == []


def played(X, y, seed=0):
    return OnlineClassifier(LeadingHistory(), asker=Budget(rate=0.1), random_state=seed).run(X, y)


@pytest.mark.slow
def test_classes_drawn_at_random_do_not_drift():
    """The leaders of three classes have different ages, and experts are all alike."""
    found = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = np.eye(3)[rng.integers(0, 3, (5000, 4))].reshape(5000, 12)
        found += played(X, rng.integers(0, 3, 5000)).drifts
    assert len(found) <= 4  # of 20,000 rows; there were 40 in each 5,000


@pytest.mark.parametrize("seed", range(4))
def test_noise_at_rest_does_not_drift(seed):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(1000, 5)), rng.normal(size=5)
    noisy = X @ w + rng.normal(size=1000) * np.linalg.norm(w)
    assert played(X, np.sign(noisy)).drifts == []


def test_most_switches_of_the_digits_are_noticed():
    X, y = digits()
    rounds = np.array(played(X, y).drifts)
    switches = range(500, len(y), 500)
    hits = sum(np.any((rounds >= at) & (rounds < at + 200)) for at in switches)
    assert hits >= 12  # of 17
    assert len(rounds) - hits <= 2


def test_a_lead_that_comes_back_is_no_drift():
    drifts = Drifts()
    there, back = np.arange(500.0), np.arange(500.0, 600.0)
    assert drifts.add(np.r_[there, np.arange(20.0, 105.0), back + 85, np.arange(9.0, 99.0)]) == [
        685
    ]


def test_other_learners_notice_nothing(run):
    X, y = switching_gaussian(100, d=5, seed=1)
    assert OnlineClassifier(Perceptron()).run(X, y).drifts == []
