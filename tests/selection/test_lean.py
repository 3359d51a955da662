"""Lean predictions, compared with a stream that is played one row at a time."""

import copy

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.exceptions import NotFittedError

from selectron import OnlineClassifier, OnlineRanker, SelectronError
from selectron.askers import Always, Margin
from selectron.engine.parts import Learner, declared
from selectron.learners import (
    AROW,
    LASEC,
    RLS,
    BudgetPerceptron,
    LeadingHistory,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
)
from selectron.model.model import Model
from selectron.selection import kept, lean, lean_run
from selectron.streams import switching_gaussian

pytestmark = pytest.mark.usefixtures("interpreted")

X, Y = switching_gaussian(160, d=7, every=60, seed=3)
X = np.where(np.random.default_rng(0).random(X.shape) < 0.4, 0.0, X)
LEARNERS = [PassiveAggressive(C=0.5), Perceptron(), LASEC(), AROW(), SecondOrderPerceptron()]
FORMS = {"dense": np.asarray, "sparse": scipy.sparse.csr_array}

learners = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
forms = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
intercepts = pytest.mark.parametrize("intercept", [True, False], ids=["intercept", "none"])


@pytest.mark.parametrize(
    ("encoder", "rows"),
    [
        ("auto", pd.DataFrame({"c": list("xy") * 5, "n": range(10)})),
        (None, [{"a": 1.0, "b": i} for i in range(10)]),
    ],
)
def test_rows_that_are_encoded_are_refused(encoder, rows):
    clf = OnlineClassifier(PassiveAggressive(), encoder=encoder)
    with pytest.raises(SelectronError, match="for tables of numbers only"):
        lean_run(clf, rows, [0, 1] * 5, sigma=0.5)
    with pytest.raises(SelectronError, match="for tables of numbers only"):
        lean(clf.fit(rows, [0, 1] * 5), sigma=0.5)


def new(learner, asker=Always(), **options):  # noqa: B008
    return OnlineClassifier(learner, asker=asker, classes=[-1, 1], random_state=4, **options)


def inside(clf):
    """All that a classifier has learned, and its draws; not the product of the last row."""
    model = clf.model_
    state = {name: a.tobytes() for name, a in model.state._asdict().items() if name != "g"}
    return state, model.rounds, copy.deepcopy(model.draws).take(3).tolist()


def one_by_one(clf, rows, y, sigma, norm):
    """Predict each row with the weights as they are, the small ones dropped, then play it."""
    predictions, used, asked = [], [], []
    for i in range(len(y)):
        started = hasattr(clf, "model_")
        few = lean(clf, sigma, norm) if started else None
        predictions.append(few.predict(rows[[i]])[0] if started else 1)
        used.append(np.count_nonzero(few.coef_) if started else 0)
        asked.append(clf.run(rows[[i]], y[i : i + 1]).asked[0])
    return predictions, used, asked


@pytest.mark.slow
@learners
@forms
@intercepts
@pytest.mark.parametrize("norm", ["abs", "square"])
def test_as_one_row_at_a_time(learner, form, intercept, norm):
    rows, options = form(X), {"asker": Margin(0.5), "fit_intercept": intercept}
    clf, slow = new(learner, **options), new(learner, **options)
    played = lean_run(clf, rows, Y, 0.4, norm)
    predictions, used, asked = one_by_one(slow, rows, Y, 0.4, norm)
    assert played.lean.prediction.tolist() == predictions
    assert played.used.tolist() == used
    assert played.full.asked.tolist() == played.lean.asked.tolist() == asked
    assert inside(clf) == inside(slow)
    assert 0 < played.used.mean() < 7
    assert (played.lean.prediction != played.full.prediction).any()


@pytest.mark.parametrize("learner", [AROW(), RLS(), LeadingHistory(fourier=0)], ids=repr)
@pytest.mark.parametrize("weights", [None, {1: 2.5}, "balanced"], ids=str)
def test_weights_of_classes_and_rows_without_a_label_count(learner, weights):
    clf, slow = (new(learner, Margin(0.5), class_weight=weights) for _ in range(2))
    if weights and isinstance(learner, LeadingHistory):  # they change its predictions alone
        with pytest.raises(SelectronError, match="only if classes have no weights"):
            lean_run(clf, X, Y, 0.3)
        return
    played = lean_run(clf, X, Y, 0.3)
    predictions, used, _ = one_by_one(slow, X, Y, 0.3, "abs")
    renewed = {0, 1, 2, 4, 8, 16, 32, 64, 128}  # rows before which LeadingHistory has other weights
    rows = [i for i in range(160) if i not in renewed and used[i] < 7]
    assert len(rows) > 40
    assert played.lean.prediction[rows].tolist() == [predictions[i] for i in rows]
    assert played.used[rows].tolist() == [used[i] for i in rows]


@learners
@forms
def test_the_run_is_the_plain_one(learner, form):
    rows, y = form(X), np.where(np.arange(160) % 5 == 0, np.nan, Y)
    clf, plain = new(learner, Margin(0.5)), new(learner, Margin(0.5))
    for part in (slice(0, 90), slice(90, 160)):  # from nothing, and from what was learned
        played, run = lean_run(clf, rows[part], y[part], 1.0), plain.run(rows[part], y[part])
        for name in ("margin", "ask_probability", "flags", "code"):
            assert np.array_equal(getattr(played.full, name), getattr(run, name)), name
        assert np.array_equal(played.lean.updated, run.updated)
        assert played.lean.labelled.sum() == run.labelled.sum() < len(run)
        assert played.lean.margin is None
    assert inside(clf) == inside(plain)


@learners
@forms
@intercepts
def test_with_nothing_dropped_predictions_are_the_learners_own(learner, form, intercept):
    clf = new(learner, Margin(0.5), fit_intercept=intercept)
    rows = form(np.round(2 * X))  # whole numbers make margins of exactly 0
    played = lean_run(clf, rows, Y, 0.0)
    assert np.array_equal(played.lean.flags, played.full.flags)
    assert played.lean.accuracy == played.full.accuracy
    few = lean(clf, 0.0)
    assert np.array_equal(few.coef_, clf.coef_)
    assert np.array_equal(few.predict(rows), clf.predict(rows))


@learners
@forms
def test_with_everything_dropped_the_intercept_decides(learner, form):
    clf = new(learner)
    played = lean_run(clf, form(X), Y, np.inf)
    assert not played.used.any()
    before = new(learner)
    expected = [1]
    for i in range(159):
        before.partial_fit(form(X)[[i]], Y[i : i + 1])
        expected.append(1 if before.intercept_[0] >= 0 else -1)
    assert played.lean.prediction.tolist() == expected
    assert lean(clf, np.inf).intercept_ == clf.intercept_ != 0


@pytest.mark.parametrize("learner", LEARNERS[:2], ids=["as they are", "of unit length"])
@forms
def test_decision_values_are_the_learners_scaled_margins(learner, form):
    rows = form(X)
    clf = new(learner).fit(rows, Y)
    whole, few = lean(clf, 0.0), lean(clf, 1.0)
    assert np.allclose(whole.decision_function(rows), clf.decision_function(rows), atol=1e-13)
    mask = kept(clf.coef_, 1.0)
    assert 0 < mask.sum() < 7
    lengths = (
        np.sqrt((X**2).sum(axis=1) + 1) if declared(learner, Learner, "normalize")(learner) else 1.0
    )
    expected = (X[:, mask] @ clf.coef_[0, mask] + clf.intercept_[0]) / lengths
    assert np.allclose(few.decision_function(rows), expected, rtol=0, atol=1e-13)
    assert np.array_equal(few.predict(rows), np.where(expected >= 0, 1, -1))


@forms
def test_zero_rows_have_margin_zero(form):
    clf = new(Perceptron(), fit_intercept=False).fit(form(X), Y)
    rows = form(np.array([np.zeros(7), np.full(7, 1e-200)]))
    assert lean(clf, 0.1).decision_function(rows).tolist() == [0.0, 0.0]
    assert lean(clf, 0.1).decision_function(rows).tolist() == clf.decision_function(rows).tolist()


@pytest.mark.parametrize("learner", LEARNERS[:2], ids=["as they are", "of unit length"])
@forms
def test_rows_too_large_for_floating_point_are_refused(learner, form):
    clf = new(learner).fit(form(X), Y)
    rows = np.vstack([X[:2], np.full(7, 1.7e308)])
    for predicts in (clf, lean(clf, 0.1)):
        with pytest.raises(SelectronError, match=r"Row 2 .* floating point"):
            predicts.predict(form(rows))


def test_weights_are_those_of_then():
    clf = new(PassiveAggressive()).fit(X[:80], Y[:80])
    few = lean(clf, 0.5)
    before = few.decision_function(X)
    clf.partial_fit(X[80:], Y[80:])
    assert np.array_equal(few.decision_function(X), before)
    assert not np.array_equal(lean(clf, 0.5).decision_function(X), before)


def test_names_of_classes_and_of_features():
    table = pd.DataFrame(X, columns=list("abcdefg"))
    names = np.where(Y > 0, "spam", "ham")
    clf = OnlineClassifier(PassiveAggressive())
    played = lean_run(clf, table, names, 0.4)
    again = lean_run(clf, table, names, 0.4)  # it has seen the names of the features by now
    assert played.lean.prediction.tolist() == [
        "spam" if p > 0 else "ham"
        for p in lean_run(new(PassiveAggressive()), X, Y, 0.4).lean.prediction
    ]
    assert 0 < played.lean.mistakes < 160
    assert again.lean.mistakes != played.lean.mistakes
    assert set(lean(clf, 0.4).predict(table)) == {"spam", "ham"}


def test_single_precision():
    rows = X.astype(np.float32)
    single = lean_run(new(PassiveAggressive()), rows, Y, 0.4)
    double = lean_run(new(PassiveAggressive()), rows.astype(float), Y, 0.4)
    assert np.array_equal(single.lean.flags, double.lean.flags)


@pytest.mark.parametrize(
    ("rows", "sigma", "norm", "reason"),
    [
        (X, -1.0, "abs", "sigma must be"),
        (X, 1.0, "l1", "norm must be"),
        (X * np.nan, 1.0, "abs", "every value must be finite"),
        (X[:, 1:], 1.0, "abs", "X has 6 features"),
    ],
)
def test_what_is_wrong_teaches_nothing(rows, sigma, norm, reason):
    clf = new(PassiveAggressive()).fit(X, Y)
    before = inside(clf)
    with pytest.raises(SelectronError, match=reason):
        lean_run(clf, rows, Y, sigma, norm)
    with pytest.raises(SelectronError, match=reason):
        lean(clf, sigma, norm).predict(rows)
    assert inside(clf) == before


REFUSED = {
    "many classes": (OnlineClassifier(PassiveAggressive()), np.arange(len(Y)) % 3),
    "a kernel": (OnlineClassifier(PassiveAggressive(), kernel="rbf"), Y),
    "examples": (OnlineClassifier(BudgetPerceptron(9)), Y),
    "ranking": (OnlineRanker(PassiveAggressive()), np.eye(3)[np.arange(len(Y)) % 3]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_one_vector_of_weights_is_refused_before_it_plays(case, monkeypatch):
    clf, labels = REFUSED[case]
    monkeypatch.setattr(Model, "run", lambda *_: pytest.fail("it has played"))
    with pytest.raises(SelectronError, match="two classes only, learned without a kernel"):
        lean_run(clf, X, labels, 0.1)
    assert not hasattr(clf, "classes_")


def test_a_third_class_is_refused_and_leaves_no_trace():
    clf = OnlineClassifier(PassiveAggressive()).fit(X, Y)
    before = inside(clf)
    with pytest.raises(SelectronError, match="two classes only"):
        lean_run(clf, X, np.arange(len(Y)) % 3 - 1, 0.1)
    assert inside(clf) == before
    assert clf.classes_.tolist() == [-1, 1]


@pytest.mark.parametrize("given", [None, "clf", 5, PassiveAggressive()], ids=repr)
def test_what_is_no_classifier(given):
    for call in (lambda: lean(given, 0.1), lambda: lean_run(given, X, Y, 0.1)):
        with pytest.raises(SelectronError, match=r"^classifier must be an OnlineClassifier, got "):
            call()


def test_fourier_features_are_refused():
    few = X[:20], Y[:20]
    for call in (lambda clf: lean(clf.fit(*few), 0.1), lambda clf: lean_run(clf, *few, 0.1)):
        with pytest.raises(SelectronError, match=r"LeadingHistory\(fourier=0\)"):
            call(OnlineClassifier())


def test_not_fitted():
    with pytest.raises(NotFittedError):
        lean(OnlineClassifier(), 0.1)
