"""Run, labels of all kinds, and rows without a label."""

import math

import numpy as np
import pandas as pd
import pytest

from selectron import OnlineClassifier, Run, SelectronError
from selectron.askers import BBQ, BBQI, Budget, Disagreement, Margin, Uncertainty
from selectron.learners import LASEC, LeadingHistory, Perceptron

from .examples import X, Y, inside

TRUTH = Y == 1


def play(y, **given):
    parameters = {"asker": Margin(0.3), "random_state": 5} | given
    return OnlineClassifier(Perceptron(), **parameters).run(X, y)


# The record


def test_arrays():
    run = play(Y)
    assert isinstance(run, Run)
    assert len(run) == 120
    for name in (
        "margin",
        "ask_probability",
        "prediction",
        "asked",
        "updated",
        "label",
        "labelled",
    ):
        assert getattr(run, name).shape == (120,), name
    assert run.margin.dtype == run.ask_probability.dtype == np.float64
    assert run.asked.dtype == run.updated.dtype == run.labelled.dtype == run.correct.dtype == bool
    assert run.prediction.dtype == Y.dtype
    assert not (run.updated & ~run.asked).any()
    assert np.array_equal(run.prediction, np.where(run.margin >= 0, 1, -1))
    assert np.array_equal(run.ask_probability, 0.3 / (0.3 + np.abs(run.margin)))
    assert np.array_equal(run.asked, np.random.default_rng(5).random(120) < run.ask_probability)
    assert np.array_equal(run.updated, run.asked & (run.prediction != Y))


def test_numbers():
    run = play(Y)
    assert run.mistakes == (run.prediction != Y).sum()
    assert run.accuracy == (run.prediction == Y).mean()
    assert run.label_rate == run.asked.mean()
    assert run.steps == run.updated.sum()
    assert 0 < run.steps < run.mistakes < run.asked.sum() < 120
    for value in (run.mistakes, run.steps):
        assert type(value) is int
    for value in (run.accuracy, run.label_rate):
        assert type(value) is float


@pytest.mark.parametrize("learner", [Perceptron(), LASEC()], ids=["first", "second"])
def test_without_margins_the_decisions_are_the_same(learner):
    full, brief = (
        OnlineClassifier(learner, asker=Margin(0.3), random_state=1).run(X, Y, margins=margins)
        for margins in (True, False)
    )
    assert brief.margin is None
    assert brief.ask_probability is None
    for name in ("prediction", "asked", "updated"):
        assert np.array_equal(getattr(full, name), getattr(brief, name)), name
    assert brief.accuracy == full.accuracy


def test_runs_go_on_where_the_last_one_ended():
    whole, parts = (
        OnlineClassifier(Perceptron(), asker=Margin(0.3), random_state=5) for _ in range(2)
    )
    run = whole.run(X, Y)
    runs = [parts.run(X[part], Y[part]) for part in (slice(0, 50), slice(50, 51), slice(51, 120))]
    assert np.array_equal(run.margin, np.concatenate([part.margin for part in runs]))
    assert inside(whole) == inside(parts)


def test_a_record_can_be_compared():
    run = play(Y)
    assert run == run
    assert run != play(Y)


# Labels of any two kinds

KINDS = {
    "0 and 1": np.where(TRUTH, 1, 0),
    "1 and 2": np.where(TRUTH, 2, 1),
    "int8": np.where(TRUTH, 3, -7).astype(np.int8),
    "unsigned": np.where(TRUTH, 200, 100).astype(np.uint8),
    "beyond float": np.where(TRUTH, 2**60 + 1, 2**60),
    "floats": np.where(TRUTH, 0.5, -0.5),
    "float32": np.where(TRUTH, 0.3, 0.1).astype(np.float32),
    "infinitesimal": np.where(TRUTH, 5e-324, 0.0),
    "bools": TRUTH,
    "list of bools": TRUTH.tolist(),
    "strings": np.where(TRUTH, "spam", "ham"),
    "list of strings": np.where(TRUTH, "spam", "ham").tolist(),
    "text as of a missing number": np.where(TRUTH, "nan", "NA"),
    "bytes": np.where(TRUTH, b"spam", b"ham"),
    "objects": np.where(TRUTH, "spam", "ham").astype(object),
    "objects that are numbers": np.where(TRUTH, 1, 0).astype(object),
    "NumPy's strings": np.where(TRUTH, "spam", "ham").astype(np.dtypes.StringDType()),
    "tuple": tuple(Y.tolist()),
    "series": pd.Series(Y, index=range(7, 127)),
    "series of strings": pd.Series(np.where(TRUTH, "spam", "ham")),
    "categories": pd.Series(np.where(TRUTH, "spam", "ham"), dtype="category"),
    "nullable": pd.Series(Y, dtype="Int64"),
    "nullable bools": pd.Series(TRUTH, dtype="boolean"),
    "dates": np.where(TRUTH, np.datetime64("2002-01-01"), np.datetime64("2001-01-01")),
}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_labels(kind):
    y = KINDS[kind]
    plain, run = play(Y), play(y)
    for name in ("margin", "asked", "updated", "correct"):
        assert np.array_equal(getattr(run, name), getattr(plain, name)), name
    listed = list(y)
    assert all(run.prediction[run.correct] == np.array(listed, object)[run.correct])
    assert run.mistakes == plain.mistakes


@pytest.mark.parametrize("kind", KINDS)
def test_the_greater_class_is_positive(kind):
    y = KINDS[kind]
    clf = OnlineClassifier(Perceptron()).fit(X, y)
    assert clf.classes_.shape == (2,)
    assert sorted(clf.classes_) == list(clf.classes_)
    assert np.array_equal(clf.predict(X) == clf.classes_[1], clf.decision_function(X) >= 0)
    assert list(y)[int(TRUTH.argmax())] == clf.classes_[1]
    assert list(y)[int(TRUTH.argmin())] == clf.classes_[0]


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_a_kind_can_be_told(kind):
    y = list(KINDS[kind])
    clf = OnlineClassifier(Perceptron()).fit(X, KINDS[kind])
    for i in range(5):
        decision = clf.decide(X[i])
        assert clf.tell(decision.ticket, y[i]) == (decision.label != y[i])


def test_zero_is_positive():
    clf = OnlineClassifier(Perceptron(), fit_intercept=False).fit(X, np.where(TRUTH, "b", "a"))
    assert clf.decision_function(np.zeros((1, 4)))[0] == 0
    assert clf.predict(np.zeros((1, 4))).tolist() == ["b"]
    assert OnlineClassifier(classes=["b", "a"]).decide(X[0]).label == "b"


# Classes named beforehand


@pytest.mark.parametrize(
    "classes", [["spam", "ham"], ("ham", "spam"), np.array(["ham", "spam"]), {"ham", "spam"}]
)
def test_classes_in_the_constructor_or_in_the_call(classes):
    y = np.where(TRUTH, "spam", "ham")
    whole = OnlineClassifier(Perceptron()).fit(X, y)
    named = OnlineClassifier(Perceptron(), classes=classes)
    called = OnlineClassifier(Perceptron())
    one = [int(TRUTH.argmax())]
    named.run(X[one], y[one])
    called.partial_fit(X[one], y[one], classes=classes)
    for clf in (named, called):
        assert clf.classes_.tolist() == ["ham", "spam"]
        assert clf.partial_fit(X, y).predict(X).dtype == whole.predict(X).dtype


def test_naming_the_classes_again_is_no_error():
    clf = OnlineClassifier(Perceptron(), classes=[-1, 1]).fit(X, Y)
    clf.partial_fit(X, Y, classes=[1, -1]).run(X, Y, classes=np.array([-1.0, 1.0]))
    assert clf.n_rounds_ == 360
    with pytest.raises(SelectronError, match=r"^The classes are \[-1, 1\] already, got \[1, 2\]"):
        clf.partial_fit(X, Y, classes=[1, 2])


def test_more_classes_can_be_named_later():
    clf = OnlineClassifier(Perceptron(), classes=["ham", "spam"], random_state=0)
    clf.fit(X, np.where(TRUTH, "spam", "ham"))
    with pytest.raises(SelectronError, match="'news', which is neither"):
        clf.partial_fit(X[:1], ["news"])
    clf.set_params(classes=["spam", "news", "ham"]).partial_fit(X[:1], ["news"])
    assert clf.classes_.tolist() == ["ham", "spam", "news"]
    clf.partial_fit(X[:1], ["bulk"], classes=["ham", "spam", "news", "bulk"])
    clf.set_params(classes=["ham", "spam", "news", "bulk", "other"])
    ticket = next(d.ticket for d in map(clf.decide, X) if d.ask)
    with pytest.raises(SelectronError, match="There is no class 'junk'"):
        clf.tell(ticket, "junk")
    clf.tell(ticket, "other")
    assert clf.classes_.tolist() == ["ham", "spam", "news", "bulk", "other"]
    clf.set_params(classes=["ham", "spam"]).partial_fit(X[:1], ["bulk"])  # none are taken away
    assert len(clf.classes_) == 5
    for wrong in (5, "ham", ["ham"], [1, [2]]):
        with pytest.raises(SelectronError, match="classes"):
            clf.set_params(classes=wrong).partial_fit(X[:1], ["bulk"])


def test_stream_that_begins_with_decide_learns_its_classes():
    clf = OnlineClassifier(Perceptron())
    assert clf.decide(X[0]).label is None
    assert clf.tell(1, "ham")
    assert clf.classes_.tolist() == ["ham"]
    assert clf.decide(-X[0]).label == clf.predict(-X[:1])[0] == "ham"  # the only one it knows
    clf.tell(2, "spam")
    assert clf.classes_.tolist() == ["ham", "spam"]


# Rows without a label

NAN = float("nan")
GAPS = {
    "nan": lambda y: np.where(HOLES, NAN, y),
    "float32 nan": lambda y: np.where(HOLES, NAN, y).astype(np.float32),
    "None": lambda y: holes(y, None),
    "NA": lambda y: holes(y, pd.NA),
    "nan among objects": lambda y: holes(y, NAN),
    "NumPy's nan among objects": lambda y: holes(y, np.float32(NAN)),
    "list": lambda y: holes(y, None).tolist(),
    "list of strings and None": lambda y: holes(np.where(y > 0, "spam", "ham"), None).tolist(),
    "list of strings and nan": lambda y: holes(np.where(y > 0, "spam", "ham"), NAN).tolist(),
    "series": lambda y: pd.Series(holes(np.where(y > 0, "spam", "ham"), None)),
    "Int64": lambda y: pd.Series(holes(y, None), dtype="Int64"),
    "Float64": lambda y: pd.Series(holes(y, None), dtype="Float64"),
    "boolean": lambda y: pd.Series(holes(y > 0, None), dtype="boolean"),
    "string": lambda y: pd.Series(holes(np.where(y > 0, "b", "a"), None), dtype="string"),
    "category": lambda y: pd.Series(holes(np.where(y > 0, "b", "a"), None), dtype="category"),
}
HOLES = np.arange(120) % 3 == 1


def holes(y, hole):
    y = y.astype(object)
    y[HOLES] = hole
    return y


@pytest.mark.parametrize("kind", GAPS)
def test_rows_without_a_label_are_predicted_and_never_asked(kind):
    run = OnlineClassifier(Perceptron()).run(X, GAPS[kind](Y))
    assert np.array_equal(run.labelled, ~HOLES)
    assert np.array_equal(run.asked, ~HOLES)
    assert np.array_equal(run.prediction == run.prediction.max(), run.margin >= 0)
    assert run.mistakes == (~run.correct & ~HOLES).sum() > 0
    assert run.accuracy == run.correct.sum() / 80
    assert run.label_rate == pytest.approx(2 / 3)


@pytest.mark.parametrize("kind", GAPS)
def test_rows_without_a_label_teach_nothing(kind):
    gaps = OnlineClassifier(Perceptron()).partial_fit(X, GAPS[kind](Y))
    without = OnlineClassifier(Perceptron()).partial_fit(X[~HOLES], Y[~HOLES])
    assert np.array_equal(gaps.coef_, without.coef_)
    assert (gaps.n_rounds_, without.n_rounds_) == (120, 80)


def test_stream_without_any_label():
    run = play([None] * 120, classes=["a", "b"])
    assert set(run.prediction.tolist()) == {"b"}
    assert not run.asked.any()
    assert math.isnan(run.accuracy)
    assert (run.mistakes, run.label_rate) == (0, 0.0)


@pytest.mark.parametrize("asker", [BBQ(0.5), BBQI(0.5), Disagreement()], ids=str)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_ring_has_no_variance_to_ask_by(asker, wrapped):
    clf = OnlineClassifier(LeadingHistory(), Budget(rate=0.1, asker=asker) if wrapped else asker)
    words = f"^{type(asker).__name__} asks by the variance of a row, which LeadingHistory does not"
    with pytest.raises(SelectronError, match=words):
        clf.run(X, Y)
    assert not hasattr(clf, "classes_")


@pytest.mark.parametrize(
    ("learner", "asker"),
    [
        (Perceptron(), BBQ(0.5)),
        (Perceptron(), BBQI(0.5)),
        (Perceptron(), Uncertainty()),
        (LASEC(), Uncertainty()),
    ],
    ids=str,
)
def test_an_asker_that_reads_what_the_learner_does_not_give_is_refused(learner, asker):
    clf = OnlineClassifier(learner, asker)
    with pytest.raises(SelectronError, match=f"^{type(asker).__name__} asks by .*: take Margin"):
        clf.run(X, Y)
    assert not hasattr(clf, "classes_")
    OnlineClassifier(learner, Budget(rate=0.1, asker=asker)).run(X, Y)


def test_one_class_alone_is_always_predicted():
    clf = OnlineClassifier(LeadingHistory()).partial_fit(X[:3], ["a"] * 3)
    run = clf.run(X[:50], ["a"] * 50)
    assert set(run.prediction) == {"a"}
    assert run.mistakes == 0
    assert run.metrics().true.accuracy == 1
