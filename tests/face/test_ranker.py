"""OnlineRanker: rows of several classes."""

import os
from copy import deepcopy
from pickle import dumps, loads

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.base import clone

from selectron import OnlineClassifier, OnlineRanker, SelectronError
from selectron.askers import Margin
from selectron.errors import NotThere
from selectron.estimator.ranker import chosen
from selectron.learners import (
    AROW,
    CELLIP,
    IELLIP,
    LASEC,
    MIRA,
    L1Constrained,
    L2Constrained,
    PassiveAggressive,
)
from selectron.model import compose, support

from .examples import X

pytestmark = pytest.mark.usefixtures("interpreted")

TARGETS = np.random.default_rng(1).normal(size=(4, 5))
Y = (X @ TARGETS > 0.5).astype(int)
LEARNERS = [PassiveAggressive(C=1.0), IELLIP(), LASEC(), AROW(), MIRA(), L2Constrained(beta=5.0)]
SHAPED = [IELLIP(), CELLIP(gamma=0.01), LASEC(), AROW()]
by_name = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)


@pytest.mark.parametrize("many", [None, "exact"])
@by_name
def test_it_learns_to_rank(learner, many):
    ranker = OnlineRanker(learner, many=many)
    first = ranker.run(X, Y)
    for _ in range(20):
        last = ranker.run(X, Y)
    assert last.mistakes < 0.6 * first.mistakes
    assert last.scores.shape == (120, 5)
    assert np.array_equal(last.prediction, chosen(last.scores))


def test_a_step_moves_the_worst_pair():
    """[Yang, Jin & Ye] z = e_b x - e_a x; the passive-aggressive step has |z|^2 = 2 |x|^2."""
    rng = np.random.default_rng(0)
    w = np.zeros((5, 4))
    ranker = OnlineRanker(PassiveAggressive(), fit_intercept=False)
    for x, y in zip(X, (rng.random((120, 5)) < 0.4).astype(int), strict=True):
        ranker.partial_fit(x[None], y[None])
        scores = w @ x
        if 0 < y.sum() < 5:
            b = np.where(y == 1, scores, np.inf).argmin()
            a = 4 - np.where(y == 0, scores, -np.inf)[::-1].argmax()
            tau = max(0.0, 1 - scores[b] + scores[a]) / (2 * x @ x)
            w[b] += tau * x
            w[a] -= tau * x
        np.testing.assert_allclose(ranker.coef_, w, rtol=1e-9, atol=1e-12)


def test_it_has_no_probabilities_to_explain():
    ranker = OnlineRanker(PassiveAggressive()).partial_fit([[1.0]], [[1, 0]])
    with pytest.raises(NotThere, match="OnlineRanker has no probabilities"):
        ranker.explain([[1.0]])


@pytest.mark.parametrize("many", ["joint", "exact"])
def test_equal_scores_are_a_mistake_and_cause_a_step(many):
    """[Yang, Jin & Ye] misclassified: eta <= 0, whichever of the classes has the higher number."""
    for y in ([0, 0, 1], [1, 0, 0], [0, 1, 0]):
        run = OnlineRanker(IELLIP(), many=many, fit_intercept=False).run([[1.0, 2.0]], [y])
        assert (run.mistakes, run.steps) == (1, 1)


@by_name
def test_the_ways_to_rank_differ_in_second_order_only(learner):
    joint, exact, default = (
        OnlineRanker(learner, many=many).run(X, Y) for many in ("joint", "exact", None)
    )
    assert np.array_equal(joint.scores, default.scores)
    assert np.array_equal(joint.scores, exact.scores) == (not hasattr(learner, "shape"))


def test_a_mistake_is_a_relevant_class_no_better_than_an_irrelevant_one():
    run = OnlineRanker(PassiveAggressive()).run(X, Y)
    for scores, y, right in zip(run.scores, Y, run.correct, strict=True):
        pairs = [scores[b] > scores[a] for b in np.flatnonzero(y) for a in np.flatnonzero(1 - y)]
        assert right == all(pairs)


def test_rows_without_a_label_are_never_asked_for():
    y = Y.astype(float)
    y[::3] = np.nan
    run = OnlineRanker(PassiveAggressive(), Margin(1.0), random_state=0).run(X, y)
    assert not run.asked[::3].any()
    assert not run.labelled[::3].any()
    assert run.asked.any()
    for kind in ("Int64", "Float64", "boolean"):
        table = pd.DataFrame(np.where(np.isnan(y), None, y == 1)).astype("boolean").astype(kind)
        other = OnlineRanker(PassiveAggressive(), Margin(1.0), random_state=0).run(X, table)
        assert (other.scores == run.scores).all()


@pytest.mark.parametrize("many", ["joint", "exact"])
def test_live(many):
    names = ["a", "b", "c", "d", "e"]
    live, table = (OnlineRanker(IELLIP(), classes=names, many=many) for _ in range(2))
    for x, y in zip(X, Y, strict=True):
        decision = live.decide(x)
        assert set(decision.label) <= set(names)
        live.tell(decision.ticket, [name for name, one in zip(names, y, strict=True) if one])
        table.partial_fit(x[None], y[None])
    assert np.array_equal(live.coef_, table.coef_)
    assert live.predict(X).shape == Y.shape
    with pytest.raises(SelectronError, match="There is no class 'z'"):
        live.tell(live.decide(X[0]).ticket, ["z"])


def test_what_a_ticket_is_told():
    ranker = OnlineRanker(classes=[0, 1, 2]).fit(X, Y[:, :3])
    for given in (pd.Series([0, 2]), {0, 2}, frozenset([0, 2]), iter([0, 2]), 1, []):
        ranker.tell(ranker.decide(X[0]).ticket, given)
    with pytest.raises(SelectronError, match=r"^\[1, 0, 0\] names a class twice"):
        ranker.tell(ranker.decide(X[0]).ticket, [1, 0, 0])
    with pytest.raises(SelectronError, match="There is no class"):
        ranker.tell(ranker.decide(X[0]).ticket, np.array([[1, 0, 0]]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "many"),
    [(PassiveAggressive(C=1.0), None), (LASEC(), None), (IELLIP(), "exact")],
    ids=str,
)
def test_compiled_it_ranks_the_same(learner, many, monkeypatch):
    plain = OnlineRanker(learner, many=many).run(X, Y)
    monkeypatch.setattr("selectron.model.model.loop", compose.loop)
    for table in Y, np.asfortranarray(Y), pd.DataFrame(Y):  # whichever the order in memory
        compiled = OnlineRanker(learner, many=many).run(X, table)
        assert np.array_equal(compiled.correct, plain.correct)
        np.testing.assert_allclose(compiled.scores, plain.scores, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("many", [None, "exact"])
@by_name
def test_sparse_is_dense(learner, many):
    rows = np.where(np.abs(X) < 0.4, 0.0, X)
    both = rows, scipy.sparse.csr_array(rows)
    runs = [OnlineRanker(learner, many=many).run(x, Y) for x in both]
    np.testing.assert_allclose(runs[0].scores, runs[1].scores, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("kernel", [None, "linear"])
@pytest.mark.parametrize("many", [None, "exact"])
@pytest.mark.parametrize("learner", SHAPED, ids=lambda learner: type(learner).__name__)
@pytest.mark.slow
def test_saved_loaded_and_copied(learner, many, kernel, tmp_path):
    ranker = OnlineRanker(learner, Margin(1.0), many=many, kernel=kernel, random_state=1).fit(X, Y)
    ranker.decide(X[0])
    ranker.save(tmp_path / "model")
    again = OnlineRanker.load(tmp_path / "model"), deepcopy(ranker), loads(dumps(ranker))
    expected = ranker.run(X, Y)
    assert {one.many for one in again} == {many}
    for one in again:
        run = one.run(X, Y)
        assert np.array_equal(run.scores, expected.scores)
        assert np.array_equal(run.flags, expected.flags)
    fresh = clone(ranker).fit(X, Y)  # with the parameters alone
    assert np.array_equal(fresh.coef_, OnlineRanker.load(tmp_path / "model").coef_)


@pytest.mark.parametrize("learner", SHAPED, ids=lambda learner: type(learner).__name__)
def test_the_exact_form_is_the_same_in_dual(learner):
    primal, dual = (
        OnlineRanker(learner, Margin(1.0), many="exact", kernel=kernel, random_state=1).run(X, Y)
        for kernel in (None, "linear")
    )
    assert np.array_equal(primal.flags, dual.flags)
    np.testing.assert_allclose(primal.scores, dual.scores, rtol=1e-8, atol=1e-8)


def test_a_matrix_over_all_classes_that_is_too_large_is_refused_before_it_is_made(monkeypatch):
    """The docstring: with 16 GiB, 32,000 weights at most."""
    ranker = OnlineRanker(IELLIP(), many="exact", fit_intercept=False).fit(X, Y)
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 2**12, "SC_PHYS_PAGES": 2**22}.get)
    monkeypatch.setattr(support, "MUCH", 2**40)  # of which it warns
    model, refusal = ranker.model_, r'^IELLIP on .* 5 classes needs \d+ GiB: .* many="joint"'
    support.check_start(model, 5300, 5)
    with pytest.raises(SelectronError, match=refusal):  # with three copies
        support.check_start(model, 6400, 5)
    model.width = 6400
    support.check_start(model, 6400, 5)
    model.width = 6600
    with pytest.raises(SelectronError, match=refusal):
        support.check_start(model, 6600, 5)
    wide = OnlineRanker(IELLIP(), many="exact")
    with pytest.raises(SelectronError, match=r'many="joint"\.$'):
        wide.fit(np.ones((2, 7000)), Y[:2])
    assert not hasattr(wide, "classes_")


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (Y[:, 0], "two columns"),
        (Y[:-1], "120 rows"),
        (np.full((120, 5), 2), "Row 0"),
        (np.where(np.arange(5) == 1, np.nan, Y), "Row 0"),
        ("abc", "table"),
    ],
    ids=["one column", "short", "twos", "holes", "a word"],
)
def test_tables_that_are_none(y, words):
    with pytest.raises(SelectronError, match=words):
        OnlineRanker().fit(X, y)


def test_classes_must_fit():
    with pytest.raises(SelectronError, match="5 columns"):
        OnlineRanker(classes=["a", "b"]).fit(X, Y)
    with pytest.raises(SelectronError, match="5 columns"):
        OnlineRanker().fit(X, Y[:, :3]).partial_fit(X, Y)
    with pytest.raises(SelectronError, match="must know its classes"):
        OnlineRanker().decide(X[0])


@pytest.mark.slow
def test_files_of_rankers_and_classifiers_are_told_apart(tmp_path):
    OnlineRanker(many="exact").fit(X, Y).save(tmp_path / "ranker")
    OnlineClassifier().fit(X, Y[:, 0]).save(tmp_path / "classifier")
    with pytest.raises(SelectronError, match="holds an OnlineRanker"):
        OnlineClassifier.load(tmp_path / "ranker")
    with pytest.raises(SelectronError, match="holds an OnlineClassifier"):
        OnlineRanker.load(tmp_path / "classifier")


def test_a_projection_cannot_rank():
    with pytest.raises(SelectronError, match="L1Constrained cannot rank"):
        OnlineRanker(L1Constrained(beta=1.0)).fit(X, Y)


@pytest.mark.parametrize("many", ["bogus", "rest", "ranking", 3, ["exact"]])
def test_there_are_two_ways_to_rank(many):
    ranker = OnlineRanker(PassiveAggressive(), many=many)
    words = r'^many must be "joint" or "exact" with OnlineRanker, got '
    with pytest.raises(SelectronError, match=words):
        ranker.fit(X, Y)
    assert not hasattr(ranker, "classes_")


def test_its_tags_are_those_of_a_multi_label_classifier():
    tags = OnlineRanker().__sklearn_tags__()
    assert tags.classifier_tags.multi_label
    assert not tags.classifier_tags.multi_class
    assert tags.target_tags.multi_output
    assert not tags.target_tags.single_output
    assert not OnlineClassifier().__sklearn_tags__().classifier_tags.multi_label


def test_a_decision_has_no_probabilities():
    assert OnlineRanker(PassiveAggressive(), classes=[0, 1, 2]).decide([1.0, 2.0]).proba == ()


def test_classes_are_named_by_a_data_frame():
    names = ["news", "sport", "art", "law", "tech"]
    frame = pd.DataFrame(Y, columns=names)
    ranker = OnlineRanker(PassiveAggressive(C=1.0)).fit(X, frame)
    assert ranker.classes_.tolist() == names
    with pytest.raises(SelectronError, match="The classes are"):
        ranker.partial_fit(X, frame[names[::-1]])
    for later in (Y, pd.DataFrame(Y), frame.rename(columns=str.upper)):
        assert ranker.partial_fit(X, later).predict(X).shape == Y.shape
    for frame_of in (
        pd.DataFrame(Y),
        pd.concat({"a": frame}, axis=1),
        frame.set_axis(["x"] * 5, axis=1),
    ):
        ranker = OnlineRanker(PassiveAggressive(C=1.0)).fit(X, frame_of)
        assert ranker.classes_.tolist() == [0, 1, 2, 3, 4]
    ranker = OnlineRanker(PassiveAggressive(C=1.0)).partial_fit(X, frame, classes=[1, 2, 3, 4, 5])
    assert ranker.partial_fit(X, frame).classes_.tolist() == [1, 2, 3, 4, 5]
    named = OnlineRanker(PassiveAggressive(C=1.0), classes=list("abcde")).fit(X, frame)
    assert named.classes_.tolist() == list("abcde")


def test_a_column_of_labels_that_is_renamed_is_refused():
    frame = pd.DataFrame(np.eye(3, dtype=int)[np.arange(len(X)) % 3], columns=list("bca"))
    ranker = OnlineRanker(LASEC()).fit(X, frame)
    with pytest.raises(SelectronError, match="y has a column 'x', and the classes are"):
        ranker.partial_fit(X, frame.rename(columns={"b": "x"}))


def test_named_classes_keep_their_order():
    names = ["b", "c", "a"]
    ranker = OnlineRanker(LASEC(), classes=names)
    ranker.tell(ranker.decide(X[0]).ticket, ["c"])
    assert ranker.classes_.tolist() == names
    ranker.partial_fit(X, np.eye(3, dtype=int)[np.arange(len(X)) % 3])
    assert (
        OnlineRanker(LASEC(), classes=names).fit(X, np.ones((len(X), 3))).classes_.tolist() == names
    )


def test_a_row_of_a_table_is_decided_on_once():
    days = np.array(["2026-01-01", "2026-01-02", "2026-01-05", "2026-01-04"], "datetime64[D]")
    table = pa.table({"a": [1.5, 2.0, 1.0, 3.0], "day": days})
    ranker = OnlineRanker(PassiveAggressive(), classes=["u", "v"], encoder="auto")
    ranker.run(table, [[1, 0], [0, 1]] * 2)
    scores = ranker.decision_function(table)
    for row in range(4):
        expected = np.array(["u", "v"])[chosen(scores[[row]])[0] > 0].tolist()
        assert deepcopy(ranker).decide(table.slice(row, 1)).label == expected
    ranker.decide(table.slice(0, 1))
    assert ranker.n_rounds_ == 5
