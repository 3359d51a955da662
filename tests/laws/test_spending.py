"""Budgets are kept, whatever the rows, the learner and the worth; and audits tell the truth."""

import math
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from selectron import OnlineClassifier
from selectron.askers import BBQ, Always, Budget, Fixed, Margin, Uncertainty
from selectron.askers.budget import averages
from selectron.errors import SelectronError
from selectron.evaluate import audited
from selectron.learners import LASEC, LeadingHistory, Perceptron
from selectron.streams import switching_gaussian

from .grid import Case, stream
from .playing import play_run

WORTHS = [Uncertainty(), Margin(0.1), Margin(1e-9), Fixed(0.0), Fixed(1.0), BBQ(0.5)]


@pytest.mark.parametrize(
    ("labels", "horizon"), [(1, 1), (3, 400), (40, 400), (400, 400), (300, 300)]
)
@pytest.mark.parametrize("worth", WORTHS, ids=str)
def test_a_number_of_labels_is_never_exceeded_and_spent_in_the_end(worth, labels, horizon):
    asker = Budget(labels=labels, horizon=horizon, asker=worth)
    case = Case(Perceptron(), asker, sparse=False, compiled=False)
    asked = play_run(case, case.model(6), stream(n=600, width=6, missing=0.0)).asked
    assert asked.sum() == labels
    assert asked[:horizon].sum() >= min(labels, horizon) * 0.9


@pytest.mark.parametrize("worth", WORTHS, ids=str)
def test_no_period_gets_more_than_its_labels(worth):
    asker = Budget(labels=20, per=100, asker=worth)
    case = Case(Perceptron(), asker, sparse=False, compiled=False)
    rows, times = stream(n=900, width=6, missing=0.0), np.linspace(50.0, 1000.0, 900)
    times[500:520] -= 150.0  # clocks are set back
    run = case.model(6).run(case.block(rows.values), rows.labels, times=times)
    days = np.maximum.accumulate(times // 100)
    spent = np.array([run.asked[days == day].sum() for day in np.unique(days)])
    assert spent.max() <= 20
    assert np.median(spent) >= 15


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("worth", [Uncertainty(), Margin(0.1), BBQ(0.5), Fixed(0.0)], ids=str)
def test_a_rate_is_met(rate, worth):
    X, y = switching_gaussian(10_000, d=3, seed=1)
    run = OnlineClassifier(LASEC(), asker=Budget(rate, asker=worth), random_state=0).run(X, y)
    assert abs(run.label_rate / rate - 1) < 0.05


@pytest.mark.slow
def test_rows_without_labels_do_not_earn_those_of_later_rows():
    X, y = switching_gaussian(12_000, seed=0)
    clf = OnlineClassifier(LASEC(), Budget(rate=0.1), random_state=0)
    assert clf.run(X, [None] * len(y), classes=[-1, 1]).label_rate == 0
    asked = clf.run(X, y).asked
    assert 200 < asked[:2000].sum() < 375  # 150 for the rows before, not 1,200
    assert asked[2000:].mean() == pytest.approx(0.1, abs=0.01)


@pytest.mark.slow
def test_a_rate_is_met_by_audits_alone():
    X, y = switching_gaussian(20_000, d=3, seed=1)
    asker = Budget(rate=0.2, audits=1.0)
    run = OnlineClassifier(LASEC(), asker=asker, random_state=0).run(X, y)
    assert 0.2 <= run.label_rate < 0.22


def test_times_are_taken_as_seconds_or_dates():
    X, y = switching_gaussian(400, d=3, seed=1)
    hours = np.arange(400) * 3600
    dates = np.datetime64("2024-01-01") + hours.astype("timedelta64[s]")
    asker = Budget(labels=4, per="1d")
    records = [
        OnlineClassifier(LASEC(), asker=asker, random_state=0).run(X, y, times=times)
        for times in (dates, dates.astype("datetime64[s]").astype(float))
    ]
    assert np.array_equal(*(record.flags for record in records))
    assert records[0].asked.reshape(-1, 8)[:48].reshape(-1, 24).sum(axis=1).max() <= 4
    clf = OnlineClassifier(LASEC(), asker=asker, classes=[-1, 1], random_state=0)
    assert sum(clf.decide(x, time=0.0).ask for x in X[:100]) <= 4


@pytest.mark.parametrize("width", [0, 2, 3600])
def test_a_burst_of_rows_leaves_no_period_unused(width):
    X, y = switching_gaussian(1000, d=3, seed=1)
    times = 9 * 3600 + np.arange(1000) * width / 1000
    clf = OnlineClassifier(LASEC(), asker=Budget(labels=200, per="1d"), random_state=0)
    assert 50 < clf.run(X, y, times=times).asked.sum() <= 200


def test_rows_older_than_the_window_are_asked_for_as_others_are():
    X, y = switching_gaussian(2000, d=3, seed=1)
    times = np.linspace(8, 10, 2000) * 86_400
    times[1010:] -= 9 * 86_400
    clf = OnlineClassifier(LASEC(), asker=Budget(labels=200, per="1d"), random_state=0)
    with pytest.warns(UserWarning, match="row 1010 is earlier than row 1009"):
        run = clf.run(X, y, times=times)
    assert 100 < run.asked[1000:].sum() <= 200


@pytest.mark.parametrize("times", [None, [1.0], ["a", "b", "c"], [1.0, np.nan, 2.0]], ids=str)
def test_times_that_are_none(times):
    clf = OnlineClassifier(LASEC(), asker=Budget(labels=4, per="1d"))
    with pytest.raises(SelectronError, match="times"):
        clf.run(np.eye(3), [1, -1, 1], times=times)


@pytest.mark.slow
def test_given_labels_and_predictions_are_not_paid_for():
    case = Case(LeadingHistory(), Budget(labels=5, horizon=50), sparse=False, compiled=False)
    rows = stream(n=60, width=6, missing=0.0)
    model = case.model(6)
    before = model.past.copy()
    model.learn(case.block(rows.values), rows.labels)
    model.look(case.block(rows.values), 60)
    assert np.array_equal(model.past, before)


@pytest.mark.slow
def test_audits_cover_the_true_accuracy():
    X, y = switching_gaussian(1500, d=4, every=300, seed=2)
    inside = []
    for seed in range(100):
        asker = Budget(rate=0.2)
        run = OnlineClassifier(LASEC(), asker=asker, random_state=seed).run(X, y)
        found = audited(run)
        inside.append(found.low <= run.accuracy <= found.high)
    assert np.mean(inside) >= 0.9


@pytest.mark.parametrize("seed", range(4))
def test_audits_go_on_where_most_labels_are_asked_for_at_the_start(seed):
    X, y = switching_gaussian(400, d=10, every=200, seed=seed)
    clf = OnlineClassifier(LeadingHistory(), Budget(labels=40, horizon=400), random_state=seed)
    run = clf.run(X, y)
    assert run.asked[:100].sum() > 20
    assert run.ask_probability[:200].min() > 0


@pytest.mark.parametrize("factor", [2.0**-20, 2.0**10])
def test_scale_changes_nothing_at_all(factor):
    X, y = switching_gaussian(300, d=5, every=150, seed=3)
    records = [
        OnlineClassifier(LeadingHistory(), asker=Budget(rate=0.3), random_state=1).run(by * X, y)
        for by in (1.0, factor)
    ]
    for name in ("margin", "ask_probability", "flags", "age"):
        assert np.array_equal(*(getattr(record, name) for record in records))


@pytest.mark.parametrize("factor", [1000.0, 1e-3])
def test_scale_and_order_of_features_change_no_decision(factor):
    X, y = switching_gaussian(300, d=5, every=150, seed=3)
    records = [
        OnlineClassifier(LeadingHistory(), asker=Budget(rate=0.3), random_state=1).run(rows, y)
        for rows in (X, factor * X, X[:, ::-1])
    ]
    for other in records[1:]:
        assert np.array_equal(other.flags, records[0].flags)


def test_features_of_very_different_scale_are_not_lost():
    lost = []
    for seed in (3, 4, 5, 6):
        X, y = switching_gaussian(600, d=4, every=600, seed=seed)
        alike, apart = (
            OnlineClassifier(LeadingHistory(), asker=Budget(rate=0.3), random_state=1).run(rows, y)
            for rows in (X, X * [1.0, 1e3, 1e-3, 10.0])
        )
        lost.append(alike.accuracy - apart.accuracy)
    assert np.mean(lost) < 0.01


@pytest.mark.parametrize("seed", [3, 4, 5, 6])
def test_features_far_from_zero_are_not_lost(seed):
    """Times may be seconds since 1970: only their differences matter."""
    X, y = switching_gaussian(600, d=4, every=600, seed=seed)
    near, far = (
        OnlineClassifier(
            LeadingHistory(), asker=Budget(rate=0.3), fit_intercept=True, random_state=1
        ).run(rows, y)
        for rows in (X, X + np.array([1.7e9, 0.0, 0.0, -1e7]))
    )
    assert far.accuracy > near.accuracy - 0.02


@pytest.mark.parametrize("value", [100.0, -999.0, 1e200])
@pytest.mark.parametrize("rate", [0.2, 1.0])
def test_an_absurd_value_spoils_nothing(value, rate):
    X, y = switching_gaussian(2000, d=5, every=2000, seed=1)
    X[1000, 2] = value
    X[1200::100, 3] = value
    X[3, 0] = min(value, 1e9)  # before it is known what is usual
    run = OnlineClassifier(LeadingHistory(), asker=Budget(rate), random_state=0).run(X, y)
    assert run.correct[300:].mean() > 0.97


@pytest.mark.parametrize("apart", [0.03, 0.01])
def test_differences_of_nearly_equal_features_are_learned(apart):
    """Under the priors that do not whiten rows, about half of the answers are right."""
    random = np.random.default_rng(0)
    own, w = random.normal(size=(2000, 5)), random.normal(size=5)
    X, y = random.normal(size=(2000, 1)) + apart * own, own @ (w - w.mean()) > 0
    run = OnlineClassifier(LeadingHistory(), asker=Budget(rate=0.2), random_state=0).run(X, y)
    assert run.correct[500:].mean() > 0.96


@pytest.mark.parametrize("told", [0, 2])
def test_no_label_is_asked_for_that_could_not_be_learned(told):
    clf = OnlineClassifier(LeadingHistory(), asker=Always(), classes=[0, 1], random_state=0)
    for label in range(told):
        clf.tell(clf.decide([1.0, label + 1.0]).ticket, label)
    with pytest.raises(SelectronError, match="too large for floating point"):
        clf.decide([1.0, 1e200])


@pytest.mark.slow
def test_a_feature_that_is_rarely_on_is_not_blown_up():
    random = np.random.default_rng(0)
    X = (random.random((600, 3)) < [0.5, 0.02, 0.2]) * [1.0, 1.0, 5.0]
    y = np.where(random.random(600) < 0.5, 1, -1)
    clf = OnlineClassifier(LeadingHistory(switches=1), random_state=0)  # so that the young lead
    clf.run(X, y)
    by = clf.model_.state.scaler[1]
    np.testing.assert_allclose(by[1:] / by[1], [1.0, 1.0, 0.2], rtol=0.3)


@pytest.mark.slow
def test_the_leader_is_young_after_a_switch():
    X, y = switching_gaussian(900, d=4, every=600, seed=5)
    age = OnlineClassifier(LeadingHistory(), random_state=0).run(X, y).age
    assert age[599] > 500
    assert age[-1] < 320


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "got none of them"),
        ({"rate": 0.1, "labels": 5}, "got rate, labels"),
        ({"rate": 1.5}, "rate must be a number above 0 and not above 1, got 1.5"),
        ({"labels": 0, "horizon": 5}, "labels must be a whole number from 1 on, got 0"),
        ({"labels": 2.5, "horizon": 5}, "labels must be a whole number from 1 on, got 2.5"),
        ({"labels": 5, "horizon": math.inf}, "horizon must be a number from 1 on and finite"),
        ({"rate": 0.1, "saved": math.inf}, "saved must be a number from 0 on and finite"),
        ({"labels": 5, "per": "1y"}, "per must be a number of seconds"),
        ({"labels": 5, "per": "1 day"}, "of s, min, h, d or w"),
        ({"labels": 5, "per": " "}, "per must be a number of seconds"),
        ({"rate": 0.1, "asker": Budget(0.1)}, "asker must be one that remembers nothing"),
        ({"rate": 0.1, "audits": 2}, "audits must be a number from 0 to 1"),
    ],
    ids=str,
)
def test_what_is_no_budget_is_refused_when_it_is_made(given, message):
    with pytest.raises(SelectronError, match=message):
        Budget(**given)


def test_a_budget_is_checked_when_it_is_changed_and_copied_as_it_is():
    asker = Budget(rate=0.1)
    with pytest.raises(SelectronError, match="rate must be"):
        asker._replace(rate=2)
    assert pickle.loads(pickle.dumps(asker)) == clone(asker, safe=False) == asker


def weights(worths):
    """Return the weights of rows with these worths, one after another."""
    budget = Budget(labels=5, horizon=50)
    record, found = budget.past(), []
    for worth in worths:
        now = averages(budget, record, worth, surprised=0.0)
        found.append(now.weight)
        after = now._asdict()
        del after["weight"]
        record = record._replace(rows=record.rows + 1, **after)
    return found


def test_multiples_and_powers_of_worth_change_no_weight():
    worths = np.random.default_rng(0).uniform(0.01, 1, 2000)
    assert weights(0.3 * worths**2.5) == pytest.approx(weights(worths), rel=1e-9)


def test_the_rows_worth_most_stand_out_however_close_worths_are():
    worths = np.random.default_rng(0).normal(1, 1e-3, 2000)
    found, most = np.array(weights(worths))[1000:], np.argsort(worths[1000:])[-10:]
    assert found[most].min() > 10 * np.median(found)


def test_rows_that_are_all_alike_have_the_same_weight():
    assert weights([0.25] * 50) == weights([0.0] * 50) == [1.0] * 50
    rounded = np.random.default_rng(0).choice([0.25, np.nextafter(0.25, 1)], 50)
    assert weights(rounded) == pytest.approx([1.0] * 50, rel=1e-8)
