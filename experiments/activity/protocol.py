"""The paper's protocol: a person who forgets every fourth switch, and answers every alarm (5.4)."""

import math
import time as clock
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from selectron_desktop.alarms import Alarm
from selectron_desktop.windows import Event

FORGOTTEN = 4  # one of this number of switches is not declared
STRETCH = 60.0  # seconds between two predictions
NEAR = 300.0  # seconds by which an alarm may be late or early


class Outcome(NamedTuple):
    """The results of a log."""

    instances: int
    switches: int  # in all
    forgotten: int
    alarms: int
    right: int
    seconds: float  # of the processor, all in all

    @property
    def precision(self) -> float:
        """The share of alarms that were right; NaN if there were none."""
        return self.right / self.alarms if self.alarms else math.nan

    @property
    def recall(self) -> float:
        """The share of forgotten switches that a right alarm detected."""
        return self.right / self.forgotten if self.forgotten else math.nan


class Person:
    """The person, who knows the activities and their starts: `truth` is a list of spells."""

    def __init__(self, truth: Sequence[Any]):
        self.truth = truth
        self.starts = [spell.start for spell in truth]
        self.forgets = {i for i in range(len(truth)) if i % FORGOTTEN == FORGOTTEN - 1}
        self.right: set[int] = set()  # forgotten switches that a right alarm detected

    def spell(self, time: float) -> int:
        """Return the number of the spell before a time."""
        return bisect_right(self.starts, time - 1e-6) - 1

    def judge(self, alarm: Alarm) -> tuple[bool, str, float]:
        """Return whether an alarm is right, the true activity, and its start."""
        i = self.spell(alarm.time)
        spell = self.truth[i]
        near = alarm.time - spell.start <= NEAR and i in self.forgets and i not in self.right
        right = near and alarm.activity == spell.activity
        if right:
            self.right.add(i)
        return right, spell.activity, spell.start


def play(predictor: Any, events: Sequence[Event], truth: Sequence[Any]) -> Outcome:
    """Play a log to a predictor, with declarations and answers as in the paper."""
    person = Person(truth)
    instances = alarms = right = 0
    start = clock.process_time()
    for now, news, declared in moments(events, person):
        for event in news:
            predictor.see(event)
        if declared is not None:
            predictor.declare(declared, now)
            continue
        prediction = predictor.tick(now)
        instances += prediction is not None
        if prediction is not None and prediction.alarm is not None:
            correct, activity, since = person.judge(prediction.alarm)
            alarms, right = alarms + 1, right + correct
            predictor.answer(prediction.alarm.id, activity, since)
    spent = clock.process_time() - start
    return Outcome(instances, len(truth) - 1, len(person.forgets), alarms, right, spent)


def moments(
    events: Sequence[Event], person: Person
) -> Iterator[tuple[float, Sequence[Event], str | None]]:
    """Yield the times at which a stretch ends, the events since, and the declaration then."""
    said = [one for i, one in enumerate(person.truth) if i not in person.forgets]
    i, at, now = 0, 0, events[0].start
    while i < len(events) or now < events[-1].end:
        step = now + STRETCH
        if i < len(events) and events[i].start > step and events[i - 1].end <= now:
            step = events[i].start  # nobody is there until then
        declared = None
        if at < len(said) and said[at].start <= step:
            step, declared, at = max(now, said[at].start), said[at].activity, at + 1
        first = i
        while i < len(events) and events[i].start < step:
            i += 1
        now = step
        yield now, events[first:i], declared
