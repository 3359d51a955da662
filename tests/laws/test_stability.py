"""Over a million rounds P stays symmetric and positive definite, and margins stay right.

`spaces/dense_second.py` describes what keeps it so. The slow tests are compiled. The streams have
what costs a covariance its definiteness: features that are nearly the same, rows a million times
longer than others, features that are hardly ever there, and labels that drift.
"""

import math
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest

from selectron.askers import Always
from selectron.engine.round import Shape, ShapeStep
from selectron.engine.rows import Dense
from selectron.learners import (
    AROW,
    CELLIP,
    IELLIP,
    LASEC,
    RLS,
    BayesianPerceptron,
    SecondOrderPerceptron,
)
from selectron.learners.ellipsoid import DEEPEST
from selectron.learners.gaussian import inverse_mills
from selectron.model.compose import SECOND, order_of
from selectron.model.model import Model
from selectron.spaces.state import SMALLEST

from . import grid
from .grid import Stream, method, sparse_block
from .playing import matrix

D, T = 5, 1_000_000
LOOKS = np.linspace(0, T, 11).astype(int)
PREFIX = 3_000
GAP = 0.01  # between the classes, for the learner that supposes one


LEARNERS = {
    "sop": SecondOrderPerceptron(a=1.0),
    "lasec": LASEC(b=1.0, c=1000.0),
    "lasec-still": LASEC(b=1.0, c=math.inf),
    "arow": AROW(r=1.0),
    "rls": RLS(a=1.0),
    "cellip": CELLIP(gamma=GAP),
    "cellip-beyond": CELLIP(gamma=GAP, rho=1 / (D + 1)),
    "iellip": IELLIP(),
    "bayes": BayesianPerceptron(),
}
WEAK = {  # in addition to the rows
    "lasec": LASEC(b=1e-6, c=1.0),
    "arow": AROW(r=1e-6),
    "rls": RLS(a=1e-6),
    "bayes": BayesianPerceptron(s0=1e-3),
}


def collinear(random, n):
    """Of condition 1e6, and the last feature is the first one again."""
    turn = np.linalg.qr(random.standard_normal((D, D)))[0]
    values = random.standard_normal((n, D)) * np.geomspace(1, 1e-6, D) @ turn
    values[:, -1] = values[:, 0]
    return values


def lengths(random, n):
    return random.standard_normal((n, D)) * 10 ** random.uniform(-3, 3, (n, 1))


def rare(random, n):
    """The last feature is there once in 100,000 rows."""
    return random.standard_normal((n, D)) * (random.random((n, D)) < [1, 1, 0.1, 1e-3, 1e-5])


def all_at_once(random, n):
    return collinear(random, n) * 10 ** random.uniform(-3, 5, (n, 1))


MADE = {"collinear": collinear, "lengths": lengths, "rare": rare, "all": all_at_once}


@cache
def stream(kind, separable=False):
    """Return rows under a target that turns all the while, or one that leaves a gap."""
    random = np.random.default_rng(3)
    values = MADE[kind](random, T)
    if separable:
        cosines = values.sum(axis=1) / np.maximum(np.linalg.norm(values, axis=1), 1e-300)
        return Stream(values, np.where(abs(cosines) < GAP, 0, np.sign(cosines)).astype(np.int8))
    angles = np.arange(T)[:, None] * 1e-5 + np.arange(D)
    margins = (values * np.cos(angles)).sum(axis=1)
    wrong = random.random(T) < 0.05
    return Stream(values, np.where((margins >= 0) != wrong, 1, -1).astype(np.int8))


def stream_for(learner, kind):
    return stream(kind, separable=isinstance(learner, CELLIP))


def block(values, sparse):
    return sparse_block(values) if sparse else Dense(values)


def fresh(learner, sparse=False):
    unit = True if isinstance(learner, CELLIP) else None  # its margin is that of unit rows
    return Model(learner, Always(), width=D, sparse=sparse, constant=False, normalize=unit)


def smallest(p):
    """Return the least eigenvalue of a matrix in units of its diagonal, below 0 if it is lost."""
    if not (np.isfinite(p).all() and (p.diagonal() > 0).all()):
        return -math.inf
    scale = 1 / np.sqrt(p.diagonal())
    return np.linalg.eigvalsh(p * scale * scale[:, None])[0]


def assert_sound(model):
    p = matrix(model)
    np.testing.assert_array_equal(p, p.T)
    np.linalg.cholesky(p)
    assert smallest(p) > D * np.finfo(float).eps
    assert np.isfinite(model.weights()).all()


def assert_sound_all_along(learner, rows, looks, sparse=False):
    model, moved = fresh(learner, sparse), 0
    for cut in pairwise(looks):
        part = rows.part(*cut)
        moved += model.run(block(part.values, sparse), part.labels, full=False).updated.sum()
        assert_sound(model)
    return moved


@pytest.mark.slow
@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("name", LEARNERS)
def test_p_is_positive_definite_over_a_million_rounds(name, kind):
    learner = LEARNERS[name]
    moved = assert_sound_all_along(learner, stream_for(learner, kind), LOOKS)
    assert moved > 20
    if method(learner, "steps")(2.0, 1):  # always
        assert moved == T


@pytest.mark.slow
@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("name", WEAK)
def test_with_rows_that_are_long_beside_the_prior_too(name, kind):
    assert_sound_all_along(WEAK[name], stream(kind), LOOKS[:4])


@pytest.mark.slow
@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("learner", [LEARNERS["lasec"], WEAK["lasec"]], ids=str)
def test_on_sparse_rows_too(learner, kind):
    assert_sound_all_along(learner, stream(kind), range(0, 20_001, 2_000), sparse=True)


# The plain form


def plain(learner, rows):
    """Play P <- mu (P + eps I) - nu g g' as it stands, every label given; yield every P."""
    shape = learner.shape()
    p = shape.scale * np.eye(D)
    for x, y in zip(rows.values, rows.labels, strict=True):
        n = p + shape.noise * np.eye(D)
        g = n @ x
        _, mu, nu = coefficients(learner, 0.0, max(x @ g, 0.0), y, 0)
        p = mu * n - nu * np.outer(g, g)
        yield p


@pytest.mark.parametrize("name", ["arow", "rls"])
def test_the_plain_form_fails_where_this_one_holds(name):
    rows = stream("all").part(0, 2_000)
    assert any(smallest(p) < 0 for p in plain(WEAK[name], rows))
    assert_sound_all_along(WEAK[name], rows, range(0, 2_001, 20))


@pytest.mark.parametrize("length", [1e9, 1e12, 1e15])
def test_rows_that_leave_no_digit_of_p(length):
    """What is left of P = I along such a row is not to be had by a difference."""
    values = length * np.random.default_rng(4).standard_normal((50, D))
    rows = Stream(np.repeat(values, 4, axis=0), np.ones(200, np.int8))
    assert any(smallest(p) < 0 for p in plain(LEARNERS["rls"], rows))
    for name in ("arow", "rls"):
        assert_sound_all_along(LEARNERS[name], rows, range(201))


class Overshooting(NamedTuple):
    """Takes a little more than all of P along g, as a nu that was rounded may."""

    def numbers(self):
        return ()

    def shape(self):
        return Shape(scale=1.0)

    def steps(self, m, y):
        return True

    def step(self, r):
        return ShapeStep(eta=(r.y - r.m) / r.q, mu=1.0, nu=(1 + 1e-9) / r.q)


def test_no_step_takes_more_than_all_of_p():
    assert_sound_all_along(Overshooting(), stream("rare").part(0, 40), range(41))


@pytest.mark.parametrize("kind", ["lengths", "rare"])
def test_nothing_is_added_where_nothing_is_at_risk(kind):
    """P is bit by bit that of the plain form, for thousands of steps."""
    rows = stream(kind).part(0, PREFIX)
    model = fresh(LASEC())
    model.run(Dense(rows.values), rows.labels)
    assert 0 < model.state.scalars[SMALLEST] <= np.linalg.eigvalsh(matrix(model))[0]


def test_a_feature_that_comes_late_has_been_raised_as_the_others():
    """Sparse rows that are widened where the diagonal is being raised."""
    rows = stream("all").part(0, 500)
    learner = WEAK["lasec"]
    model = fresh(learner, sparse=True)
    wide = Model(learner, Always(), width=D + 1, sparse=True, constant=False)
    for each in (model, wide):
        each.run(sparse_block(rows.values), rows.labels)
    model.widen(D + 1)
    assert matrix(model)[D, D] == pytest.approx(matrix(wide)[D, D], rel=1e-11)
    assert_sound(model)


# Extended precision


def test_no_learner_of_second_order_is_left_out():
    second = {type(learner) for learner in grid.LEARNERS.values() if order_of(learner) is SECOND}
    assert {type(learner) for learner in LEARNERS.values()} == second


def coefficients(learner, m, q, y, k):
    """Return eta, mu and nu: the table of second-order rounds, in the precision of m and q."""
    one, s = q / q if q else 1.0, np.sqrt(q)
    match learner:
        case AROW(r):
            beta = 1 / (q + r)
            return y * max(0, 1 - y * m) * beta, one, beta
        case CELLIP(gamma, a, _, rho):
            al = min((one * a * gamma - y * m) / s, one * DEEPEST)
            on, c = al + rho * (1 - al), (one - rho) ** 2 / (one - 2 * rho)
            return y * on / s, c * (1 - al**2), c * 2 * on * (1 - al) / q
        case IELLIP(gamma, c, b):
            ck = c * (one * b) ** k
            return y * (gamma - y * m) / q, 1 / (1 - ck), ck / (1 - ck) / q
        case BayesianPerceptron(s0):
            sigma = np.sqrt(s0**2 + q)
            z = y * m / sigma
            h, above = inverse_mills(float(z))  # of the double nearest to z
            return y * h / sigma, one, h * above / sigma**2
        case SecondOrderPerceptron() | LASEC() | RLS():
            return (y - m) / (1 + q), one, 1 / (1 + q)
    raise NotImplementedError(f"the step of {type(learner).__name__}")


def steps(learner, m, y):
    match learner:
        case RLS() | BayesianPerceptron():
            return y != 0
        case AROW():
            return y * m < 1
        case CELLIP() | IELLIP() | SecondOrderPerceptron() | LASEC():
            return y != 0 and (1 if m >= 0 else -1) != y
    raise NotImplementedError(f"when {type(learner).__name__} steps")


def divisor(learner, q):
    """Return what m is divided by in the margin quantity."""
    match learner:
        case BayesianPerceptron():
            return np.sqrt(learner.s0**2 + q)
        case SecondOrderPerceptron() | LASEC() | RLS():
            return 1 + q
        case AROW() | CELLIP() | IELLIP():
            return 1
    raise NotImplementedError(f"the margin quantity of {type(learner).__name__}")


def literal(learner, rows):
    """Play the formulas in long double; return margin quantities and whether there were steps."""
    values = rows.values.astype(np.longdouble)
    if isinstance(learner, SecondOrderPerceptron | CELLIP):
        values = values / np.sqrt((values**2).sum(axis=1, keepdims=True))
    shape, eye = type(learner)(*learner.numbers()).shape(), np.eye(D, dtype=np.longdouble)
    p, w, k, played = shape.scale * eye, np.zeros(D, np.longdouble), 0, []
    for x, label in zip(values, rows.labels, strict=True):
        y = int(label)
        n = p + shape.noise * eye
        m, g = w @ x, n @ x
        q = x @ g
        moved = bool(steps(learner, m, y))
        played.append((m / divisor(learner, q), moved))
        if moved:
            eta, mu, nu = coefficients(learner, m, q, y, k)
            w, p, k = w + eta * g, mu * n - nu * np.outer(g, g), k + 1
    return tuple(map(np.array, zip(*played, strict=True)))


@pytest.mark.slow
@pytest.mark.skipif(
    bool(np.finfo(np.longdouble).eps > 1e-18), reason="long double is double on this machine"
)
@pytest.mark.parametrize("kind", ["collinear", "lengths", "rare"])
@pytest.mark.parametrize("name", LEARNERS)
def test_margins_are_those_of_extended_precision(name, kind):
    learner = LEARNERS[name]
    rows = stream_for(learner, kind).part(0, PREFIX)
    margins, moved = literal(learner, rows)
    out = fresh(learner).run(Dense(rows.values), rows.labels)
    assert moved.any()
    np.testing.assert_array_equal(out.updated, moved)
    np.testing.assert_allclose(out.margin, margins.astype(float), rtol=1e-6, atol=1e-6)
