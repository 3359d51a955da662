"""Labels of odd kinds: dates, what stands for a missing one, and what can be no class."""

import itertools
import math
from decimal import Decimal
from enum import Enum
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from selectron import OnlineClassifier, OnlineRanker, SelectronError
from selectron.data.labels import is_missing, values
from selectron.learners import Perceptron
from selectron.pool import SelfDirectedClassifier

from .examples import X, inside, is_one_sentence

ROWS = X[:8]
DAYS = np.array(["2020-01-01", "2020-01-02", "NaT", "2020-01-01"] * 2, "datetime64[D]")

pytestmark = pytest.mark.usefixtures("interpreted")

WITHOUT = {
    "days": DAYS,
    "nanoseconds": DAYS.astype("datetime64[ns]"),
    "durations": np.array([1, 2, "NaT", 1] * 2, "timedelta64[h]"),
    "a column of dates": pd.Series(DAYS),
    "pandas' NaT among words": np.array(["a", "b", pd.NaT, "a"] * 2, object),
    "NumPy's NaT among words": np.array(["a", "b", np.datetime64("NaT"), "a"] * 2, object),
}


@pytest.mark.parametrize("kind", WITHOUT)
def test_what_stands_for_a_missing_label(kind):
    labels = WITHOUT[kind]
    run = OnlineClassifier(Perceptron()).run(ROWS, labels)
    assert run.labelled.tolist() == [True, True, False, True] * 2
    assert run.asked.tolist() == run.labelled.tolist()
    assert len(run.classes) == 2


@pytest.mark.parametrize("unit", ["D", "ns"])
def test_dates_are_classes_that_may_come_at_any_time(unit):
    clf = OnlineClassifier(Perceptron()).fit(ROWS, DAYS.astype(f"datetime64[{unit}]"))
    clf.partial_fit(ROWS[:1], np.array(["2020-01-05"], f"datetime64[{unit}]"))
    days = [np.datetime64(f"2020-01-0{n}") for n in (7, 5)]
    told = [clf.tell(clf.decide(x).ticket, day) for x, day in zip(ROWS, days, strict=False)]
    assert clf.classes_.dtype == np.dtype(f"datetime64[{unit}]")
    found = clf.classes_.astype("datetime64[D]").astype(str).tolist()
    assert found == ["2020-01-01", "2020-01-02", "2020-01-05", "2020-01-07"]
    assert any(told)
    assert set(clf.predict(ROWS)) <= set(clf.classes_)


NONE = [pd.NaT, np.datetime64("NaT"), math.inf, -math.inf, np.float32(math.inf), 1j]


@pytest.mark.parametrize("label", NONE, ids=repr)
def test_what_can_be_no_class_leaves_the_ticket_open(label):
    clf = OnlineClassifier(Perceptron()).fit(ROWS, [0, 1] * 4)
    ticket = clf.decide(ROWS[0]).ticket
    before = inside(clf)
    with pytest.raises(SelectronError, match="There is no class") as caught:
        clf.tell(ticket, label)
    assert is_one_sentence(str(caught.value))
    assert inside(clf) == before
    assert clf.tell(ticket, 2)


@pytest.mark.parametrize("label", [math.inf, np.float64(-math.inf), 1j], ids=repr)
def test_what_can_be_no_class_is_none_in_a_list_either(label):
    clf = OnlineClassifier(Perceptron())
    with pytest.raises(SelectronError, match=r"There is no class .* finite and real\.$"):
        clf.fit(ROWS, np.array([0, 1, label, None] * 2, object))
    with pytest.raises(SelectronError, match=r"There is no class .* finite and real\.$"):
        OnlineClassifier(Perceptron(), classes=[0, label]).decide(ROWS[0])
    assert not hasattr(clf, "classes_")


ODD = [{"a": 1}, ["a"], [1, [2, 3]], ("a", "b"), {"a"}, frozenset("a"), object(), np.array([1, 2])]


@pytest.mark.parametrize("label", ODD, ids=lambda label: type(label).__name__)
@pytest.mark.parametrize("known", [0, 2])
def test_what_is_no_single_value_is_no_class(label, known, tmp_path):
    clf = OnlineClassifier(Perceptron())
    if known:
        clf.fit(ROWS, ["ham", "spam"] * 4)
    ticket = clf.decide(ROWS[0]).ticket
    before = inside(clf)
    with pytest.raises(SelectronError, match=r"a label must be text, a number or a date\.$"):
        clf.tell(ticket, label)
    assert inside(clf) == before
    clf.save(tmp_path / "model")
    clf.tell(ticket, "ham")
    assert clf.classes_[0] == "ham"


@pytest.mark.parametrize("label", [None, math.nan, pd.NA, pd.NaT], ids=repr)
@pytest.mark.parametrize("known", [0, 2])
def test_a_missing_label_cannot_be_told(label, known):
    clf = OnlineClassifier(Perceptron())
    if known:
        clf.fit(ROWS, ["ham", "spam"] * 4)
    ticket = clf.decide(ROWS[0]).ticket
    before = inside(clf)
    with pytest.raises(SelectronError) as caught:
        clf.tell(ticket, label)
    said = f"There is no class {label!r}: where there is no label, leave the ticket open, or the "
    assert str(caught.value) == f"{said}row out."
    assert inside(clf) == before


@pytest.mark.parametrize(
    "label", [{"a": 1}, ["a"], {"a"}, object()], ids=lambda label: type(label).__name__
)
def test_a_column_with_what_is_no_label_is_refused(label):
    column = np.empty(8, object)
    column[:] = ["ham"] * 8
    column[3] = label
    with pytest.raises(SelectronError, match="There is no class"):
        OnlineClassifier(Perceptron()).fit(ROWS, column)


ODD = [b"spam", b"news", "news\0", "spam\0"]


@pytest.mark.parametrize("label", ODD, ids=repr)
def test_bytes_and_null_characters_are_no_text(label):
    clf = OnlineClassifier(Perceptron(), correctable=9).fit(ROWS, ["ham", "spam"] * 4)
    answered, ticket = clf.decide(ROWS[0]).ticket, clf.decide(ROWS[1]).ticket
    clf.tell(answered, "ham")
    before = inside(clf)
    for call in (
        lambda: clf.tell(ticket, label),
        lambda: clf.correct(answered, label),
        lambda: clf.partial_fit(ROWS[:1], [label]),
        lambda: OnlineClassifier(Perceptron()).fit(ROWS[:4], ["ham", label, "spam", b"ham"]),
    ):
        with pytest.raises(SelectronError, match="There is no class") as caught:
            call()
        assert is_one_sentence(str(caught.value))
    assert inside(clf) == before
    assert ticket in clf.open_tickets_


BIG = 2**53
LARGE = {
    "a column": pd.Series([BIG, BIG + 1, None] * 4, dtype="Int64"),
    "an Arrow array": pa.array([BIG, BIG + 1, None] * 4),
    "a chunked array": pa.chunked_array([[BIG, BIG + 1], [None] * 10]),
    "a list": [2**63, 2**63 + 1, 5] * 4,
    "a list with blanks": [BIG, BIG + 1, math.nan] * 4,
}


@pytest.mark.parametrize("kind", LARGE)
def test_large_whole_numbers_are_exact(kind, tmp_path):
    y = LARGE[kind]
    clf = OnlineClassifier(Perceptron()).fit(np.eye(12), y)
    found = sorted({int(label) for label in values(y) if not is_missing(label)})
    assert clf.classes_.tolist() == found
    assert clf.partial_fit(np.eye(12), y).predict(np.eye(12))[1] == found[-1]
    clf.save(tmp_path / "model")
    again = OnlineClassifier.load(tmp_path / "model")
    assert again.classes_.tolist() == found
    assert again.predict(np.eye(12)).tolist() == clf.predict(np.eye(12)).tolist()


WITH_BLANKS = {
    "pandas": lambda y: pd.Series(y, dtype="Int64" if y[0] == 1 else "boolean"),
    "an extension array": lambda y: pd.array(y, dtype="Int64" if y[0] == 1 else "boolean"),
    "Arrow": pa.array,
    "NumPy's values": lambda y: [None if x is None else np.array(x)[()] for x in y],
}


@pytest.mark.parametrize("kind", WITH_BLANKS)
@pytest.mark.parametrize(("first", "second"), [(1, 2), (False, True)])
def test_whole_numbers_and_truth_values_keep_their_type_next_to_blanks(kind, first, second):
    y = WITH_BLANKS[kind]([first, second, None, first] * 2)
    clf = OnlineClassifier(Perceptron()).fit(ROWS, y)
    assert clf.classes_.dtype == np.array([first, second]).dtype
    assert clf.run(ROWS, y).labelled.tolist() == [True, True, False, True] * 2
    assert clf.predict(ROWS).dtype == clf.classes_.dtype  # as metrics need it


@pytest.mark.parametrize("kind", [pa.array, pd.Index, pd.Categorical, tuple, set])
def test_classes_may_be_named_in_any_column(kind):
    classes = kind(["b", "a"])
    first = OnlineClassifier(Perceptron(), classes=classes).partial_fit(ROWS[:1], ["a"])
    later = OnlineClassifier(Perceptron()).partial_fit(ROWS[:1], ["a"], classes=classes)
    assert first.classes_.tolist() == later.classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize("kind", [pa.array, pd.Index, pd.Categorical, tuple])
def test_rankers_and_pools_keep_the_order_of_a_column(kind):
    classes, many = kind(["b", "a"]), np.eye(2, dtype=int)[[0, 1] * 4]
    ranker = OnlineRanker(Perceptron(), classes=classes).fit(ROWS, many)
    pool = SelfDirectedClassifier(classes=classes).start(ROWS)
    assert ranker.classes_.tolist() == pool.classes_.tolist() == ["b", "a"]


def test_a_decimal_that_is_no_number_is_missing():
    labels = [Decimal(1), Decimal("NaN"), Decimal("sNaN"), Decimal(2)] * 2
    run = OnlineClassifier(Perceptron()).run(ROWS, labels)
    assert run.labelled.tolist() == [True, False, False, True] * 2


def test_decimals_and_whole_numbers_are_the_same_classes():
    one, two = Decimal(1), Decimal(2)
    run = OnlineClassifier(Perceptron(), classes=[1, 2]).run(ROWS, [one, two] * 4)
    assert run.labelled.all()
    for first, then in (([1, 2], [one, two]), ([one, two], [1, 2])):
        clf = OnlineClassifier(Perceptron()).fit(ROWS, first * 4)
        clf.partial_fit(ROWS, then * 4)
        assert clf.classes_.tolist() == first


PAIRS = np.empty(8, object)
PAIRS[:] = [(1, 2), (3, 4)] * 4
UNWRITABLE = {
    "long": np.array([1, 2] * 4, np.longdouble),
    "fractions": [Fraction(1, 2), Fraction(1, 3)] * 4,
    "decimals": [Decimal("0.1"), Decimal("0.2")] * 4,
    "bytes": [b"a", b"b"] * 4,
    "dates": np.array(["2001-01-01", "2002-01-01"] * 4, "M8[D]"),
    "pairs": PAIRS,
}


@pytest.mark.parametrize("kind", UNWRITABLE)
def test_labels_that_a_file_cannot_hold(kind, tmp_path):
    clf = OnlineClassifier(Perceptron()).fit(ROWS, UNWRITABLE[kind])
    with pytest.raises(SelectronError, match="to a file: labels must be strings") as caught:
        clf.save(tmp_path / "model")
    assert is_one_sentence(str(caught.value).replace("np.longdouble", ""))
    assert list(tmp_path.iterdir()) == []


def test_numbers_are_no_classes_of_a_model_of_text():
    """As of the command line, which reads the labels of CSV files as text."""
    clf = OnlineClassifier(Perceptron()).fit([[1.0], [-1.0]], ["0", "1"])
    ticket = clf.decide([1.0]).ticket
    for learn in (lambda: clf.partial_fit([[1.0]], [1]), lambda: clf.tell(ticket, 1)):
        with pytest.raises(
            SelectronError, match=r"'0', and the label 1 is none: .* y.astype\(str\)"
        ):
            learn()
    assert clf.tell(ticket, "1")


@pytest.mark.parametrize(("known", "kind"), [([0, 1], "numbers"), ([True, False], "truth values")])
def test_text_is_no_class_of_a_model_of_numbers(known, kind):
    clf = OnlineClassifier(Perceptron()).fit([[1.0], [-1.0]], known)
    ticket = clf.decide([1.0]).ticket
    for learn in (lambda: clf.partial_fit([[1.0]], ["1"]), lambda: clf.tell(ticket, "1")):
        with pytest.raises(SelectronError, match=f"so far are {kind}, .* give labels as {kind}"):
            learn()
    assert clf.tell(ticket, known[1])


def test_dates_among_classes_that_are_numbers():
    clf = OnlineClassifier(Perceptron(), classes=[1, 2, 3])
    with pytest.raises(SelectronError, match="which is none of the 3 classes"):
        clf.run(ROWS, DAYS)


@pytest.mark.parametrize("number", [2, 3])
def test_dates_are_the_same_classes_in_all_forms(number):
    dates = np.array(["2026-01-01", "2026-02-01", "2026-03-01"], "M8[ns]")[:number]
    stamps = [pd.Timestamp(date) for date in dates]
    forms = (
        dates,
        np.array(list(dates), object),
        pd.Series(dates),
        stamps,
        pd.Series(stamps, dtype=object),
    )
    rows = np.eye(number)
    for first, later in itertools.product(forms, forms):
        clf = OnlineClassifier(Perceptron(), random_state=0)
        for _ in range(5):
            clf.partial_fit(rows, first).partial_fit(rows, later)
        assert [pd.Timestamp(date) for date in clf.classes_] == stamps
        assert [pd.Timestamp(date) for date in clf.predict(rows)] == stamps
        OnlineClassifier(Perceptron(), classes=dates).partial_fit(rows, first)


def test_a_fraction_is_no_class_among_whole_numbers():
    clf = OnlineClassifier(Perceptron()).fit(ROWS, [0, 1] * 4)
    ticket = clf.decide(ROWS[0]).ticket
    with pytest.raises(SelectronError, match="classes are text or whole numbers"):
        clf.tell(ticket, 1.5)
    assert clf.classes_.tolist() == [0, 1]
    assert clf.open_tickets_ == [ticket]


def test_members_of_an_enumeration_of_text_are_their_values():
    kind = Enum("kind", {"HAM": "ham", "SPAM": "spam"}, type=str)
    clf = OnlineClassifier(Perceptron()).fit([[1.0], [-1.0]], [kind.HAM, kind.SPAM])
    assert clf.classes_.tolist() == ["ham", "spam"]
    assert clf.tell(clf.decide([2.0]).ticket, kind.SPAM)
    assert clf.predict([[2.0]])[0] in list(kind)


SECONDS = np.datetime64("2026-01-01") + np.arange(60).astype("m8[s]")


@pytest.mark.parametrize(
    "kind", [np.array, list, pd.Series, lambda y: y - y[0], lambda y: y.astype(object)]
)
def test_dates_that_hardly_repeat_are_no_classes(kind):
    """A column given by mistake, of which each value would be a class."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    for method in ("fit", "run", "partial_fit"):
        with pytest.raises(SelectronError, match="continuous, as 60 of 60 dates or times"):
            getattr(OnlineClassifier(Perceptron()), method)(X, kind(SECONDS))
    days = kind(np.datetime64("2026-01-01") + np.arange(60) % 30 * np.timedelta64(1, "D"))
    assert len(OnlineClassifier(Perceptron()).fit(X, days).classes_) == 30


@pytest.mark.parametrize("y", [np.arange(60), [f"id{i}" for i in range(60)]])
def test_labels_that_hardly_repeat_are_warned_of(y):
    X = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.warns(UserWarning, match="60 of 60 labels differ, and each is a class") as found:
        OnlineClassifier(Perceptron()).fit(X, y)
    assert found[0].filename == __file__
    OnlineClassifier(Perceptron(), classes=y).fit(X, y)


def test_the_empty_text_is_a_class_that_is_warned_of_once():
    y = ["", "bad", "ok", ""] * 2
    for learn in ("fit", "run", "partial_fit"):
        clf = OnlineClassifier(Perceptron())
        with pytest.warns(UserWarning, match="The empty text '' is learned as a class: give None"):
            getattr(clf, learn)(ROWS, y)
        assert clf.partial_fit(ROWS, y).classes_.tolist() == ["", "bad", "ok"]
    clf = OnlineClassifier(Perceptron()).fit(ROWS, ["bad", "ok"] * 4)
    tickets = [clf.decide(x).ticket for x in ROWS[:2]]
    with pytest.warns(UserWarning, match="The empty text"):
        clf.tell(tickets[0], "")
    clf.tell(tickets[1], "")
    OnlineClassifier(Perceptron(), classes=["", "bad", "ok"]).fit(ROWS, y)
