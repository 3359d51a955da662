"""The paper's protocol: forgotten switches, right alarms, and the results."""

from itertools import pairwise

import pytest

from experiments.activity.batch import SILENCE, BatchPredictor
from experiments.activity.desks import generate
from experiments.activity.protocol import Person, evaluate, moments, play, plot
from experiments.activity.work import Size, Spell
from selectron_desktop.alarms import Alarm
from selectron_desktop.predictor import ActivityPredictor
from selectron_desktop.windows import Event

SPELLS = [Spell(1000.0 * i, 1000.0 * (i + 1), "abcdef"[i], True) for i in range(6)]


def alarm(time, activity):
    return Alarm(1, time, activity, "c", time, 1.0, 1.0)


@pytest.mark.parametrize(
    ("time", "activity", "right"),
    [
        (3060.0, "d", True),
        (3300.0, "d", True),
        (3301.0, "d", False),  # too late
        (3060.0, "e", False),  # another activity
        (2999.0, "d", False),  # too early: nobody has begun with it
        (4060.0, "e", False),  # that switch was declared
    ],
)
def test_an_alarm_is_right_if_the_activity_is_and_the_time_is_near(time, activity, right):
    correct, truth, since = Person(SPELLS).judge(alarm(time, activity))
    assert correct == right
    assert (truth, since) == (SPELLS[int(time // 1000)].activity, time // 1000 * 1000.0)


def test_a_switch_counts_once():
    person = Person(SPELLS)
    assert [person.judge(alarm(3060.0 + i, "d"))[0] for i in range(2)] == [True, False]


def test_all_events_come_in_order_and_every_fourth_switch_is_kept_quiet():
    events = [Event(60.0 * i, 60.0 * i + 60, "site:a", ()) for i in range(100)]
    seen, times, declared = [], [], []
    for now, news, said in moments(events, Person(SPELLS)):
        seen += news
        times.append(now)
        declared += [said] if said else []
        assert all(event.start < now for event in news)
    assert seen == events
    assert times == sorted(times)
    assert declared == ["a", "b", "c", "e", "f"]


@pytest.fixture(scope="module")
def log():
    desk = generate(Size(activities=12, days=8, minutes=2000, switches=160), seed=1)
    return desk.events, desk.truth


@pytest.mark.slow
def test_the_evaluation_compares_the_methods(log, tmp_path):
    rows = list(evaluate(*log, thresholds=(0.1, 0.4), every=50))
    assert [row.method for row in rows[:3]] == ["online", "batch", "batch, silent"]
    online = [row.outcome for row in rows if row.method == "online"]
    assert max(one.precision for one in online if one.recall >= 0.3) > 0.5
    assert all(one.recall < 1 for one in online)
    assert rows[3].outcome.alarms < rows[0].outcome.alarms
    assert all(str(row).startswith(row.method) for row in rows)
    plot(rows, tmp_path / "figure.png", "Forgotten switches")
    assert (tmp_path / "figure.png").stat().st_size > 10_000


@pytest.mark.slow
def test_the_batch_method_is_fitted_as_often_as_it_is_said(log):
    predictor = BatchPredictor(threshold=0.3, every=40)
    play(predictor, log[0][:1500], log[1])
    assert predictor.scoring.fits == 39 + len(predictor.scoring.rows) // 40


@pytest.mark.slow
def test_the_silent_batch_method_is_silent_after_an_alarm(log):
    predictor, times = BatchPredictor(threshold=0.0, every=40, silent=True), []
    ask = predictor._ask
    predictor._ask = lambda *args: times.append(ask(*args)) or times[-1]
    play(predictor, log[0][:2000], log[1])
    raised = [one.time for one in times if one]
    assert len(raised) > 5
    assert all(b - a >= SILENCE for a, b in pairwise(raised))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_outcome(log):
    outcomes = [play(ActivityPredictor(random_state=0), log[0][:2000], log[1]) for _ in range(2)]
    assert outcomes[0]._replace(seconds=0.0) == outcomes[1]._replace(seconds=0.0)
