"""What the user has said they work on, and from when: declarations, and answers to alarms."""

from bisect import bisect_right
from typing import Any, NamedTuple


class Statement(NamedTuple):
    """From `time` on, the user works on `activity`, None for nothing that is known."""

    time: float
    activity: int | None
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
    def activity(self) -> int | None:
        """The declared activity."""
        return self.statements[-1].activity if self.statements else None

    @property
    def switched(self) -> float | None:
        """When the last switch was declared, None if none ever was."""
        return self.statements[-1].time if self.statements else None

    def add(self, statement: Statement) -> None:
        """Add a statement."""
        at = bisect_right(self.statements, statement.time, key=lambda one: one.time)
        self.statements.insert(at, statement)

    def withdraw(self, alarm: int) -> None:
        """Drop the answer to an alarm, if there is one."""
        self.statements = [one for one in self.statements if one.alarm != alarm]

    def held(self, time: float) -> Statement | None:
        """Return the statement that holds at a time."""
        at = bisect_right(self.statements, time, key=lambda one: one.time)
        return self.statements[at - 1] if at else None

    def at(self, time: float) -> int | None:
        """Return the declared activity at a time."""
        statement = self.held(time)
        return statement.activity if statement else None

    def merge(self, old: int, into: int) -> None:
        """Let statements about one activity be about another."""
        self.statements = [
            one._replace(activity=into) if one.activity == old else one for one in self.statements
        ]

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
