"""The radially isotropic transform: its certificate, and what it finds where there is none."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from selectron import SelectronError
from selectron.pool import RadiallyIsotropic
from selectron.pool.isotropic import forster

from .pools import line_and_rest


def tyler(X, steps):
    """S <- (d/n) sum x x' / (x' S^-1 x), literally."""
    n, d = X.shape
    S = np.eye(d)
    for _ in range(steps):
        weights = 1 / np.einsum("ij,ij->i", X @ np.linalg.inv(S), X)
        S = d / n * (X.T * weights) @ X
    return S


def unevenness(Z):
    k = Z.shape[1]
    values = np.linalg.eigvalsh(k * Z.T @ Z / len(Z))
    return max(values[-1] - 1, 1 - values[0])


@pytest.mark.parametrize("spread", [0, 2, 6])
def test_the_map_is_tylers(spread):
    rng = np.random.default_rng(spread)
    X = (
        rng.standard_t(3, size=(600, 5))
        @ rng.normal(size=(5, 5))
        * 10.0 ** np.linspace(0, spread, 5)
    )
    iso = RadiallyIsotropic(eps=1e-10).fit(X)
    scale = 1 / X.std(axis=0)
    ours = np.linalg.inv((iso.matrix_ / scale).T @ (iso.matrix_ / scale))
    theirs = tyler(X * scale, 300)
    assert np.abs(ours / np.trace(ours) - theirs / np.trace(theirs)).max() < 1e-8


@pytest.mark.parametrize("eps", [1e-2, 1e-6, 1e-10])
def test_the_certificate_is_what_is_measured(eps):
    X = np.random.default_rng(0).normal(size=(1000, 6)) * [1, 2, 3, 4, 5, 600]
    iso = RadiallyIsotropic(eps=eps).fit(X)
    Z = iso.transform(X)
    assert iso.converged_
    assert iso.eps_ <= eps
    assert abs(unevenness(Z) - iso.eps_) < 1e-9
    assert np.abs(np.linalg.norm(Z, axis=1) - 1).max() < 1e-12


@pytest.mark.parametrize("share", [0.11, 0.3, 0.9])
def test_a_line_that_is_too_heavy_is_found(share):
    X = line_and_rest(2000, 10, share)
    iso = RadiallyIsotropic().fit(X)
    assert not iso.converged_
    assert iso.heavy_subspace_.shape == (1, 10)
    assert iso.heavy_rows_.tolist() == list(range(int(share * 2000)))


def test_a_plane_that_is_too_heavy_is_found():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 10))
    X[::2] = rng.normal(size=(1000, 2)) @ rng.normal(size=(2, 10))
    iso = RadiallyIsotropic().fit(X)
    assert iso.heavy_subspace_.shape == (2, 10)
    assert (iso.heavy_rows_ == np.arange(0, 2000, 2)).all()
    assert np.abs(iso.heavy_subspace_ @ iso.heavy_subspace_.T - np.eye(2)).max() < 1e-12


def test_newton_arrives_where_the_plain_steps_crawl():
    X = line_and_rest(2000, 10, 0.098)  # a tenth would be too many
    iso = RadiallyIsotropic(eps=1e-8).fit(X)
    assert iso.converged_
    assert iso.n_iter_ < 40
    S = tyler(X, iso.n_iter_)
    values, vectors = np.linalg.eigh(S)
    Z = X @ (vectors / np.sqrt(values))
    assert unevenness(Z / np.linalg.norm(Z, axis=1)[:, None]) > 1e-6  # as many plain steps


def test_dependent_repeated_and_zero_rows():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(300, 3)) @ rng.normal(size=(3, 7)), np.zeros((5, 7))])
    X = np.vstack([X, X[:20]])
    iso = RadiallyIsotropic().fit(X)
    assert iso.converged_
    assert iso.matrix_.shape == (3, 7)
    assert (iso.n_zero_, iso.n_duplicate_) == (5, 24)
    assert not iso.transform(X)[300:305].any()


def test_descent_ends_in_a_subspace_that_can_be_spread():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 8))
    X[:600, 4:] = 0  # heavy, and within it
    X[:500, 2:] = 0  # heavier
    found, position = forster(X, 1e-6, 200)
    assert len(found.basis) == 2
    assert found.inside.sum() == 500
    assert position.eps <= 1e-6


def test_bad_input():
    with pytest.raises(SelectronError, match="NaN"):
        RadiallyIsotropic().fit([[np.nan, 1.0]])
    iso = RadiallyIsotropic().fit(np.eye(3))
    with pytest.raises(SelectronError, match="4 features"):
        iso.transform(np.eye(4))


@parametrize_with_checks([RadiallyIsotropic()])
def test_it_is_an_estimator(estimator, check):
    check(estimator)
