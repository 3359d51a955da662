"""Whole runs of the L1-constrained learner, and what its sparse space keeps."""

import math
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse
from laws.counting import Counted

from selectron import OnlineClassifier, SelectronError
from selectron.askers import Always
from selectron.engine.bind import bind
from selectron.engine.loop import GIVEN, play
from selectron.engine.rows import Dense, Sparse
from selectron.estimator.packing import pack_model, unpack_model
from selectron.learners import L1Constrained, PassiveAggressive
from selectron.model.compose import parts, space_for
from selectron.model.model import Model
from selectron.spaces import l1
from selectron.spaces.state import SUPPORT

SPACES = {"dense": np.asarray, "sparse": scipy.sparse.csr_array}


def stream(n=400, width=40, scale=1.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, width)) * (rng.random((n, width)) < 0.3) * scale
    X[rng.random(n) < 0.03] = 0
    target = rng.normal(size=width)
    return X, np.where(X @ target + 0.3 * scale * rng.normal(size=n) >= 0, 1, -1)


@pytest.mark.usefixtures("mostly_plain")
@pytest.mark.slow
@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("beta", [0.5, 2.0, 8.0])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_both_constraints_hold_after_every_step(scale, beta, intercept, space):
    X, y = stream(n=200, scale=scale)
    beta = beta / scale
    clf = OnlineClassifier(L1Constrained(beta), fit_intercept=intercept, classes=[-1, 1])
    feasible = bent = 0
    for i in range(len(y)):
        updated = clf.run(SPACES[space](X[[i]]), y[[i]]).updated[0]
        w, x = np.append(clf.intercept_, clf.coef_), np.append(float(intercept), X[i])
        assert abs(w).sum() <= beta * (1 + 1e-12)
        if updated and beta * abs(x).max() > 1:
            assert y[i] * (w @ x) >= 1 - 1e-12 * max(1, abs(w) @ abs(x))
            feasible += 1
            bent += abs(w).sum() >= beta * (1 - 1e-12)
    assert feasible > 20 or intercept  # with features of 1e-6, only a constant 1 counts
    assert bent > 20 or intercept


def block_of(X, sparse):
    if not sparse:
        return Dense(X)
    X = scipy.sparse.csr_array(X)
    return Sparse(X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data)


def played(X, y, sparse, compiled):
    learner = L1Constrained(3.0)
    model = Model(learner, Always(), width=X.shape[1], sparse=sparse)
    if not compiled:
        model.loop = bind(play, parts(L1Constrained, Always, space_for(learner, sparse)))
    return model, model.run(block_of(X, sparse), y.astype(np.int8))


@pytest.mark.slow
@pytest.mark.parametrize("sparse", [False, True])
def test_compiled_is_plain_python(sparse):
    X, y = stream(n=200, width=300)
    (compiled, found), (plain, expected) = (played(X, y, sparse, c) for c in (True, False))
    assert found.updated.sum() > 100
    assert np.array_equal(found.flags, expected.flags)
    np.testing.assert_allclose(found.margin, expected.margin, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(compiled.weights(), plain.weights(), rtol=1e-9, atol=1e-9)
    assert np.array_equal(compiled.weights() == 0, plain.weights() == 0)


@pytest.mark.usefixtures("mostly_plain")
@pytest.mark.slow
def test_few_strong_features_among_many():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 200))
    y = np.where(X[:, :3] @ [2, -1, 1] >= 0, 1, -1)
    clf = OnlineClassifier(L1Constrained(2.0), fit_intercept=False)
    assert clf.run(X, y).mistakes < 0.8 * OnlineClassifier(PassiveAggressive()).run(X, y).mistakes
    assert (clf.coef_ == 0).sum() > 40
    assert sorted(np.argsort(-abs(clf.coef_[0]))[:3]) == [0, 1, 2]


# The sparse space


def accesses(width):
    """Return how often w and its support were read or written in 60 rounds, and the weights."""
    X, y = stream(n=60, width=20)
    X = np.hstack([X, np.zeros((60, width - 20))])
    fresh = l1.sparse.start(width + 1, None)
    state = [Counted(array) for array in fresh[:3]]
    loop = bind(play, parts(L1Constrained, Always, l1.sparse))
    rows = tuple(l1.sparse.rows(block_of(X, True), True))
    none, unrecorded = np.zeros(0), (np.zeros((0, 0)), np.zeros(0), np.zeros((0, 2)))
    out = np.zeros(60), np.zeros(60), np.zeros(60, np.int32), *unrecorded
    given = (2.0,), (), none, (*state, fresh.scalars), rows, y, np.full(60, GIVEN), none
    loop(*given, 0, -1, False, True, out)
    return sum(array.accesses for array in state), fresh.w[:20]


def test_a_sparse_step_touches_the_support_and_the_row_alone():
    (narrow, w), (wide, same) = accesses(20), accesses(5000)
    assert narrow == wide
    assert np.array_equal(w, same)
    assert w.any()


def test_the_support_is_that_of_w():
    X, y = stream()
    model = Model(L1Constrained(2.0), Always(), width=40, sparse=True)
    sizes = []
    for start, stop in pairwise(range(0, 401, 50)):
        model.run(block_of(X[start:stop], True), y[start:stop].astype(np.int8))
        assert l1.sparse.sound(model.state)
        sizes.append(model.state.scalars[SUPPORT])
        assert sizes[-1] == np.count_nonzero(model.state.w)
    assert 0 < min(sizes) < 40


UNSOUND = {
    "an index beyond": ("support", 0, 1000),
    "a negative index": ("support", 0, -1),
    "an index twice": ("support", 0, 5),
    "a place beyond": ("place", slice(None), 1000),
    "a large count": ("scalars", SUPPORT, 41.0),
    "a count that is none": ("scalars", SUPPORT, math.nan),
    "a small count": ("scalars", SUPPORT, 2.0),
}


@pytest.mark.parametrize("kind", UNSOUND)
def test_a_file_with_another_support_is_refused(kind):
    X, y = stream()
    model = Model(L1Constrained(20.0), Always(), width=40, sparse=True)
    model.run(block_of(X, True), y.astype(np.int8))
    assert np.count_nonzero(model.state.w) > 10
    header, arrays = pack_model(model)
    unpack_model(header, arrays, model.learner, model.asker)
    name, at, value = UNSOUND[kind]
    arrays[f"state.{name}"][at] = value
    if kind == "an index twice":
        arrays["state.support"][1] = value
    with pytest.raises(SelectronError, match="sound"):
        unpack_model(header, arrays, model.learner, model.asker)


@pytest.mark.parametrize("beta", [0.0, -1.0, math.inf, math.nan, "2", None])
def test_beta_is_above_0_and_finite(beta):
    with pytest.raises(SelectronError, match="beta must be a number above 0 and finite"):
        L1Constrained(beta).numbers()
