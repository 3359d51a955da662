"""The steps are the paper's, and obey its theorem."""

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.bounds.large_margin import stepped_mistakes, theorem_5_1
from selectron.learners import AROW, ObjectiveRegularized, PassiveAggressive, Perceptron
from selectron_desktop.features import K, M, joint
from selectron_desktop.predictor import ActivityPredictor
from selectron_desktop.scoring import Replay, Scoring

from .people import minutes, play

ALPHA, C = 0.001, 10.0


@pytest.fixture
def taught(monkeypatch):
    """Return the list of Z of all pairs that are learned from, those that come back included."""
    rows, learn, add = [], Scoring.learn, Replay.add

    def noted(self, first, second, pair, scores):
        rival = scores.best(without=pair)
        learn(self, first, second, pair, scores)
        if rival is not None:
            np.testing.assert_allclose(rows[-1], literal_z(first, second, pair, rival), atol=1e-15)

    def replayed(self, row):
        found = add(self, row)
        assert all(any((-earlier == z).all() for z in rows) for earlier in found[:-1])
        rows.extend(-found)
        return found

    monkeypatch.setattr(Scoring, "learn", noted)
    monkeypatch.setattr(Replay, "add", replayed)
    return rows


def literal_z(x1, x2, y, rival):
    """Z_t of section 5.3."""
    z1 = x1.of(y[0]) + x2.of(y[1]) - x1.of(rival[0]) - x2.of(rival[1])
    switch = int(rival[0] != rival[1]) - int(y[0] != y[1])
    return np.concatenate([z1, switch * x1.switch, switch * x2.switch])


def literal_step(weights, z):
    """Equations 5.28 and 5.29; only where the constraint is not met."""
    if weights @ z >= 1:
        return weights
    tau = (1 - weights @ z + ALPHA) / (z @ z + (1 + ALPHA) / (2 * C))
    return (weights + tau * z) / (1 + ALPHA)


@pytest.mark.parametrize("replay", [0, 7])
def test_weights_are_those_of_the_paper_s_steps(replay, taught):
    predictor = ActivityPredictor(random_state=0, replay=replay)
    play(predictor, minutes(250))
    weights = np.zeros(K + 2 * M)
    for z in taught:
        weights = literal_step(weights, z)
    assert len(taught) > 40
    np.testing.assert_allclose(predictor.scoring.weights(), weights, rtol=1e-9, atol=1e-12)


def test_mistakes_obey_theorem_5_1(taught):
    predictor = ActivityPredictor(random_state=0)
    play(predictor, minutes(250))
    Z, y = np.array(taught), np.ones(len(taught))
    clf = OnlineClassifier(ObjectiveRegularized(ALPHA, C), fit_intercept=False, normalize=False)
    run = clf.run(-Z, -y, classes=[-1, 1])
    np.testing.assert_allclose(clf.coef_[0], predictor.scoring.weights(), atol=1e-12)
    bound = theorem_5_1(run, -Z, clf.coef_[0], ALPHA, C)
    assert 0 < stepped_mistakes(run) <= bound < np.inf


def test_g_is_lambda_times_phi():
    predictor = ActivityPredictor(random_state=0)
    play(predictor, minutes(100))
    x2 = predictor.past.history[-1]
    x1 = predictor.past.history.before(x2)
    scores = predictor._scores(x2)
    weights = predictor.scoring.weights()
    n = len(scores.first)
    for i in range(n):
        for j in range(n):
            g = scores.first[i] + scores.second[j] - (i != j) * scores.penalty
            assert g == pytest.approx(weights @ joint(x1.features, x2.features, i, j), abs=1e-12)


@pytest.mark.parametrize(
    ("learner", "replay"), [(Perceptron(), 0), (PassiveAggressive(), 7), (AROW(r=0.01), 7)]
)
def test_any_learner_will_do(learner, replay):
    predictor = ActivityPredictor(learner=learner, random_state=0, replay=replay)
    day = minutes(500)
    found = play(predictor, day)
    right = [p.activity == m.activity for p, m in zip(found, day, strict=True)]
    assert np.mean(right[200:]) > 0.6  # the commonest is worked on for a third of the time


def test_before_the_first_step_the_declared_activity_is_predicted():
    predictor = ActivityPredictor(random_state=0)
    (first, *_) = play(predictor, minutes(1))
    assert (first.activity, first.score, first.alarm) == (first.declared, 0.0, None)
