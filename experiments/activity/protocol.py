"""The paper's protocol: a person who forgets every fourth switch, and answers every alarm (5.4).

`evaluate` compares the predictor with the batch method: precision against recall by threshold, and
time.
"""

import math
import time as clock
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from selectron_desktop.alarms import Alarm
from selectron_desktop.predictor import ActivityPredictor
from selectron_desktop.windows import Event

from .batch import BatchPredictor

FORGOTTEN = 4  # one of this number of switches is not declared
STRETCH = 60.0  # seconds between two predictions
NEAR = 300.0  # seconds by which an alarm may be late or early
THRESHOLDS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6)
EVERY = 50  # labels between two fits of the batch method
HEAD = "method         threshold  alarms  right  precision  recall  ms/vector  fits   ms/fit"


class Outcome(NamedTuple):
    """The results of a log."""

    instances: int
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

    def judge(self, alarm: Alarm) -> tuple[bool, str, float]:
        """Return whether an alarm is right, the true activity, and its start."""
        i = bisect_right(self.starts, alarm.time - 1e-6) - 1  # the spell before it
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
    return Outcome(instances, len(person.forgets), alarms, right, spent)


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


class Row(NamedTuple):
    """A method with a threshold, and its results; `str` gives a line of a table."""

    method: str
    threshold: float
    outcome: Outcome
    fits: int = 0  # of the batch method
    fitting: float = 0.0  # seconds

    def __str__(self) -> str:
        found = self.outcome
        fits = f"{self.fits:5} {1000 * self.fitting / self.fits:8.1f}" if self.fits else ""
        each = 1000 * found.seconds / max(1, found.instances)
        return (
            f"{self.method:<14} {self.threshold:9.2f}  {found.alarms:6}  {found.right:5}  "
            f"{found.precision:9.3f}  {found.recall:6.3f}  {each:9.3f} {fits}"
        )


def evaluate(
    events: Sequence[Event], truth: Sequence[Any], thresholds: Iterable[float], every: int
) -> Iterator[Row]:
    """Yield a row for every method and threshold, each from a pass over the log.

    `truth` are spells, with `start`, `end` and `activity`, in order. The batch method is fitted
    once in `every` labels, which is faster and hardly less precise; 0 omits it.
    """
    for threshold in thresholds:
        methods: dict[str, Any] = {"online": ActivityPredictor(threshold=threshold, random_state=0)}
        if every:
            methods["batch"] = BatchPredictor(threshold, every)
            methods["batch, silent"] = BatchPredictor(threshold, every, silent=True)
        for name, predictor in methods.items():
            outcome, batch = play(predictor, events, truth), predictor.scoring
            fits = () if name == "online" else (batch.fits, batch.seconds)
            yield Row(name, threshold, outcome, *fits)


def plot(rows: Sequence[Row], path: str | Path, title: str) -> None:
    """Draw precision against recall, in the format of the file's ending."""
    from .. import drawing  # slow to import

    figure, [[panel]] = drawing.panels(1)
    for i, method in enumerate(dict.fromkeys(row.method for row in rows)):
        own = sorted((row for row in rows if row.method == method), key=lambda row: row.threshold)
        found = [(row.outcome.recall, row.outcome.precision) for row in own]
        panel.plot(*zip(*found, strict=True), label=method, **drawing.style(i, points=True))
    panel.set(xlim=(0, 1), ylim=(0, 1.02))
    drawing.name_panel(panel, title, "recall", "precision")
    drawing.legend(figure, panel)
    figure.savefig(path, dpi=200)
