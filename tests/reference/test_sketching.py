"""The sketch, in the paper's form A = alpha I + S'S with every inverse as written, to 1e-9."""

import numpy as np
import pytest
from laws.grid import LEARNERS, Case, method, named, parameters
from laws.playing import close, matrix, play_run, with_constant

from selectron.askers import Always
from selectron.engine.round import Round

from .papers import sketching

pytestmark = pytest.mark.usefixtures("mostly_plain")

SECOND = [learner for learner in LEARNERS.values() if hasattr(learner, "shape")]


def literal(model, X, y, m):
    """Return the margin scores, w and P of a stream whose every label is given."""
    learner = parameters(model.learner)
    steps, shape = method(learner, "steps"), learner.shape()
    sketch, w, k, scores = sketching.begin(X.shape[1], shape.scale), np.zeros(X.shape[1]), 0, []
    for x, label in zip(X, y, strict=True):
        P = sketching.inverse(sketch) + shape.noise * np.eye(len(x))
        margin, q = w @ x, x @ P @ x
        scores.append(method(learner, "score")(margin, q))
        if label and steps(margin, float(label)):
            to = learner.step(Round(margin, q, float(label), k, w @ w, 0.0))
            w, k = w + to.eta * (P @ x), k + 1
            sketch = sketching.step(sketch, x, m, shape.noise, to.mu, to.nu)
    return scores, w, sketching.inverse(sketch)


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("learner", SECOND, ids=lambda learner: named(LEARNERS, learner))
@pytest.mark.parametrize("m", [1, 2, 4, 8])
def test_a_pass(learner, sparse, m):
    case = Case(learner, Always(), sparse, False)
    rows = case.stream(n=120)
    model = case.model(6, sketch=m)
    out = play_run(case, model, rows)
    assert out.updated.sum() > 2 * m
    scores, w, P = literal(model, with_constant(model, rows.values), rows.labels, m)
    close([scores, w, P], [out.margin, model.weights(), matrix(model)])
