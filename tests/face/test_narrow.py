"""Sparse rows of few features are learned as dense ones, and go on as sparse ones with more."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array, hstack

from selectron import Budget, OnlineClassifier
from selectron.data import TableEncoder
from selectron.learners import AROW, LASEC, LeadingHistory, Perceptron
from selectron.learners.leading_history import WIDE
from selectron.model.widths import NARROW, is_narrow

pytestmark = pytest.mark.compiles  # with some hundred features, plain Python takes minutes

KINDS = {
    "two classes": {},
    "three classes": {"classes": [0, 1, 2]},
    "no constant": {"fit_intercept": False},
    "unit length": {"normalize": True},
    "means": {},
}
# a loop of its own, which is compiled first
EACH = [pytest.param(k, marks=pytest.mark.slow) if k == "three classes" else k for k in KINDS]


def table(n=300, d=6, classes=2, seed=0):
    """Features of very different scales, half of them 0, and labels that they decide."""
    random = np.random.default_rng(seed)
    Z = random.normal(size=(n, d)) * (random.random((n, d)) < 0.5)
    y = (Z @ random.normal(size=(d, classes))).argmax(axis=1)
    return Z * 10.0 ** np.linspace(-2, 2, d), y


def dicts(X):
    return [{f"f{j}": x for j, x in enumerate(row) if x} for row in X.tolist()]


def same(one, other):
    """Are two runs the same, bit for bit?"""
    for name in ("flags", "margin", "ask_probability", "evidence"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def narrow(clf):
    return is_narrow(clf.model_, clf.model_.width)


@pytest.mark.parametrize("kind", EACH)
def test_a_matrix_is_learned_as_an_array(kind):
    X, y = table(classes=3 if kind == "three classes" else 2)
    clfs = [OnlineClassifier(asker=Budget(0.3), random_state=0, **KINDS[kind]) for _ in range(2)]
    weights = np.random.default_rng(1).choice([0.0, 1.0, 2.0], len(y))
    runs = [
        clf.run(rows, y, sample_weight=weights)
        for clf, rows in zip(clfs, (X, csr_array(X)), strict=True)
    ]
    same(*runs)
    assert clfs[1].model_.sparse
    assert narrow(clfs[1])
    np.testing.assert_array_equal(clfs[0].predict_proba(X), clfs[1].predict_proba(csr_array(X)))
    np.testing.assert_array_equal(clfs[0].coef_, clfs[1].coef_)


def test_dicts_are_learned_as_an_array():
    X, y = table()
    X[0] = 1.0  # so that all names are known at once
    clfs = [OnlineClassifier(asker=Budget(0.3), random_state=0) for _ in range(2)]
    runs = [clf.run(rows, y) for clf, rows in zip(clfs, (X, dicts(X)), strict=True)]
    same(*runs)
    np.testing.assert_array_equal(clfs[0].coef_, clfs[1].coef_)


def test_late_labels_and_corrections_are_those_of_an_array():
    X, y = table()
    found = []
    for rows in (X, csr_array(X)):
        clf = OnlineClassifier(asker=Budget(0.5), correctable=50, random_state=0)
        run = clf.run(rows[:200], y[:200], delay=7)
        tickets = [
            (decision.ticket, y[t])
            for t in range(200, 300)
            if (decision := clf.decide(rows[[t]])).ask
        ]
        for ticket, label in tickets:
            clf.tell(ticket, label)
        clf.correct(tickets[-9][0], 1 - tickets[-9][1])
        found.append((run, clf.predict_proba(rows)))
    same(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_scales_do_not_matter():
    X, y = table(2000, 10)
    run = OnlineClassifier(random_state=0).run(csr_array(X), y)
    assert np.mean(run.prediction[1000:] == y[1000:]) > 0.93


@pytest.mark.slow
@pytest.mark.parametrize("mean", [0, 10])
def test_units_of_numbers_next_to_many_categories_do_not_matter(mean):
    random = np.random.default_rng(0)
    numbers, category = random.normal(size=(3000, 8)), random.integers(0, 200, 3000)
    y = np.where(numbers @ random.normal(size=8) + random.normal(size=200)[category] > 0, "a", "b")
    units, places = 10.0 ** random.uniform(-2, 4, 8), csr_array(np.eye(200)[category])
    right = []
    for each in (numbers, (numbers + mean) * units):
        run = OnlineClassifier(random_state=0).run(hstack([each, places], format="csr"), y)
        right.append(np.mean(run.prediction[1000:] == y[1000:]))
    assert right[0] > 0.85
    assert right[1] > right[0] - 0.03


@pytest.mark.slow
def test_one_huge_value_leaves_what_was_learned():
    random = np.random.default_rng(0)
    X = random.exponential(size=(1600, 200)) * (random.random((1600, 200)) < 0.05)
    y = X @ random.normal(size=200) > 0
    right = []
    for value in (X[1000, 10], 1e6):
        X[1000, 10] = value
        run = OnlineClassifier(random_state=0).run(csr_array(X), y)
        right.append(np.mean(run.prediction[1025:] == y[1025:]))
    assert right[0] > 0.85
    assert right[1] > right[0] - 0.03


def growing(n=300, d=400, most=12):
    """Rows of some words each, of ever more words, and their labels."""
    random = np.random.default_rng(3)
    w, X = random.normal(size=d), np.zeros((n, d))
    for t in range(n):
        known = 20 + (d - 20) * t // n
        X[t, random.integers(0, known, most)] = random.exponential(size=most)
    X[0, 0] = 1.0
    return X, np.where(X @ w > 0, "up", "down")


@pytest.mark.parametrize("classes", [2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("cuts", [[0, 300], [0, 1, 125, 126, 250, 300], [*range(0, 301, 20)]])
def test_dicts_do_not_depend_on_how_they_are_cut(cuts, classes):
    X, y = growing()
    y = np.where(X[:, 1] > 0, "side", y) if classes == 3 else y
    rows, names = dicts(X), sorted(set(y))
    clf = OnlineClassifier(asker=Budget(0.4), classes=names, random_state=0)
    expected = []
    for x, label in zip(rows, y, strict=True):
        decision = clf.decide(x)
        expected.append((decision.label, decision.margin, decision.ask))
        if decision.ask:
            clf.tell(decision.ticket, label)
    assert not narrow(clf)
    other = OnlineClassifier(asker=Budget(0.4), classes=names, random_state=0)
    found = []
    for start, stop in pairwise(cuts):
        run = other.run(rows[start:stop], y[start:stop])
        found += zip(run.prediction, run.margin, run.asked, strict=True)
    assert found[1:] == expected[1:]  # before the first label there is no prediction
    np.testing.assert_array_equal(clf.predict_proba(rows), other.predict_proba(rows))


@pytest.mark.slow
def test_features_near_the_limits_of_floats_are_borne():
    X, y = table(100, 4)
    clf = OnlineClassifier(random_state=0)
    clf.run(dicts(X * 1e150), y)
    clf.decide({f"f{j}": 1e150 for j in range(NARROW + 10)})
    assert not narrow(clf)
    assert np.isfinite(clf.predict_proba(dicts(X * 1e150))).all()


@pytest.mark.parametrize("constant", [False, True])
def test_rows_without_features_come_first(constant, tmp_path):
    clf = OnlineClassifier(classes=["a", "b"], fit_intercept=constant)
    for x in ({}, {}, {"a": 1.0}, {"a": -1.0}):
        clf.tell(clf.decide(x).ticket, "a" if x.get("a", 0) < 0 else "b")
    clf.save(tmp_path / "a.model")
    again = OnlineClassifier.load(tmp_path / "a.model")
    assert again.predict([{"a": 1.0}, {"a": -1.0}]).tolist() == ["b", "a"]
    whole = OnlineClassifier(classes=["a", "b"], fit_intercept=constant)
    whole.partial_fit([{}, {}, {"a": 1.0}, {"a": -1.0}], ["b", "b", "b", "a"])
    np.testing.assert_array_equal(whole.coef_, clf.coef_)


@pytest.mark.slow
@pytest.mark.parametrize("kind", EACH)
def test_what_was_learned_stays_with_more_features(kind, tmp_path):
    X, y = table(1500, 30, classes=3 if kind == "three classes" else 2)
    if kind == "means":
        X += 10 * X.std(axis=0)
    clf = OnlineClassifier(random_state=0, correctable=20, **KINDS[kind])
    for x, label in zip(dicts(X[:1000]), y, strict=False):
        clf.tell(clf.decide(x).ticket, label)
    assert narrow(clf)
    before, weights, held = clf.predict(dicts(X[1000:])), clf.coef_, y[1000:]
    steps = clf.model_.state.tally.copy() if clf.model_.stacked else None
    clf.decide({f"f{j}": 0.0 for j in range(NARROW + 10)})
    assert not narrow(clf)
    if steps is not None:
        np.testing.assert_array_equal(clf.model_.state.tally, steps)
    np.testing.assert_allclose(clf.coef_[:, :30], weights, rtol=1e-9)
    assert not clf.coef_[:, 30:].any()
    after = clf.predict(dicts(X[1000:]))
    assert np.mean(after == held) > np.mean(before == held) - 0.03
    clf.save(tmp_path / "a.model")
    again = OnlineClassifier.load(tmp_path / "a.model")
    np.testing.assert_array_equal(again.predict(dicts(X[1000:])), after)
    late = clf.run(dicts(X[1000:]), held)
    assert np.mean(late.prediction == held) > np.mean(before == held) - 0.03


def mixed(n=150, text=None):
    """Rows of two numbers and a category; from row `text` on with words, too."""
    random = np.random.default_rng(0)
    for i in range(n):
        row = {"a": random.normal(), "b": random.exponential(), "c": "uvw"[random.integers(3)]}
        if text is not None and i >= text:
            row["note"] = " ".join(f"word{j}" for j in random.integers(40, size=6))
        yield row, "high" if row["a"] + (row["c"] == "u") > 0.5 else "low"


@pytest.mark.parametrize("text", [None, 0, 60])
def test_tables_are_narrow_until_words_come(text, tmp_path):
    rows, y = zip(*mixed(text=text), strict=True)
    options = {"asker": Budget(0.3), "classes": ["high", "low"], "random_state": 0}
    whole, parts, single = (
        OnlineClassifier(encoder=TableEncoder(form="sparse"), **options) for _ in range(3)
    )
    whole.run(list(rows), y)
    for start in range(0, len(y), 40):
        parts.run(list(rows[start : start + 40]), y[start : start + 40])
    for row, label in zip(rows, y, strict=True):
        decision = single.decide(row)
        if decision.ask:
            single.tell(decision.ticket, label)
    whole.save(tmp_path / "model")  # narrower than the encoder's rows, if it has outgrown them
    for other in (parts, single, OnlineClassifier.load(tmp_path / "model")):
        np.testing.assert_array_equal(whole.coef_, other.coef_)
        np.testing.assert_array_equal(whole.predict_proba([*rows]), other.predict_proba([*rows]))
    assert narrow(whole) is (text is None)


@pytest.mark.parametrize(
    ("form", "learner"), [("sparse", None), ("sparse", AROW()), ("dense", AROW())]
)
@pytest.mark.parametrize("constant", [True, False])
def test_features_that_no_row_had_count_as_zero(tmp_path, form, learner, constant):
    rows, y = zip(*mixed(), strict=True)
    options = {"fit_intercept": constant, "random_state": 0}
    clf = OnlineClassifier(learner, encoder=TableEncoder(form=form), **options)
    clf.run(list(rows), y)
    clf.encoder_.partial_fit([rows[0] | {"c": "late", "d": "new"}])  # the model has not seen it
    late, blank = rows[0] | {"c": "late", "d": "new"}, rows[0] | {"c": "other", "d": "other"}
    np.testing.assert_array_equal(clf.predict_proba([late]), clf.predict_proba([blank]))
    assert clf.coef_.shape == (1, len(clf.feature_names_))
    clf.save(tmp_path / "model")
    np.testing.assert_array_equal(OnlineClassifier.load(tmp_path / "model").coef_, clf.coef_)


@pytest.mark.slow
def test_wide_dense_rows_are_taken_as_sparse_ones_by_default():
    """The covariance of so many features takes long; LASEC, once the default, was worse."""
    X = np.random.default_rng(0).normal(size=(60, WIDE + 1))
    y = np.where(X[:, :9].sum(axis=1) > 0, "u", "v")
    clf, sparse, listed = (OnlineClassifier(random_state=0) for _ in range(3))
    clf.fit(X, y)
    sparse.fit(csr_array(X), y)
    listed.fit(X.tolist(), y)
    assert isinstance(clf.model_.learner, LeadingHistory)
    wanted = sparse.decision_function(X)
    assert (clf.decision_function(X) == wanted).all()
    assert (listed.decision_function(csr_array(X)) == wanted).all()
    assert clf.decide(X[0]).label == sparse.decide(csr_array(X[:1])).label
    for dense, rows in (OnlineClassifier(LASEC()), X), (OnlineClassifier(), X[:, :WIDE]):
        assert not dense.fit(rows[:9], list("uvuvuvuvu")).model_.sparse


@pytest.mark.slow
def test_wide_lists_of_numbers_make_sparse_rows_by_default():
    X = np.random.default_rng(0).normal(size=(20, WIDE))
    y = np.where(np.arange(20) % 2, "u", "v")
    for more, sparse in ({}, False), ({"n": 1.0}, True):
        rows = [{"e": None if i == 0 else row.tolist(), **more} for i, row in enumerate(X)]
        clf = OnlineClassifier(encoder="auto", random_state=0).fit(rows, y)
        assert clf.encoder_.sparse_ == clf.model_.sparse == sparse
        assert isinstance(clf.model_.learner, LeadingHistory)
        chosen = OnlineClassifier(Perceptron(), encoder="auto").fit(rows, y)
        assert not chosen.model_.sparse
