"""Every learner under every asker, on dense and on sparse rows, against the papers' pseudo-code.

Taken literally, with its inverses, second-order pseudo-code loses digits where the eigenvalues of
its matrices are far apart: with a prior of 1e-3, or with rows of very different length. There it is
evaluated in long double, and `test_literal_inverses_lose_digits` shows that it is at fault, not the
library.
"""

import math
from functools import cache, partial
from itertools import product

import numpy as np
import papers
import pytest
import scipy.sparse

from selectron import OnlineClassifier
from selectron.askers import Always, Fixed, Margin, SecondOrderMargin
from selectron.learners import AROW, LASEC, PassiveAggressive, Perceptron, SecondOrderPerceptron

INF = math.inf
TOLERANCE = 1e-9
T = 200
MILD, WIDE = 0.5, 2.0  # row lengths spread over 10^-MILD to 10^MILD, or 10^-WIDE to 10^WIDE
ZEROS = {1: 0.0, 3: 0.3, 20: 0.7}  # number of features: share of zeros
FLAGS = list(product((False, True), (False, True)))  # fit_intercept, normalize
SIGNS = False, True  # in one dimension, rows of unit length are -1 or 1

# What of the library transcribes what of the papers.
TRANSCRIBED = {
    Perceptron: papers.perceptron,
    SecondOrderPerceptron: papers.second_order_perceptron,
    LASEC: papers.lasec,
    PassiveAggressive: papers.passive_aggressive,
    AROW: papers.arow,
    Always: papers.always,
    Fixed: papers.fixed,
    Margin: papers.margin,
    SecondOrderMargin: papers.second_order_margin,
}
LEARNERS = {
    Perceptron: [()],
    SecondOrderPerceptron: [(1e-3,), (1.0,), (1e3,)],
    LASEC: [
        (1.0, 1000.0),
        (1.0, 3.0),
        (1.0, INF),
        (1e-3, INF),
        (1e-3, 1.0),
        (1.0, 1.0 + 1e-9),
        (999.0, 1e3),
        (1e3, 1e4),
    ],
    PassiveAggressive: list(product((INF, 1e-3, 1.0), ("I", "II"))),
    AROW: [(1e-3,), (1.0,), (1e3,)],
}
ASKERS = {
    Always: [()],
    Fixed: [(0.3,)],
    Margin: [(1e-3,), (0.1,), (10.0,), (INF,)],
    SecondOrderMargin: [(1e-3,), (0.1,), (10.0,), (INF,)],
}
HINGE = PassiveAggressive, AROW
SHAPED = SecondOrderPerceptron, LASEC  # transcribed with inverses
INVERTED = [kind(*p) for kind in SHAPED for p in LEARNERS[kind]]

extended = pytest.mark.skipif(
    bool(np.finfo(np.longdouble).eps > 1e-18), reason="long double is double on this machine"
)


@cache
def stream(d, spread, flags):
    """Return a stream that switches, with wrong labels, zero rows, and rows that come twice.

    Where rows become -1 or 1, they are powers of two: scaling them is exact then, so that a margin
    that is 0 in the paper is 0, and not rounding.
    """
    random = np.random.default_rng(d)
    X = random.standard_normal((T, d))
    X *= 10 ** random.uniform(-spread, spread, (T, 1))
    if d == 1 and flags == SIGNS:
        X = np.sign(X) * 2 ** np.round(np.log2(abs(X)))
    X[random.random((T, d)) < ZEROS[d]] = 0
    X[random.random(T) < 0.05] = 0
    for t in np.flatnonzero(random.random(T - 1) < 0.1):
        X[t + 1] = X[t]
    concepts = random.standard_normal((4, d))[np.arange(T) * 4 // T]
    y = np.where((X * concepts).sum(axis=1) >= 0, 1, -1)
    return X, np.where(random.random(T) < 0.1, -y, y)


def transcribed(part):
    return partial(TRANSCRIBED[type(part)], **part._asdict())


def literal(learner, asker, d, spread, flags, precision):
    """Play the papers' pseudo-code in the given precision."""
    X, y = stream(d, spread, flags)
    rows = papers.prepare(X.astype(precision), *flags)
    draws = np.random.default_rng(d).random(T)
    return papers.play(transcribed(learner), transcribed(asker), rows, y, draws)


def found(learner, asker, d, spread, flags, space):
    """Play the library; `space` makes the rows dense or sparse."""
    X, y = stream(d, spread, flags)
    options = dict(zip(("fit_intercept", "normalize"), flags, strict=True))
    return OnlineClassifier(learner, asker, random_state=d, **options).run(space(X), y)


def deviation(run, played):
    """Return by how much margins and probabilities differ, relative to max(1, |value|)."""
    pairs = (run.margin, played.margin), (run.probability, played.probability)
    return max(float(np.max(abs(a - b) / np.maximum(1, abs(b)))) for a, b in pairs)


def differences(learner, run, played, y):
    """Name what differs.

    Under learners with a hinge loss, the margin of a row seen again may be 0 or 1 but for rounding,
    which then decides on the prediction and on a step of no length.
    """
    edges = {"prediction": played.margin, "updated": 1 - y * played.margin}
    names = []
    for name in ("prediction", "asked", "updated"):
        differ = getattr(run, name) != getattr(played, name)
        if isinstance(learner, HINGE) and name in edges:
            differ &= (abs(edges[name]) > TOLERANCE) | (run.margin == played.margin)
        if differ.any():
            names.append(name)
    if (off := deviation(run, played)) > TOLERANCE:
        names.append(f"margin or probability by {off:.1e}")
    return names


def report(learner, asker, d, spread, flags, precision):
    """Yield a line for each space that does not agree."""
    if d == 1 and flags == SIGNS and isinstance(learner, SHAPED):
        return  # v is an integer: where it is 0 again, rounding decides on the prediction
    played = literal(learner, asker, d, spread, flags, precision)
    y = stream(d, spread, flags)[1]
    for space in (np.asarray, scipy.sparse.csr_array):
        names = differences(learner, found(learner, asker, d, spread, flags, space), played, y)
        if names:
            yield f"{learner} {asker} d={d} flags={flags} {space.__name__}: {', '.join(names)}"


def compositions():
    return [pytest.param(*p, id="-".join(k.__name__ for k in p)) for p in product(LEARNERS, ASKERS)]


def prior(learner):
    return getattr(learner, "a", getattr(learner, "b", INF))


@pytest.mark.parametrize(("learner", "asker"), compositions())
def test_every_composition_is_the_papers(learner, asker):
    wrong = []
    cases = product(LEARNERS[learner], ASKERS[asker], ZEROS)
    for i, (p, a, d) in enumerate(cases):
        if prior(learner(*p)) < 1:  # in long double, below
            continue
        for flags in (FLAGS[i % 4], FLAGS[(i + 1) % 4]):
            wrong += report(learner(*p), asker(*a), d, MILD, flags, np.float64)
    assert wrong == []


@extended
@pytest.mark.parametrize("asker", ASKERS)
def test_a_weak_prior(asker):
    wrong = []
    weak = [learner for learner in INVERTED if prior(learner) < 1]
    for i, (learner, a, d) in enumerate(product(weak, ASKERS[asker], ZEROS)):
        wrong += report(learner, asker(*a), d, MILD, FLAGS[i % 4], np.longdouble)
    assert wrong == []


@extended
@pytest.mark.parametrize("learner", LEARNERS)
def test_rows_of_very_different_length(learner):
    wrong = []
    askers = Margin(0.1), SecondOrderMargin(10.0)
    cases = [c for c in product(LEARNERS[learner], askers, ZEROS) if prior(learner(*c[0])) >= 1]
    for i, (p, asker, d) in enumerate(cases):
        wrong += report(learner(*p), asker, d, WIDE, FLAGS[i % 4], np.longdouble)
    assert wrong == []


@extended
@pytest.mark.parametrize("spread", [MILD, WIDE])
@pytest.mark.parametrize("learner", INVERTED, ids=str)
def test_literal_inverses_lose_digits(learner, spread):
    """The library is as near to the pseudo-code in long double as the same in double is."""
    case = learner, SecondOrderMargin(1e-3), 20, spread, (True, False)
    exact = literal(*case, np.longdouble)
    rounded = deviation(literal(*case, np.float64), exact)
    for space in (np.asarray, scipy.sparse.csr_array):
        run = found(*case, space)
        assert deviation(run, exact) <= max(rounded, 1e-13)
        assert np.array_equal(run.updated, exact.updated)


@pytest.mark.parametrize("r", [1e-3, 1.0, 1e3])
def test_arow_steps_to_the_minimum_of_its_objective(r):
    for flags in FLAGS:
        X, y = stream(3, MILD, flags)
        rows, draws = papers.prepare(X, *flags), np.zeros(T)
        closed, solved = (
            papers.play(partial(learner, r=r), papers.always, rows, y, draws)
            for learner in (papers.arow, papers.arow_objective)
        )
        assert deviation(closed, solved) < TOLERANCE
