"""The fit: the same in every form of its second derivative, and the minimum of what it says."""

import numpy as np
import pytest
import scipy.sparse
from scipy.optimize import minimize

from selectron.pool.centre import (
    WIDER,
    Centre,
    bend_with_matrix,
    bend_without_matrix,
    centre,
    fit,
    left_out,
    loss,
)

RNG = np.random.default_rng(0)
R = RNG.normal(size=(30, 12))


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array])
def test_the_forms_of_the_second_derivative_agree(kind):
    g = RNG.normal(size=12)
    for part in (R[:5], R):  # fewer rows than weights, and more
        H = part.T @ part + 0.3 * np.eye(12)
        bend = bend_with_matrix(kind(part), 0.3)
        np.testing.assert_allclose(bend.solve(g), np.linalg.solve(H, g), rtol=1e-9)
        assert bend.gamma() == pytest.approx(12 - 0.3 * np.trace(np.linalg.inv(H)))
        forms = np.einsum("ij,ji->i", R, np.linalg.solve(H, R.T))
        np.testing.assert_allclose(bend.forms(kind(R)), forms, rtol=1e-9)
    bend = bend_without_matrix(kind(R), np.ones(30), 0.3)
    error = np.linalg.norm(H @ bend.solve(g) - g)
    assert error <= 0.1 * np.linalg.norm(g) + 1e-12


def test_the_fit_is_the_minimum():
    X, signs = RNG.normal(size=(200, 5)), np.sign(RNG.normal(size=200)).astype(np.int8)
    signs[::3] = 0
    w, margins, _, _ = fit(X, signs, Centre(np.zeros(5), 0.5), np.zeros(200))
    known = signs != 0

    def wanted(w):
        return loss(X[known] @ w, signs[known].astype(float), w, 0.5)

    assert wanted(w) == pytest.approx(minimize(wanted, np.zeros(5)).fun, rel=1e-3)
    np.testing.assert_allclose(margins, X @ w)


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_a_row_left_out_is_one_without_a_label(noise):
    X = RNG.normal(size=(60, 4))
    signs = np.where((X[:, 0] > 0) ^ (RNG.random(60) < noise), 1, -1).astype(np.int8)
    start = Centre(np.zeros(4), 1.0)
    last, found = centre(X, signs, start)
    without = left_out(X, signs, found)
    for i in range(0, 60, 6):
        others = signs.copy()
        others[i] = 0
        again = fit(X, others, last._replace(lam=last.lam / WIDER), found.margins)
        assert without[i] == pytest.approx(again.margins[i], rel=0.2, abs=0.2)
