"""What is compared with the papers: learners, askers and streams, and how close is close."""

import math
from functools import cache, partial
from itertools import product

import numpy as np

from selectron import OnlineClassifier
from selectron.askers import BBQ, BBQI, Always, Disagreement, Fixed, Margin, SecondOrderMargin
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

INF = math.inf
TOLERANCE = 1e-9
T = 200
MILD, WIDE = 0.5, 2.0  # row lengths spread over 10^-MILD to 10^MILD, or 10^-WIDE to 10^WIDE
ZEROS = {1: 0.0, 3: 0.3, 20: 0.7}  # number of features: share of zeros
FLAGS = list(product((False, True), (False, True)))  # fit_intercept, normalize
PLAIN = False, False
SIGNS = False, True  # in one dimension, rows of unit length are -1 or 1

# What of the library transcribes what of the papers.
TRANSCRIBED = {
    Perceptron: papers.perceptron,
    ShiftingPerceptron: papers.shifting_perceptron,
    ModifiedPerceptron: papers.modified_perceptron,
    SecondOrderPerceptron: papers.second_order_perceptron,
    LASEC: papers.lasec,
    RLS: papers.rls,
    PassiveAggressive: papers.passive_aggressive,
    MIRA: papers.mira,
    ObjectiveRegularized: papers.objective_regularized,
    L2Constrained: papers.l2_constrained,
    NORMA: papers.norma,
    AROW: papers.arow,
    CELLIP: papers.cellip,
    IELLIP: papers.iellip,
    BayesianPerceptron: papers.bayesian_perceptron,
    Always: papers.always,
    Fixed: papers.fixed,
    Margin: papers.margin,
    SecondOrderMargin: papers.second_order_margin,
    BBQ: papers.bbq,
    BBQI: papers.bbq,
    Disagreement: papers.disagreement,
}
LEARNERS = {
    Perceptron: [()],
    ShiftingPerceptron: [(0.5,), (1.0,), (20.0,)],
    ModifiedPerceptron: [(1,), (2,)],
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
    RLS: [(1e-3,), (1.0,), (1e3,)],
    PassiveAggressive: list(product((INF, 1e-3, 1.0), ("I", "II"))),
    MIRA: [(INF,), (0.1,)],
    ObjectiveRegularized: [(0.001, INF), (0.5, INF), (0.1, 0.5), (0.0, 1.0)],
    L2Constrained: [(0.3,), (0.8,), (3.0,)],
    NORMA: [(0.1, 0.01, 0.3, 0.0), (0.2, 0.5, 0.7, 0.5), (1.0, 0.9, 0.21, 1.0)],
    AROW: [(1e-3,), (1.0,), (1e3,)],
    CELLIP: [
        (0.1, 0.5, "sound"),
        (0.1, 0.5, "talk"),
        (1e-3, 0.2, "sound"),
        (0.3, 0.0, "talk"),
        (0.1, 0.5, "sound", 0.05),
        (1e-3, 0.2, "talk", 0.2),
    ],
    IELLIP: [(0.1, 0.1, 0.8, 1.0), (0.5, 0.3, 0.5, 0.1), (0.0, 0.9, 0.3, 10.0)],
    BayesianPerceptron: [(0.1,), (1.0,), (10.0,)],
}
ASKERS = {
    Always: [()],
    Fixed: [(0.3,)],
    Margin: [(1e-3,), (0.1,), (10.0,), (INF,)],
    SecondOrderMargin: [(1e-3,), (0.1,), (10.0,), (INF,)],
    BBQ: [(0.23,), (0.7,)],
    BBQI: [(0.7,)],
    Disagreement: [(), (0.05,)],
}
SHAPED = SecondOrderPerceptron, LASEC, RLS  # transcribed with inverses
INVERTED = [kind(*p) for kind in SHAPED for p in LEARNERS[kind]]


@cache
def stream(d, spread, flags, kind):
    """Return rows and labels.

    A "noisy" stream switches, with wrong labels, zero rows, and rows that come twice. A "fresh" one
    has neither zero rows nor any row twice; a "separable" one is fresh, and one target fits it.
    """
    random = np.random.default_rng(d)
    X = random.standard_normal((T, d))
    X *= 10 ** random.uniform(-spread, spread, (T, 1))
    kept = 0 if kind == "noisy" else 2  # two features that are not 0 tell rows apart
    X[:, kept:][random.random((T, d))[:, kept:] < ZEROS[d]] = 0
    if kind == "noisy":
        X[random.random(T) < 0.05] = 0
        for t in np.flatnonzero(random.random(T - 1) < 0.1):
            X[t + 1] = X[t]
    concepts = random.standard_normal((4, d))[np.arange(T) * 4 // T * (kind != "separable")]
    y = np.where((X * concepts).sum(axis=1) >= 0, 1, -1)
    return X, np.where((random.random(T) < 0.1) & (kind != "separable"), -y, y)


def kind_for(learner, asker):
    """Return the kind of stream on which no rounding decides.

    A hard margin shrinks w again if a row comes again whose margin of 1 was rounded down, as
    `Disagreement` asks again where |m| = |x|, or does not. Where nothing is separable, CELLIP's
    ellipsoid shrinks to a point that no number resolves.
    """
    if isinstance(learner, CELLIP):
        return "separable"
    hard = isinstance(learner, ObjectiveRegularized) and math.isinf(learner.C)
    return "fresh" if hard or isinstance(asker, Disagreement) else "noisy"


def undecided(learner, d, flags):
    """Would rounding decide, on rows that are all alike?

    On -1 and 1, SHAPED's v is an integer, and a shifting Perceptron's w one divided by k: where it
    is 0 again, rounding decides on the prediction. The margins of a hard learner are 1 and -1. In
    one dimension, a projection leaves 0 or what rounding makes of it, and a reflection |m| = |x|.
    """
    if isinstance(learner, ModifiedPerceptron):
        return d == 1 and flags == PLAIN
    hard = isinstance(learner, ObjectiveRegularized) and math.isinf(learner.C)
    alike = d == 1 and flags == SIGNS
    return alike and (hard or isinstance(learner, (*SHAPED, ShiftingPerceptron)))


def transcribed(part, asker=None):
    """Return the pseudo-code of a learner under an asker, or of an asker."""
    literal = partial(TRANSCRIBED[type(part)], **part._asdict())
    if isinstance(part, CELLIP) and isinstance(asker, Disagreement):
        return partial(literal, mistakes_only=False)
    return literal


def literal(learner, asker, d, spread, flags, precision):
    """Play the papers' pseudo-code in the given precision."""
    X, y = stream(d, spread, flags, kind_for(learner, asker))
    rows = papers.prepare(X.astype(precision), *flags)
    draws = np.random.default_rng(d).random(T)
    tells = papers.only_mistakes if isinstance(asker, BBQI) else papers.everything
    return papers.play(transcribed(learner, asker), transcribed(asker), rows, y, draws, tells)


def found(learner, asker, d, spread, flags, space):
    """Play the library; `space` makes the rows dense or sparse."""
    X, y = stream(d, spread, flags, kind_for(learner, asker))
    options = dict(zip(("fit_intercept", "normalize"), flags, strict=True))
    return OnlineClassifier(learner, asker, random_state=d, **options).run(space(X), y)


def deviation(run, played):
    """Return by how much margins and probabilities differ, relative to max(1, |value|)."""
    chances = run.probability if hasattr(run, "probability") else run.ask_probability
    pairs = (run.margin, played.margin), (chances, played.probability)
    return max(float(np.max(abs(a - b) / np.maximum(1, abs(b)))) for a, b in pairs)


def edges(learner, margin, y):
    """Return the numbers whose sign decides, and which a row seen again makes 0 but for rounding.

    There rounding decides on the prediction and on a step of no length.
    """
    if isinstance(learner, ModifiedPerceptron):  # projects onto margin 0
        return {"prediction": margin, "updated": margin}
    if isinstance(learner, CELLIP):  # under `Disagreement`; a cut at alpha = 0 changes nothing
        return {"updated": learner.a * learner.gamma - y * margin}
    if isinstance(learner, (PassiveAggressive, MIRA, AROW, ObjectiveRegularized, L2Constrained)):
        return {"prediction": margin, "updated": 1 - y * margin}
    return {}


def differences(learner, run, played, y):
    """Name what differs."""
    open_to = edges(learner, played.margin, y)
    names = []
    for name in ("prediction", "asked", "updated"):
        differ = getattr(run, name) != getattr(played, name)
        if name in open_to:
            differ &= (abs(open_to[name]) > TOLERANCE) | (run.margin == played.margin)
        if differ.any():
            names.append(name)
    if not (off := deviation(run, played)) <= TOLERANCE:
        names.append(f"margin or probability by {off:.1e}")
    return names
