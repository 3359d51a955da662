"""The L1-constrained step (eq. 3.9): against a conic solver, and its own conditions."""

import clarabel
import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from selectron.engine.round import Projection, Round
from selectron.engine.rows import Dense, Sparse
from selectron.spaces import l1
from selectron.spaces.l1 import Coordinates, nearest
from selectron.spaces.state import COUNT


def step(w, z, beta):
    """Return the step's point, and whether it is feasible."""
    return nearest(Coordinates(np.arange(len(w)), w, z), beta)


# A conic solver


def conic(w, z, beta):
    """Return the solution of eq. 3.9 by an interior-point method, over p, n >= 0 with v = p - n."""
    n = len(w)
    eye = scipy.sparse.identity(n)
    A = scipy.sparse.vstack([np.append(-z, z)[None], np.ones((1, 2 * n)), -np.eye(2 * n)])
    P = scipy.sparse.block_array([[eye, -eye], [-eye, eye]])
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-13
    found = clarabel.DefaultSolver(
        scipy.sparse.csc_matrix(scipy.sparse.triu(P)),
        np.append(-w, w),
        scipy.sparse.csc_matrix(A),
        np.append([-1.0, beta], np.zeros(2 * n)),
        [clarabel.NonnegativeConeT(2 * n + 2)],
        options,
    ).solve()
    assert found.status == clarabel.SolverStatus.Solved
    return np.subtract(*np.reshape(found.x, (2, n)))


def dense(rng):
    return rng.normal(size=30), rng.normal(size=30), rng.uniform(0.6, 1.0), 1.0


def sparse(rng):
    w, z = rng.normal(size=(2, 60)) * (rng.random((2, 60)) < 0.2)
    return w, z, rng.uniform(0.6, 3.0), 1.0


def nearly_infeasible(rng):
    w, z, _, _ = dense(rng)
    return w, z, (1 + 10 ** rng.uniform(-4, -2)) / abs(z).max(), 1.0


def tight(rng):
    w, z, _, _ = dense(rng)
    return w, z, rng.uniform(1.05, 2.0) / abs(z).max(), 0.9


def interior(rng):
    w, z, _, _ = dense(rng)
    return w, z, 40.0, 0.5


def text(rng):
    w, z = rng.normal(size=(2, 200)) * (rng.random((2, 200)) < 0.3)
    return w, abs(z) / np.linalg.norm(z), rng.uniform(15.0, 40.0), 1.0


KINDS = dense, sparse, nearly_infeasible, tight, interior, text


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_is_the_conic_solvers(kind):
    rng = np.random.default_rng(1)
    bent = 0
    for _ in range(40):
        w, z, beta, share = kind(rng)
        w *= share * beta / abs(w).sum()
        z = -z if w @ z >= 1 else z
        found = step(w, z, beta)
        assert found.feasible == (beta * abs(z).max() > 1)
        if found.feasible:
            np.testing.assert_allclose(found.v, conic(w, z, beta), rtol=0, atol=1e-7)
            bent += abs(found.v).sum() >= beta * (1 - 1e-12)
    assert bent == 0 if kind is interior else bent >= 30


# The conditions of Karush, Kuhn and Tucker, in units of beta and of the largest |z|


def violation(w, z, v, beta):
    """Return by how much the best tau and theta fail to make v = soft(w + tau z, theta)."""
    a, b, u = w / beta, z / abs(z).max(), v / beta
    tau, theta = multipliers(a, b, u)
    off = np.sign(a + tau * b) * np.maximum(abs(a + tau * b) - theta, 0) - u
    return max(abs(off).max() / (1 + tau), -tau, -theta)


def multipliers(a, b, u):
    """Return tau and theta from what v is where it is not 0, and where it is."""
    on = u != 0
    lift, slope = (np.sign(u) * (u - a))[on], (np.sign(u) * b)[on]
    if abs(u).sum() < 1 - 1e-12:
        return lift @ slope / (slope @ slope), 0.0
    if np.ptp(slope) > 1e-9:
        tau = (lift - lift.mean()) @ (slope - slope.mean()) / ((slope - slope.mean()) ** 2).sum()
    else:
        tau = least(a[~on], b[~on], lift.mean(), slope.mean())
    return tau, tau * slope.mean() - lift.mean()


def least(a, b, lift, slope):
    """Return the least tau with |a + tau b| <= tau slope - lift, and that not below 0."""
    up, rise = np.concatenate([a, -a, [0.0]]) + lift, slope - np.concatenate([b, -b, [0.0]])
    return max(0.0, *(up[rise > 1e-12] / rise[rise > 1e-12]))


NUMBERS = st.one_of(
    st.sampled_from([0.0, 0.0, 1.0, -1.0, 0.5]), st.integers(-9999, 9999).map(lambda k: k / 1000)
)
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=12)
SHARES = st.sampled_from([0.0, 0.3, 0.9, 1.0])  # |w|_1 / beta
ROOMS = st.sampled_from([1e-6, 1e-3, 0.1, 0.5, 1.0, 3.0, 30.0, 1e3, 1e6])  # beta |z|_max - 1
SCALES = st.sampled_from([1e-6, 1.0, 1e6])


@pytest.mark.slow
@settings(max_examples=2000, deadline=None, derandomize=True)
@given(PAIRS, SHARES, ROOMS, SCALES)
def test_the_conditions_hold(pairs, share, room, scale):
    w, z = np.array(pairs).T
    assume(z.any())
    z = scale * z
    beta = (1 + room) / abs(z).max()
    w = share * beta * w / max(abs(w).sum(), 1e-3)
    z = -z if w @ z >= 1 else z
    v, feasible = step(w, z, beta)
    assert feasible
    assert v @ z == pytest.approx(1, rel=0, abs=1e-12 * max(1, abs(v) @ abs(z)))
    assert abs(v).sum() <= beta * (1 + 1e-12)
    assert violation(w, z, v, beta) <= 1e-10


def test_a_wrong_point_violates_them():
    rng = np.random.default_rng(0)
    w, z, beta = rng.normal(size=20), rng.normal(size=20), 1.5
    w *= beta / abs(w).sum()
    v, _ = step(w, z, beta)
    assert np.count_nonzero(v) > 2
    assert violation(w, z, v, beta) < 1e-13
    moved = v + 1e-8 * (v != 0) * rng.normal(size=20)
    assert violation(w, z, moved, beta) > 1e-9


def test_the_constraints_hold_where_rows_nearly_tie_and_hardly_fit():
    """There v itself is at the mercy of the last digit of the row; what it has to fulfil is not."""
    rng = np.random.default_rng(0)
    for _ in range(500):
        n = rng.integers(2, 25)
        near = 1 - 10.0 ** rng.integers(-16, -2, size=n)
        z = rng.choice([-1, 1], size=n) * np.where(rng.random(n) < 0.7, near, rng.random(n))
        beta = (1 + 10 ** rng.uniform(-15, 0)) / abs(z).max()
        w = rng.normal(size=n)
        w *= rng.choice([0, 0.5, 1]) * beta / abs(w).sum()
        v, feasible = step(w, z if w @ z < 1 else -z, beta)
        assert feasible == (beta * abs(z).max() > 1)
        assert abs(v @ z) >= 1 - 1e-13
        assert abs(v).sum() <= beta * (1 + 1e-13)


def test_ties_share_what_they_add():
    z = np.array([1.0, -1.0, 1.0, 0.5])
    v, feasible = step(np.zeros(4), z, 1.0 + 1e-9)
    np.testing.assert_allclose(v, np.array([1, -1, 1, 0]) / 3, atol=1e-8)
    assert feasible


def test_no_row_no_step():
    w = np.array([0.25, -0.5])
    v, feasible = step(w, np.zeros(2), 1.0)
    assert np.array_equal(v, w)
    assert feasible


# Infeasible rounds


def test_without_a_feasible_point_all_weight_is_on_the_largest():
    w = np.array([0.1, 0.2, 0.3, 0.4])
    for z, j in (([0.2, -0.9, 0.9, 0.1], 1), ([0.0, 0.0, -0.5, 0.5], 2), ([1e-9, 0, 0, 0], 0)):
        v, feasible = step(w, np.array(z), 1.0)
        assert not feasible
        assert np.array_equal(v, np.sign(z[j]) * (np.arange(4) == j))
    assert not step(w, np.array([0.0, 1.0, 0.0, 0.0]), 1.0).feasible  # on the very edge
    assert step(w, np.array([0.0, 1.0 + 1e-12, 0.0, 0.0]), 1.0).feasible


def move(space, x, label, radius, constant=True, before=None):
    """Return what `move` answers to one row in its order given, and the state after it."""
    indices, values = np.array(sorted(x, reverse=True), np.int32), list(x.values())[::-1]
    filled = np.zeros((1, 6))
    filled[0, list(x)] = list(x.values())
    ends = np.array([0, len(x)])
    block = Dense(filled) if space is l1.dense else Sparse(ends, indices, np.array(values, float))
    rows = space.rows(block, constant)
    state = before or space.start(7, None)
    with np.errstate(all="ignore"):
        now = Round(0.0, float(space.squared_norm(rows, 0)), float(label), 0.0, 0.0, 0.0)
        return space.move(state, rows, 0, 1.0, now, Projection(radius)), state


@pytest.mark.parametrize("space", [l1.dense, l1.sparse])
def test_what_a_move_answers(space):
    answer, state = move(space, {1: 0.5, 4: -3.0}, -1, 1.0)
    assert answer == 1
    assert space.weights(state)[5] > 0
    answer, state = move(space, {1: 0.5, 2: 0.3, 3: -0.5}, -1, 1.0, constant=False, before=state)
    assert answer == 2
    assert space.weights(state).tolist() == [0, 0, -1, 0, 0, 0, 0]  # the first of the largest
    answer, state = move(space, {1: 1.0, 2: -1.0}, -1, 0.75, before=state)
    assert answer == 2
    assert space.weights(state).tolist() == [-0.75, 0, 0, 0, 0, 0, 0]  # the constant before all
    before = [array.copy() for array in state]
    assert move(space, {0: 1e200}, 1, 1.0, before=state)[0] == 0
    assert all(map(np.array_equal, before, state))
    assert move(space, {}, 1, 1.0, constant=False, before=state)[0] == 1
    assert np.array_equal(space.weights(state), [-0.75, 0, 0, 0, 0, 0, 0])
    assert state.scalars[COUNT] == 4
