"""Accuracy from asked labels alone: an interval only where there are labels enough for one."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import binomtest

from selectron import OnlineClassifier, SelectronError
from selectron.askers import Budget
from selectron.cli import main
from selectron.evaluate import Audit, audited
from selectron.learners import LASEC
from selectron.streams import switching_gaussian


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = switching_gaussian(100, d=4, seed=0)
    lines = [",".join([*map(repr, x), str(label)]) for x, label in zip(X.tolist(), y, strict=True)]
    for n in (20, 29, 30):
        (tmp_path / f"{n}.csv").write_text("\n".join(["a,b,c,d,label", *lines[:n]]))
    return lambda *args: CliRunner().invoke(main, ["run", "--budget", "10%", *args])


@pytest.mark.parametrize("rows", ["20", "29"])
def test_a_short_stream_has_no_interval(call, rows):
    assert " too few labels " in call(f"{rows}.csv").stdout
    (row,) = json.loads(call(f"{rows}.csv", "--json").stdout)
    assert row["estimate"] is None
    assert row["estimate_reason"] == "too few labels: an interval takes 30 rows"


def test_a_longer_one_has(call):
    assert " to " in call("30.csv").stdout
    (row,) = json.loads(call("30.csv", "--json").stdout)
    assert 0 <= row["estimate"]["low"] < row["estimate"]["high"] <= 1
    assert row["estimate_reason"] is None


@pytest.mark.parametrize("asker", ["fixed:p=0.5", "margin:b=0.5"])
def test_every_asker_that_chooses_has_one(call, asker):
    args = ("run", "30.csv", "--learner", "perceptron", "--ask", asker, "--metrics")
    assert " estimated" in CliRunner().invoke(main, args).stdout
    (row,) = json.loads(CliRunner().invoke(main, [*args, "--json"]).stdout)
    assert 0 <= row["estimate"]["low"] < row["estimate"]["high"] <= 1


def test_one_that_asks_for_all_has_none(call):
    args = ("run", "30.csv", "--learner", "perceptron", "--ask", "always", "--json")
    (row,) = json.loads(CliRunner().invoke(main, args).stdout)
    assert (row["estimate"], row["estimate_reason"]) == (
        None,
        "every label is asked for",
    )


def test_the_functions_keep_to_it():
    X, y = switching_gaussian(300, d=4, seed=0)
    clf = OnlineClassifier(LASEC(), asker=Budget(rate=0.3), random_state=0)
    run = clf.run(X[:29], y[:29])
    found = audited(run)
    assert 0 < found.accuracy < 1
    assert (found.low, found.high) == (0, 1)
    run = OnlineClassifier(LASEC(), asker=Budget(rate=0.3), random_state=0).run(X, y)
    found = audited(run)
    assert 0 < found.low < found.accuracy < found.high < 1


def test_the_length_of_the_stream_may_be_given():
    audit = Audit()
    audit.add(np.full(20, 0.5), np.arange(20) < 5)
    assert audit.estimate() == audit.estimate(rows=40)
    assert audit.estimate(rows=29) == (0.75, 0.0, 1.0)


def test_the_interval_is_wilsons():
    """15 labels that stand for 30 are as precise as 20; 3 mistakes are too few to be sure of it."""
    audit, whole = Audit(), Audit()
    audit.add(np.full(15, 0.5), np.arange(15) < 3)
    whole.add(np.ones(15), np.arange(15) < 3)
    wide, narrow = (binomtest(n * 4 // 5, n).proportion_ci(method="wilson") for n in (15, 20))
    assert whole.estimate() == pytest.approx((0.8, wide.low, wide.high))
    found = audit.estimate()
    assert found.accuracy == 0.8
    assert wide.low < found.low < narrow.low
    assert narrow.high < found.high < wide.high


@pytest.mark.parametrize("labels", [1, 7, 53, 1000])
def test_all_right_may_be_all_there_is(labels):
    audit = Audit()
    audit.add(np.full(labels, 0.1), np.zeros(labels, bool))
    assert audit.estimate(10 * labels).high == 1.0
    audit = Audit()
    audit.add(np.full(labels, 0.1), np.ones(labels, bool))
    assert audit.estimate(10 * labels).low == 0.0


def test_rows_that_no_label_stands_for_are_unknown():
    audit = Audit()
    audit.add(np.full(5, 0.5), np.zeros(5, bool))
    known, some, most = (audit.estimate(rows) for rows in (30, 60, 1e6))
    assert known.accuracy == some.accuracy == most.accuracy == 1
    assert 0 < most.low < some.low < known.low < audit.estimate().low
    assert known.high == 1


def test_of_rows_that_could_not_be_asked_for_nothing_is_known():
    """The interval of all rows is between all of these wrong, and all of them right."""
    audit = Audit()
    audit.add(np.full(50, 0.5), np.arange(50) < 5)
    known, all_rows = audit.estimate(100), audit.estimate(400, unaskable=300)
    assert all_rows.accuracy == known.accuracy == 0.9
    assert all_rows.low == pytest.approx(known.low / 4)
    assert all_rows.high == pytest.approx(known.high / 4 + 3 / 4)


def test_a_run_that_outlasts_its_budget():
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 3))
    y = np.where(np.arange(3000) < 500, X[:, 0] > 0, X[:, 0] < 0)
    asker = Budget(labels=50, horizon=500)
    run = OnlineClassifier(LASEC(), asker=asker, random_state=0).run(X, y)
    found = audited(run)
    assert found.low < run.accuracy < 0.5 < found.accuracy < found.high


@pytest.mark.slow
@pytest.mark.parametrize("rows", [30, 100, 1000])
@pytest.mark.parametrize("rate", [0.05, 0.1, 0.2])
def test_the_interval_covers(rows, rate):
    """Of 400 intervals, fewer than 360 cover one time in 100 if each does with 93%."""
    covered = 0
    for seed in range(400):
        X, y = switching_gaussian(rows, d=10, every=rows, seed=seed)
        clf = OnlineClassifier(LASEC(), asker=Budget(rate=rate), random_state=seed, classes=[-1, 1])
        run = clf.run(X, y)
        found = audited(run)
        covered += found.low <= run.accuracy <= found.high
    assert covered >= 360


@pytest.mark.parametrize("confidence", [0, 1, "x", None])
def test_a_confidence_that_is_none_is_refused(confidence):
    run = OnlineClassifier(LASEC()).run([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(SelectronError, match="confidence must be a number between 0 and 1"):
        audited(run, confidence)


@pytest.mark.parametrize(
    ("p", "mistakes", "message"),
    [
        ([0.5, 0.5], [True], "2 probabilities for 1 labels"),
        ([0.5, 0.0], [True, False], "above 0 and at most 1"),
        ([2.0], [True], "above 0 and at most 1"),
        ([np.nan], [True], "above 0 and at most 1"),
        ([0.5], [2], "Mistakes must be True or False"),
        ([0.5], [np.nan], "Mistakes must be True or False"),
    ],
)
def test_labels_that_cannot_be_counted_change_nothing(p, mistakes, message):
    audit = Audit()
    audit.add([0.5, 0.25], [True, False])
    before = audit.sums.copy()
    with pytest.raises(SelectronError, match=message):
        audit.add(p, mistakes)
    assert (audit.sums == before).all()


@pytest.mark.parametrize("rate", [0.002, 0.1])
def test_it_covers_where_most_mistakes_are_expected(rate):
    """Those that are asked for with high probability vary little, and others are rarely seen."""
    rng, covered = np.random.default_rng(0), []
    for _ in range(400):
        wrong = rng.random(10_000) < rate
        p = np.where(wrong & (rng.random(10_000) < 0.6), 1.0, 0.05)
        asked = rng.random(10_000) < p
        audit = Audit()
        audit.add(p[asked], wrong[asked])
        _, low, high = audit.estimate(10_000)
        covered.append(low <= 1 - wrong.mean() <= high)
    assert np.mean(covered) >= 0.93
