"""What the predictor takes, refuses, remembers, and sets right."""

import math

import pytest

from selectron import SelectronError
from selectron.askers import Budget
from selectron_desktop.alarms import FRESH, LAPSE, UNSURE, needed
from selectron_desktop.predictor import ActivityPredictor
from selectron_desktop.windows import Event

from .days import counted
from .people import START, minutes, play, trained


def state(predictor, path):
    """Return all that a predictor is, as bytes."""
    predictor.save(path)
    return path.read_bytes()


def alarmed(**parameters):
    """Return a predictor with an open alarm, and the minutes after it."""
    predictor, day = ActivityPredictor(random_state=0, **parameters), minutes(600)
    for i, minute in enumerate(day):
        (prediction,) = play(predictor, [minute], answered=False)
        if prediction.alarm and minute.activity == prediction.alarm.activity and i > 150:
            return predictor, prediction.alarm, day[i + 1 :]
        if prediction.alarm:
            predictor.answer(prediction.alarm.id, minute.activity)
    raise AssertionError("there was no alarm")


@pytest.mark.parametrize(
    ("event", "what"),
    [
        (Event(math.nan, 1.0, "site:a", ()), "finite times in order"),
        (Event(START + 99_000, START + 98_000, "site:a", ()), "finite times in order"),
        (Event(START, START + 5, "site:a", ()), "must not overlap"),
    ],
)
def test_an_event_out_of_order_is_refused_and_nothing_changes(event, what, tmp_path):
    predictor = trained(30)
    before = state(predictor, tmp_path / "a")
    with pytest.raises(SelectronError, match=what):
        predictor.see(event)
    assert state(predictor, tmp_path / "a") == before


def test_an_event_before_the_last_tick_is_late():
    predictor = ActivityPredictor()
    predictor.tick(START + 60)
    with pytest.raises(SelectronError, match="starts before"):
        predictor.see(Event(START, START + 10, "site:a", ()))


@pytest.mark.parametrize(
    "call",
    [
        lambda p: p.tick(START),
        lambda p: p.declare("Taxes", math.nan),
        lambda p: p.declare("", START + 1e6),
        lambda p: p.answer(99, "Taxes"),
        lambda p: p.create("Garden"),
        lambda p: p.rename("Nothing", "Something"),
        lambda p: p.rename("Taxes", "Garden"),
        lambda p: p.merge("Taxes", "Taxes"),
        lambda p: p.merge("Taxes", "Nothing"),
        lambda p: p.close("Nothing"),
        lambda p: p.associate("site:a", "Nothing"),
    ],
)
def test_a_call_that_is_refused_changes_nothing(call, tmp_path):
    predictor = trained(120)
    before = state(predictor, tmp_path / "a")
    with pytest.raises(SelectronError):
        call(predictor)
    assert state(predictor, tmp_path / "a") == before


def test_parameters_are_checked():
    for wrong in ({"threshold": -1}, {"patience": -1}, {"midnight": -1}, {"replay": 0.5}):
        with pytest.raises(SelectronError):
            ActivityPredictor(**wrong)


def test_without_activities_nothing_is_predicted():
    predictor = ActivityPredictor()
    predictor.see(Event(START, START + 60, "site:a", ("a",)))
    assert predictor.tick(START + 60)[1:] == (None, 0.0, None, None)


def test_nobody_there_is_no_prediction():
    predictor = trained(30)
    end = START + 30 * 60
    predictor.see(Event(end, end + 600, "", ()))
    assert predictor.tick(end + 60) is None
    assert predictor.tick(end + 120) is None


def test_an_event_counts_in_all_stretches_that_it_is_in():
    predictor = trained(60)
    end = START + 60 * 60
    predictor.see(Event(end, end + 180, "document:Taxes1", ("taxes1",)))
    for i in (1, 2, 3):
        assert predictor.tick(end + 60 * i) is not None
        assert predictor.past.history[-1].vector.seconds == 60
    assert predictor.tick(end + 240) is None


@pytest.mark.parametrize("budget", [None, Budget(labels=3, per="2h")])
@pytest.mark.parametrize("after", [1, 77, 200, 299])
def test_save_and_load_change_nothing(after, budget, tmp_path):
    day = minutes(300, seed=3)
    straight, halted = (
        ActivityPredictor(threshold=0.05, budget=budget, random_state=1) for _ in range(2)
    )
    expected = play(straight, day)
    found = play(halted, day[:after])
    halted.save(tmp_path / "a")
    again = ActivityPredictor.load(tmp_path / "a")
    assert again.activities == halted.activities
    assert again.alarms == halted.alarms
    assert found + play(again, day[after:]) == expected
    assert state(again, tmp_path / "a") == state(straight, tmp_path / "b")


def test_a_damaged_file_is_refused(tmp_path):
    content = state(trained(20), tmp_path / "a")
    (tmp_path / "a").write_bytes(content[:-9] + b"xxxxxxxxx")
    with pytest.raises(SelectronError, match="damaged"):
        ActivityPredictor.load(tmp_path / "a")


def test_answering_again_changes_nothing(tmp_path):
    predictor, alarm, _ = alarmed()
    predictor.answer(alarm.id, alarm.activity, alarm.since)
    before = state(predictor, tmp_path / "a")
    predictor.answer(alarm.id, alarm.activity, alarm.since)
    assert state(predictor, tmp_path / "a") == before
    assert predictor.declared == alarm.activity


def test_an_answer_sets_right_what_was_credited(tmp_path):
    predictor, alarm, _ = alarmed()
    predictor.answer(alarm.id, alarm.activity)
    names = predictor._activities.names
    for instance in predictor.past.history:
        if instance.vector.start >= alarm.since:
            assert names[instance.label] == alarm.activity


@pytest.mark.slow
def test_another_answer_corrects(tmp_path):
    corrected, alarm, _ = alarmed()
    corrected.answer(alarm.id, alarm.activity)
    corrected.answer(alarm.id, alarm.declared)
    straight, _, _ = alarmed()
    straight.answer(alarm.id, alarm.declared)
    assert corrected.declared == straight.declared == alarm.declared
    credited = [
        [(i.label, i.vector) for i in predictor.past.history] for predictor in (corrected, straight)
    ]
    assert credited[0] == credited[1]
    for known in ("times", "words"):
        tables = [getattr(p.past.known, known) for p in (corrected, straight)]
        assert [counted(t, name) for t in tables[:1] for name in t.numbers] == [
            counted(t, name) for t in tables[1:] for name in t.numbers
        ]


def test_an_answer_may_name_a_new_activity():
    predictor, alarm, _ = alarmed()
    predictor.answer(alarm.id, "Holidays")
    assert predictor.declared == "Holidays"
    assert "Holidays" in predictor.activities


def test_an_open_alarm_is_not_raised_again():
    predictor, alarm, rest = alarmed()
    later = [minute._replace(declared=False) for minute in rest[: int(LAPSE // 60) - 1]]
    raised = [p.alarm for p in play(predictor, later, answered=False) if p.alarm]
    assert all(other.activity != alarm.activity for other in raised)
    assert alarm in predictor.alarms


def test_a_declaration_ends_the_wait_but_the_answer_still_counts():
    predictor, alarm, rest = alarmed()
    predictor.declare("Elsewhere", rest[0].event.start)
    assert predictor.alarms == []
    predictor.answer(alarm.id, alarm.activity)
    assert predictor.declared == "Elsewhere"
    assert predictor._activities.names.get(predictor.past.said.at(alarm.time - 1)) == alarm.activity


def test_an_unanswered_alarm_changes_nothing():
    predictor, alarm, _ = alarmed()
    weights = predictor.scoring.weights().copy()
    predictor.tick(alarm.time + LAPSE + 1)
    assert predictor.alarms == []
    assert predictor.declared != alarm.activity
    assert (predictor.scoring.weights() == weights).all()


@pytest.mark.slow
def test_right_after_a_declaration_only_a_large_lead_is_asked_about():
    predictor, leads = ActivityPredictor(threshold=0.0, random_state=0), {True: [], False: []}
    said = predictor.past.said
    for minute in minutes(1500, chance=0.2):
        (prediction,) = play(predictor, [minute], answered=False)
        age = minute.event.end - said.last.time
        if prediction.alarm and age <= FRESH:
            assert prediction.alarm.score >= needed(0.0, age) > UNSURE
        leads[age <= FRESH] += [prediction.alarm.score] if prediction.alarm else []
    assert len(leads[True]) > 3
    assert min(leads[False]) < UNSURE


def test_right_after_an_answer_nobody_is_asked():
    predictor, alarm, rest = alarmed(threshold=0.0)
    predictor.answer(alarm.id, "Holidays")
    quiet = [minute._replace(declared=False) for minute in rest[:20]]
    asked = [p.time for p in play(predictor, quiet, answered=False) if p.alarm]
    assert asked
    assert min(asked) - alarm.since > FRESH


@pytest.mark.slow
def test_a_budget_is_never_exceeded():
    budget = Budget(labels=2, per="1d")
    predictor = ActivityPredictor(budget=budget, threshold=0.0, random_state=0)
    found = play(predictor, minutes(1500, chance=0.2), answered=False)
    days = [p.time // 86_400 for p in found if p.alarm]
    assert len(days) >= 2
    assert max(days.count(day) for day in days) <= 2


@pytest.mark.slow
def test_a_budgets_day_begins_at_midnight():
    """Of where one lives: else evening and morning of two days could be one, and noon between."""
    midnight = 43_200.0
    predictor = ActivityPredictor(
        budget=Budget(labels=2, per="1d"), threshold=0.0, random_state=0, midnight=midnight
    )
    found = play(predictor, minutes(1500, chance=0.2), answered=False)
    days = [(p.time - midnight) // 86_400 for p in found if p.alarm]
    assert max(days.count(day) for day in days) == 2


@pytest.mark.slow
def test_a_budget_does_not_lower_the_threshold():
    budget = Budget(labels=500, per="1d")
    predictor = ActivityPredictor(budget=budget, threshold=0.2, random_state=0)
    found = play(predictor, minutes(1000, chance=0.1))
    scores = [p.alarm.score for p in found if p.alarm]
    assert len(scores) > 5
    assert min(scores) >= 0.2


def test_activities_come_and_go():
    predictor = trained(200)
    predictor.rename("Taxes", "Tax return")
    assert "Tax return" in predictor.activities
    predictor.close("Garden")
    assert "Garden" not in predictor.activities
    rest = [minute._replace(declared=False) for minute in minutes(260)[200:]]
    found = play(predictor, rest, answered=False)
    assert all(p.activity != "Garden" for p in found)
    predictor.declare("Garden", rest[-1].event.end)
    assert predictor.declared == "Garden"


def test_what_is_merged_knows_what_both_knew():
    predictor = trained(200)
    parts = [counted(predictor.past.known.times, "site:mail.example").get(i, 0) for i in range(3)]
    old, into = map(predictor._activities.number, ("Taxes", "Garden"))
    predictor.merge("Taxes", "Garden")
    merged = counted(predictor.past.known.times, "site:mail.example")
    assert merged[into] == parts[old] + parts[into]
    assert "Taxes" not in predictor.activities
    event = Event(START + 200 * 60, START + 201 * 60, "document:Taxes1", ("taxes1",))
    predictor.declare("Garden", event.start)
    predictor.see(event)
    assert predictor.tick(event.end).activity == "Garden"


def test_an_explicit_association_counts_and_can_be_taken_back():
    predictor = trained(60)
    predictor.associate("document:new", "Thesis")
    start = START + 3600
    predictor.see(Event(start, start + 60, "document:new", ()))
    predictor.tick(start + 60)
    thesis = predictor._activities.number("Thesis")
    assert predictor.past.history[-1].features.of(thesis)[0] > 0
    predictor.associate("document:new", None)
    assert predictor.past.known.explicit == {}
