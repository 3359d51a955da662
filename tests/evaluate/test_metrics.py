"""Metrics of a run are those that scikit-learn computes from its rows; estimates come near them."""

import numpy as np
import pytest
from sklearn import metrics as peer

from selectron import Budget, OnlineClassifier, SelectronError
from selectron.askers import Fixed, Margin
from selectron.estimator.ranker import OnlineRanker
from selectron.evaluate import tables
from selectron.learners import LASEC
from selectron.model.metrics import BINS, RunMetrics, Tally


def rows(classes, n=2000, seed=7):  # another seed than the draws of the asker
    """Gaussian classes of which one is rare; a tenth of the labels is missing."""
    rng = np.random.default_rng(seed)
    share = np.r_[0.04, np.full(classes - 1, 0.96 / (classes - 1))]
    names = np.array(["rare", *"abcdefgh"])[:classes]
    numbers = rng.choice(classes, n, p=share)
    X = rng.normal(size=(n, classes)) + 1.5 * np.eye(classes)[numbers]
    return X, np.where(rng.random(n) < 0.1, None, names[numbers].astype(object))


def played(classes, rate=0.3, **options):
    X, y = rows(classes)
    return OnlineClassifier(LASEC(), asker=Budget(rate=rate), random_state=0).run(X, y, **options)


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("part", ["true", "estimated"])
def test_they_are_those_of_scikit_learn(classes, part):
    run = played(classes)
    found = getattr(run.metrics(), part)
    known = run.labelled & run.asked if part == "estimated" else run.labelled
    true, predicted = run.label[known].astype(str), run.prediction[known].astype(str)
    weight = 1 / run.ask_probability[known] if part == "estimated" else None
    given = {"sample_weight": weight}
    names = {"labels": found.classes}
    assert found.classes == run.classes.tolist()
    for value, expected in {
        "confusion": peer.confusion_matrix(true, predicted, **names, **given),
        "accuracy": peer.accuracy_score(true, predicted, **given),
        "balanced_accuracy": peer.balanced_accuracy_score(true, predicted, **given),
        "kappa": peer.cohen_kappa_score(true, predicted, **given),
        "recall": peer.recall_score(true, predicted, average=None, **names, **given),
        "precision": peer.precision_score(true, predicted, average=None, **names, **given),
        "f1": peer.f1_score(true, predicted, average=None, **names, **given),
        "log_loss": peer.log_loss(true, run.proba[known], **names, **given),
    }.items():
        np.testing.assert_allclose(getattr(found, value), expected, rtol=1e-12, err_msg=value)
    share = np.bincount(run.label_index[known], weight, classes)
    assert found.majority == pytest.approx(share.max() / share.sum())


def test_the_reliability_is_that_of_the_predicted_class():
    run = played(5)
    found = run.metrics().true
    p, right = run.proba.max(axis=1)[run.labelled], run.correct[run.labelled]
    expected = [
        (inside.sum(), p[inside].mean(), right[inside].mean())
        for low in range(BINS)
        if (inside := (np.minimum((p * BINS).astype(int), BINS - 1) == low)).any()
    ]
    np.testing.assert_allclose(found.reliability, expected)
    weight, likely, share = np.array(expected).T
    assert found.calibration_error == pytest.approx(np.average(abs(likely - share), weights=weight))


def test_estimates_come_near():
    X, y = rows(2, n=4000)
    run = OnlineClassifier(LASEC(), asker=Fixed(0.5), random_state=0).run(X, y)
    true, estimated = run.metrics()
    for value in ("accuracy", "majority", "balanced_accuracy", "kappa", "log_loss"):
        assert abs(getattr(true, value) - getattr(estimated, value)) < 0.08, value


def interval_counts(repeats, n=1000, share=0.3):
    """Return how often intervals of recall and precision of one class cover, of all that exist."""
    rng, counts = np.random.default_rng(3), np.zeros((2, 2))
    for _ in range(repeats):
        y = (rng.random(n) < share) * 1
        margin = rng.normal(size=n) + 2 * y - 1.5
        p = 0.02 + 0.3 * np.exp(-1.5 * abs(margin))
        asked, predicted = rng.random(n) < p, (margin > 0) * 1
        true, estimated = Tally(), Tally()
        true.add(y, predicted)
        estimated.add(y[asked], predicted[asked], 1 / p[asked])
        exact, found = true.metrics([0, 1]), estimated.metrics([0, 1])
        for row, name in enumerate(("recall", "precision")):
            low, high = getattr(found, f"{name}_interval")[1]
            counts[row] += low <= getattr(exact, name)[1] <= high, not np.isnan(low)
    return counts.T


@pytest.mark.slow
@pytest.mark.parametrize(("n", "share"), [(1000, 0.3), (5000, 0.04)])
def test_intervals_of_recall_and_precision_cover(n, share):
    covers, known = interval_counts(500, n, share)
    assert (known >= 450).all()
    assert ((covers / known > 0.9) & (covers / known < 0.99)).all(), covers / known


def test_an_interval_takes_enough_labels():
    tally, names = Tally(), [0, 1, 2]
    tally.add(np.array([0] * 20 + [1] * 4), np.array([0] * 15 + [1] * 9), np.full(24, 2.0))
    found = tally.metrics(names)
    assert np.isnan(found.recall_interval[1:]).all()
    assert np.isnan(found.precision_interval[2]).all()
    low, high = found.recall_interval[0]
    assert 0.5 < low < found.recall[0] == 0.75 < high < 0.95
    assert np.isnan(played(2).metrics().true.recall_interval).all()
    shown = tables.described(RunMetrics(found, found))
    assert f"  0.7500 [{low:.2f}, {high:.2f}]  " in shown
    assert "nan" not in shown


def test_intervals_allow_for_any_class_of_rows_that_could_not_be_asked_for():
    known, spent = Tally(), Tally()
    for tally in (known, spent):
        tally.add(np.arange(40) % 2, np.arange(40) // 20, np.full(40, 2.0))  # 20 rows of each pair
    spent.unaskable += np.array([20, 0])
    before, after = (tally.metrics("ab") for tally in (known, spent))
    low, high = before.recall_interval.T
    assert pytest.approx(np.array([low * 2 / 3, (high * 2 + 1) / 3])) == after.recall_interval.T
    assert after.precision_interval[0] == pytest.approx(after.recall_interval[0])
    assert after.precision_interval[1] == pytest.approx(before.precision_interval[1])
    assert after.recall.tolist() == before.recall.tolist()


def test_intervals_cover_after_a_budget_is_spent():
    rng = np.random.default_rng(0)
    covered = []
    for seed in range(20):
        X, signs = rng.normal(size=(1000, 3)), np.repeat([1, -1], 500)
        y = X[:, 0] * signs > 0  # the concept is reversed when all labels have been asked for
        asker = Budget(labels=100, horizon=500, asker=Margin(0.1))
        clf = OnlineClassifier(LASEC(), asker, classes=[False, True], random_state=seed)
        true, found = clf.run(X, y).metrics()
        for name in ("recall", "precision"):
            low, high = getattr(found, f"{name}_interval").T
            covered += ((low <= getattr(true, name)) & (getattr(true, name) <= high)).tolist()
    assert np.mean(covered) > 0.9


@pytest.mark.parametrize("off", [0.0, 0.15])
def test_the_calibration_error_is_not_that_of_chance(off):
    rng, errors = np.random.default_rng(0), []
    for _ in range(20):
        p, chance = rng.uniform(0.5, 1, 3000), rng.uniform(0.05, 0.2, 3000)
        right, asked = rng.random(3000) < p - off, rng.random(3000) < chance
        tally, said = Tally(), p[asked]
        true = np.where(right[asked], 1, 0)
        tally.add(true, np.ones(len(said), int), 1 / chance[asked], np.array([1 - said, said]).T)
        errors.append(tally.metrics([0, 1]).calibration_error)
    assert abs(np.mean(errors) - off) < 0.04  # 0.08 too much, if chance counted


def test_without_margins_there_are_no_estimates_and_no_log_loss():
    true, estimated = played(2, margins=False).metrics()
    assert estimated is None
    assert np.isnan([true.log_loss, true.calibration_error]).all()
    assert true.reliability.shape == (0, 3)
    assert true.confusion.tolist() == played(2).metrics().true.confusion.tolist()


def test_without_a_label_there_is_nothing_to_measure():
    clf = OnlineClassifier(LASEC(), classes=["a", "b"])
    true, estimated = clf.run([[1.0], [2.0]], [None, None]).metrics()
    assert np.isnan([true.accuracy, true.majority, true.kappa, true.log_loss, *true.recall]).all()
    assert estimated.confusion.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_a_tally_in_pieces_is_that_of_the_whole_as_classes_appear():
    rng = np.random.default_rng(0)
    true, predicted, weight = rng.integers(2, size=50), rng.integers(2, size=50), rng.random(50)
    true[30:] += 1
    proba = rng.dirichlet(np.ones(3), 50)
    whole, pieces = Tally(), Tally()
    whole.add(true, predicted, weight, proba)
    for part in (slice(0, 30), slice(30, 30), slice(30, 50)):
        pieces.add(true[part], predicted[part], weight[part], proba[part])
    for one, other in zip(whole.metrics("abcd"), pieces.metrics("abcd"), strict=True):
        assert one == other if isinstance(one, list) else np.allclose(one, other, equal_nan=True)
    assert np.isnan(whole.metrics("abcd").recall[3])


def test_rows_of_several_classes_have_none():
    ranker = OnlineRanker(classes=["x", "y"])
    run = ranker.run([[1.0], [-1.0]], np.array([[1, 0], [0, 1]]))
    with pytest.raises(SelectronError, match="several classes"):
        run.metrics()


def test_names_that_would_become_one_stay_long():
    names = [f"twelve chars {i} and as many again" for i in range(2)]
    assert tables.short_names(names) == names
    assert tables.short_names([names[0], "b"]) == ["twelve chars…s many again", "b"]
