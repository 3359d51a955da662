"""A label of weight w is learned w times; classes may have weights too."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from selectron import OnlineClassifier, OnlineRanker, SelectronError
from selectron.askers import Margin
from selectron.learners import LASEC, PassiveAggressive, Perceptron

from .examples import X, Y

WEIGHTS = np.random.default_rng(5).integers(0, 4, len(X))
THIRDS = WEIGHTS / 3
LEARNERS = [PassiveAggressive(C=0.1), LASEC()]


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


@pytest.mark.parametrize("weights", [WEIGHTS, THIRDS])
@pytest.mark.parametrize("options", [{}, {"class_weight": "balanced"}, {"class_weight": {1: 1.5}}])
def test_a_run_is_rounds_one_by_one(options, weights):
    one, other = classifier(LASEC(), **options), classifier(LASEC(), **options)
    run = one.run(X, Y, sample_weight=weights)
    assert run.asked.tolist() == told(other, X, Y, weights)
    assert one.coef_.tolist() == other.coef_.tolist()
    assert one.predict_proba(X).tolist() == other.predict_proba(X).tolist()


@pytest.mark.parametrize("options", [{}, {"class_weight": "balanced"}])
def test_a_run_may_be_cut_and_saved_anywhere(options, tmp_path):
    whole, cut = classifier(LASEC(), **options), classifier(LASEC(), **options)
    whole.run(X, Y, sample_weight=THIRDS)
    cut.run(X[:37], Y[:37], sample_weight=THIRDS[:37])
    cut.save(tmp_path / "model")
    cut = OnlineClassifier.load(tmp_path / "model")
    cut.run(X[37:], Y[37:], sample_weight=THIRDS[37:])
    assert whole.coef_.tolist() == cut.coef_.tolist()


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


@pytest.mark.slow
@pytest.mark.parametrize("given", ["even", 3, {1: -1}, {1: "much"}, {2: 5}])
def test_odd_class_weights(given):
    with pytest.raises(SelectronError, match="class_weight"):
        OnlineClassifier(class_weight=given).fit(X, Y)
