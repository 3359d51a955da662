"""Alarms with what came of them."""

from dataclasses import dataclass
from typing import Any

from .alarm import Alarm


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
