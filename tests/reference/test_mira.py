"""MIRA's step of many classes against a solver of its quadratic programme."""

import math

import clarabel
import numpy as np
import pytest
import scipy.sparse

from selectron import OnlineClassifier
from selectron.learners import MIRA

pytestmark = pytest.mark.usefixtures("mostly_plain")


def solved(W, x, b, C):
    """Minimise sum_k |w'_k - w_k|^2 / 2 + C xi over W' and xi >= 0,

    subject to <w'_b - w'_k, x> >= 1 - xi for every k but b; xi = 0 where C is infinite.
    """
    K, d = W.shape
    n = K * d + 1
    squares = scipy.sparse.diags_array(np.append(np.ones(K * d), 0.0), format="csc")
    linear = np.append(-W.ravel(), C if math.isfinite(C) else 0.0)
    lower = np.zeros((K, n))
    for row, k in enumerate(k for k in range(K) if k != b):
        lower[row, b * d : b * d + d] = x
        lower[row, k * d : k * d + d] = -x
        lower[row, -1] = math.isfinite(C)
    lower[-1, -1] = 1.0  # xi >= 0
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    least = np.append(np.ones(K - 1), 0.0)
    cones = [clarabel.NonnegativeConeT(K)]
    problem = squares, linear, scipy.sparse.csc_array(-lower), -least, cones, settings
    return np.array(clarabel.DefaultSolver(*problem).solve().x)[:-1].reshape(K, d)


def stream(classes, n=60, d=4):
    random = np.random.default_rng(classes)
    X = random.normal(size=(n, d)) * 10 ** random.uniform(-0.4, 0.4, (n, 1))
    X[:, 1:][random.random((n, d - 1)) < 0.3] = 0
    y = (X @ random.normal(size=(d, classes))).argmax(axis=1)
    return X, np.where(random.random(n) < 0.15, random.integers(classes, size=n), y)


@pytest.mark.parametrize("space", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("classes", [3, 4, 5])
@pytest.mark.parametrize("C", [0.02, 0.2, 2.0, math.inf])
def test_every_step_is_the_nearest_point(C, classes, space):
    X, y = stream(classes)
    clf = OnlineClassifier(MIRA(C), classes=range(classes), fit_intercept=False)
    W = np.zeros((classes, X.shape[1]))
    moved = []
    for i in range(len(y)):
        expected = solved(W, X[i], y[i], C)
        updated = clf.run(space(X[[i]]), y[[i]]).updated[0]
        found = clf.coef_
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 * max(1, abs(W).max()))
        moved.append(np.count_nonzero((found != W).any(axis=1)))
        assert updated == (moved[-1] > 0)
        W = found
    assert max(moved) > 2  # several rivals at once, in some step
    assert moved.count(0) > 3 or C < 0.1


def test_a_zero_row_teaches_nothing():
    X, y = stream(3)
    clf = OnlineClassifier(MIRA(), classes=range(3), fit_intercept=False).partial_fit(X, y)
    before = clf.coef_
    clf.partial_fit(np.zeros((3, 4)), range(3))
    assert np.array_equal(clf.coef_, before)
