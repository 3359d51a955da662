"""LeadingHistory under a Budget, against a transcription with posteriors from all their terms."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array

from selectron import OnlineClassifier
from selectron.askers import Budget
from selectron.history import directions, renewal, state
from selectron.learners import LeadingHistory

from .papers.leading import Labels, Leading, Rate, Words, play

pytestmark = pytest.mark.usefixtures("never_narrow")


def agree(X, y, budget, transcribed, constant, many=False):
    """Play both, compare them, and return the transcription's ring and the labels asked for."""
    ring = Leading(0.01, constant, 6, many)
    return agrees(X, y, budget, transcribed, constant, ring)


def agrees(X, y, budget, transcribed, constant, ring, form=np.asarray):
    """Play both, with rows in a form and a ring; return the ring and the labels asked for."""
    learner, draws = LeadingHistory(0.01, fourier=6), np.random.default_rng(3).random(len(y))
    clf = OnlineClassifier(learner, asker=budget, fit_intercept=constant, random_state=3)
    run = clf.run(form(X), y)
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
@pytest.mark.parametrize("constant", [False, pytest.param(True, marks=pytest.mark.slow)])
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
@pytest.mark.slow
def test_many_features_are_brought_to_their_leading_directions(monkeypatch, constant):
    monkeypatch.setattr(state, "WHOLE", 3)
    monkeypatch.setattr(state, "LEADING", 3)
    X, y = switching(320, 80, seed=6, together=1.0)
    X = X * [1.0, 1.0, 1.0, 30.0] + X[:, ::-1] / 2
    ring, _ = agree(X, y, Budget(0.9), Rate(0.9), constant, many=True)
    assert len(ring.rings[0].to_z) == 3
    assert all(member.flat[0].any() for member in ring.rings[0].archive)
    assert len(ring.rings[0].archive) >= 1


@pytest.mark.usefixtures("mostly_plain")
@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.slow
def test_features_turn_out_to_be_of_other_sizes(constant):
    """Of very different sizes, and one that is larger after a while."""
    X, y = switching(400, 80, seed=4, together=1.0)
    X = X * [1e-2, 1.0, 30.0, 1.0]
    X[:250, 1] /= 20
    ring, _ = agree(X, y, Budget(0.9), Rate(0.9), constant)
    sizes = 1 / np.diag(ring.rings[0].to_z)[int(constant) :]
    assert sizes.max() / sizes.min() > 100


@pytest.mark.usefixtures("mostly_plain")
@pytest.mark.parametrize("whole", [256, 4])
@pytest.mark.parametrize("constant", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_number_next_to_many_features_alike(monkeypatch, whole, constant):
    """Under one prior it is brought to their scale, and has more of the variance otherwise."""
    monkeypatch.setattr(state, "WHOLE", whole)
    monkeypatch.setattr(state, "LEADING", 4)
    X, y = switching(200, 80, seed=4, together=1.0)
    X = np.hstack([X / [1.0, 2.0, 0.5, 1.0], X[:, ::-1] / 2 + X[:, :1], 20 * X[:, :1] ** 2])
    monkeypatch.setattr(renewal, "MANY", 9)
    ring = Leading(0.01, constant, 6, whole < X.shape[1])
    ring.many = 9
    agrees(X, y, Budget(0.9), Rate(0.9), constant, ring)
    assert ring.large.sum() == 1


@pytest.mark.usefixtures("mostly_plain")
@pytest.mark.parametrize("constant", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_features_that_are_0_in_most_rows(constant):
    """And one that is so in the first 100, next to common ones beyond their former range."""
    X, y = switching(300, 80, seed=6, together=1.0)
    X[:, 1] *= np.random.default_rng(6).random(300) < 0.2
    X[:100, 2] = 0.0
    X[150:, 0] += 3.0
    ring, _ = agree(X, y, Budget(0.9), Rate(0.9), constant)
    assert 0.1 < ring.filled[1] < 0.3
    assert (X[256:, 0] > ring.seen[1][int(constant)]).any()


@pytest.mark.usefixtures("mostly_plain")
@pytest.mark.parametrize("constant", [False, pytest.param(True, marks=pytest.mark.slow)])
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


@pytest.mark.usefixtures("mostly_plain")
@pytest.mark.parametrize("constant", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_sparse_rows(monkeypatch, constant):
    """Of which other features become the largest after a while, twice."""
    monkeypatch.setattr(directions, "CHOSEN", 8)
    monkeypatch.setattr(directions, "LEADING", 3)
    rng = np.random.default_rng(7)
    X = rng.random((300, 12)) * (rng.random((300, 12)) < 0.5) * np.geomspace(0.05, 2, 12)
    X[:, 3] += 3
    X[40:, 0] *= 20
    X[100:, 1] *= 20
    X[:, 11] += X[:, 10]
    concept = np.where(np.arange(300) < 150, 1, -1)[:, None] * rng.normal(size=12)
    y = np.where(((X - X.mean(axis=0)) * concept).sum(axis=1) >= 0, 1, -1)
    ring = Words(0.01, constant, 8, 3)
    agrees(X, y, Budget(0.9), Rate(0.9), constant, ring, csr_array)
    assert sum(a != b for a, b in pairwise(ring.choices)) >= 2
    assert ring.ratios[3].max() > 10 * ring.ratios[3].min() > 0
    assert 0 < ring.ratios[1].min() < ring.ratios[1].max() == 1
    assert constant == (np.count_nonzero(ring.means) > 1)
    assert len(ring.archive) >= 1
