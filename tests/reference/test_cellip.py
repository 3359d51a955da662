"""CELLIP's promise: what is within (1 - a) gamma of a good classifier never leaves the ellipsoid.

The largest value of (z - w)' P^-1 (z - w) on the ball |z - u| <= r is a trust-region problem: with
z = u + s and A = P^-1 it is where (lambda I - A) s = A (u - w) and |s| = r, for a lambda that is
not below A's largest eigenvalue. In eigenvectors of A, |s| falls in lambda, so that it is the root
of one equation.
"""

from functools import partial
from itertools import product

import numpy as np
import pytest
import scipy.sparse
from laws.grid import Case
from laws.playing import matrix
from scipy.optimize import brentq

from selectron import OnlineClassifier, SelectronError
from selectron.askers import Always
from selectron.bounds.ellipsoid import volume_factor
from selectron.engine.round import Round
from selectron.learners import CELLIP

from . import papers
from .agreement import MILD, PLAIN, TOLERANCE, stream

pytestmark = pytest.mark.usefixtures("mostly_plain")

STREAMS, T = 200, 40
ROUNDS = 80  # of labels that nothing fits; each too deep cut makes P 2e-6 of what it was


def largest(P, w, u, r):
    """Return the largest (z - w)' P^-1 (z - w) on the ball of radius r around u."""
    values, vectors = np.linalg.eigh(P)
    a = 1 / values  # eigenvalues of A, the largest first
    c = vectors.T @ (u - w)

    def excess(lam):
        return np.linalg.norm(a * c / (lam - a)) - r

    low, high = a[0], a[0] + 1.1 * np.linalg.norm(a * c) / r  # |s| <= |A (u - w)| / (lambda - a_1)
    near = low + 1e-14 * max(low, high - low)
    if excess(near) <= 0:  # the hard case: what is left of r goes along the first eigenvector
        s = np.where(a == low, 0.0, a * c / np.where(a == low, 1.0, low - a))
        s[0] += np.copysign(np.sqrt(max(0.0, r * r - s @ s)), c[0])
    else:
        lam = brentq(excess, near, high, xtol=1e-300, rtol=1e-15)
        s = a * c / (lam - a)
    return float(a @ (c + s) ** 2)


def separable(seed):
    """Return rows of length <= 1, their labels, u of length 1, its margin gamma, and a."""
    random = np.random.default_rng(seed)
    d = int(random.integers(2, 9))
    u = random.normal(size=d)
    u /= np.linalg.norm(u)
    X = random.normal(size=(20 * T, d))
    X *= random.uniform(0.5, 1, (20 * T, 1)) / np.linalg.norm(X, axis=1, keepdims=True)
    gamma = random.choice([0.02, 0.1, 0.3])
    X = X[abs(X @ u) >= gamma][:T]
    return X, np.where(X @ u >= 0, 1, -1).astype(np.int8), u, gamma, random.uniform(0.1, 0.9)


def trace(seed, start, sparse=False, rho=0.0):
    """Return the largest value of the form on the ball after every step, and the model.

    `rho` is relative to that of the smallest ellipsoid.
    """
    X, y, u, gamma, a = separable(seed)
    learner = CELLIP(float(gamma), float(a), start, rho / (1 + X.shape[1]))
    case = Case(learner, Always(), sparse, False)
    model = case.model(X.shape[1], constant=False)

    def now():
        return largest(matrix(model), model.state.w, u, (1 - a) * gamma)

    rounds = ((case.block(X[[i]]), y[[i]]) for i in range(len(y)))
    return np.array([now(), *(now() for one in rounds if model.run(*one).updated[0])]), model


def test_the_largest_value_is_the_largest():
    """No point of the sphere has more, and one near the maximum has hardly less."""
    random = np.random.default_rng(0)
    for _ in range(50):
        d = int(random.integers(2, 5))
        root = random.normal(size=(d, d))
        P, w, u, r = root @ root.T + 0.01 * np.eye(d), *random.normal(size=(2, d)), 0.3
        s = random.normal(size=(20_000, d))
        z = u + r * s / np.linalg.norm(s, axis=1, keepdims=True) - w
        sampled = np.einsum("nd,de,ne->n", z, np.linalg.inv(P), z).max()
        found = largest(P, w, u, r)
        assert sampled <= found * (1 + 1e-9)
        assert sampled >= found * 0.99


def test_around_its_own_centre_the_ball_is_measured_by_its_radius():
    P = np.diag([4.0, 1.0, 0.25])
    assert largest(P, np.zeros(3), np.zeros(3), 0.5) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_sound_start_keeps_every_good_classifier(sparse, rho):
    found = [trace(seed, "sound", sparse, rho) for seed in range(STREAMS)]
    assert max(values.max() for values, _ in found) <= 1 + 1e-9
    assert sum(len(values) - 1 for values, _ in found) > 4 * STREAMS  # steps
    assert all(model.strained == 0 for _, model in found)


@pytest.mark.slow
def test_the_talk_s_start_loses_some():
    found = [trace(seed, "talk")[0] for seed in range(STREAMS)]
    at_once = np.array([values[0] for values in found])
    later = np.array([values[1:].max(initial=0.0) for values in found])
    assert (at_once > 1).all()  # u's far side has length 1 + (1 - a) gamma
    assert (later > 1 + 1e-9).sum() > STREAMS // 10


@pytest.mark.parametrize("space", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("start", ["sound", "talk"])
def test_where_no_classifier_fits_it_cuts_as_deep_as_it_can(start, space):
    """At alpha >= 1, spec 2.4 cuts at 1 - 1e-6; such rounds are counted."""
    X, y = (part[:ROUNDS] for part in stream(20, MILD, PLAIN, "noisy"))
    learner = CELLIP(gamma=0.4, a=0.5, start=start)
    literal = partial(papers.cellip, **learner._asdict())
    played = papers.play(literal, papers.always, X, y, np.zeros(len(y)))
    clf = OnlineClassifier(learner, fit_intercept=False)
    run = clf.run(space(X), y)
    np.testing.assert_allclose(run.margin, played.margin, rtol=TOLERANCE, atol=TOLERANCE)
    assert np.array_equal(run.updated, played.updated)
    assert np.linalg.eigvalsh(matrix(clf.model_)).min() > 0
    too_deep = too_deep_rounds(learner, X, y)
    assert np.array_equal(run.strained, too_deep)
    assert clf.n_strained_ == too_deep.sum() > 5


def too_deep_rounds(learner, X, y):
    """Return which mistakes have a half-space that the ellipsoid before them does not meet."""
    state, found = None, []
    for x, label in zip(X, y, strict=True):
        m, q, update = papers.cellip(state, x, **learner._asdict())
        after = update(label)
        beyond = learner.a * learner.gamma - label * m >= np.sqrt(q)
        found.append(after is not None and bool(beyond))
        state = state if after is None else after
    return np.array(found)


# rho of Theorem 1


def cut_of_the_unit_ball(alpha, d, rho):
    """Return w and P after a cut of depth alpha across e_1."""
    learner = CELLIP(gamma=1.0, a=0.0, rho=rho)
    step = learner.step(Round(m=-alpha, q=1.0, y=1.0, k=0, ww=0.0, note=0.0))
    first = np.eye(d)[0]
    return step.eta * first, step.mu * np.eye(d) - step.nu * np.outer(first, first)


CUTS = list(product((0.0, 0.1, 0.6, 0.95), (2, 5), (0.0, 0.1, 0.3, 0.49)))


@pytest.mark.parametrize(("alpha", "d", "rho"), CUTS)
def test_theorem_1_covers_what_a_cut_leaves(alpha, d, rho):
    """The tip and the rim of the cap are on the boundary of the new ellipsoid: mu is the least."""
    w, P = cut_of_the_unit_ball(alpha, d, rho)
    random = np.random.default_rng(0)
    rim = random.standard_normal((5_000, d - 1))
    rim /= np.linalg.norm(rim, axis=1, keepdims=True)
    along = random.uniform(alpha, 1, (len(rim), 1))
    along[:2] = [[alpha], [1.0]]
    z = np.hstack([along, np.sqrt(1 - along**2) * rim]) - w
    values = (z * np.linalg.solve(P, z.T).T).sum(axis=1)
    assert values.max() <= 1 + 1e-9
    np.testing.assert_allclose(values[:2], 1, rtol=1e-9)


@pytest.mark.parametrize(("alpha", "d", "rho"), CUTS)
def test_rho_multiplies_the_volume_by_the_same_number_at_every_depth(alpha, d, rho):
    volumes = [np.linalg.det(cut_of_the_unit_ball(alpha, d, r)[1]) ** 0.5 for r in (0.0, rho)]
    assert volumes[1] / volumes[0] == pytest.approx(volume_factor(rho, d), rel=1e-9)


@pytest.mark.parametrize("d", [2, 3, 10])
def test_the_best_rho_is_shor_s_step(d):
    """The talk's first slides: the ellipsoid of least volume, for a cut through the centre."""
    w, P = cut_of_the_unit_ball(0.0, d, 1 / (d + 1))
    shor = np.eye(d)
    shor[0, 0] -= 2 / (d + 1)
    np.testing.assert_allclose(w, np.eye(d)[0] / (d + 1), rtol=1e-12)
    np.testing.assert_allclose(P, d**2 / (d**2 - 1) * shor, rtol=1e-12)


def test_with_the_best_rho_there_are_fewer_mistakes_in_few_dimensions():
    for d in (2, 5):
        mistakes = {0.0: 0, 1 / (d + 1): 0}
        for seed in range(5):
            random = np.random.default_rng(seed)
            X = random.standard_normal((1000, d))
            X /= np.linalg.norm(X, axis=1, keepdims=True)
            X = X[abs(X[:, 0]) >= 0.01]
            y = np.sign(X[:, 0]).astype(int)
            for rho in mistakes:
                clf = OnlineClassifier(CELLIP(gamma=0.01, rho=rho), fit_intercept=False)
                mistakes[rho] += clf.run(X, y).mistakes
        assert 1.5 * mistakes[1 / (d + 1)] < mistakes[0.0]


@pytest.mark.parametrize("space", [np.asarray, scipy.sparse.csr_array])
def test_a_rho_that_is_too_large_ends_in_a_refusal_and_a_finite_model(space):
    """With 20 features, the ellipsoid grows with every cut."""
    random = np.random.default_rng(0)
    X = random.standard_normal((4000, 20))
    y = np.where(X @ random.standard_normal(20) >= 0, 1, -1)
    clf = OnlineClassifier(CELLIP(gamma=1e-3, a=0.0, rho=0.49), fit_intercept=False)
    clf.fit(space(X[:10]), y[:10])

    def learn():
        for start in range(10, len(X), 10):
            clf.partial_fit(space(X[start : start + 10]), y[start : start + 10])

    with pytest.raises(SelectronError, match="goes beyond what floating point resolves"):
        learn()
    assert np.isfinite(clf.coef_).all()
    assert np.isfinite(clf.decision_function(space(X))).all()


@pytest.mark.parametrize("rho", [-0.1, 0.5, np.nan, "1"])
def test_rho_is_checked(rho):
    with pytest.raises(SelectronError, match=r"^CELLIP: rho must be .*from 0 to below 0.5"):
        OnlineClassifier(CELLIP(rho=rho)).fit([[1.0], [2.0]], [0, 1])
