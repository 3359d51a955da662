"""What is known of a stream: counts, honest accuracy, and points for a chart."""

from collections import deque
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..evaluate.audit import SUMS, Audit, Estimate, estimated, moments
from .event import Event
from .question import SKIP, Question

RECENT = 300  # answers that recent accuracy is estimated from
POINTS = 400  # of a chart; with more, every other one is dropped
SHARE, PACE = 200, 30  # items that the share asked for, and their pace, are taken from
SWITCH = 50  # rounds that what leads must have lasted for its end to be a drift
DRIFTS = 50  # drifts that are remembered

Z = Audit().z  # of a 95% interval

NUMBERS = ("items", "asked", "answered", "skipped", "late", "retired", "damaged", "step", "age")
LISTS = ("overall", "points", "drifts")


class Tally:
    """Sums over the entries of a stream."""

    def __init__(self) -> None:
        self.items = self.asked = self.answered = self.skipped = self.late = self.retired = 0
        self.damaged = 0
        self.overall: list[float] = [0.0] * SUMS
        self.recent: dict[int, list[float]] = {}  # of the last answered questions, in their order
        self.times: deque[float] = deque(maxlen=PACE)
        self.flags: deque[int] = deque(maxlen=SHARE)  # asked or not
        self.points: list[list[float | None]] = []
        self.step, self.age = 1, 0
        self.drifts: list[list[float]] = []

    def add_item(self, event: Event) -> None:
        """Count an item."""
        asked, age = int(event.body["asked"]), event.body["age"]
        self.items += 1
        self.asked += asked
        self.times.append(event.at)
        self.flags.append(asked)
        if age is not None:
            if self.age >= SWITCH and age < self.age / 2:
                self.drifts = [*self.drifts, [event.at, event.seq]][-DRIFTS:]
            self.age = age

    def add(self, event: Event, before: bool | None, question: Question) -> None:
        """Count an entry about a question; `before` says whether its prediction was a mistake."""
        self.retired += event.kind == "retired"
        self.damaged += event.kind == "damaged"
        if event.kind == "answer":
            self.skipped += event.body["verdict"] == SKIP
            self.late += bool(event.body["late"])
        after = question.mistake()
        if question.asked and before != after:
            self._weigh(question, before, -1)
            self._weigh(question, after, 1)
            self.answered += (after is not None) - (before is not None)

    def _weigh(self, question: Question, mistake: bool | None, sign: int) -> None:
        if mistake is None:
            return
        sums = moments(np.array([question.decided["probability"]]), np.array([float(mistake)]))
        sums = sums[:, 0].tolist()
        self.overall = [a + sign * b for a, b in zip(self.overall, sums, strict=True)]
        if sign < 0:
            self.recent.pop(question.item, None)
            return
        self.recent[question.item] = sums
        if len(self.recent) > RECENT:
            del self.recent[next(iter(self.recent))]

    def draw(self, at: float, waiting: int) -> None:
        """Take down a point of the chart, if it is time for one."""
        due = self.items + self.answered
        last = self.points[-1][1] + self.points[-1][2] if self.points else -self.step  # type: ignore[operator]
        if due - last < self.step:
            return
        _, low, high = self.accuracy(recent=True)
        known = None if not self.recent else 1 - self._wrong()
        self.points.append([at, self.items, self.answered, self.asked, waiting, known, low, high])
        if len(self.points) > POINTS:
            self.points, self.step = self.points[::2], 2 * self.step

    def _wrong(self) -> float:
        rows = np.array(list(self.recent.values()))
        return float(rows[:, 1].sum() / rows[:, 0].sum())

    def accuracy(self, recent: bool = False) -> Estimate:
        """Return honest accuracy, of all items or of those answered lately.

        The interval is from 0 to 1 for the first 100 items.
        """
        rows: Iterable = self.recent.values() if recent else [self.overall]
        sums = np.array([*rows, [0.0] * SUMS]).sum(axis=0)
        return estimated(np.maximum(sums, 0.0), Z, self.items)

    def pace(self) -> float | None:
        """Return items a second, lately."""
        if len(self.times) < 2 or self.times[-1] <= self.times[0]:
            return None
        return (len(self.times) - 1) / (self.times[-1] - self.times[0])

    def share(self) -> float:
        """Return the share of items asked for, lately."""
        return sum(self.flags) / max(1, len(self.flags))

    def pack(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it."""
        kept = {name: getattr(self, name) for name in NUMBERS + LISTS}
        recent = [[item, *sums] for item, sums in self.recent.items()]
        return {**kept, "recent": recent, "times": list(self.times), "flags": list(self.flags)}

    @classmethod
    def unpack(cls, packed: dict[str, Any]) -> "Tally":
        """Return the tally that was packed."""
        tally = cls()
        for name in NUMBERS + LISTS:
            if name in packed:  # snapshots of earlier versions lack some
                setattr(tally, name, packed[name])
        tally.recent = {int(item): sums for item, *sums in packed["recent"]}
        tally.times.extend(packed["times"])
        tally.flags.extend(packed["flags"])
        return tally
