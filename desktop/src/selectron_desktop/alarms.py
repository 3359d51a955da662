"""Alarms: questions whether the user has switched without saying so, and what came of them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from selectron import SelectronError

SURER = 2.0  # times the lead it had, and what was denied is asked again at once
UNSURE = 0.08  # a lead below this, and twice the threshold, must last for two stretches
LAPSE = 900.0  # seconds after which an alarm counts as unanswered
FRESH = 300.0  # seconds after a declaration for which it is learned from
SETTLED = 360.0  # seconds; the shorter ago a declaration is, the further a lead must be


class Alarm(NamedTuple):
    """A question whether `activity` is worked on by now, and not the one that is declared."""

    id: int  # from 1 on
    time: float  # when it was raised
    activity: str
    declared: str | None
    since: float  # when the switch seems to have been
    score: float
    probability: float  # with which it was raised, as far as the threshold and the budget go


class Prediction(NamedTuple):
    """What the predictor makes of the stretch that ended at `time`."""

    time: float
    activity: str | None  # None if there are no activities yet
    score: float  # what the alarm's threshold is held against; 0 if the declared one is predicted
    declared: str | None
    alarm: Alarm | None


class Sure(NamedTuple):
    """Ask where the score passes a threshold: only then is an interruption worth it.

    It is the asker of alarms, alone or within a `Budget`.

    >>> Sure(0.5).probability(r=0.7, q=1.0, t=1)
    1.0
    """

    threshold: float

    def numbers(self):
        """Return the threshold, which must be a finite number from 0 on."""
        if not 0 <= self.threshold < math.inf:
            raise SelectronError(f"threshold must be a number from 0 on, got {self.threshold!r}.")
        return (float(self.threshold),)

    def probability(self, r, q, t):
        """1 from the threshold on."""
        return 1.0 if r >= self.threshold else 0.0


def needed(threshold: float, age: float, answered: bool = False) -> float:
    """Return the lead that an alarm needs when what holds now has been said `age` seconds ago.

    What has just been declared is likely to hold, and the last activity's windows are still about;
    and yet one may switch again within minutes. Right after an answer nobody is asked.

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
    """An alarm with what came of it."""

    alarm: Alarm
    instance: int  # its number
    moment: float  # the middle of it: what was worked on then is the question
    activity: int
    declared: int | None
    answer: tuple[int, float] | None = None  # the activity and since when
    settled: bool = False  # answered, or not asked any more

    @property
    def denied(self) -> bool:
        """Was the answer another activity than the one that was asked about?"""
        return self.answer is not None and self.answer[0] != self.activity

    def merge(self, old: int, into: int) -> None:
        """Let it be about the activity that another one has been merged into."""
        self.activity = into if self.activity == old else self.activity
        self.declared = into if self.declared == old else self.declared
        if self.answer and self.answer[0] == old:
            self.answer = into, self.answer[1]

    def pack(self) -> list[Any]:
        """Return it as JSON can hold it."""
        answer = self.answer and list(self.answer)
        what = self.instance, self.moment, self.activity, self.declared
        return [list(self.alarm), *what, answer, self.settled]

    @classmethod
    def unpack(cls, packed: list[Any]) -> "Asked":
        """Return what was packed."""
        alarm, instance, moment, activity, declared, answer, settled = packed
        answer = answer and (answer[0], answer[1])
        return cls(Alarm(*alarm), instance, moment, activity, declared, answer, settled)


class Questions:
    """The alarms that can still be answered, by their numbers.

    What has been denied is not asked again for `patience` seconds, unless it leads further by then;
    without patience, all is asked at once.
    """

    def __init__(self, patience: float):
        self.patience = patience
        self.raised = 0  # alarms so far
        self.by_number: dict[int, Asked] = {}
        self.spared: dict[int, float] = {}  # when the budget forbade to ask about an activity

    def __iter__(self) -> Iterator[Asked]:
        return iter(list(self.by_number.values()))

    @property
    def waiting(self) -> list[Asked]:
        """Those that wait for an answer."""
        return [asked for asked in self if not asked.settled]

    def lapsed(self, time: float) -> list[Asked]:
        """Return those that nobody has answered for long."""
        return [asked for asked in self.waiting if time - asked.alarm.time > LAPSE]

    def add(self, asked: Asked) -> None:
        """Add an alarm, the next one."""
        self.raised += 1
        self.by_number[asked.alarm.id] = asked

    def spare(self, activity: int, time: float) -> None:
        """Note that the budget forbade to ask: asked a bit later it would come too late."""
        self.spared[activity] = time

    def early(self, lead: float, threshold: float, again: bool) -> bool:
        """Is it too unsure yet? `again`: was the same predicted of the stretch before?"""
        return self.patience > 0 and lead < min(UNSURE, 2 * threshold) and not again

    def lately(self, activity: int, lead: float, time: float) -> bool:
        """Does the same alarm wait for an answer, or was it denied or spared a short time ago?"""
        if time - self.spared.get(activity, -math.inf) < self.patience:
            return True
        alike = [asked for asked in self if asked.activity == activity]
        return any(
            not asked.settled or (asked.denied and self._again(asked.alarm, lead, time))
            for asked in alike
        )

    def _again(self, denied: Alarm, lead: float, time: float) -> bool:
        """Is there no more reason to ask than there was a short time ago?"""
        return time - denied.time < self.patience and lead < SURER * denied.score

    def forget(self, instance: int) -> None:
        """Forget alarms about instances before one: they can be answered no more."""
        for asked in self:
            if asked.instance < instance:
                del self.by_number[asked.alarm.id]

    def set_back(self) -> None:
        """Forget all alarms, for their times were wrong."""
        self.by_number, self.spared = {}, {}

    def merge(self, old: int, into: int) -> None:
        """Let alarms be about the activity that another one has been merged into."""
        for asked in self:
            asked.merge(old, into)

    def pack(self) -> dict[str, Any]:
        """Return the state as JSON can hold it."""
        asked, spared = [asked.pack() for asked in self], list(self.spared.items())
        return {"asked": asked, "spared": spared, "raised": self.raised}

    def unpack(self, packed: dict[str, Any]) -> None:
        """Take up the state that was packed."""
        self.raised, self.spared = packed["raised"], dict(packed["spared"])
        for asked in map(Asked.unpack, packed["asked"]):
            self.by_number[asked.alarm.id] = asked
