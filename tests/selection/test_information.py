"""Mutual information compared with scikit-learn's, and the selector that uses it."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.exceptions import NotFittedError
from sklearn.metrics import mutual_info_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from selectron import SelectronError
from selectron.selection import InformationGain
from selectron.selection.information import binned, information

TABLES = arrays(np.int64, (3, 4), elements=st.integers(0, 1000))


@parametrize_with_checks([InformationGain(), InformationGain(k=1, bins=3)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def stream(n=300, d=6, kinds=3, seed=0):
    """Return rows of which some features are mostly zero, one an indicator, and their labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 1:4] *= rng.random((n, 3)) < 0.2
    X[:, 4] = X[:, 0] > 0.3
    y = np.digitize(X[:, 0] + X[:, 2] + rng.normal(scale=0.5, size=n), np.linspace(0, 1, kinds - 1))
    return X, y


@given(TABLES.filter(np.any))
def test_information_is_scikit_learns(table):
    assert information(table) == pytest.approx(
        mutual_info_score(None, None, contingency=table), abs=1e-12
    )


@given(arrays(np.int64, (2, 3, 4), elements=st.integers(0, 9)))
def test_information_of_many_tables(tables):
    found = information(tables)
    assert (found >= 0).all()
    assert np.allclose(information(tables.transpose(0, 2, 1)), found, atol=1e-14)
    assert found.tolist() == [information(table) for table in tables]


def test_nothing_counted_tells_nothing():
    assert information(np.zeros((4, 2, 0))).tolist() == [0.0] * 4


@pytest.mark.parametrize("bins", [3, 4, 7])
@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array, scipy.sparse.csc_matrix])
def test_scores_are_scikit_learns(form, bins):
    X, y = stream()
    selector = InformationGain(k=2, bins=bins).fit(form(X), y)
    places = binned(X, selector.cuts_)
    expected = [mutual_info_score(y, column) for column in places.T]
    assert np.allclose(selector.scores_, expected, rtol=0, atol=1e-12)
    assert selector.get_support(indices=True).tolist() == sorted(np.argsort(expected)[-2:].tolist())


def test_the_score_of_an_indicator_needs_no_bins():
    X, y = stream()
    scores = InformationGain().fit(X, y).scores_
    assert scores[4] == pytest.approx(mutual_info_score(y, X[:, 4]), abs=1e-12)


@pytest.mark.parametrize("sizes", [[150, 150], [50, 1, 0, 100, 149]])
def test_rows_add_up(sizes):
    X, y = stream()
    parts, start = InformationGain(), 0
    for size in sizes:
        if size:
            parts.partial_fit(X[start : start + size], y[start : start + size])
        start += size
    places = binned(X, parts.cuts_)
    expected = [mutual_info_score(y, column) for column in places.T]
    assert np.allclose(parts.scores_, expected, rtol=0, atol=1e-12)
    assert parts.counts_.sum() == X.size
    assert np.array_equal(parts.cuts_, InformationGain().fit(X[: sizes[0]], y[: sizes[0]]).cuts_)


def test_dense_and_sparse_rows_may_follow_each_other():
    X, y = stream()
    dense, mixed = InformationGain(), InformationGain()
    for i, part in enumerate(np.split(np.arange(300), 3)):
        dense.partial_fit(X[part], y[part])
        mixed.partial_fit(scipy.sparse.csr_array(X[part]) if i != 1 else X[part], y[part])
    assert np.array_equal(dense.counts_, mixed.counts_)
    assert dense.counts_.dtype == np.int64


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("names", [[0.0, 1.0, np.nan], np.array(["no", "yes", None], object)])
def test_rows_without_a_label_do_not_count(form, names):
    X, y = stream()
    y[y == 2] = np.random.default_rng(1).integers(0, 2, (y == 2).sum())
    y[::7] = 2
    labels = np.asarray(names)[y]
    selector = InformationGain().fit(form(X), labels)
    there = y != 2
    places = binned(X, selector.cuts_)[there]
    expected = [mutual_info_score(y[there], column) for column in places.T]
    assert np.allclose(selector.scores_, expected, rtol=0, atol=1e-12)
    assert selector.classes_.tolist() == list(names[:2])


def test_no_label_yet():
    X, y = stream()
    selector = InformationGain(k=2).partial_fit(X, np.full(300, np.nan))
    assert selector.scores_.tolist() == [0.0] * 6
    selector.partial_fit(X, y)
    assert np.array_equal(selector.scores_, InformationGain(k=2).fit(X, y).scores_)


def test_new_classes_may_come():
    X, y = stream(kinds=4)
    names = np.array(["d", "b", "a", "c"])[y]
    order = np.argsort(y, kind="stable")
    first = np.arange(300) % 3 == 0
    selector = InformationGain().partial_fit(X[first], names[first])
    cuts = selector.cuts_
    for part in np.array_split(order[~first[order]], 5):
        selector.partial_fit(X[part], names[part])
    assert selector.classes_.tolist() == ["a", "b", "c", "d"]
    expected = [mutual_info_score(y, column) for column in binned(X, cuts).T]
    assert np.allclose(selector.scores_, expected, rtol=0, atol=1e-12)


def test_ties_keep_the_first():
    X = np.tile([[0.0], [1.0]], (10, 5))
    assert InformationGain(k=2).fit(X, X[:, 0]).get_support(indices=True).tolist() == [0, 1]


def test_k_may_change_after_fit():
    selector = InformationGain(k=2).fit(*stream())
    assert selector.set_params(k=4).get_support().sum() == 4
    assert selector.set_params(k=40).get_support().all()


def test_names():
    X, y = stream()
    table = pd.DataFrame(X, columns=list("abcdef"))
    selector = InformationGain(k=2).fit(table, y)
    assert selector.get_feature_names_out().tolist() == ["a", "e"]
    assert selector.set_output(transform="pandas").transform(table).columns.tolist() == ["a", "e"]


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"k": 0}, "k must be a whole number from 1 on"),
        ({"k": 2.5}, "k must be a whole number from 1 on"),
        ({"bins": 2}, "bins must be a whole number from 3 on"),
        ({"bins": "many"}, "bins must be a whole number from 3 on"),
    ],
    ids=str,
)
def test_parameters_are_named(params, named):
    with pytest.raises(SelectronError, match=rf"^{named}, got "):
        InformationGain(**params).fit(*stream())


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda X, y: (X * np.nan, y), "Row 0, feature 0 is NaN: every value"),
        (lambda X, y: (scipy.sparse.csr_array(X + np.inf), y), "Row 0, feature 0 is infinite"),
        (lambda X, y: (X[:, 1:], y), "X has 5 features"),
        (lambda X, y: (X, y[1:]), "X has 300 rows, and y has 299 labels"),
        (lambda X, y: (X, y + 0.5), "Unknown label type: continuous"),
        (lambda X, y: (X, np.where(y == 0, "a", "b")), "cannot be sorted together"),
        (lambda X, y: (X, [1, "a", *y[2:]]), "cannot be sorted together"),
    ],
)
def test_what_is_wrong_changes_nothing(spoil, reason):
    X, y = stream()
    selector = InformationGain().fit(X, y)
    before = dict(vars(selector))
    for method in (selector.partial_fit, selector.fit)[: 1 if "sorted" in reason else 2]:
        if reason == "X has 5 features" and method == selector.fit:
            continue
        with pytest.raises(SelectronError, match=reason):
            method(*spoil(X, y))
        assert all(vars(selector)[name] is before[name] for name in before)
        assert set(vars(selector)) == set(before)


@pytest.mark.parametrize(
    ("rows", "said"), [(np.ones((2, 9)), "X has 9 features"), ([[np.nan] * 6], "contains NaN")]
)
def test_rows_that_are_not_transformed_are_told_in_one_sentence(rows, said):
    with pytest.raises(SelectronError, match=said) as caught:
        InformationGain(k=2).fit(*stream()).transform(rows)
    assert "\n" not in str(caught.value)


def test_not_fitted():
    for call in (InformationGain().get_support, lambda: InformationGain().transform([[1.0]])):
        with pytest.raises(NotFittedError):
            call()
