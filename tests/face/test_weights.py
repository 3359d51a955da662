"""A label of weight w is learned w times; classes may have weights too."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import balanced_accuracy_score, recall_score, roc_auc_score

from selectron import Budget, OnlineClassifier, OnlineRanker, SelectronError
from selectron.askers import Always, Margin
from selectron.learners import LASEC, LeadingHistory, PassiveAggressive, Perceptron

from .examples import X, Y

WEIGHTS = np.random.default_rng(5).integers(0, 4, len(X))
THIRDS = WEIGHTS / 3
LEARNERS = [PassiveAggressive(C=0.1), LASEC()]
BOTH = [LASEC(), pytest.param(LeadingHistory(), marks=pytest.mark.slow)]


def told(clf, X, y, weights):
    """Decide and tell one by one; return which labels were asked for."""
    asked = []
    for x, label, weight in zip(X, y, weights, strict=True):
        decision = clf.decide(x)
        asked.append(decision.ask)
        if decision.ask:
            clf.tell(decision.ticket, label, sample_weight=weight)
    return asked


def classifier(learner, **options):
    options = {"asker": Margin(0.5), "classes": [-1, 1], "random_state": 2} | options
    return OnlineClassifier(learner, **options)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_whole_weight_is_that_many_labels(learner):
    clf = OnlineClassifier(learner).fit(X, Y, sample_weight=WEIGHTS)
    again = OnlineClassifier(learner).fit(X.repeat(WEIGHTS, axis=0), Y.repeat(WEIGHTS))
    assert clf.coef_.tolist() == again.coef_.tolist()
    assert clf.n_rounds_ == len(X)


@pytest.mark.slow
@pytest.mark.compiles
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_the_same_weight_everywhere_costs_no_accuracy(kind):
    """Young experts follow any label, so that copies of noise would seem to be new concepts."""
    rng = np.random.default_rng(0)
    X = np.hstack([rng.normal(size=(2500, 10)), rng.random((2500, 150)) < 0.03])
    y = rng.random(2500) < 1 / (1 + np.exp(-X[:, :10] @ rng.normal(size=10)))
    runs = [
        OnlineClassifier(random_state=0).run(kind(X), y, sample_weight=np.full(2500, weight))
        for weight in (1, 2, 10)
    ]
    assert min(run.accuracy for run in runs) > runs[0].accuracy - 0.02 > 0.75
    assert max(len(run.drifts) for run in runs) <= 2


@pytest.mark.parametrize("learner", BOTH)
@pytest.mark.parametrize("weights", [WEIGHTS, THIRDS])
@pytest.mark.parametrize("options", [{}, {"class_weight": "balanced"}, {"class_weight": {1: 1.5}}])
def test_a_run_is_rounds_one_by_one(options, weights, learner):
    one, other = classifier(learner, **options), classifier(learner, **options)
    run = one.run(X, Y, sample_weight=weights)
    assert run.asked.tolist() == told(other, X, Y, weights)
    assert one.decision_function(X).tolist() == other.decision_function(X).tolist()
    assert one.coef_.tolist() == other.coef_.tolist()
    assert one.predict_proba(X).tolist() == other.predict_proba(X).tolist()


@pytest.mark.parametrize("learner", BOTH)
@pytest.mark.parametrize("options", [{}, {"class_weight": "balanced"}, {"class_weight": {1: 7}}])
def test_a_run_may_be_cut_and_saved_anywhere(options, learner, tmp_path):
    whole, cut = classifier(learner, **options), classifier(learner, **options)
    whole.run(X, Y, sample_weight=THIRDS)
    cut.run(X[:37], Y[:37], sample_weight=THIRDS[:37])
    cut.save(tmp_path / "model")
    cut = OnlineClassifier.load(tmp_path / "model")
    cut.run(X[37:], Y[37:], sample_weight=THIRDS[37:])
    assert whole.coef_.tolist() == cut.coef_.tolist()
    assert whole.predict_proba(X).tolist() == cut.predict_proba(X).tolist()


def test_weight_one_is_no_weight():
    one, other = classifier(LASEC()), classifier(LASEC())
    first, second = one.run(X, Y), other.run(X, Y, sample_weight=np.ones(len(X)))
    assert first.flags.tolist() == second.flags.tolist()
    assert first.proba.tolist() == second.proba.tolist()
    assert one.coef_.tolist() == other.coef_.tolist()


def test_weight_zero_is_asked_for_but_not_learned():
    clf = OnlineClassifier(Perceptron())
    run = clf.run(X, Y, sample_weight=np.zeros(len(X)))
    assert run.asked.all()
    assert run.steps == clf.model_.labels == 0
    assert not clf.coef_.any()
    assert not clf.tell(clf.decide(X[0]).ticket, Y[0], sample_weight=0)
    assert clf.open_tickets_ == []


def test_the_draws_of_the_rounds_stay():
    one = classifier(LASEC()).run(X, Y, sample_weight=np.zeros(len(X)))
    other = classifier(LASEC()).run(
        X, np.full(len(X), np.nan), sample_weight=THIRDS, classes=[-1, 1]
    )
    assert one.ask_probability.tolist() == other.ask_probability.tolist()


def test_a_fraction_is_unbiased():
    x, y = np.ones((20_000, 1)), np.tile([-1, 1], 10_000)
    clf = OnlineClassifier(Perceptron(), class_weight={1: 0.3}).fit(x, y)
    assert abs(clf.model_.labels - 13_000) < 300


def test_sparse_rows_and_many_classes():
    rows, y = np.where(np.abs(X) > 1, X, 0.0), np.arange(len(X)) % 3
    many = OnlineClassifier(LASEC()).fit(rows, y, sample_weight=WEIGHTS)
    again = OnlineClassifier(LASEC()).fit(rows.repeat(WEIGHTS, axis=0), y.repeat(WEIGHTS))
    assert many.coef_.tolist() == again.coef_.tolist()
    named = [{f"f{j}": value for j, value in enumerate(row) if value} for row in rows]
    sparse = OnlineClassifier(LASEC()).fit(named, y, sample_weight=WEIGHTS)
    np.testing.assert_allclose(np.sort(sparse.coef_, axis=None), np.sort(many.coef_, axis=None))


def test_examples_are_kept_while_a_label_is_repeated():
    one = OnlineClassifier(LASEC(), kernel="rbf").fit(X, Y, sample_weight=WEIGHTS)
    again = OnlineClassifier(LASEC(), kernel="rbf").fit(
        X.repeat(WEIGHTS, axis=0), Y.repeat(WEIGHTS)
    )
    assert one.decision_function(X).tolist() == again.decision_function(X).tolist()


def test_balanced_learns_more_of_a_rare_class():
    rare = np.where(np.arange(len(X)) % 10 == 0, 1, -1)
    plain = OnlineClassifier(PassiveAggressive(C=0.01)).fit(X, rare)
    even = OnlineClassifier(PassiveAggressive(C=0.01), class_weight="balanced").fit(X, rare)
    assert (even.predict(X) == 1).sum() > (plain.predict(X) == 1).sum()
    assert even.model_.weighting.totals == (108, 12)


@pytest.mark.compiles
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
@pytest.mark.parametrize(
    "weights",
    [{"b": 6.0}, pytest.param({"a": 0.25, "c": 3}, marks=pytest.mark.slow), {"a": 2, "b": 2}],
)
def test_class_weights_of_an_ensemble_change_predictions_alone(weights, kind):
    n = 2 if weights.keys() <= {"a", "b"} else 3
    names, rows = np.array(list("abc"[:n])), kind(X)
    y = names[np.digitize(X[:, 0] + X[:, 1] / 3, [0.4, 1.2][: n - 1])]
    given = {"asker": Budget(rate=0.5), "classes": names, "random_state": 0}
    plain, clf, quiet = (
        OnlineClassifier(class_weight=w, **given) for w in (None, weights, weights)
    )
    run, weighed = plain.run(rows, y), clf.run(rows, y)
    assert weighed.asked.tolist() == run.asked.tolist()
    assert weighed.flags.tolist() == quiet.run(rows, y, margins=False).flags.tolist()
    assert clf.coef_.tolist() == plain.coef_.tolist() == quiet.coef_.tolist()
    assert clf.predict_proba(rows).tolist() == quiet.predict_proba(rows).tolist()
    factors = [weights.get(one, 1.0) for one in names]
    later = clf.predict_proba(rows), plain.predict_proba(rows), clf.predict(rows)
    for found, proba, prediction in (later, (weighed.proba, run.proba, weighed.prediction)):
        expected = proba * factors / (proba * factors).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
        assert prediction.tolist() == names[found.argmax(axis=1)].tolist()
    score = 2 * (later[0] if n > 2 else later[0][:, 1]) - 1
    np.testing.assert_allclose(clf.decision_function(rows), score, atol=1e-12)
    assert (clf.predict(rows) != plain.predict(rows)).any() == (len(set(factors)) > 1)


@pytest.mark.compiles
def test_an_ensemble_learns_no_label_of_a_class_of_weight_zero():
    clf = OnlineClassifier(class_weight={1: 0}, classes=[-1, 1])
    assert clf.run(X, Y).asked.all()
    assert clf.model_.labels == (Y == -1).sum()
    assert (clf.predict(X) == -1).all()


@pytest.mark.slow
@pytest.mark.compiles
@pytest.mark.parametrize("asker", [Always(), Budget(rate=0.1)], ids=repr)
def test_weights_find_a_rare_class_without_loss_of_order(asker):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(10_000, 10))
    z = X @ rng.normal(size=10)
    y = rng.random(10_000) < 1 / (1 + np.exp(5.2 - 2 * z / z.std()))
    order, recall, balanced = [], [], []
    for weight in (None, {True: 5}, "balanced"):
        clf = OnlineClassifier(asker=asker, class_weight=weight, random_state=0)
        clf.run(X[:7000], y[:7000])
        given, predicted = clf.predict_proba(X[7000:])[:, 1], clf.predict(X[7000:])
        order.append(roc_auc_score(y[7000:], given))
        recall.append(recall_score(y[7000:], predicted))
        balanced.append(balanced_accuracy_score(y[7000:], predicted))
        assert ((given > 0.5) == predicted).all()
    assert min(order) > max(order) - 0.005 > 0.87
    assert recall[0] + 0.15 < recall[1] < recall[2]
    assert balanced[2] > balanced[0] + 0.08


def test_weights_of_a_ranker():
    Z, table = X[:40], (X[:40, :3] > 0).astype(int)
    names = {"classes": ["a", "b", "c"]}
    one = OnlineRanker(PassiveAggressive(), **names).fit(Z, table, sample_weight=WEIGHTS[:40])
    again = OnlineRanker(PassiveAggressive(), **names)
    again.fit(Z.repeat(WEIGHTS[:40], axis=0), table.repeat(WEIGHTS[:40], axis=0))
    assert one.coef_.tolist() == again.coef_.tolist()


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.ones(3), "one number for each of 120 rows"),
        (np.full(len(X), -1.0), "from 0 to 1000"),
        (np.full(len(X), np.nan), "from 0 to 1000"),
        (["much"] * len(X), r"not a list of numbers.* to float: 'much'\.$"),
        ([{}] * len(X), "not a list of numbers"),
        ([[1]] * 119 + [[1, 2]], "not a list of numbers"),
    ],
)
def test_odd_weights_change_nothing(weights, words):
    clf = OnlineClassifier()
    with pytest.raises(SelectronError, match=words):
        clf.partial_fit(X, Y, sample_weight=weights)
    assert not hasattr(clf, "model_")


def test_weights_that_sum_to_one_are_warned_of():
    with pytest.warns(UserWarning, match=r"mean sample_weight is 0\.0083"):
        OnlineClassifier(Perceptron()).fit(X, Y, sample_weight=np.full(len(X), 1 / len(X)))


def test_a_few_large_weights_do_not_hide_small_ones(recwarn):
    weights = np.where(np.arange(len(X)) % 50, 0.01, 1.0)
    with pytest.warns(UserWarning, match=r"mean sample_weight is 0\.03"):
        OnlineClassifier(Perceptron()).fit(X, Y, sample_weight=weights)
    OnlineClassifier(Perceptron()).fit(X, Y, sample_weight=(weights == 1) | (np.arange(len(X)) < 9))
    assert not recwarn.list


def test_a_weight_of_no_class_is_warned_of():
    with pytest.warns(
        UserWarning, match="class_weight names 'Fraud', which is no label so far: they"
    ):
        OnlineClassifier(Perceptron(), class_weight={"Fraud": 2}).run(X, Y)


@pytest.mark.slow
@pytest.mark.parametrize("given", ["even", 3, {1: -1}, {1: "much"}, {2: 5}, {-1: 0, 1: 0}])
def test_odd_class_weights(given):
    with pytest.raises(SelectronError, match="class_weight"):
        OnlineClassifier(class_weight=given).fit(X, Y)
