"""Many classes against the papers' joint space, written out, and against K learners of two."""

import math
from functools import cache, partial
from itertools import product

import numpy as np
import pytest
import scipy.sparse

from selectron import OnlineClassifier
from selectron.askers import BBQ, BBQI, Disagreement, Fixed, Margin, SecondOrderMargin
from selectron.learners import (
    AROW,
    CELLIP,
    IELLIP,
    LASEC,
    MIRA,
    NORMA,
    RLS,
    BayesianPerceptron,
    L2Constrained,
    ModifiedPerceptron,
    ObjectiveRegularized,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    ShiftingPerceptron,
)

from . import papers
from .agreement import TOLERANCE, transcribed
from .papers import many

pytestmark = pytest.mark.usefixtures("mostly_plain")

INF = math.inf
T, D = 100, 4
SPACES = {"dense": np.asarray, "sparse": scipy.sparse.csr_array}
ASKERS = [Margin(0.3), SecondOrderMargin(0.5), Fixed(0.6), BBQ(0.7), BBQI(0.7), Disagreement()]
FLAGS = list(product((False, True), (False, True)))  # fit_intercept, normalize

FIRST = {
    "perceptron": Perceptron(),
    "pa": PassiveAggressive(),
    "pa-1": PassiveAggressive(C=0.1),
    "pa-2": PassiveAggressive(C=0.5, variant="II"),
    "objective": ObjectiveRegularized(alpha=0.3),
    "objective-soft": ObjectiveRegularized(alpha=0.1, C=0.5),
    "l2": L2Constrained(beta=0.9),
    "shifting": ShiftingPerceptron(lam=2.0),
    "projecting": ModifiedPerceptron(size=1),
    "reflecting": ModifiedPerceptron(size=2),
    "norma": NORMA(eta=0.2, lam=0.3, nu=0.37, power=0.4),
}
SECOND = {
    "sop": SecondOrderPerceptron(a=0.7),
    "lasec": LASEC(b=0.8, c=30.0),
    "lasec-still": LASEC(c=INF),
    "rls": RLS(a=2.0),
    "arow": AROW(r=0.6),
    "cellip": CELLIP(gamma=0.01),
    "cellip-talk": CELLIP(gamma=0.01, start="talk"),
    "cellip-beyond": CELLIP(gamma=0.01, rho=0.07),
    "iellip": IELLIP(p0=0.5),
    "bayes": BayesianPerceptron(s0=0.7),
}
TWO = {"mira": MIRA(C=0.2)}  # jointly, it steps with all classes at once

# Of the state of a first-order learner on big vectors, the weights.
STEPS_ARE_COUNTED = ShiftingPerceptron, NORMA
BY_INVERSE = SecondOrderPerceptron, LASEC, RLS


@cache
def stream(classes, intercept, clean):
    """Return rows, some of them zero unless a constant would make them one row, and classes."""
    random = np.random.default_rng(classes)
    X = random.standard_normal((T, D)) * 10 ** random.uniform(-0.4, 0.4, (T, 1))
    X[:, 2:][random.random((T, D - 2)) < 0.4] = 0
    if not (intercept or clean):
        X[random.random(T) < 0.05] = 0
    targets = random.standard_normal((2, classes, D))[np.arange(T) * 2 // T * (not clean)]
    y = np.einsum("tkd,td->tk", targets, X).argmax(axis=1)
    wrong = (random.random(T) < 0.1) & (not clean)
    return X, np.where(wrong, random.integers(classes, size=T), y)


def clean(learner):
    return isinstance(learner, CELLIP)  # whose ellipsoid shrinks to a point if no target fits


def start_of(learner, d):
    """Return P at the start."""
    scale = {
        SecondOrderPerceptron: lambda p: 1 / p.a,
        LASEC: lambda p: 1 / p.b - 1 / p.c,
        RLS: lambda p: 1 / p.a,
        CELLIP: lambda p: (1 + (1 - p.a) * p.gamma) ** (1 if p.start == "talk" else 2),
        IELLIP: lambda p: p.p0,
    }.get(type(learner), lambda p: 1)
    return scale(learner) * np.eye(d)


def joined(learner, asker, classes, d):
    """Return the literal joint form of a learner."""
    literal = transcribed(learner, asker)
    if not hasattr(learner, "shape"):
        of = (lambda s: s[0]) if isinstance(learner, STEPS_ARE_COUNTED) else (lambda s: s)
        return many.Big(literal, classes, of)
    if isinstance(learner, BY_INVERSE):
        write, read = many.by_inverse, many.of_inverse
    else:
        write = many.counted if isinstance(learner, IELLIP) else many.as_it_is
        read = lambda s: s[:2]  # noqa: E731
    return many.Blocks(literal, classes, start_of(learner, d), write, read)


def whole(learner, asker, classes, d):
    """Return the literal joint form of a learner of second order, with all of P."""
    by_inverse = isinstance(learner, BY_INVERSE)
    of = (lambda s: many.of_inverse(s)[0]) if by_inverse else (lambda s: s[0])
    return many.Big(transcribed(learner, asker), classes, of)


def apart(learner, asker, classes, d):
    """Return K literal learners, one a class, whose margin quantity is m or m / norm(q)."""

    def norm(q):
        if isinstance(learner, BY_INVERSE):
            return 1 + q
        return math.sqrt(learner.s0**2 + q) if isinstance(learner, BayesianPerceptron) else 1

    return many.Rest(
        transcribed(learner, asker), classes, lambda r, q: r * norm(q), lambda m, q: m / norm(q)
    )


def literal(form, learner, asker, classes, flags):
    X, y = stream(classes, flags[0], clean(learner))
    rows = papers.prepare(X, *flags)
    if flags[1] and form is not apart:
        rows = rows / math.sqrt(2)  # z, which has x twice, is of unit length
    draws = np.random.default_rng(classes).random(T)
    parts = form(learner, asker, classes, rows.shape[1]), transcribed(asker)
    return many.play_many(*parts, rows, y, draws, isinstance(asker, BBQI))


def found(way, learner, asker, classes, flags, space):
    X, y = stream(classes, flags[0], clean(learner))
    options = dict(zip(("fit_intercept", "normalize"), flags, strict=True))
    clf = OnlineClassifier(
        learner, asker, classes=range(classes), many=way, random_state=classes, **options
    )
    return clf.run(SPACES[space](X), y)


def disagreements(way, form, learner):
    """Yield a line for each case that does not agree."""
    for i, (classes, asker) in enumerate(product((3, 5), ASKERS)):
        if isinstance(asker, BBQ | BBQI) and not hasattr(learner, "shape"):
            continue  # refused: q is not a variance in first order
        flags = FLAGS[(i + i // 4) % 4]
        played = literal(form, learner, asker, classes, flags)
        for space in SPACES:
            run = found(way, learner, asker, classes, flags, space)
            off = max(
                np.max(abs(run.margin - played.margin) / np.maximum(1, abs(played.margin))),
                np.max(abs(run.ask_probability - played.probability)),
            )
            names = [
                name
                for name in ("prediction", "asked", "updated")
                if not np.array_equal(getattr(run, name), getattr(played, name))
            ]
            if names or not off <= TOLERANCE:
                yield f"{learner} {asker} K={classes} flags={flags} {space}: {names}, {off:.1e}"


@pytest.mark.parametrize("name", FIRST)
def test_a_joint_step_is_one_of_the_big_vector(name):
    assert list(disagreements("joint", joined, FIRST[name])) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", SECOND)
def test_a_joint_step_of_second_order_keeps_the_blocks_of_the_pair(name):
    assert list(disagreements("joint", joined, SECOND[name])) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", SECOND)
def test_an_exact_step_of_second_order_changes_all_of_p(name):
    assert list(disagreements("exact", whole, SECOND[name])) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", FIRST | SECOND | TWO)
def test_one_against_the_rest_is_a_learner_a_class(name):
    assert list(disagreements("rest", apart, (FIRST | SECOND | TWO)[name])) == []


@pytest.mark.parametrize("way", ["joint", "rest"])
def test_it_would_show(way):
    """A step of another size, another rival or another order of ties is seen."""
    form = {"joint": joined, "rest": apart}[way]
    played = literal(form, PassiveAggressive(C=0.1), Margin(0.3), 4, (False, False))
    run = found(way, PassiveAggressive(C=0.1001), Margin(0.3), 4, (False, False), "dense")
    assert np.max(abs(run.margin - played.margin)) > 1e-6
    assert played.updated.sum() > T // 4
    assert 0 < played.asked.sum() < T


@pytest.mark.parametrize("name", FIRST | SECOND | TWO)
@pytest.mark.parametrize("way", ["joint", "rest"])
def test_sparse_is_dense(way, name):
    learner = (FIRST | SECOND | TWO)[name]
    play = partial(found, way, learner, Margin(0.2), 5, (True, False))
    dense, sparse = play("dense"), play("sparse")
    assert np.array_equal(dense.flags, sparse.flags)
    np.testing.assert_allclose(dense.margin, sparse.margin, rtol=1e-9, atol=1e-9)
