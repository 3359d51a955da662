"""Alarms: questions whether the user has switched without a declaration, and their answers."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from selectron import SelectronError

SURER = 2.0  # an alarm that was denied is repeated at once if its lead is this many times larger
UNSURE = 0.08  # a lead below this, and below twice the threshold, must last for two stretches
LAPSE = 900.0  # seconds after which an alarm counts as unanswered
FRESH = 300.0  # seconds after a declaration in which its stretches are learned
SETTLED = 360.0  # seconds; the more recent a declaration, the larger the lead an alarm needs


class Alarm(NamedTuple):
    """A question whether `activity` is now worked on instead of the declared one."""

    id: int  # from 1 on
    time: float  # when it was raised
    activity: str
    declared: str | None
    since: float  # estimated time of the switch
    score: float
    probability: float  # of raising it, given the threshold and the budget


class Prediction(NamedTuple):
    """The prediction for the stretch that ended at `time`."""

    time: float
    activity: str | None  # None if there are no activities yet
    score: float  # compared with the threshold; 0 if the declared activity is predicted
    declared: str | None
    alarm: Alarm | None


class Sure(NamedTuple):
    """The asker of alarms, alone or within a `Budget`: ask if the score reaches a threshold."""

    threshold: float

    def numbers(self) -> tuple[float, ...]:
        """Return the threshold, which must be a finite number from 0 on."""
        if not 0 <= self.threshold < math.inf:
            raise SelectronError(f"threshold must be a number from 0 on, got {self.threshold!r}.")
        return (float(self.threshold),)

    def probability(self, r: float, q: float, t: int) -> float:
        """Return 1 from the threshold on, else 0."""
        return 1.0 if r >= self.threshold else 0.0


def needed(threshold: float, age: float, answered: bool = False) -> float:
    """Return the lead that an alarm needs `age` seconds after the last declaration or answer.

    A recent declaration is probably still valid; right after an answer there is no alarm.

    >>> needed(0.3, 301.0), round(needed(0.3, 240.0), 3), needed(0.3, 240.0, answered=True)
    (0.3, 0.675, inf)
    """
    if age > FRESH:
        return threshold
    if answered or age <= 0:
        return math.inf
    return max(threshold, UNSURE) * (SETTLED / age) ** 2


@dataclass
class Asked:
    """An alarm and its answer; activities are numbers."""

    alarm: Alarm
    instance: int  # its number
    moment: float  # the middle of its stretch: the question is about this time
    activity: int
    declared: int | None
    answer: tuple[int, float] | None = None  # the activity and its start
    settled: bool = False  # answered, or not asked any more

    def merge(self, old: int, into: int) -> None:
        """Replace an activity that was merged into another."""
        self.activity = into if self.activity == old else self.activity
        self.declared = into if self.declared == old else self.declared
        if self.answer and self.answer[0] == old:
            self.answer = into, self.answer[1]


class Questions:
    """The alarms that can still be answered, by number.

    An alarm that was denied is not repeated for `patience` seconds, unless its lead is much larger.
    """

    def __init__(self, patience: float):
        self.patience = patience
        self.raised = 0  # alarms so far
        self.by_number: dict[int, Asked] = {}
        self.spared: dict[int, float] = {}  # when the budget refused an alarm about an activity

    @property
    def waiting(self) -> list[Asked]:
        """The alarms that wait for an answer."""
        return [asked for asked in self.by_number.values() if not asked.settled]

    def add(self, asked: Asked) -> None:
        """Add the next alarm."""
        self.raised += 1
        self.by_number[asked.alarm.id] = asked

    def early(self, lead: float, threshold: float, again: bool) -> bool:
        """Return whether the lead is too small for an alarm that is not predicted `again`."""
        return self.patience > 0 and lead < min(UNSURE, 2 * threshold) and not again

    def lately(self, activity: int, lead: float, time: float) -> bool:
        """Return whether the same alarm waits, or was denied or refused a short time ago."""
        if time - self.spared.get(activity, -math.inf) < self.patience:
            return True  # asked a bit later, the question would come too late
        return any(
            not asked.settled
            or (
                asked.answer
                and asked.answer[0] != activity
                and time - asked.alarm.time < self.patience
                and lead < SURER * asked.alarm.score
            )
            for asked in self.by_number.values()
            if asked.activity == activity
        )

    def forget(self, instance: int) -> None:
        """Remove alarms about instances before this one: they can no longer be answered."""
        kept = self.by_number.items()
        self.by_number = {key: asked for key, asked in kept if asked.instance >= instance}
