"""ActivityPredictor: predicts every minute what the user works on, and learns from answers."""

import math
import os
from typing import Any

from selectron import SelectronError
from selectron.learners import ObjectiveRegularized

from . import files
from .activities import Activities
from .alarms import FRESH, LAPSE, Alarm, Asked, Prediction, Questions, Sure, needed
from .features import DAY
from .past import LENGTH, Instance, Past
from .scoring import Found, Pair, Scores, Scoring
from .timeline import Statement
from .windows import Desktop, Event

THRESHOLD = 0.3


class ActivityPredictor:
    """Predicts what the user works on, and asks if that differs from what was declared.

    `see` takes events; `tick` closes a stretch and predicts. Declarations and answers are learned
    at once.

    Parameters
    ----------
    learner : learner, default=ObjectiveRegularized(alpha=0.001, C=10)
        Its rows have a norm of at most 0.2.
    threshold : float, default=0.3
        The lead, from 0 on, that the predicted pair of activities must have over the best pair that
        keeps the declared activity.
    budget : Budget, default=None
        Limit on the alarms, such as `Budget(labels=6, per="1d")`.
    random_state : as in `OnlineClassifier`
    patience : float, default=600.0
        Seconds, from 0 on, for which an alarm that was denied is not repeated, unless its lead is
        twice as large as it was then.
    midnight : float, default=0.0
        When the budget's days begin, in seconds of UTC, from 0 to a day.
    replay : int, default=7
        Number of earlier labels that are learned again with each new one; 0 for a learner with
        full steps, such as Perceptron.

    References
    ----------
    Shen & Dietterich (SDM 2009), section 5.

    Examples
    --------
    >>> predictor = ActivityPredictor(random_state=0)
    >>> predictor.declare("Thesis", 0.0)
    >>> predictor.see(Event(0.0, 60.0, "document:thesis.tex", ("thesis",)))
    >>> prediction = predictor.tick(60.0)
    >>> prediction.activity, prediction.alarm
    ('Thesis', None)
    """

    def __init__(
        self,
        learner: Any = None,
        threshold: float = THRESHOLD,
        budget: Any = None,
        random_state: Any = None,
        patience: float = 600.0,
        midnight: float = 0.0,
        replay: int = 7,
    ):
        for name, value, valid, wanted in (
            ("patience", patience, patience >= 0, "a number from 0 on"),
            ("midnight", midnight, 0 <= midnight <= DAY, "seconds from 0 to a day"),
            ("replay", replay, 0 <= replay == int(replay), "an integer from 0 on"),
        ):
            if not valid:
                raise SelectronError(f"{name} must be {wanted}, got {value!r}.")
        self.midnight = midnight
        learner = ObjectiveRegularized(alpha=0.001, C=10) if learner is None else learner
        asker, self.threshold = Sure(threshold), threshold
        asker = asker if budget is None else budget._replace(asker=asker)
        self.scoring = Scoring(learner, asker, random_state, replay)
        self._activities, self.desktop, self.past = Activities(), Desktop(), Past()
        self.asked = Questions(patience)

    @property
    def activities(self) -> list[str]:
        """The activities that are not closed."""
        return self._activities.open

    @property
    def declared(self) -> str | None:
        """The activity that was declared, or given as an answer, last."""
        return self._activities.names.get(self.past.said.last.activity)

    @property
    def alarms(self) -> list[Alarm]:
        """The alarms that wait for an answer, with the current names of their activities."""
        name: Any = self._activities.names.get
        return [
            one.alarm._replace(activity=name(one.activity), declared=name(one.declared))
            for one in self.asked.waiting
        ]

    def see(self, event: Event) -> None:
        """Add an event; raises SelectronError if it is late, or overlaps the one before."""
        self.desktop.see(event)

    def tick(self, time: float) -> Prediction | None:
        """Close the stretch that ends at `time` and predict; None if nobody was there.

        Raises SelectronError if `time` is before the last tick.
        """
        if not (math.isfinite(time) and time >= self.desktop.closed_at):
            raise SelectronError(f"tick({time!r}) is before the last, {self.desktop.closed_at!r}.")
        instance = self._close(time)
        for asked in self.asked.waiting:
            if time - asked.alarm.time > LAPSE:
                asked.settled = True
        if instance is None:
            return None
        found = self.scoring.find(self._scores(instance), self.past.said.last.activity)
        if found is None:
            return Prediction(time, None, 0.0, self.declared, None)
        instance.predicted = found.pair.now
        alarm = None
        if found.pair.now != self.past.said.last.activity:
            alarm = self._ask(instance, found)
        if alarm is None and time - self.past.said.last.time <= FRESH:
            self._learn(instance)
        name = self._activities.names[found.pair.now]
        return Prediction(time, name, found.lead, self.declared, alarm)

    def declare(self, activity: str, time: float) -> None:
        """Declare that the user works on an activity from `time` on; a new one is created.

        It is valid until the next declaration or answer for a later time. If `time` is in the past,
        the stretches of the last hours since then are corrected, and learned.
        """
        if not math.isfinite(time):
            raise SelectronError(f"time must be a finite number of seconds, got {time!r}.")
        number = self._activities.taken_up(activity)
        if not (late := time < self.desktop.closed_at):
            self._close(time)
        for asked in self.asked.waiting:
            asked.settled = True
        self.past.said.add(Statement(time, number, None))
        for moved in self.past.relabel() if late else ():
            if (instance := self.past.history.get(moved)) and instance.vector.end - time <= FRESH:
                self._learn(instance)

    def answer(self, alarm_id: int, activity: str, time: float | None = None) -> None:
        """Learn which activity the user worked on when an alarm was raised.

        `time` is when they really switched, if they did; by default, the alarm's estimate.
        Associations since then are corrected. A second answer replaces the first.
        """
        asked = self.asked.by_number.get(alarm_id)
        if asked is None:
            raise SelectronError(
                f"There is no alarm {alarm_id!r}, or it is older than the last {LENGTH} stretches."
            )
        since = asked.alarm.since if time is None else time
        if not math.isfinite(since):
            raise SelectronError(f"time must be a finite number of seconds, got {time!r}.")
        number = self._activities.taken_up(activity)
        if asked.answer != (number, since):
            self._take(asked, number, since)

    def set_back(self, time: float) -> None:
        """Continue from a time before the last tick, because the clock was wrong.

        Everything learned is kept. Earlier alarms can no longer be answered, and a new period of
        the budget begins.
        """
        if math.isfinite(self.desktop.closed_at):
            self.scoring.set_back(self.desktop.closed_at, time)
        self.desktop.set_back(time)
        self.past.set_back(time)
        self.asked.by_number, self.asked.spared = {}, {}

    def create(self, name: str) -> None:
        """Create an activity; raises SelectronError if there is one of that name."""
        self._activities.create(name)

    def rename(self, old: str, new: str) -> None:
        """Rename an activity; raises SelectronError if the new name is in use."""
        self._activities.rename(old, new)

    def merge(self, old: str, into: str) -> None:
        """Merge an activity, with everything known of it, into another one."""
        gone, stays = self._activities.merge(old, into)
        self.past.merge(gone, stays)
        for asked in self.asked.by_number.values():
            asked.merge(gone, stays)

    def close(self, name: str) -> None:
        """Close an activity: it is not predicted any more until it is declared again."""
        number = self._activities.number(name)
        if self.past.said.last.activity == number:
            self.past.said.add(Statement(self.desktop.closed_at, None, None))
        self._activities.close(name)

    def associate(self, resource: str, activity: str | None) -> None:
        """Associate a resource with an activity explicitly; None removes the association."""
        number = None if activity is None else self._activities.number(activity)
        self.past.known.associate(resource, number)

    def save(self, path: str | os.PathLike) -> None:
        """Write the predictor to a file, which is not a pickle."""
        files.write(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike, parts: tuple[Any, ...] = ()) -> "ActivityPredictor":
        """Return the predictor in a file, which continues bit for bit.

        A learner that is not Selectron's must be given in `parts`. Raises SelectronError if the
        file does not hold a predictor, or is damaged.
        """
        return files.read(cls, path, parts)

    def _close(self, time: float) -> Instance | None:
        """Return the instance of the stretch that ends at `time`, None if nobody was there."""
        vector = self.desktop.close(time, self.past.said.last.time)
        if vector is None:
            return None
        instance = self.past.add(vector, self._activities.count)
        self.asked.forget(self.past.history[0].number)
        return instance

    def _scores(self, instance: Instance) -> Scores:
        before = self.past.history.before(instance)
        shut = self._activities.shut
        return self.scoring.scores(before.features, instance.features, self._activities.count, shut)

    def _ask(self, instance: Instance, found: Found) -> Alarm | None:
        """Raise an alarm, unless it is premature or repeated, or the asker decides against it."""
        before, time = self.past.history.before(instance), instance.vector.end
        said = self.past.said.last
        if found.lead < needed(self.threshold, time - said.time, said.alarm is not None):
            return None  # not a round: a budget sometimes asks below the threshold
        if self.asked.early(found.lead, self.threshold, found.pair.now == before.predicted):
            return None
        if self.asked.lately(found.pair.now, found.lead, time):
            return None
        chance = self.scoring.ask(before.features, instance.features, found, time - self.midnight)
        if chance is None:
            self.asked.spared[found.pair.now] = time
            return None
        first = self.past.history.run(found.pair.now, self.past.said.last.time)
        what = self._activities.names[found.pair.now], self.declared, first.vector.start
        alarm = Alarm(self.asked.raised + 1, time, *what, found.lead, chance)
        at = instance.number, instance.vector.middle
        self.asked.add(Asked(alarm, *at, found.pair.now, self.past.said.last.activity))
        return alarm

    def _take(self, asked: Asked, activity: int, since: float) -> None:
        """Apply an answer to the statements, the associations and the weights."""
        asked.answer, asked.settled = (activity, since), True
        self.past.said.answer(asked.alarm.id, activity, since, asked.moment)
        for number in sorted({asked.instance, *self.past.relabel()[:1]}):
            self._learn(self.past.history.get(number))

    def _learn(self, instance: Instance | None) -> None:
        """Learn the labels of an instance and the one before it, if both are known and open."""
        if instance is None:
            return
        before = self.past.history.before(instance)
        labels: Any = before.label, instance.label
        if None not in labels and self._activities.shut.isdisjoint(labels):
            scores = self._scores(instance)
            self.scoring.learn(before.features, instance.features, Pair(*labels), scores)
