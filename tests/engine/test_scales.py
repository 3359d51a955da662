"""Rows of unit length: dividing by the length rounds once, so that what cancels is 0."""

import numpy as np
import pytest
import scipy.sparse

from selectron import OnlineClassifier
from selectron.learners import ModifiedPerceptron, Perceptron

pytestmark = pytest.mark.usefixtures("interpreted")


@pytest.mark.parametrize("space", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("learner", [Perceptron(), ModifiedPerceptron()], ids=str)
def test_rows_of_one_feature_become_exactly_minus_1_or_1(learner, space):
    """Half of all margins are 0, where sign(0) = +1 decides: no rounding may decide instead."""
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 1)) * 10 ** random.uniform(-2, 2, (300, 1))
    y = random.choice([-1, 1], 300)
    run, exact = (
        OnlineClassifier(learner, fit_intercept=False, normalize=True).run(space(rows), y)
        for rows in (X, np.sign(X))
    )
    assert (exact.margin == 0).sum() > 100
    assert np.array_equal(run.margin == 0, exact.margin == 0)
    assert np.array_equal(run.prediction, exact.prediction)


@pytest.mark.parametrize("space", [np.asarray, scipy.sparse.csr_array])
def test_a_zero_row_stays_zero(space):
    X = np.array([[3.0, 4.0], [0.0, 0.0], [1e-170, 0.0]])
    clf = OnlineClassifier(Perceptron(), fit_intercept=False, normalize=True)
    run = clf.run(space(X), [-1, 1, 1])
    assert run.margin.tolist() == [0.0, 0.0, 0.0]
    assert clf.coef_.tolist() == [[-0.6, -0.8]]
