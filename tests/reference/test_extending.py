"""A class that appears in mid-stream takes nothing from what is known of the others."""

import math

import numpy as np
import pytest
import scipy.sparse
from laws.grid import LEARNERS, Case, stream

from selectron import OnlineClassifier
from selectron.askers import Always

pytestmark = pytest.mark.usefixtures("mostly_plain")

WAYS = ["joint", "rest"]


def trained(name, way, sparse, classes):
    case = Case(LEARNERS[name], Always(), sparse, False)
    model, rows = case.model(5, classes=classes, many=way), stream(80, 5)
    codes = rows.labels
    if classes > 2:
        codes = np.where(codes == 0, 0, 1 + np.arange(80) % classes)
    model.learn(case.block(rows.values), codes.astype(model.codes))
    return case, model, rows.values


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", LEARNERS)
def test_of_two_classes_the_gap_is_what_it_was(name, way, sparse):
    """One against the rest, it is twice the margin, as for all K learners of two."""
    case, model, values = trained(name, way, sparse, 2)
    before = model.look(case.block(values), 80)
    w = model.weights()
    model.extend(3)
    after, others = model.weights(), model.weights()[2]
    gap = after[1] - after[0]
    rest = way == "rest" or name in ("l1", "leading")
    by = 2 if rest else math.sqrt(2) if model.normalize else 1
    np.testing.assert_allclose(gap, by * w, rtol=1e-12, atol=1e-300)
    assert (others[1:] == 0).all()
    assert others[0] < 0 if name == "leading" else others[0] == 0  # it starts as a rare class
    assert rest or model.space.reduction.__name__.endswith(("joint", "ultraconservative"))
    scores = model.look(case.block(values), 80, scores=True).scores
    assert np.array_equal(scores[:, 1] >= scores[:, 0], before.positive)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.slow
def test_of_more_all_scores_are_what_they_were(name, way, sparse):
    case, model, values = trained(name, way, sparse, 3)
    before = model.look(case.block(values), 80, scores=True).scores
    model.extend(5)
    after = model.look(case.block(values), 80, scores=True).scores
    assert np.array_equal(after[:, :3], before)
    new = after[:, 3:]
    assert (new[:, 0] == new[:, 1]).all()
    assert (new < 0).all() if name == "leading" else (new == 0).all()


@pytest.mark.parametrize("space", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("way", [None, "joint", "rest"])
@pytest.mark.parametrize("name", ["perceptron", "pa", "lasec", "arow"])
def test_a_label_told_late_may_be_of_a_new_class(name, way, space):
    """The step on it starts from the scores that were, with 0 for the new class."""
    X = np.random.default_rng(0).normal(size=(60, 4))
    y = np.array(["ham", "spam", "toast"])[(X[:, :2] > 0).sum(axis=1)]
    clf = OnlineClassifier(LEARNERS[name], many=way).partial_fit(space(X[:50]), y[:50])
    assert clf.classes_.tolist() == ["ham", "spam", "toast"]
    ticket = clf.decide(X[50]).ticket
    old = clf.decision_function(space(X))
    stepped = clf.tell(ticket, "eggs")
    assert clf.classes_.tolist() == ["ham", "spam", "toast", "eggs"]
    new = clf.decision_function(space(X))
    assert new.shape == (60, 4)
    if way == "rest":  # a score of 0 is no mistake for a class of its own: sign(0) = +1
        assert (new[50, 3] > 0) == (name in ("pa", "arow"))
    else:
        assert stepped
        assert new[50, 3] > 0
        rival = old[50].argmax()
        kept = [k for k in range(3) if k != rival]
        np.testing.assert_array_equal(new[:, kept], old[:, kept])
