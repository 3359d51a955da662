"""An expert that is brought to other features and another prior, compared with full precisions."""

import numpy as np
import pytest

from selectron.history.renewal import convert_one, matrices, triangles

D = 4


def learned(prior, rows, margins):
    """Return P and w after noisy margins of rows, under a Gaussian prior."""
    P = np.linalg.inv(np.linalg.inv(prior) + rows.T @ rows / 0.3)
    return P, P @ rows.T @ margins / 0.3


def some_prior(random):
    A = random.normal(size=(D, D))
    return A @ A.T + 0.1 * np.eye(D)


@pytest.mark.parametrize("ratio", [1e-3, 0.5, 2.0, 1e3])
@pytest.mark.parametrize("shift", [0.0, 2.0])
def test_the_posterior_is_that_under_the_other_prior_and_features(ratio, shift):
    random = np.random.default_rng(0)
    before, after, margins = some_prior(random), some_prior(random), random.normal(size=5)
    a, b = np.array([1.0, ratio, 1.0, 0.5]), np.array([0.0, 0.0, shift, 0.0])  # z = a z' + b
    to = np.diag(a)
    to[0] += b
    rows = np.column_stack([np.ones(5), random.normal(size=(5, D - 1))])
    P, w = learned(before, rows @ to, margins)
    triangle = triangles(P)
    more = np.linalg.inv(after) - np.linalg.inv(to @ before @ to.T)
    convert_one(w, triangle, a, b, more, triangles(after))
    expected, mean = learned(after, rows, margins)
    np.testing.assert_allclose(matrices(triangle), expected, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(w, mean, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("P", "more"), [(np.nan, 0.0), (1.0, -1.0)])
def test_an_expert_that_cannot_be_converted_starts_again(P, more):
    prior = triangles(np.eye(D))
    w, triangle = np.ones(D), triangles(np.full((D, D), P) * np.eye(D))
    convert_one(w, triangle, np.ones(D), np.zeros(D), more * np.eye(D), prior)
    assert np.array_equal(triangle, prior)
    assert not w.any()
