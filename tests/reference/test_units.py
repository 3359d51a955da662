"""An expert that is brought to another feature scale, compared with the same on full matrices."""

import numpy as np
import pytest

from selectron.history import dense
from selectron.history.experts import PRIOR_VARIANCE
from selectron.history.scaling import rescale_feature

D = 4
LOWER = np.tril_indices(D)
V = PRIOR_VARIANCE / D


def ensemble(P, w):
    """Return an ensemble whose expert 2 has this posterior, in scales of 1."""
    state = dense.start(D, None)
    state.w[2], state.triangle[2], state.scaler[1] = w, P[LOWER], 1.0
    return state


def posterior(state):
    P = np.zeros((D, D))
    P[LOWER] = state.triangle[2]
    return np.tril(P, -1) + P.T, state.w[2]


def learned(prior, seed=0):
    """Return P and w after five rows of noisy margins, under a Gaussian prior."""
    random = np.random.default_rng(seed)
    X, m = random.normal(size=(5, D)), random.normal(size=5)
    P = np.linalg.inv(np.linalg.inv(prior) + X.T @ X / 0.3)
    return P, P @ X.T @ m / 0.3


@pytest.mark.parametrize("ratio", [1e-3, 0.5, 2.0, 1e3, 1e8])
def test_the_posterior_is_that_under_a_prior_of_that_scale(ratio):
    state = ensemble(*learned(V * np.eye(D)))
    rescale_feature(state, 2, 1, ratio)
    by = np.array([1, ratio, 1, 1])
    prior = V * np.diag([1, 1 / ratio**2, 1, 1])  # of w_1 in the old scale
    P, w = learned(prior)
    found, moved = posterior(state)
    np.testing.assert_allclose(found, by[:, None] * P * by, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(moved, by * w, rtol=1e-6, atol=1e-12)
    assert state.scaler[1, 2, 1] == 1 / ratio


@pytest.mark.parametrize("ratio", [1e-8, 0.5])
def test_a_posterior_wider_than_the_prior_is_only_rescaled(ratio):
    """The correction for a smaller scale would make its precision negative."""
    P, w = 3 * V * (np.eye(D) + 0.5), np.ones(D)
    state = ensemble(P, w)
    rescale_feature(state, 2, 1, ratio)
    by = np.array([1, ratio, 1, 1])
    np.testing.assert_allclose(posterior(state)[0], by[:, None] * P * by)
    assert np.array_equal(posterior(state)[1], by * w)
