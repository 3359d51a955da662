"""What is said of the past, when something is asked again, and clocks that were wrong."""

import pytest

from selectron import SelectronError
from selectron.askers import Budget
from selectron_desktop.alarms import UNSURE, Alarm, Asked, Questions
from selectron_desktop.predictor import ActivityPredictor

from .days import counted
from .people import START, minutes, play, trained


def test_a_declaration_of_the_past_teaches(tmp_path):
    """As much of it is known then as if it had been made in time: what is credited is the same."""
    day = minutes(240)
    switch = next(i for i in range(150, 200) if day[i].declared and not any(
        minute.declared for minute in day[i + 1 : i + 8]
    ))  # fmt: skip
    late, timely = (ActivityPredictor(threshold=9.0, random_state=0) for _ in range(2))
    play(timely, day[: switch + 8])
    quiet = day[switch]._replace(declared=False)
    play(late, [*day[:switch], quiet, *day[switch + 1 : switch + 8]])
    weights = late.scoring.weights().copy()
    assert late.declared != day[switch].activity
    late.declare(day[switch].activity, quiet.event.start)
    assert late.declared == timely.declared == day[switch].activity
    assert late.past.said.statements == timely.past.said.statements
    credited = [[i.label for i in one.past.history] for one in (late, timely)]
    assert credited[0] == credited[1]
    for known in ("times", "words"):
        tables = [getattr(one.past.known, known) for one in (late, timely)]
        assert [counted(tables[0], name) for name in tables[1].numbers] == [
            counted(tables[1], name) for name in tables[1].numbers
        ]
    assert (late.scoring.weights() != weights).any()


def test_a_declaration_of_the_past_holds_until_the_next_one():
    predictor = trained(100)
    said = predictor.past.said.statements[-1]
    name = predictor._activities.names.get(said.activity)
    predictor.declare("Elsewhere", said.time - 60)
    assert predictor.declared == name
    labels = {i.vector.start: i.label for i in predictor.past.history}
    assert labels[said.time - 60] == predictor._activities.number("Elsewhere")
    assert labels[said.time] == said.activity


def test_what_was_denied_is_asked_again_once_it_is_surer():
    asked = Questions(patience=600.0)
    asked.add(Asked(Alarm(1, START, "a", "b", START, 0.2, 1.0), 0, START, 0, 1))
    assert asked.lately(0, 9.0, START + 60)  # it waits for an answer
    asked.by_number[1].answer, asked.by_number[1].settled = (1, START), True
    assert asked.lately(0, 0.39, START + 60)
    assert not asked.lately(0, 0.4, START + 60)
    assert not asked.lately(0, 0.2, START + 600)
    assert not asked.lately(2, 0.2, START + 60)


def test_what_is_hardly_ahead_is_asked_about_once_it_lasts():
    found = play(ActivityPredictor(threshold=UNSURE / 2, random_state=0), minutes(900))
    before = dict(zip(found[1:], found, strict=False))
    unsure = [p for p in found[1:] if p.alarm and p.score < UNSURE]
    assert unsure
    assert all(before[p].activity == p.activity for p in unsure)
    assert not Questions(patience=0.0).early(0.01, 0.01, again=False)
    assert not Questions(patience=600.0).early(0.01, 0.0, again=False)


def later(minute, seconds):
    event = minute.event
    times = {"start": event.start + seconds, "end": event.end + seconds}
    return minute._replace(event=event._replace(**times))


def test_a_clock_that_was_ahead_is_set_back():
    budget = Budget(labels=2, per="1d")
    predictor = ActivityPredictor(budget=budget, threshold=0.0, random_state=0)
    day, years = minutes(900, chance=0.2), 10 * 365 * 86_400.0
    play(predictor, [later(minute, years) for minute in day[:300]], answered=False)
    declared, raised = predictor.declared, predictor.asked.raised
    assert raised
    with pytest.raises(SelectronError, match="starts before"):
        predictor.see(day[300].event)
    predictor.set_back(day[300].event.start)
    assert (predictor.declared, predictor.alarms) == (declared, [])
    found = play(predictor, day[300:], answered=False)
    assert all(found)
    assert predictor.declared == next(one.activity for one in day[::-1] if one.declared)
    assert any(one.alarm for one in found)
