"""Comparators found in hindsight, and what is told about a run."""

import math

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.askers import Always, Fixed, Margin, SecondOrderMargin
from selectron.bounds import comparator, report, seen
from selectron.learners import (
    AROW,
    CELLIP,
    IELLIP,
    LASEC,
    L2Constrained,
    ObjectiveRegularized,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
)

from .streams import KINDS, at_most, played, streams


def test_a_comparator_a_stretch():
    for s in streams(*KINDS)[:40]:
        U = comparator(s.X, s.y, s.switches)
        assert U.shape == s.X.shape
        assert len(np.unique(U, axis=0)) == len(s.switches) + 1
        if s.kind in ("separable", "switching", "corners"):
            assert (s.y * np.einsum("td,td->t", U, s.X) > 0).mean() > 0.97
        np.testing.assert_array_equal(U, comparator(s.X, s.y, s.switches))


def test_stretches_without_labels_or_of_one_class():
    X = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.0, 2.0]])
    assert (comparator(X, np.zeros(4)) == 0).all()
    U = comparator(X, np.array([1, 1, 0, 0]), switches=[2])
    assert (U[2] == U[0]).all()
    assert U[0, 0] > 0


@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("normalize", [False, True])
def test_rows_as_they_were_seen(constant, normalize):
    s = streams(*KINDS)[4]
    X = np.vstack([3 * s.X, np.zeros_like(s.X[:1])])
    clf = OnlineClassifier(LASEC(), fit_intercept=constant, normalize=normalize)
    clf.partial_fit(X, [*s.y, 1])
    rows = seen(X, constant, normalize)
    w = np.r_[clf.intercept_, clf.coef_[0]][int(not constant) :]
    np.testing.assert_array_equal(clf.predict(X) > 0, rows @ w >= 0)
    assert not normalize or np.linalg.norm(rows, axis=1).max() == pytest.approx(1)


SEEN = [
    (Perceptron(), Margin(0.5), 2),
    (Perceptron(), SecondOrderMargin(0.5), 1),
    (SecondOrderPerceptron(1.0), SecondOrderMargin(0.5), 2),
    (LASEC(1.0, 100.0), Margin(0.5), 2),
    (LASEC(1.0, 100.0), Margin(math.inf), 1),
    (LASEC(1.0, 100.0), Fixed(0.5), 1),
    (CELLIP(0.1, 0.5, "sound"), Always(), 1),
    (CELLIP(0.1, 0.0, "sound", 0.1), Always(), 1),
    (IELLIP(0.1, 0.1, 0.8, 1.0), Always(), 1),
    (ObjectiveRegularized(0.001, math.inf), Always(), 1),
    (ObjectiveRegularized(0.001, 1.0), Always(), 1),
    (L2Constrained(8.0), Always(), 1),
    (PassiveAggressive(1.0, "II"), Always(), 1),
]


@pytest.mark.parametrize(("learner", "asker", "count"), SEEN, ids=str)
def test_the_report(learner, asker, count):
    for s in streams("separable")[:3]:
        rows = report(played(s, learner, asker), s.X, learner, asker, s.switches)
        assert len(rows) == count
        for row in rows:
            at_most(row.outcome, row.bound)
            assert row.bound < math.inf


def test_learners_without_a_theorem():
    s = streams("separable")[0]
    run = played(s, AROW(), Always())
    assert report(run, s.X, AROW(), Always()) == []
    assert report(run, s.X, PassiveAggressive(1.0, "I"), Always()) == []


def test_switches_are_worth_knowing():
    s = streams("separable")[0]
    X, y = np.tile(s.X, (10, 1)), np.repeat([1, -1], 5 * len(s.y)) * np.tile(s.y, 10)
    learner = LASEC(1.0, 10.0)
    run = played(s._replace(X=X, y=y), learner, Always())
    [known] = report(run, X, learner, Always(), [5 * len(s.y)])
    [unknown] = report(run, X, learner, Always())
    assert known.bound < unknown.bound
