"""Drift is detected once a switch, in whatever pieces the stream comes, and hardly ever at rest."""

import numpy as np
import pytest

from selectron import OnlineClassifier, SelectronError
from selectron.askers import Budget
from selectron.evaluate import Drifts
from selectron.evaluate.contest import drift_text
from selectron.learners import LeadingHistory, Perceptron
from selectron.streams import digits, switching_gaussian


@pytest.fixture(scope="module")
def run():
    X, y = switching_gaussian(2400, d=5, every=600, seed=1)
    clf = OnlineClassifier(LeadingHistory(), asker=Budget(rate=0.4), random_state=0)
    return clf.run(X, y)


def test_every_switch_is_detected_once(run):
    switches = np.array([600, 1200, 1800])
    assert len(run.drifts) == len(switches)
    late = run.drifts - switches
    assert np.all((late >= 0) & (late < 100))  # in the very row if the switch was expected


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_pieces_do_not_matter(run, size):
    whole, drifts, found = Drifts(), Drifts(), []
    assert whole.add(run.evidence) == whole.rounds == run.drifts
    for start in range(0, len(run), size):
        found += drifts.add(run.evidence[start : start + size])
        drifts.rounds, drifts = [], Drifts.unpack(drifts.pack())
    assert found == run.drifts


def test_runs_one_after_another_detect_what_one_run_does(run, tmp_path):
    """A leader that was born in an earlier run raises its alarm in a later one."""
    X, y = switching_gaussian(2400, d=5, every=600, seed=1)
    clf = OnlineClassifier(LeadingHistory(), asker=Budget(rate=0.4), random_state=0)
    found, size = [], run.drifts[0] + 1 - 590
    for start in [0, *range(590, len(X), size)]:  # the first drift begins in the last row of a part
        stop = start + size if start else 590
        found += [start + at for at in clf.run(X[start:stop], y[start:stop]).drifts]
        clf.save(tmp_path / "m")
        clf = OnlineClassifier.load(tmp_path / "m")
    assert found == run.drifts


def test_drift_of_an_earlier_file_is_reported_as_rows_before_this_one():
    results = [{"learner": "lh", "drifts": drifts} for drifts in ([0], [-9, 0, 1200, 5], [7], [])]
    assert drift_text(results).splitlines() == [
        "lh detected drift 1 row before this run.",
        "lh detected drift 10 and 1 rows before this run, and in rows 1,200, 5 (2 times).",
        "lh detected drift in row 7.",
        "lh detected no drift.",
    ]


def test_alarms_come_soon_after_drift_began(run):
    drifts = Drifts()
    drifts.add(run.evidence)
    late = np.subtract(drifts.alarms, drifts.rounds)
    assert np.all((late >= 0) & (late < 60))


def test_a_lower_rate_has_later_alarms_or_none(run):
    soon, late, never = Drifts(0.1), Drifts(1e-4), Drifts(1e-300)
    for drifts in (soon, late, never):
        drifts.add(run.evidence)
    assert len(soon.alarms) == len(late.alarms) == 3
    assert np.all(np.less_equal(soon.alarms, late.alarms))
    assert soon.alarms != late.alarms
    assert never.alarms == []


@pytest.mark.parametrize("rate", [0, 1, -1, np.nan, "x", None])
def test_a_rate_that_is_none_is_refused(rate):
    with pytest.raises(SelectronError, match="rate must be a number between 0 and 1"):
        Drifts(rate)


def test_at_rest_there_is_none():
    X, y = switching_gaussian(2400, d=5, every=2400, seed=1)
    clf = OnlineClassifier(LeadingHistory(), asker=Budget(rate=0.4), random_state=0)
    assert clf.run(X, y).drifts == []


def played(X, y, seed=0, **given):
    clf = OnlineClassifier(LeadingHistory(), asker=Budget(rate=0.1), random_state=seed)
    return clf.run(X, y, **given)


def at_random(seed, classes):
    """Three categories, one-hot, and labels that have nothing to do with them."""
    rng = np.random.default_rng(seed)
    return np.eye(3)[rng.integers(0, 3, (5000, 4))].reshape(5000, 12), rng.integers(
        0, classes, 5000
    )


def noisy(seed):
    """A hyperplane at rest, with as much noise as signal."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(5000, 5)), rng.normal(size=5)
    return X, np.sign(X @ w + rng.normal(size=5000) * np.linalg.norm(w))


@pytest.mark.slow
@pytest.mark.parametrize("rest", [lambda s: at_random(s, 2), lambda s: at_random(s, 3), noisy])
def test_at_rest_alarms_keep_to_their_rate(rest):
    """In 40,000 rows there may be 20 on average; more than that are unlikely, whatever the rows."""
    found = [at for seed in range(8) for at in played(*rest(seed), seed).drifts]
    assert len(found) <= 20


def test_late_labels_are_late_alarms_of_the_same_drift():
    X, y = switching_gaussian(2000, d=5, every=1000, seed=2)
    (soon,), (late,) = played(X, y).drifts, played(X, y, delay=100).drifts
    assert 1000 <= soon < 1100 <= late < 1300


def test_most_switches_of_the_digits_are_detected():
    X, y = digits()
    switches, hits, alarms = range(500, len(y), 500), 0, 0
    for seed in range(3):
        rounds = np.array(played(X, y, seed).drifts)
        hits += sum(np.any((rounds >= at) & (rounds < at + 200)) for at in switches)
        alarms += len(rounds)
    assert hits >= 3 * 12  # of 3 * 17
    assert alarms - hits <= 3 * 6


def test_a_leader_born_before_the_last_alarm_gives_none():
    drifts, strong = Drifts(), np.full(50, 20.0)
    first, other = np.arange(0.0, 50.0), np.arange(30.0, 80.0)
    assert drifts.add(np.column_stack([strong, first])) == [0]
    assert drifts.add(np.column_stack([strong, other])) == [50]  # born in round 21
    assert drifts.add(np.column_stack([strong, other + 70])) == []  # in round 1, and again
    assert drifts.add(np.column_stack([strong, first + 120])) == []


def test_other_learners_detect_nothing(run):
    X, y = switching_gaussian(100, d=5, seed=1)
    assert OnlineClassifier(Perceptron()).run(X, y).drifts == []


@pytest.mark.parametrize("evidence", [None, np.zeros((2, 5)), np.zeros(4), [[[1.0, 2.0]]]])
def test_evidence_of_another_shape(evidence):
    with pytest.raises(SelectronError, match=r"evidence must have the shape \(n, 2\) or \(2,\)"):
        Drifts().add(evidence)


def test_the_rate_is_packed():
    assert Drifts.unpack(Drifts(rate=0.3).pack()).limit == Drifts(rate=0.3).limit
