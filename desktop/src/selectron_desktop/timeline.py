"""What the user works on, and from when: declarations, and answers to alarms."""

import math
from bisect import bisect_right
from typing import Any, NamedTuple


class Statement(NamedTuple):
    """From `time` on, the user works on `activity`; None if that is unknown."""

    time: float
    activity: Any  # its number, or its name
    alarm: int | None  # the alarm that it answers; None for a declaration


class Timeline:
    """Statements in order of their times; of those with the same time, the later one is valid.

    >>> said = Timeline()
    >>> said.add(Statement(0.0, 1, None))
    >>> said.add(Statement(60.0, 2, alarm=7))
    >>> said.at(30.0), said.at(90.0), said.last.activity
    (1, 2, 2)
    """

    def __init__(self) -> None:
        self.statements: list[Statement] = []

    @property
    def last(self) -> Statement:
        """The last statement; if there is none, nothing is known since -inf."""
        return self.statements[-1] if self.statements else Statement(-math.inf, None, None)

    def add(self, statement: Statement) -> None:
        """Add a statement."""
        self.statements.insert(self._count(statement.time), statement)

    def answer(self, alarm: int, activity: Any, since: float, moment: float) -> None:
        """Add the answer to an alarm: the activity at a moment. It replaces an earlier answer.

        It is valid from `since`, but not before the start of the statement that is valid at the
        moment.
        """
        self.statements = [one for one in self.statements if one.alarm != alarm]
        held = self.held(moment)
        if held is None or held.activity != activity:
            time = min(max(since, held.time if held else since), moment)
            self.add(Statement(time, activity, alarm))

    def held(self, time: float) -> Statement | None:
        """Return the statement that is valid at a time."""
        at = self._count(time)
        return self.statements[at - 1] if at else None

    def at(self, time: float) -> Any:
        """Return the declared activity at a time."""
        statement = self.held(time)
        return statement.activity if statement else None

    def merge(self, old: Any, into: Any) -> None:
        """Replace an activity that was merged into another."""
        self.statements = [
            one._replace(activity=into) if one.activity == old else one for one in self.statements
        ]

    def set_back(self, time: float) -> None:
        """Move statements that begin after a time to that time."""
        self.statements = [one._replace(time=min(one.time, time)) for one in self.statements]

    def forget(self, time: float) -> None:
        """Remove statements that are not valid at a time or later."""
        del self.statements[: max(0, self._count(time) - 1)]

    def _count(self, time: float) -> int:
        """Return the number of statements up to a time."""
        return bisect_right(self.statements, time, key=lambda one: one.time)
