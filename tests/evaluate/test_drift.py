"""Drift is noticed where it is, once a switch, in whatever pieces the stream comes."""

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.askers import Budget
from selectron.evaluate import Drifts
from selectron.learners import LeadingHistory, Perceptron
from selectron.streams import switching_gaussian


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


def test_other_learners_notice_nothing(run):
    X, y = switching_gaussian(100, d=5, seed=1)
    assert OnlineClassifier(Perceptron()).run(X, y).drifts == []
