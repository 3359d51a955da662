"""A member that takes another unit for a feature, against the same done with whole matrices."""

import numpy as np
import pytest

from selectron.history import dense
from selectron.history.experts import PRIOR
from selectron.history.scaling import resize

D = 4
LOWER = np.tril_indices(D)
V = PRIOR / D


def member(P, w):
    """Return a ring whose member 2 knows this, in units of 1."""
    state = dense.start(D, None)
    state.w[2], state.triangle[2], state.units[1] = w, P[LOWER], 1.0
    return state


def known(state):
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
def test_it_is_as_if_the_prior_had_been_of_that_unit(ratio):
    state = member(*learned(V * np.eye(D)))
    resize(state, 2, 1, ratio)
    by = np.array([1, ratio, 1, 1])
    prior = V * np.diag([1, 1 / ratio**2, 1, 1])  # of w_1 in the old unit
    P, w = learned(prior)
    found, moved = known(state)
    np.testing.assert_allclose(found, by[:, None] * P * by, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(moved, by * w, rtol=1e-6, atol=1e-12)
    assert state.units[1, 2, 1] == 1 / ratio


@pytest.mark.parametrize("ratio", [1e-8, 0.5])
def test_what_is_wider_than_a_prior_is_left_so(ratio):
    """A smaller unit would take more from it than there is."""
    P, w = 3 * V * (np.eye(D) + 0.5), np.ones(D)
    state = member(P, w)
    resize(state, 2, 1, ratio)
    by = np.array([1, ratio, 1, 1])
    np.testing.assert_allclose(known(state)[0], by[:, None] * P * by)
    assert np.array_equal(known(state)[1], by * w)
