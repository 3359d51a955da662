"""The talk's multi-label form, written out, against OnlineRanker(many="exact")."""

import math
from functools import cache, partial
from itertools import product

import numpy as np
import pytest
import scipy.sparse

from selectron import OnlineRanker
from selectron.askers import Always, Disagreement, Margin
from selectron.learners import CELLIP, IELLIP

from . import papers
from .agreement import TOLERANCE, transcribed
from .papers import multilabel

pytestmark = pytest.mark.usefixtures("mostly_plain")

T, D = 120, 4
SPACES = {"dense": np.asarray, "sparse": scipy.sparse.csr_array}
FLAGS = list(product((False, True), (False, True)))  # fit_intercept, normalize
ASKERS = [Always(), Margin(0.3), Disagreement()]
LEARNERS = {
    "cellip": CELLIP(gamma=0.02),
    "cellip-talk": CELLIP(gamma=0.02, a=0.8, start="talk"),
    "cellip-beyond": CELLIP(gamma=0.02, rho=0.05),
    "iellip": IELLIP(),
    "iellip-small": IELLIP(gamma=0.3, c=0.3, b=0.5, p0=0.1),
    "iellip-lasting": IELLIP(gamma=0.05, c=0.05, b=1.0),
}


def target(classes):
    """Return the weights of all classes that rank the rows, (K, D)."""
    return np.random.default_rng((classes, 1)).standard_normal((classes, D))


@cache
def stream(classes, intercept, clean):
    """Return rows and tables of labels; unless clean, some wrong, and rows of 0, of NaN and more.

    Of a clean stream, one v separates relevant from irrelevant classes with a margin.
    """
    random = np.random.default_rng(classes)
    X = random.standard_normal((20 * T, D)) * 10 ** random.uniform(-0.4, 0.4, (20 * T, 1))
    X[:, 2:][random.random((20 * T, D - 2)) < 0.4] = 0
    ranks = np.argsort(np.argsort(-X @ target(classes).T, axis=1), axis=1)
    Y = (ranks < random.integers(1, classes, (20 * T, 1))).astype(float)
    if clean:
        return X[:T], Y[:T]
    X, Y = X[:T], Y[:T]
    Y = np.where(random.random(Y.shape) < 0.05, 1 - Y, Y)  # some rows of all classes, or of none
    Y[random.random(T) < 0.1] = np.nan
    if not intercept:
        X[random.random(T) < 0.05] = 0
    return X, Y


def literal(learner, asker, classes, flags):
    """Play the talk's pseudo-code."""
    X, Y = stream(classes, flags[0], isinstance(learner, CELLIP))
    rows = papers.prepare(X, *flags) / (math.sqrt(2) if flags[1] else 1)  # z is of unit length
    if isinstance(learner, CELLIP):
        far = 1 + (1 - learner.a) * learner.gamma
        cut, first = multilabel.cellip, far if learner.start == "talk" else far**2
    else:
        cut, first = multilabel.iellip, learner.p0
    always = isinstance(learner, CELLIP) and isinstance(asker, Disagreement)
    reach = learner.a * learner.gamma if always else 0.0
    draws = np.random.default_rng(classes).random(T)
    cut = partial(cut, **learner._asdict())
    return multilabel.play_ranked(cut, first, reach, transcribed(asker), rows, Y, draws)


def ranker(learner, asker, classes, flags):
    options = dict(zip(("fit_intercept", "normalize"), flags, strict=True))
    return OnlineRanker(learner, asker, many="exact", random_state=classes, **options)


def off(found, wanted):
    return float(np.max(abs(found - wanted) / np.maximum(1, abs(wanted))))


def disagreements(learner, space):
    """Yield a line for each case that does not agree."""
    for i, (classes, asker) in enumerate(product((2, 3, 5), ASKERS)):
        flags = FLAGS[(i + i // 4) % 4]
        played = literal(learner, asker, classes, flags)
        clf = ranker(learner, asker, classes, flags)
        X, Y = stream(classes, flags[0], isinstance(learner, CELLIP))
        run = clf.run(SPACES[space](X), Y)
        (v,), (P,) = clf.model_.state.w, clf.model_.state.p
        distances = {
            "scores": off(run.scores, played.scores),
            "margin": off(run.margin, played.margin),
            "probability": off(run.ask_probability, played.probability),
            "v": off(v, played.v),
            "P": off(P, played.P),
        }
        same = {
            name: np.array_equal(getattr(run, name), getattr(played, name))
            for name in ("asked", "updated")
        }
        if not (max(distances.values()) <= TOLERANCE and all(same.values())):
            yield f"{learner} {asker} K={classes} flags={flags}: {same}, {distances}"


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("name", LEARNERS)
def test_the_exact_form_is_the_talk_s(name, space):
    assert list(disagreements(LEARNERS[name], space)) == []


def test_the_streams_have_labels_that_are_asked_for_and_steps():
    played = literal(LEARNERS["iellip"], Margin(0.3), 5, (False, False))
    assert 0 < played.asked.sum() < T
    assert 0 < played.updated.sum() < played.asked.sum()
    X, Y = stream(5, False, False)
    without = np.isnan(Y).any(axis=1)
    assert without.any()
    assert (X == 0).all(axis=1).any()
    assert np.isin(Y[~without].sum(axis=1), (0, 5)).any()  # no pair


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_exact_ellipsoid_holds_every_good_v(classes):
    """[Theorem 1] no cut removes a v that ranks all rows with margin a gamma."""
    X, Y = stream(classes, False, True)
    v = target(classes)
    Z = [
        multilabel.big(x, *multilabel.worst_pair(v @ x, y), classes)
        for x, y in zip(X, Y, strict=True)
    ]
    v = v.ravel() / np.linalg.norm(v)
    gamma, longest = min(Z @ v), np.linalg.norm(Z, axis=1).max()
    clf = OnlineRanker(CELLIP(float(gamma), a=0.5), many="exact", fit_intercept=False)
    random, steps = np.random.default_rng(0), 0
    for x, y in zip(X, Y, strict=True):
        steps += clf.run(x[None], y[None]).steps
        (w,), (P,) = clf.model_.state.w, clf.model_.state.p
        around = random.standard_normal((20, len(v)))
        around *= 0.5 * gamma / longest / np.linalg.norm(around, axis=1, keepdims=True)
        off = v + around - w
        assert (off * np.linalg.solve(P, off.T).T).sum(axis=1).max() <= 1 + 1e-9
    assert steps > 10
