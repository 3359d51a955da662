"""What the Fourier features of `LeadingHistory` look at, and what they leave alone."""

import numpy as np
import pandas as pd
import pytest

from selectron import Budget, OnlineClassifier

pytestmark = [pytest.mark.slow, pytest.mark.compiles]

N = 4000


def last_quarter(X, y, late=0):
    """Return the accuracy in the last quarter; the first labels are random."""
    rng = np.random.default_rng(1)
    y = np.where(np.arange(len(X)) < late, rng.random(len(X)) < 0.5, y)
    run = OnlineClassifier(random_state=0).run(X, y)
    return run.correct[-len(X) // 4 :].mean()


@pytest.mark.parametrize("values", [10, 30, 200])
def test_a_curve_next_to_categories_that_do_not_matter(values):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2 * N, 4))
    category = [f"v{value}" for value in rng.integers(0, values, 2 * N)]
    table = pd.DataFrame(X).add_prefix("x").assign(c=category)
    clf = OnlineClassifier(asker=Budget(rate=0.1), encoder="auto", random_state=0)
    assert clf.run(table, X[:, 0] * X[:, 1] > 0).accuracy > 0.8


@pytest.mark.parametrize("stuck", [0.0, 1 / 3])
def test_features_that_do_not_vary_at_first(stuck):
    """Beyond 256 labels, Fourier features stay as they are, so they must be ready for these."""
    X = np.random.default_rng(0).normal(size=(N, 4))
    X[:400, 2:] = stuck
    assert last_quarter(X, X[:, 2] * X[:, 3] > 0, late=400) > 0.85


def test_features_that_do_not_vary_at_first_next_to_categories():
    rng = np.random.default_rng(0)
    X = np.hstack([rng.normal(size=(N, 2)), np.eye(30)[rng.integers(0, 30, N)]])
    X[:400, :2] = 1.0
    assert last_quarter(X, X[:, 0] * X[:, 1] > 0, late=400) > 0.85


@pytest.mark.parametrize("seed", range(3))
def test_rows_beyond_the_range_of_earlier_ones(seed):
    """A running number does not matter, but is far off in the rows of tomorrow."""
    k = np.random.default_rng(seed).normal(4, 0.6, N // 2)
    table, y = pd.DataFrame({"order": 1_000_000 + np.arange(N // 2), "k": k}), k > 4.5
    clf = OnlineClassifier(asker=Budget(rate=0.1), encoder="auto", random_state=seed)
    clf.run(table[: N // 4], y[: N // 4])
    assert clf.score(table[N // 4 :], y[N // 4 :]) > 0.93
