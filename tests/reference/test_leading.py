"""LeadingHistory under a Budget, against a transcription with posteriors from all their terms."""

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.askers import Budget
from selectron.history import state
from selectron.learners import LeadingHistory

from .papers.leading import DIAGONAL, Labels, Leading, Rate, play


def agree(X, y, budget, transcribed, constant, many=False):
    """Play both, compare them, and return the transcription's ring and the labels asked for."""
    n = len(y)
    learner = LeadingHistory(switches=0.01, fourier=6)
    clf = OnlineClassifier(learner, asker=budget, fit_intercept=constant, random_state=3)
    run = clf.run(X, y)
    ring, draws = Leading(0.01, constant, 6, many), np.random.default_rng(3).random(n)
    margin, probability, asked = play(X, y, draws, ring, transcribed)
    assert np.array_equal(run.asked, asked)
    np.testing.assert_allclose(run.margin, margin, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(run.ask_probability, probability, rtol=1e-8, atol=1e-8)
    return ring, asked


def switching(n, every, seed, together=0.0):
    """Return rows and labels of concepts drawn one by one around a common part, `together`."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) * [1.0, 2.0, 0.5, 1.0]
    targets = rng.normal(size=(n // every + 1, 4)) + together * np.array([1.0, -1.0, 2.0, 0.0])
    y = np.where(np.einsum("td,td->t", X, targets[np.arange(n) // every]) >= 0, 1, -1)
    X[:, 3] += 5.0
    return X, y


@pytest.mark.usefixtures("mostly_plain")
@pytest.mark.parametrize("rate", [0.3, 0.8])
@pytest.mark.parametrize("constant", [False, True])
def test_a_stream_that_switches(rate, constant):
    X, y = switching(200, 120, seed=0)
    _, asked = agree(X, y, Budget(rate), Rate(rate), constant)
    assert 20 < asked.sum() < 200


@pytest.mark.usefixtures("mostly_plain")
@pytest.mark.parametrize("horizon", [700, 2000])
def test_a_number_of_labels(horizon):
    X, y = switching(200, 120, seed=1)
    budget = Budget(labels=200, horizon=horizon)
    _, asked = agree(X, y, budget, Labels(200, horizon), True)
    assert 200 * 200 / horizon < asked.sum() < 200


@pytest.mark.slow
@pytest.mark.usefixtures("mostly_plain")
@pytest.mark.parametrize("constant", [False, True])
def test_concepts_that_return(constant):
    X, y = switching(700, 90, seed=2)
    ring, _ = agree(X, y, Budget(0.9), Rate(0.9), constant)
    assert len(ring.rings[0].archive) >= 3


@pytest.mark.usefixtures("mostly_plain")
@pytest.mark.parametrize("constant", [False, True])
def test_many_features_are_brought_to_their_leading_directions(monkeypatch, constant):
    monkeypatch.setattr(state, "WHOLE", 3)
    monkeypatch.setattr(state, "LEADING", 3)
    X, y = switching(320, 80, seed=6, together=1.0)
    X = X * [1.0, 1.0, 1.0, 30.0] + X[:, ::-1] / 2
    ring, _ = agree(X, y, Budget(0.9), Rate(0.9), constant, many=True)
    assert len(ring.rings[0].to_z) == 3
    assert any(member.kind == DIAGONAL for member in ring.rings[0].members)
    assert len(ring.rings[0].archive) >= 1


@pytest.mark.usefixtures("mostly_plain")
@pytest.mark.parametrize("constant", [False, True])
def test_features_turn_out_to_be_of_other_sizes(constant):
    """Of very different sizes, and one that is larger after a while."""
    X, y = switching(400, 80, seed=4, together=1.0)
    X = X * [1e-2, 1.0, 30.0, 1.0]
    X[:250, 1] /= 20
    ring, _ = agree(X, y, Budget(0.9), Rate(0.9), constant)
    sizes = 1 / np.diag(ring.rings[0].to_z)[int(constant) :]
    assert sizes.max() / sizes.min() > 100


@pytest.mark.usefixtures("mostly_plain")
@pytest.mark.parametrize("constant", [False, True])
def test_values_that_are_far_off(constant):
    """Now and then, and from row 200 on in all rows."""
    X, y = switching(300, 80, seed=5, together=1.0)
    rng = np.random.default_rng(5)
    X[20:][rng.random(280) < 0.03, 1] = -999.0
    X[200:, 2] *= 500
    ring, _ = agree(X, y, Budget(0.9), Rate(0.9), constant)
    known = np.array(ring.rows)[:, int(constant) :]
    assert -999 < known[20:, 1].min() < -2
    assert abs(known[:, 2]).max() > 100
