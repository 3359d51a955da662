"""What the user has said they work on, and from when: declarations, and answers to alarms."""

import math
from bisect import bisect_right
from typing import Any, NamedTuple


class Statement(NamedTuple):
    """From `time` on, the user works on `activity`, None for nothing that is known."""

    time: float
    activity: Any  # its number, or its name
    alarm: int | None  # the alarm it answers; None for a declaration


class Timeline:
    """Statements in order of their times; of those at one time, the later one holds.

    >>> said = Timeline()
    >>> said.add(Statement(0.0, 1, None))
    >>> said.add(Statement(60.0, 2, alarm=7))
    >>> said.at(30.0), said.at(90.0), said.activity
    (1, 2, 2)
    >>> said.withdraw(7)
    >>> said.at(90.0)
    1
    """

    def __init__(self) -> None:
        self.statements: list[Statement] = []

    @property
    def activity(self) -> Any:
        """The declared activity."""
        return self.statements[-1].activity if self.statements else None

    @property
    def switched(self) -> float | None:
        """When the last switch was declared, None if none ever was."""
        return self.statements[-1].time if self.statements else None

    @property
    def answered(self) -> bool:
        """Is what holds now the answer to an alarm?"""
        return bool(self.statements) and self.statements[-1].alarm is not None

    def age(self, time: float) -> float:
        """Return for how many seconds what holds now has held at a time."""
        return math.inf if self.switched is None else time - self.switched

    def add(self, statement: Statement) -> None:
        """Add a statement."""
        at = bisect_right(self.statements, statement.time, key=lambda one: one.time)
        self.statements.insert(at, statement)

    def answer(self, alarm: int, activity: Any, since: float, moment: float) -> None:
        """Take the answer to an alarm, in place of an earlier one: what it was at a moment.

        It was so from then on at the latest, and not before what is said to hold then began.
        """
        self.withdraw(alarm)
        held = self.held(moment)
        if held is None or held.activity != activity:
            time = min(max(since, held.time if held else since), moment)
            self.add(Statement(time, activity, alarm))

    def withdraw(self, alarm: int) -> None:
        """Drop the answer to an alarm, if there is one."""
        self.statements = [one for one in self.statements if one.alarm != alarm]

    def held(self, time: float) -> Statement | None:
        """Return the statement that holds at a time."""
        at = bisect_right(self.statements, time, key=lambda one: one.time)
        return self.statements[at - 1] if at else None

    def at(self, time: float) -> Any:
        """Return the declared activity at a time."""
        statement = self.held(time)
        return statement.activity if statement else None

    def merge(self, old: Any, into: Any) -> None:
        """Let statements about one activity be about another."""
        self.statements = [
            one._replace(activity=into) if one.activity == old else one for one in self.statements
        ]

    def set_back(self, time: float) -> None:
        """Let what is said to begin after a time begin then."""
        self.statements = [one._replace(time=min(one.time, time)) for one in self.statements]

    def forget(self, time: float) -> None:
        """Forget what is of no importance after a time."""
        at = bisect_right(self.statements, time, key=lambda one: one.time)
        del self.statements[: max(0, at - 1)]

    def pack(self) -> list[Any]:
        """Return the statements as JSON can hold them."""
        return [list(one) for one in self.statements]

    @classmethod
    def unpack(cls, packed: list[Any]) -> "Timeline":
        """Return the timeline that was packed."""
        timeline = cls()
        timeline.statements = [Statement(*one) for one in packed]
        return timeline
