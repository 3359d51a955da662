"""Explanations of predictions: what the parts of a row contribute."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from selectron import OnlineClassifier, TableEncoder
from selectron.errors import SelectronError
from selectron.learners import LASEC, Perceptron

WORDS = np.array(["red", "blue", "green", "cat", "dog"])
COLUMNS = {"text": "text", "country": "category"}


def table(n, seed=0):
    """Return rows of numbers, categories and words, and labels that depend on each."""
    rng = np.random.default_rng(seed)
    rows = [
        {
            "size": float(rng.normal()),
            "country": str(rng.choice(["FR", "DE", "US"])),
            "text": " ".join(rng.choice(WORDS, 3)),
        }
        for _ in range(n)
    ]
    score = [x["size"] + (x["country"] == "FR") + 2 * ("cat" in x["text"]) - 1 for x in rows]
    return rows, ["spam" if s > 0 else "ham" for s in score]


def odds(clf, rows):
    """Return the log-odds of "spam"."""
    proba = clf.predict_proba(rows)
    return np.log(proba[:, 1]) - np.log(proba[:, 0])


def test_contributions_to_a_class_that_is_not_the_predicted_one():
    rows, y = table(200)
    clf = OnlineClassifier(LASEC(), encoder=TableEncoder(COLUMNS, form="dense")).fit(rows, y)
    found = {label: clf.explain(rows, label) for label in ("spam", "ham")}
    assert {*clf.predict(rows)} == {*found}
    for i, label in enumerate(clf.predict(rows)):
        assert clf.explain(rows[i : i + 1]) == found[label][i : i + 1]
        assert found["spam"][i] == pytest.approx({x: -by for x, by in found["ham"][i].items()})
    with pytest.raises(SelectronError, match="There is no class 'eggs': it is neither 'ham' nor"):
        clf.explain(rows, label="eggs")


@pytest.mark.parametrize("form", ["sparse", "dense"])
def test_parts_come_first_and_last(form):
    rows, y = table(300)
    encoder = TableEncoder(COLUMNS, form=form)
    clf = OnlineClassifier(Perceptron(), encoder=encoder).fit(rows, y)
    for row in rows[:20]:
        found = clf.explain([row])[0]
        for name in ("size", "country"):
            without = {**row, name: None}
            alone = {**dict.fromkeys(row), name: row[name]}
            whole, last, first, none = odds(clf, [row, without, alone, dict.fromkeys(row)])
            expected = (whole - last + first - none) / 2 * (1 if whole >= 0 else -1)
            assert found[name] == pytest.approx(expected)
        assert list(found.values()) == sorted(found.values(), key=abs, reverse=True)
        words = {word for name in found for word in name.removeprefix("text: ").strip('"').split()}
        assert words == {"size", "country", *row["text"].split()}


def test_contributions_are_close_to_shapley_values():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    clf = OnlineClassifier(Perceptron(), kernel="poly").fit(X, X[:, 0] * X[:, 1] + X[:, 2] > 0)
    sets = np.array([*product([0, 1], repeat=4)])
    for x in X[:10]:
        f = dict(zip(map(tuple, sets.tolist()), odds(clf, sets * x), strict=True))
        sign = 1 if f[1, 1, 1, 1] >= 0 else -1
        exact = np.zeros(4)
        for s, j in product(f, range(4)):
            if not s[j]:
                share = math.factorial(sum(s)) * math.factorial(3 - sum(s)) / math.factorial(4)
                exact[j] += sign * share * (f[(*s[:j], 1, *s[j + 1 :])] - f[s])
        found = clf.explain([x])[0]
        assert np.corrcoef([found[f"x{j}"] for j in range(4)], exact)[0, 1] > 0.9


def test_what_decides_comes_first():
    X = np.eye(6)[np.arange(120) % 6]
    clf = OnlineClassifier(LASEC()).fit(X, np.arange(120) % 6)
    for j, found in enumerate(clf.explain(X[:6])):
        assert list(found) == [f"x{j}"]  # others are 0
        assert found[f"x{j}"] > 0


def test_names_are_those_of_the_rows():
    frame = pd.DataFrame({"a": [1.0, -1.0] * 20, "b": [0.5, 0.0] * 20})
    clf = OnlineClassifier(Perceptron()).fit(frame, [1, 0] * 20)
    assert set(clf.explain(frame[:1])[0]) == {"a", "b"}
    clf = OnlineClassifier(Perceptron()).fit([{"x": 1.0}, {"z": 1.0}] * 20, [1, 0] * 20)
    assert [[*found] for found in clf.explain([{"z": 2.0, "new": 1.0}, {}])] == [["z"], []]
    clf = OnlineClassifier(Perceptron(), encoder="auto").fit(frame, [1, 0] * 20)
    assert clf.explain(frame[:2]) == clf.explain(frame[:2].to_dict("records"))
    nested = [{"user": {"age": 3.0}}, {"user": {"age": 9.0}}] * 20
    clf = OnlineClassifier(Perceptron(), encoder="auto").fit(nested, [1, 0] * 20)
    assert [*clf.explain(nested[:1])[0]] == ["user.age"]


def test_nothing_changes():
    rows, y = table(40)
    clf = OnlineClassifier(Perceptron(), encoder="auto").fit(rows, y)
    before = clf.encoder_.pack(), clf.coef_.tolist(), clf.n_rounds_
    clf.explain(rows)
    assert (clf.encoder_.pack(), clf.coef_.tolist(), clf.n_rounds_) == before


def test_faults_are_those_of_predict():
    with pytest.raises(NotFittedError):
        OnlineClassifier().explain([[1.0]])
    clf = OnlineClassifier(Perceptron()).fit([[1.0], [-1.0]], [1, 0])
    for wrong in ([[1.0, 2.0]], [["a"]], [], [[np.nan]]):
        with pytest.raises(SelectronError) as expected:
            clf.predict(wrong)
        with pytest.raises(SelectronError) as raised:
            clf.explain(wrong)
        assert str(raised.value) == str(expected.value)
