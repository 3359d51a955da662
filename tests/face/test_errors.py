"""Wrong input: one sentence that names what and where, and nothing has changed."""

import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from selectron import OnlineClassifier, SelectronError, TableEncoder
from selectron.askers import AdaptiveMargin, Budget, Fixed, Margin, SecondOrderMargin, Uncertainty
from selectron.learners import (
    AROW,
    LASEC,
    BudgetPerceptron,
    LeadingHistory,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
)
from selectron.model import support

from .examples import X, Y, inside, is_one_sentence

NAN, INF = math.nan, math.inf


def put(value, row=7, feature=2):
    changed = X.copy()
    changed[row, feature] = value
    return changed


def csr(indices, indptr=(0, 2, 3), width=4):
    """A sparse matrix that SciPy has not checked."""
    X = scipy.sparse.csr_array((len(indptr) - 1, width))
    X.data, X.indices = np.ones(len(indices)), np.array(indices, np.int32)
    X.indptr = np.array(indptr, np.int32)
    return X


def csc(indices):
    X = scipy.sparse.csc_array((4, 2))
    X.data, X.indices = np.ones(len(indices)), np.array(indices, np.int32)
    X.indptr = np.array([0, 2, 3], np.int32)
    return X


def refused(call, clf, words):
    before = inside(clf)
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        call(clf)
    said = str(caught.value)
    assert is_one_sentence(said), said
    for word in words:
        assert word in said
    assert inside(clf) == before


# Rows and labels, to a new classifier and to one that has learned: (X, y, words of the message)

ROWS = {
    "NaN": (put(NAN), Y, ["Row 7", "feature 2", "NaN"]),
    "infinite": (put(INF), Y, ["Row 7", "feature 2", "infinite"]),
    "minus infinity": (put(-INF, 119, 3), Y, ["Row 119", "feature 3", "infinite"]),
    "too large": (put(1e300), Y, ["Row 7", "too large"]),
    "1-D": (X[0], Y[:1], ["X", "two dimensions"]),
    "0-D": (5.0, Y[:1], ["X", "two dimensions"]),
    "3-D": (X[None], Y[:1], ["dim 3"]),
    "None": (None, Y, ["X"]),
    "a word": ("abc", Y, ["X", "abc"]),
    "no rows": (X[:0], Y[:0], ["0 sample(s)"]),
    "no features": (X[:, :0], Y, ["0 feature(s)"]),
    "ragged": ([[1.0], [1.0, 2.0]], Y[:2], ["X", "length"]),
    "complex": (X + 1j, Y, ["X", "Complex"]),
    "strings": (np.full((2, 4), "one"), Y[:2], ["X", "one"]),
    "objects": (np.full((2, 4), "one", object), Y[:2], ["X", "one"]),
    "1-D sparse": (scipy.sparse.coo_array(X[0]), Y[:1], ["X"]),
    "index too large": (csr([0, 4, 1]), Y[:2], ["X", "indices"]),
    "negative index": (csr([0, -1, 1]), Y[:2], ["X", "ind"]),
    "falling indptr": (csr([0, 1, 2], (0, 3, 2)), Y[:2], ["X", "indptr"]),
    "indptr beyond": (csr([0, 1, 2], (0, 2, 9)), Y[:2], ["X", "ind"]),
    "csc index too large": (csc([0, 4000, 1]), Y[:4], ["X", "ind"]),
    "csc negative index": (csc([0, -4000, 1]), Y[:4], ["X", "ind"]),
    "sparse NaN": (scipy.sparse.csr_array(put(NAN)), Y, ["Row 7", "feature 2", "NaN"]),
    "sparse infinity": (scipy.sparse.csr_array(put(INF)), Y, ["Row 7", "feature 2", "infinite"]),
}
LABELS = {
    "short y": (X, Y[:-1], ["120 rows", "119 labels"]),
    "long y": (X[:-1], Y, ["119 rows", "120 labels"]),
    "no y": (X, None, ["y"]),
    "2-D y": (X, np.column_stack([Y, Y]), ["y", "(120, 2)"]),
    "0-D y": (X, 5, ["y"]),
    "a word as y": (X, "spam", ["y"]),
    "ragged y": (X[:2], [[1], [1, 2]], ["y"]),
    "complex y": (X[:2], np.array([1j, 1]), ["y", "Complex"]),
    "infinite y": (X[:2], [1.0, INF], ["y", "infinity"]),
    "strings and numbers": (X[:2], ["spam", 1], ["label"]),
    "strings and numbers as objects": (X[:3], np.array(["spam", 1, None], object), ["label"]),
}
WIDTHS = {
    "wide": (X[:, :3], Y, ["3 features", "4 features"]),
    "narrow": (np.hstack([X, X]), Y, ["8 features", "4 features"]),
    "sparse and wide": (scipy.sparse.csr_array((2, 5)), Y[:2], ["5 features", "4 features"]),
    "unknown label": (X[:3], [1, -1, 3], ["Row 2", "3", "neither -1 nor 1"]),
    "unknown string": (X[:3], ["1", "-1", "1"], ["Row 0", "'1'", "neither -1 nor 1"]),
    "unknown object": (X[:3], np.array([1, "1", None], object), ["Row 1", "neither -1 nor 1"]),
    "unknown float": (X[:3], np.array([1, NAN, 0.5]), ["Row 2", "0.5", "neither -1 nor 1"]),
}
CLASSES = {
    "measurements": (X, X[:, 0], ["continuous"]),
    "one class": (X[:3], [1, 1, 1], ["one class", "1", "classes="]),
    "one string": (X[:3], ["a", "a", None], ["one class", "'a'", "classes="]),
    "no label": (X[:3], [None, NAN, pd.NA], ["classes="]),
}
TABLES = ROWS | LABELS
UNFIT = [kind for kind in ROWS if kind != "too large"]  # a huge row has a sign all the same
METHODS = ["fit", "partial_fit", "run"]
FIRST = [
    (kind, method)
    for kind in [*TABLES, *CLASSES]
    for method in METHODS
    if not (kind.startswith("one ") and method == "partial_fit")  # other classes may come
]


@pytest.mark.parametrize(("kind", "method"), FIRST)
def test_first_rows(kind, method):
    rows, y, words = (TABLES | CLASSES)[kind]
    clf = OnlineClassifier(Perceptron(), random_state=0)
    refused(lambda clf: getattr(clf, method)(rows, y), clf, words)


@pytest.mark.parametrize("method", ["partial_fit", "run"])
@pytest.mark.parametrize("kind", [*TABLES, *WIDTHS])
def test_later_rows(kind, method):
    rows, y, words = (TABLES | WIDTHS)[kind]
    clf = OnlineClassifier(Perceptron(), classes=[-1, 1], random_state=0).fit(X, Y)
    clf.decide(X[0])
    refused(lambda clf: getattr(clf, method)(rows, y), clf, words)


@pytest.mark.parametrize("kind", CLASSES)
def test_a_failed_fit_keeps_the_last_one(kind):
    rows, y, words = CLASSES[kind]
    clf = OnlineClassifier(Perceptron(), random_state=0).fit(X, Y)
    clf.decide(X[0])
    refused(lambda clf: clf.fit(rows[:, :3], y), clf, words)


@pytest.mark.parametrize("method", ["predict", "decision_function"])
@pytest.mark.parametrize("learner", [Perceptron(), LASEC()], ids=["first", "second"])
@pytest.mark.parametrize("kind", [*UNFIT, "wide", "narrow", "sparse and wide"])
def test_rows_to_predict(kind, learner, method):
    rows, _, words = (TABLES | WIDTHS)[kind]
    clf = OnlineClassifier(learner, random_state=0).fit(X, Y)
    refused(lambda clf: getattr(clf, method)(rows), clf, words)


def test_duplicates_are_summed():
    clf, like = (OnlineClassifier(Perceptron(), classes=[-1, 1]) for _ in range(2))
    clf.fit(csr([1, 1, 2]), [-1, 1])
    like.fit(scipy.sparse.csr_array([[0, 2.0, 0, 0], [0, 0, 1, 0]]), [-1, 1])
    assert np.array_equal(clf.coef_, like.coef_)


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("learner", [Perceptron(), LASEC()], ids=lambda part: type(part).__name__)
@pytest.mark.parametrize("size", [1e155, 1e300])
def test_step_that_would_overflow(learner, sparse, size):
    rows = np.vstack([X[:5], np.full((1, 4), size), X[5:]])
    y = np.concatenate([Y[:5], [1], Y[5:]])
    clf = OnlineClassifier(learner, normalize=False, random_state=0).fit(X, Y)
    step = clf.predict(np.full((1, 4), 1.0))[0]
    y[5] = -step
    given = scipy.sparse.csr_array(rows) if sparse else rows
    refused(lambda clf: clf.partial_fit(given, y), clf, ["Row 5", "too large"])


def test_a_refusal_far_in_undoes_all_that_came_before():
    rows = np.vstack([np.tile(X, (200, 1)), put(NAN)])
    clf = OnlineClassifier(Perceptron(), asker=Margin(1.0), random_state=0).fit(X, Y)
    refused(lambda clf: clf.run(rows, np.tile(Y, 201)), clf, ["Row 24007", "feature 2", "NaN"])


def test_matrix_that_takes_much_memory(monkeypatch):
    monkeypatch.setattr(support, "MUCH", 2**20)
    rows = [{"text": f"win {word} or money"} for word in ("some", "more")]
    with pytest.warns(
        UserWarning, match=r"AROW on .* GiB, over which each step .*, or sketch=32\.$"
    ):
        OnlineClassifier(AROW(), encoder=TableEncoder({"text": "text"}, text_size=600)).fit(
            rows, ["a", "b"]
        )


def test_matrix_that_is_too_large_for_memory():
    wide = scipy.sparse.csr_array((2, 10_000_000))
    clf = OnlineClassifier(LASEC())
    refused(lambda clf: clf.fit(wide, [0, 1]), clf, ["LASEC", "10000000 features", "GiB"])


def test_indices_beyond_four_bytes():
    wide = scipy.sparse.coo_array(([1.0], ([0], [2**31])), shape=(1, 2**32))
    clf = OnlineClassifier(Perceptron(), classes=[0, 1])
    refused(lambda clf: clf.decide(wide), clf, ["X", str(2**32), "features"])


# Classes

PAIRS = [[1], [1, 1], [1, 2, 2], "ab", 5, [1, None], [1.0, NAN], [], [1, "a"], [[1], [2]], {"a": 1}]


@pytest.mark.parametrize("classes", PAIRS, ids=repr)
def test_classes_that_are_none(classes):
    clf = OnlineClassifier(Perceptron(), classes=classes, random_state=0)
    refused(lambda clf: clf.fit(X, Y), clf, ["classes" if classes != [1, "a"] else "sorted"])
    refused(lambda clf: clf.decide(X[0]), clf, [])


@pytest.mark.parametrize("classes", [[0, 1], [1, 2], [1, 2, 3]], ids=repr)
def test_other_classes_than_before(classes):
    clf = OnlineClassifier(Perceptron(), random_state=0).fit(X, Y)
    refused(lambda clf: clf.partial_fit(X, Y, classes=classes), clf, ["classes", str(classes)])


# Parameters

PARAMETERS = {
    "b above c": ({"learner": LASEC(5.0, 1.0)}, ["LASEC", "b", "5", "c", "1"]),
    "b equal to c": ({"learner": LASEC(2.0, 2.0)}, ["LASEC", "b", "2", "c"]),
    "b and c of NumPy": ({"learner": LASEC(np.float64(5), np.float64(1))}, ["LASEC", "b", "c"]),
    "b zero": ({"learner": LASEC(0.0)}, ["LASEC", "b", "above 0", "0.0"]),
    "b infinite": ({"learner": LASEC(INF, INF)}, ["LASEC", "b", "finite", "inf"]),
    "b a string": ({"learner": LASEC("1")}, ["LASEC", "b", "'1'"]),
    "b None": ({"learner": LASEC(None)}, ["LASEC", "b", "None"]),
    "b an array": ({"learner": LASEC(np.ones(2))}, ["LASEC", "b"]),
    "b beyond float": ({"learner": LASEC(10**400)}, ["LASEC", "b", "finite"]),
    "c NaN": ({"learner": LASEC(1.0, NAN)}, ["LASEC", "c", "nan"]),
    "a negative": ({"learner": SecondOrderPerceptron(-1.0)}, ["SecondOrderPerceptron", "a", "-1"]),
    "a of NumPy": ({"learner": SecondOrderPerceptron(np.float32(-1))}, ["a", "got -1.0"]),
    "r zero": ({"learner": AROW(0)}, ["AROW", "r", "0"]),
    "r infinite": ({"learner": AROW(INF)}, ["AROW", "r", "inf"]),
    "C zero": ({"learner": PassiveAggressive(0)}, ["PassiveAggressive", "C", "above 0", "got 0"]),
    "C negative": ({"learner": PassiveAggressive(-2)}, ["PassiveAggressive", "C", "-2"]),
    "C NaN": ({"learner": PassiveAggressive(NAN)}, ["PassiveAggressive", "C", "nan"]),
    "C a string": ({"learner": PassiveAggressive("big")}, ["PassiveAggressive", "C", "'big'"]),
    "variant III": ({"learner": PassiveAggressive(1.0, "III")}, ["variant", "'III'"]),
    "variant 1": ({"learner": PassiveAggressive(1.0, 1)}, ["variant", "1"]),
    "variants": ({"learner": PassiveAggressive(1.0, np.array(["I", "II"]))}, ["variant"]),
    "b of Margin zero": ({"asker": Margin(0.0)}, ["Margin", "b", "0.0"]),
    "b of Margin NaN": ({"asker": Margin(NAN)}, ["Margin", "b", "nan"]),
    "b of Margin a string": ({"asker": Margin("0.1")}, ["Margin", "b", "'0.1'"]),
    "b of second order": ({"asker": SecondOrderMargin(-1)}, ["SecondOrderMargin", "b", "-1"]),
    "p above 1": ({"asker": Fixed(1.5)}, ["Fixed", "p", "1.5"]),
    "p negative": ({"asker": Fixed(-0.1)}, ["Fixed", "p", "-0.1"]),
    "p NaN": ({"asker": Fixed(NAN)}, ["Fixed", "p", "nan"]),
    "beta zero": ({"asker": AdaptiveMargin(0)}, ["AdaptiveMargin", "beta", "got 0"]),
    "beta": ({"asker": AdaptiveMargin(INF)}, ["beta must be a number above 0 and finite, got inf"]),
    "doubt": (
        {"asker": Uncertainty(INF)},
        ["doubt must be a number from 0 on and finite, got inf"],
    ),
    "fourier": (
        {"learner": LeadingHistory(fourier=-1)},
        ["fourier must be a whole number from 0 to 1000, got -1"],
    ),
    "budget": (
        {"learner": BudgetPerceptron(2.5)},
        ["BudgetPerceptron: budget must be a whole number from 1 on, got 2.5"],
    ),
    "learner class": ({"learner": LASEC}, ["learner", "LASEC()"]),
    "learner string": ({"learner": "lasec"}, ["learner", "'lasec'"]),
    "asker class": ({"asker": Margin}, ["asker", "Margin(0.1)"]),
    "asker string": ({"asker": "margin:b=1"}, ["asker", "'margin:b=1'"]),
    "asker number": ({"asker": 0.1}, ["asker", "0.1"]),
    "asker as learner": ({"learner": Margin(0.1)}, ["learner", "Margin(b=0.1)"]),
    "learner as asker": ({"asker": LASEC()}, ["asker", "LASEC(b=1.0"]),
    "max_open 0": ({"max_open": 0}, ["max_open", "got 0"]),
    "max_open -1": ({"max_open": -1}, ["max_open", "got -1"]),
    "max_open string": ({"max_open": "x"}, ["max_open", "'x'"]),
    "max_open 2.5": ({"max_open": 2.5}, ["max_open", "2.5"]),
    "max_open None": ({"max_open": None}, ["max_open", "None"]),
    "max_open True": ({"max_open": True}, ["max_open must be a whole number from 1 on, got True"]),
    "correctable": ({"correctable": -1}, ["correctable must be a whole number from 0 on, got -1"]),
    "normalize string": ({"normalize": "yes"}, ["normalize", "'yes'"]),
    "normalize norm": ({"normalize": "l2"}, ["normalize", "'l2'"]),
    "fit_intercept string": ({"fit_intercept": "no"}, ["fit_intercept", "'no'"]),
    "fit_intercept None": ({"fit_intercept": None}, ["fit_intercept", "None"]),
    "seed negative": ({"random_state": -1}, ["random_state", "-1"]),
    "seed string": ({"random_state": "a"}, ["random_state", "'a'"]),
    "seed 1.5": ({"random_state": 1.5}, ["random_state", "1.5"]),
    "seed module": ({"random_state": np.random}, ["random_state"]),
}


@pytest.mark.parametrize("kind", PARAMETERS)
def test_parameters(kind):
    given, words = PARAMETERS[kind]
    clf = OnlineClassifier(**({"learner": Perceptron()} | given))
    before = dict(vars(clf))
    for call in (lambda: clf.fit(X, Y), lambda: clf.run(X, Y), lambda: clf.decide(X[0])):
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            call()
        assert is_one_sentence(str(caught.value))
        for word in words:
            assert word in str(caught.value)
        assert vars(clf) == before


@pytest.mark.parametrize("flag", [True, False, np.True_, 0, 1])
def test_flags_of_any_kind(flag):
    clf = OnlineClassifier(Perceptron(), fit_intercept=flag, normalize=flag).fit(X, Y)
    plain = OnlineClassifier(Perceptron(), fit_intercept=bool(flag), normalize=bool(flag))
    assert np.array_equal(clf.coef_, plain.fit(X, Y).coef_)


@pytest.mark.parametrize(
    "seed",
    [
        None,
        0,
        np.int64(3),
        [1, 2],
        2**70,
        np.random.default_rng(0),
        np.random.RandomState(0),
        np.random.Generator(np.random.MT19937(0)),
        np.random.SeedSequence(5),
    ],
    ids=lambda seed: type(seed).__name__,
)
def test_seeds_of_any_kind(seed):
    clf = OnlineClassifier(Perceptron(), asker=Margin(0.1), random_state=seed)
    runs = [clf.fit(X, Y).run(X, Y).asked for _ in range(2)]
    assert np.array_equal(*runs) or seed is None


def test_a_shape_that_is_none_of_ours_is_named():
    class Shaped(Perceptron):
        def shape(self):
            return (1.0, 2.0)

    with pytest.raises(SelectronError, match=r"^Shaped.shape must return a Shape or None, got \(1"):
        OnlineClassifier(Shaped()).fit(np.eye(2), [0, 1])


def test_a_path_is_no_rows():
    for call in (OnlineClassifier().fit, OnlineClassifier().run):
        with pytest.raises(SelectronError, match=r"^X is 'a.csv': give rows, as pandas.read_csv"):
            call("a.csv", [0, 1])


@pytest.mark.parametrize("asker", [Budget(labels=20, horizon=1000), AdaptiveMargin(0.5)])
def test_a_refusal_after_the_model_grew_changes_neither_budget_nor_counts(asker):
    names, labels = "pqr", np.arange(120) % 4
    rows = [dict(zip(names, x, strict=False)) for x in X.tolist()]
    of_names, of_classes = (OnlineClassifier(Perceptron(), asker, random_state=0) for _ in range(2))
    of_names.run([{"p": row["p"]} for row in rows], Y)
    refused(lambda clf: clf.run([*rows, {"p": 1e200}], [*Y, 1]), of_names, ["Row 120"])
    of_classes.run(X, labels % 3)
    refused(lambda clf: clf.run(put(1e200, row=119), labels), of_classes, ["Row 119"])


def test_misshapen_times_and_weights():
    clf = OnlineClassifier(Perceptron(), Budget(labels=10, per="1d"), classes=[-1, 1])
    ticket = clf.decide(X[0], time=0.0).ticket
    refused(lambda clf: clf.decide(X[0], time=[1, [2, 3]]), clf, ["time must be a date or sec"])
    refused(lambda clf: clf.tell(ticket, 1, np.array([2.0, 3.0])), clf, ["must be one number"])


def test_masks_iterators_and_structured_arrays():
    clf = OnlineClassifier(Perceptron(), random_state=0).fit(X, Y)
    mask = np.arange(120) == 7
    for y, weight, name in (
        (np.ma.array(Y, mask=mask), None, "y"),
        (Y, np.ma.array(np.ones(120), mask=mask), "sample_weight"),
    ):
        refused(lambda clf, y=y, w=weight: clf.run(X, y, sample_weight=w), clf, [name, "masked"])
    refused(lambda clf: clf.run(iter(X), Y), clf, ["X is an iterator", "list(X)"])
    rows = np.zeros(120, [("a", float), ("b", "U3")])
    refused(lambda clf: clf.run(rows, Y), clf, ["structured array", "pandas.DataFrame(X)"])


def test_class_weights_for_a_class_of_another_type():
    clf = OnlineClassifier(Perceptron(), class_weight={"1": 50.0})
    with pytest.raises(SelectronError, match="class_weight names '1', a str, and the class is 1"):
        clf.run(X, Y)
