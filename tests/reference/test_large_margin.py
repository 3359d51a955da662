"""The large-margin learners against the problems that their lemmas solve."""

import math

import clarabel
import numpy as np
import pytest
import scipy.sparse
from scipy.optimize import nnls

from selectron import OnlineClassifier
from selectron.learners import L2Constrained, ObjectiveRegularized

pytestmark = pytest.mark.usefixtures("mostly_plain")

SPACES = [np.asarray, scipy.sparse.csr_array]
FEASIBLE, INFEASIBLE = 2.0, 0.1  # beta, for rows that are longer than 0.6 or shorter than 8


def stream(n=80, d=5, seed=0):
    """Return rows that are neither zero nor come twice, and labels, some of them wrong."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    X[:, 2:][random.random((n, d - 2)) < 0.3] = 0
    X *= random.uniform(0.6, 8, size=(n, 1)) / np.linalg.norm(X, axis=1, keepdims=True)
    y = np.where(X @ random.normal(size=d) >= 0, 1, -1)
    return X, np.where(random.random(n) < 0.1, -y, y)


def steps(learner, X, y, space=np.asarray):
    """Yield x, y, w before, w after, and the round's record, a round at a time."""
    clf = OnlineClassifier(learner, classes=[-1, 1], fit_intercept=False)
    w = np.zeros(X.shape[1])
    for i in range(len(y)):
        run = clf.run(space(X[[i]]), y[[i]])
        yield X[i], y[i], w, clf.coef_[0], run
        w = clf.coef_[0]


def minimised(squares, linear, rows, bounds, cones):
    """Minimise v'Sv / 2 + linear.v subject to bounds - rows v in the cones."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    problem = scipy.sparse.diags_array(squares, format="csc"), linear
    constraints = scipy.sparse.csc_array(rows), bounds, cones
    return np.array(clarabel.DefaultSolver(*problem, *constraints, settings).solve().x)


def objective(w, x, y, alpha, C):
    """Return the solution of (3.1), or of (5.27), whose C xi^2 makes the last variable xi."""
    d = len(x)
    soft = math.isfinite(C)
    squares = np.append(np.full(d, 1 + alpha), 2 * C if soft else 1.0)
    margin = np.append(y * x, 1.0 if soft else 0.0)
    cone = [clarabel.NonnegativeConeT(1)]
    return minimised(squares, np.append(-w, 0.0), -margin[None], np.array([-1.0]), cone)[:d]


def in_ball(w, x, y, beta):
    """Return the solution of (3.8)."""
    d = len(x)
    rows = np.vstack([-y * x, np.zeros(d), -np.eye(d)])
    bounds = np.concatenate([[-1.0, beta], np.zeros(d)])
    cones = [clarabel.NonnegativeConeT(1), clarabel.SecondOrderConeT(d + 1)]
    return minimised(np.ones(d), -w, rows, bounds, cones)


def gradient_left(w, x, y, beta, v):
    """Return what is left of the gradient of (3.8) at v after those of its active constraints.

    v - w = tau y x - 2 lambda v with tau, lambda >= 0, by (6.30): for a convex problem that is all.
    The solver knows v to some six digits where both constraints meet at a sharp angle.
    """
    active = [y * x] if y * (v @ x) < 1 + 1e-9 else []
    active += [-v] if np.linalg.norm(v) > beta * (1 - 1e-9) else []
    if not active:
        return float(np.linalg.norm(v - w))
    return nnls(np.column_stack(active), v - w)[1]


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("C", [math.inf, 0.01, 0.5, 20.0])
@pytest.mark.parametrize("alpha", [0.0, 0.001, 0.5, 5.0])
def test_a_step_minimises_the_regularized_objective(alpha, C, space):
    """(3.1), Lemma 3.1; (5.27), Lemma 5.1. A margin of 1 already means no step."""
    moved = 0
    for x, y, w, after, run in steps(ObjectiveRegularized(alpha, C), *stream(), space):
        assert run.updated[0] == (y * (w @ x) < 1)
        expected = objective(w, x, y, alpha, C) if run.updated[0] else w
        np.testing.assert_allclose(after, expected, rtol=0, atol=1e-7)
        moved += run.updated[0]
    assert moved > 20


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("beta", [0.8, 1.2, 10.0])
def test_a_step_in_the_ball_is_the_shortest(beta, space):
    """(3.8), Lemma 3.2."""
    bent = moved = 0
    for x, y, w, after, run in steps(L2Constrained(beta), *stream(), space):
        if run.strained[0]:
            continue
        np.testing.assert_allclose(after, in_ball(w, x, y, beta), rtol=0, atol=1e-5)
        assert gradient_left(w, x, y, beta, after) < 1e-9
        moved += run.updated[0]
        bent += run.updated[0] and np.linalg.norm(after) > beta * (1 - 1e-9)
    assert moved > 15
    assert bent > 5 or beta == 10.0


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("beta", [INFEASIBLE, 0.3, 0.8, FEASIBLE])
@pytest.mark.slow
def test_ball_and_margin_hold_to_rounding(beta, scale, space):
    """After every feasible step y w.x >= 1 and |w| <= beta; other rounds are counted."""
    X, y = stream(n=300, seed=1)
    rounds = list(steps(L2Constrained(beta / scale), scale * X, y, space))
    for x, label, _, w, run in rounds:
        length, norm = np.linalg.norm(w), np.linalg.norm(x)
        assert length * scale <= beta * (1 + 1e-12)
        feasible = beta / scale * norm > 1
        assert run.strained[0] == (run.updated[0] and not feasible)
        if run.updated[0] and feasible:
            assert label * (w @ x) >= 1 - 1e-12 * max(1, length * norm)
        if run.strained[0]:
            np.testing.assert_allclose(w, beta / scale * label * x / norm, rtol=1e-12)
    strained = sum(run.strained[0] for *_, run in rounds)
    assert (strained == 0) == (beta == FEASIBLE)
    assert (strained == sum(run.updated[0] for *_, run in rounds)) == (beta == INFEASIBLE)


@pytest.mark.parametrize("space", SPACES)
def test_infeasible_rounds_are_counted(space):
    X, y = stream(n=300, seed=1)
    clf = OnlineClassifier(L2Constrained(0.3), fit_intercept=False)
    run = clf.run(space(X), y)
    short = 0.3 * np.linalg.norm(X, axis=1) <= 1
    assert np.array_equal(run.strained, run.updated & short)
    assert clf.n_strained_ == run.strained.sum() > 50


@pytest.mark.parametrize("learner", [ObjectiveRegularized(), L2Constrained(1.0)], ids=str)
def test_a_zero_row_has_no_margin(learner):
    clf = OnlineClassifier(learner, fit_intercept=False, classes=[-1, 1])
    clf.partial_fit([[1.0, 2.0]], [1])
    before = clf.coef_
    assert clf.run([[0.0, 0.0]], [1]).strained[0]
    assert np.array_equal(clf.coef_, before)
