"""What is made of the rows: with no intercept, halfspaces through 0 stay halfspaces through 0."""

import numpy as np
import pytest
import scipy.sparse

from selectron.pool import Boosted, Greedy, SelfDirectedClassifier
from selectron.pool.features import featured

RANDOM = np.random.default_rng(0)
X = RANDOM.uniform(1, 2, size=(1000, 3)) * [1.0, 100.0, 1e-3]


@pytest.mark.parametrize("features", ["standard", "auto"])
@pytest.mark.parametrize("learner", [Boosted(), Greedy()], ids=str)
def test_without_an_intercept_points_on_one_side_of_0_stay_there(learner, features):
    pool = SelfDirectedClassifier(learner, classes=[0, 1], features=features, fit_intercept=False)
    assert pool.run(X, np.zeros(len(X), int)).mistakes < 30


def test_without_an_intercept_features_are_scaled_alone():
    found = featured(X, "standard", False)
    factors = found / X
    np.testing.assert_allclose(factors, factors[:1].repeat(len(X), axis=0), rtol=1e-12)
    np.testing.assert_allclose((found**2).sum(axis=0), len(X) / 3, rtol=1e-12)


def test_with_an_intercept_features_are_centred():
    found = featured(X, "standard", True)
    np.testing.assert_allclose(found[:, 1:].mean(axis=0), 0, atol=1e-12)
    assert np.ptp(found[:, 0]) == 0


def test_zero_and_sparse_features_stay_as_they_are_but_for_one_factor():
    Z = np.array([[0.0, 3.0], [0.0, -4.0]])
    assert featured(Z, "standard", False)[:, 0].tolist() == [0.0, 0.0]
    sparse = featured(scipy.sparse.csr_array(Z), "standard", False).toarray()
    np.testing.assert_allclose(sparse / np.sqrt((sparse**2).sum() / 2), Z / np.sqrt(12.5))
