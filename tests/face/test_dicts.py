"""Rows as dicts: the same rounds as of sparse rows with the features as they came."""

import copy
import pickle
from decimal import Decimal

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction import DictVectorizer

from selectron import OnlineClassifier, OnlineRanker, SelectronError
from selectron.askers import Margin
from selectron.data import TableEncoder
from selectron.data.dicts import HINT
from selectron.learners import LASEC, LeadingHistory, PassiveAggressive, Perceptron

from .examples import is_one_sentence

WORDS = [f"w{i}" for i in range(40)]


def texts(n=200, seed=0):
    """Bags of words of which new ones come now and then, and their labels."""
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=len(WORDS))
    rows, labels = [], []
    for i in range(n):
        known = 5 + min(i // 4, len(WORDS) - 5)
        chosen = rng.permutation(known)[: rng.integers(1, 6)]
        values = rng.integers(1, 4, len(chosen)).astype(float)
        rows.append({WORDS[j]: v for j, v in zip(chosen, values, strict=True)})
        labels.append("yes" if weights[chosen] @ values > 0 else "no")
    return rows, labels


def matrix(rows, names):
    """The rows as CSR over these names."""
    found = DictVectorizer(sort=False).fit([dict.fromkeys(names, 1.0)])
    X = scipy.sparse.csr_array(found.transform(rows))
    X.sort_indices()
    return X


def order(rows):
    return list(dict.fromkeys(name for row in rows for name in row))


ROWS, LABELS = texts()
LEARNERS = [Perceptron(), PassiveAggressive(), LASEC(), LeadingHistory()]


def fresh(learner, **more):
    settings = {"classes": ["no", "yes"], "random_state": 1}
    asker = None if isinstance(learner, LeadingHistory) else Margin(0.5)
    return OnlineClassifier(learner, asker=asker, **settings | more)


# to LeadingHistory, rows are dense until there are many features: see test_narrow.py
@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS[:-1], ids=lambda one: type(one).__name__)
def test_a_run_is_that_of_sparse_rows(learner):
    keyed, plain = fresh(learner), fresh(learner)
    run, wanted = keyed.run(ROWS, LABELS), plain.run(matrix(ROWS, order(ROWS)), LABELS)
    assert run.margin.tolist() == wanted.margin.tolist()
    assert run.asked.tolist() == wanted.asked.tolist()
    assert keyed.coef_.tolist() == plain.coef_.tolist()
    assert keyed.feature_names_ == order(ROWS)
    assert keyed.n_features_in_ == len(order(ROWS)) == keyed.coef_.shape[1]


@pytest.mark.parametrize("learner", LEARNERS[:3], ids=lambda one: type(one).__name__)
def test_features_that_come_later_were_at_zero_before(learner):
    whole, parts, single = fresh(learner), fresh(learner), fresh(learner)
    run = whole.run(ROWS, LABELS)
    pieces = [parts.run(ROWS[i : i + 7], LABELS[i : i + 7]) for i in range(0, len(ROWS), 7)]
    assert np.concatenate([piece.prediction for piece in pieces]).tolist() == (
        run.prediction.tolist()
    )
    for i, (row, label) in enumerate(zip(ROWS, LABELS, strict=True)):
        decision = single.decide(row)
        assert (decision.label, decision.ask) == (run.prediction[i], run.asked[i])
        if decision.ask:
            single.tell(decision.ticket, label)
    for one in (parts, single):
        assert one.feature_names_ == whole.feature_names_
        assert np.allclose(one.coef_, whole.coef_, rtol=1e-12, atol=1e-12)


def test_the_same_names_in_a_row_take_the_short_way_to_the_same():
    rng = np.random.default_rng(0)
    X, names = rng.normal(size=(50, 4)), ["d", "a", "c", "b"]
    rows = [dict(zip(names, x, strict=True)) for x in X.tolist()]
    turned = [dict(reversed(row.items())) for row in rows]
    one, other = fresh(Perceptron()), fresh(Perceptron())
    other.decide(rows[0])
    one.decide(rows[0])
    decisions = [(one.decide(a), other.decide(b)) for a, b in zip(rows, turned, strict=True)]
    assert all(a == b for a, b in decisions)
    assert one.feature_names_ == other.feature_names_ == names


def test_predicting_takes_up_no_names():
    clf = fresh(Perceptron())
    clf.run(ROWS, LABELS)
    before = clf.predict(ROWS)
    known = clf.feature_names_
    strange = [{**row, "strange": 100.0} for row in ROWS]
    assert clf.predict(strange).tolist() == before.tolist()
    assert clf.decision_function([{"strange": 1.0}]) == clf.intercept_
    assert clf.feature_names_ == known


def test_an_empty_row_is_the_constant_alone():
    clf = fresh(Perceptron())
    clf.partial_fit([{}, {"a": 1}], ["yes", "no"])
    assert clf.decision_function([{}]).shape == (1,)
    assert clf.feature_names_ == ["a"]


def test_decimals_are_numbers_whatever_is_next_to_them():
    rows = [{"a": Decimal(1), "b": 0.5}, {"a": Decimal(-1)}, {"a": 1, "b": Decimal("0.5")}]
    decimals, floats = fresh(Perceptron()), fresh(Perceptron())
    decimals.partial_fit(rows, ["yes", "no", "yes"])
    floats.partial_fit(
        [{k: float(v) for k, v in row.items()} for row in rows], ["yes", "no", "yes"]
    )
    np.testing.assert_array_equal(decimals.coef_, floats.coef_)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"a": "1"}, f"Row 0, feature 'a': '1' is not a number; {HINT}."),
        ({"a": 1, "b": None}, "Row 0, feature 'b': None is not a number."),
        ({"a": float("nan")}, "Row 0, feature 'a' is nan: every value must be finite."),
        ({"a": 10**400}, "Row 0, feature 'a' is inf: every value must be finite."),
        ({"a": [1]}, "Row 0, feature 'a': [1] is not a number."),
        ({3: 1.0}, "Row 0 has the key 3: the names must be text."),
    ],
)
def test_a_row_that_will_not_do_changes_nothing(row, reason):
    clf = fresh(Perceptron())
    clf.run(ROWS, LABELS)
    before, names = pickle.dumps(clf.model_), clf.feature_names_
    for call in (clf.decide, lambda x: clf.partial_fit([x], ["yes"])):
        with pytest.raises(SelectronError) as caught:
            call({"new": 1.0, **row})
        assert str(caught.value) == reason
        assert is_one_sentence(reason)
        assert clf.feature_names_ == names
    assert pickle.dumps(clf.model_) == before


def test_names_of_rows_that_were_refused_are_forgotten():
    clf = fresh(Perceptron())
    clf.run(ROWS, LABELS)
    names = clf.feature_names_
    with pytest.raises(SelectronError, match="scale the features"):
        clf.run([{"new": 1.0}, {"newer": 1e300}], ["yes", "no"])
    assert clf.feature_names_ == names
    clf.run([{"newest": 1.0}], ["yes"])
    assert clf.feature_names_ == [*names, "newest"]


def test_dicts_and_tables_do_not_mix():
    clf = fresh(Perceptron())
    clf.run(ROWS, LABELS)
    with pytest.raises(SelectronError, match="give a list of dicts"):
        clf.predict([[1.0, 2.0]])
    with pytest.raises(SelectronError, match="X has no rows"):
        clf.predict([])
    for other in (clf, fresh(Perceptron())):
        with pytest.raises(SelectronError, match="X is one dict"):
            other.partial_fit({"a": 1.0}, "yes")
    with pytest.raises(SelectronError, match="Row 1 is not a dict, but a list"):
        clf.predict([{"a": 1.0}, [1.0]])
    clf = fresh(Perceptron())
    clf.run([[1.0], [2.0]], ["yes", "no"])
    with pytest.raises(SelectronError, match="were no dicts"):
        clf.decide({"a": 1.0})
    assert not hasattr(clf, "feature_names_")


def test_large_finite_values_whose_sum_is_not_are_taken_for_what_they_are():
    clf = fresh(Perceptron(), normalize=True)
    with pytest.raises(SelectronError, match="too large for floating point"):
        clf.decide({"a": 1e308, "b": 1e308})
    assert clf.decide({"a": np.float32(1), "b": np.True_, "c": np.int8(-1)}).ask


def test_a_matrix_of_keys_is_no_dict():
    X = scipy.sparse.dok_array(np.eye(3))
    keyed, plain = fresh(Perceptron()), fresh(Perceptron())
    run, wanted = keyed.run(X, ["yes", "no", "yes"]), plain.run(X.tocsr(), ["yes", "no", "yes"])
    assert run.margin.tolist() == wanted.margin.tolist()
    row = scipy.sparse.dok_array(np.array([[0.0, 2.0, 0.0]]))
    assert keyed.decide(row) == plain.decide(row.tocsr())
    assert not hasattr(keyed, "feature_names_")


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_a_file_holds_the_names(learner, tmp_path):
    clf = fresh(learner)
    clf.run(ROWS[:100], LABELS[:100])
    ticket = next(d.ticket for d in map(clf.decide, ROWS[100:]) if d.ask)
    clf.save(tmp_path / "model")
    for other in (
        OnlineClassifier.load(tmp_path / "model"),
        pickle.loads(pickle.dumps(clf)),
        copy.deepcopy(clf),
    ):
        assert other.feature_names_ == clf.feature_names_
        assert other.n_features_in_ == clf.n_features_in_
        other.tell(ticket, "yes")
        again = other.run(ROWS[100:], LABELS[100:])
        assert other.feature_names_ == order(ROWS)
        assert len(again) == 100


def test_many_classes_and_a_ranker():
    kinds = [min(len(row), 4) for row in ROWS]
    keyed, plain = (
        OnlineClassifier(LASEC(), random_state=0),
        OnlineClassifier(LASEC(), random_state=0),
    )
    run, wanted = keyed.run(ROWS, kinds), plain.run(matrix(ROWS, order(ROWS)), kinds)
    assert run.prediction.tolist() == wanted.prediction.tolist()
    assert keyed.coef_.shape == plain.coef_.shape
    ranker = OnlineRanker(PassiveAggressive(), classes=["short", "long"])
    ranker.partial_fit(ROWS, [[len(row) < 3, len(row) >= 3] for row in ROWS])
    assert ranker.decide(ROWS[0]).label in ([], ["short"], ["long"], ["short", "long"])


def test_the_linear_kernel_takes_them_in_second_order():
    dual, primal = fresh(LASEC(), kernel="linear"), fresh(LASEC())
    assert dual.run(ROWS, LABELS).prediction.tolist() == (
        primal.run(ROWS, LABELS).prediction.tolist()
    )
    assert dual.coef_.shape == primal.coef_.shape


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.dictionaries(st.sampled_from("abcdef"), st.floats(-9, 9), max_size=5),
        min_size=1,
        max_size=12,
    )
)
def test_any_rows_are_those_of_a_matrix(rows):
    labels = ["yes" if i % 3 else "no" for i in range(len(rows))]
    if not order(rows):
        return
    keyed, plain = fresh(Perceptron()), fresh(Perceptron())
    wanted = plain.run(matrix(rows, order(rows)), labels)
    assert keyed.run(rows, labels).margin.tolist() == wanted.margin.tolist()


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_the_first_row_may_be_a_dict_of_mixed_values(form, tmp_path):
    clf = OnlineClassifier(encoder=TableEncoder(form=form), classes=["a", "b"], random_state=0)
    for i in range(30):
        d = clf.decide({"age": i, "country": f"C{i % 3}"})
        clf.tell(d.ticket, "b" if i % 3 else "a")
    assert clf.n_features_in_ == 2
    clf.save(tmp_path / "model")
    again = OnlineClassifier.load(tmp_path / "model")
    x = {"age": 7, "country": "C1", "late": None}
    assert again.decide(x) == clf.decide(x)


def test_the_first_row_may_be_a_dict_to_encode():
    clf = OnlineClassifier(LASEC(), encoder="auto", classes=[0, 1], random_state=0)
    ticket = clf.decide({"country": "FR", "age": None}).ticket
    assert clf.tell(ticket, 0)
    assert (clf.n_features_in_, clf.feature_names_) == (2, ["country=FR"])


def test_a_refused_row_makes_no_room_for_its_features():
    clf = OnlineClassifier(LASEC(), classes=["a", "b"]).partial_fit([{"x": 1.0}], ["a"])
    before = sum(array.nbytes for array in clf.model_.state)
    many = {f"f{i}": 1.0 for i in range(300)}
    with pytest.raises(SelectronError, match="zz"):
        clf.partial_fit([many], ["zz"])
    with pytest.raises(SelectronError, match="too large"):
        clf.decide({**many, "bad": 1e300})
    assert sum(array.nbytes for array in clf.model_.state) == before
    assert clf.n_features_in_ == 1
