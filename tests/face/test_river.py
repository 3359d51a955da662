"""The classifier of River passes River's own checks, and learns only labels that it asked for."""

import pickle

import numpy as np
import pandas as pd
import pytest
from river import checks, datasets
from river.preprocessing import StandardScaler

from selectron import Budget, OnlineClassifier, SelectronError
from selectron.askers import Always
from selectron.learners import LASEC, BayesianPerceptron, Perceptron
from selectron.river import Classifier

MODELS = [Classifier(), Classifier(LASEC(), Budget(rate=0.5), seed=1)]
CHECKS = [(model, check) for model in MODELS for check in checks.yield_checks(model)]
ROWS = list(datasets.Phishing().take(60))


def budget():
    return Classifier(LASEC(), Budget(rate=0.3), seed=0)


def played(model, rows):
    """Return the prediction before each row, and whether its label was asked for."""
    found = []
    for x, y in rows:
        before, seen = model.n_asked, model.predict_proba_one(x)
        model.learn_one(x, y)
        found.append((seen, model.n_asked > before))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("model", "check"), CHECKS, ids=[check.__name__ for _, check in CHECKS])
def test_rivers_checks(model, check):
    check(model.clone())


def test_it_decides_and_tells():
    model = budget()
    clf = OnlineClassifier(LASEC(), Budget(rate=0.3), encoder="auto", random_state=0)
    for x, y in ROWS:
        model.learn_one(x, y)
        decision = clf.decide(dict(sorted(x.items())))
        if decision.ask:
            clf.tell(decision.ticket, y)
        assert model.predict_one(x) == clf.predict([x])[0]
    assert 10 < model.n_asked < len(ROWS)


def test_what_the_classifier_learns_by_its_own_methods_is_predicted(tmp_path):
    model = Classifier(LASEC(), seed=0)
    assert model.predict_one(ROWS[0][0]) is None
    for x, y in ROWS[:20]:
        model.classifier.tell(model.classifier.decide(x).ticket, y)
    model.classifier.save(tmp_path / "model")
    other = Classifier(LASEC(), seed=0)
    other.classifier = OnlineClassifier.load(tmp_path / "model")
    for each in (model, other):
        assert each.predict_one(ROWS[0][0]) == ROWS[0][1]
        assert len(each.predict_proba_one(ROWS[0][0])) == 2


def test_labels_that_were_not_asked_for_do_not_matter():
    found = played(budget(), ROWS)
    others = [(x, y if asked else not y) for (x, y), (_, asked) in zip(ROWS, found, strict=True)]
    assert played(budget(), others) == found


def test_classes_and_their_weights():
    weights = {"a": 3.0}
    model = Classifier(LASEC(), classes=["a", "b", "c"], class_weight=weights, seed=0).clone()
    clf = OnlineClassifier(LASEC(), classes=["a", "b", "c"], class_weight=weights, encoder="auto")
    for i in range(20):
        x, y = {"x": float(i % 7)}, "ab"[i % 2]
        model.learn_one(x, y)
        clf.tell(clf.decide(x).ticket, y)
    found = model.predict_proba_one({"x": 1.0})
    assert list(found) == ["a", "b", "c"]
    assert list(found.values()) == clf.predict_proba([{"x": 1.0}])[0].tolist()
    with pytest.raises(SelectronError, match="none of"):
        model.learn_one({"x": 1.0}, "d")


@pytest.mark.parametrize("classes", [None, ["a", "b"]])
def test_a_label_that_is_refused_counts_no_row(classes):
    model = Classifier(seed=0, classes=classes)
    model.learn_one({"x": 1.0}, "a")
    for wrong in [3.0, None, *(["c"] if classes else [])]:
        with pytest.raises(SelectronError):
            model.learn_one({"x": 1.0}, wrong)
    clf = model.classifier
    assert (clf.n_rounds_, model.n_asked, clf.open_tickets_) == (1, 1, [])


def test_a_pickled_model_goes_on():
    model = budget()
    played(model, ROWS[:30])
    twin = pickle.loads(pickle.dumps(model))
    assert played(twin, ROWS[30:]) == played(model, ROWS[30:])


def test_nothing_is_predicted_before_the_first_label():
    model = Classifier(LASEC())
    assert (model.predict_one({"a": 1}), model.predict_proba_one({"a": 1})) == (None, {})
    model.learn_one({"a": 1}, "up")
    assert (model.predict_one({}), model.predict_proba_one({})) == ("up", {"up": 1.0})


def test_labels_have_weights():
    once, twice = Classifier(BayesianPerceptron(), seed=0), Classifier(BayesianPerceptron(), seed=0)
    for x, y in ROWS[:50]:
        once.learn_one(x, y)
        twice.learn_one(x, y, w=2)
    weights = twice.classifier.coef_
    assert not np.array_equal(weights, once.classifier.coef_)
    with pytest.raises(SelectronError):
        twice.learn_one(*ROWS[0], w=-1)
    assert np.array_equal(twice.classifier.coef_, weights)


def test_names_may_be_numbers_and_values_of_any_kind():
    model = Classifier(LASEC())
    for i in range(40):
        model.learn_one({1: i % 2, "place": f"v{i % 3}", ("a", 2): None}, "yn"[i % 3 == 0])
    assert [model.predict_one({"place": f"v{i}"}) for i in range(3)] == ["n", "y", "y"]
    with pytest.raises(SelectronError, match="label"):
        model.learn_one({1: 1}, None)


@pytest.mark.parametrize("y", [None, float("nan"), ["a"]], ids=repr)
def test_what_can_be_no_label_counts_no_round(y):
    for rows in (0, 3):
        model = budget()
        for x, _ in ROWS[:rows]:
            model.learn_one(x, "True")
        before = model.n_asked
        with pytest.raises(SelectronError, match="There is no class"):
            model.learn_one(ROWS[5][0], y)
        assert model.n_asked == before
        assert getattr(model.classifier, "n_rounds_", 0) == rows


@pytest.mark.parametrize("x", [[1], None, 3.0], ids=repr)
def test_a_row_must_be_a_dict(x):
    with pytest.raises(SelectronError, match="A row must be a dict"):
        budget().learn_one(x, True)


def test_a_row_of_a_data_frame_is_told_on_one_line():
    with pytest.raises(SelectronError, match="A row must be a dict, got a 1 dtype: int64"):
        budget().learn_one(pd.Series({"a": 1}), True)


@pytest.mark.slow
@pytest.mark.parametrize("learner", [None, Perceptron(), LASEC()], ids=repr)
@pytest.mark.parametrize("asker", [Always(), Budget(rate=0.5)], ids=repr)
def test_clones_have_the_same_parameters(learner, asker):
    model = Classifier(learner, asker, seed=3)
    for x, y in ROWS:
        model.learn_one(x, y)
    fresh, copy = model.clone({"seed": 4}), model.clone(include_attributes=True)
    assert (fresh.learner, fresh.asker, fresh.seed, fresh.n_asked) == (learner, asker, 4, 0)
    assert (copy.seed, copy.n_asked) == (3, model.n_asked)
    assert played(copy, ROWS) == played(model, ROWS)
    pipeline = StandardScaler() | Classifier(learner, asker, seed=3)
    assert pipeline.clone()["Classifier"].asker == asker


def test_two_names_that_are_the_same_text():
    with pytest.raises(SelectronError, match="Two features have the same name as text"):
        budget().learn_one({1: 2.0, "1": 3.0}, True)


def test_labels_that_are_dates_stay_dates():
    model, days = Classifier(Perceptron(), seed=0), np.array(["2026-01-01", "2026-01-02"], "M8[ns]")
    for i in range(6):
        model.learn_one({"x": 2.0 * (i % 2) - 1}, days[i % 2])
    assert model.predict_one({"x": 1.0}) == days[1]
    assert list(model.predict_proba_one({"x": 1.0})) == list(days)
