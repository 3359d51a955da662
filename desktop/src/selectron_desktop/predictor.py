"""ActivityPredictor: what one is working on, predicted every minute and learned from answers."""

import math
import os
from typing import Any

from selectron import SelectronError
from selectron.learners import ObjectiveRegularized

from . import files
from .activities import Activities
from .alarms import FRESH, Alarm, Asked, Prediction, Questions, Sure, needed
from .features import DAY
from .past import LENGTH, Instance, Past
from .scoring import Found, Pair, Scores, Scoring
from .timeline import Statement
from .windows import Desktop, Event

THRESHOLD = 0.3
POLICIES = ("left out", "negative", "positive")


class ActivityPredictor:
    """Predicts what is worked on, and asks when it differs from what was declared.

    Events go in by `see`; `tick` closes a stretch and predicts. What the user declares and answers
    is learned from at once. An alarm that nobody answers is left out, unless `unanswered` says
    that it is taken for "negative" or "positive".

    Parameters: `seconds`, above 0, is how long a stretch is, which is the caller's to keep to;
    `learner`, ObjectiveRegularized(alpha=0.001, C=10) by default, gets rows no longer than 0.2;
    `threshold`, from 0 on, is the lead that the predicted pair of activities must have over the
    best one that keeps the declared activity; `budget`, as `Budget(labels=6, per="1d")`, limits
    the alarms; `random_state` is as in `OnlineClassifier`; `patience`, from 0 on, is for how many
    seconds what has been denied is not asked again, unless it leads twice as far as it did then;
    `replay` is how many earlier labels are learned again with each new one: 0 for a learner that
    takes whole steps, as Perceptron does;
    `midnight`, from 0 to a day, is when the budget's days begin, in seconds of UTC.

    Source: Shen and Dietterich (SDM 2009), section 5.

    >>> predictor = ActivityPredictor(random_state=0)
    >>> predictor.declare("Thesis", 0.0)
    >>> predictor.see(Event(0.0, 60.0, "document:thesis.tex", ("thesis",)))
    >>> prediction = predictor.tick(60.0)
    >>> prediction.activity, prediction.alarm
    ('Thesis', None)
    """

    def __init__(
        self,
        seconds: float = 60.0,
        learner: Any = None,
        threshold: float = THRESHOLD,
        budget: Any = None,
        random_state: Any = None,
        unanswered: str = "left out",
        patience: float = 600.0,
        midnight: float = 0.0,
        replay: int = 7,
    ):
        if not 0 < seconds < math.inf:
            raise SelectronError(f"seconds must be a number above 0, got {seconds!r}.")
        if unanswered not in POLICIES:
            raise SelectronError(
                f"unanswered must be {', '.join(map(repr, POLICIES))}, got {unanswered!r}."
            )
        if not patience >= 0:
            raise SelectronError(f"patience must be a number from 0 on, got {patience!r}.")
        if not 0 <= midnight <= DAY:
            raise SelectronError(f"midnight must be seconds from 0 to a day, got {midnight!r}.")
        if not 0 <= replay == int(replay):
            raise SelectronError(f"replay must be a whole number from 0 on, got {replay!r}.")
        self.seconds, self.unanswered = seconds, unanswered
        self.midnight = midnight
        learner = ObjectiveRegularized(alpha=0.001, C=10) if learner is None else learner
        asker, self.threshold = Sure(threshold), threshold
        self.scoring = Scoring(
            learner, asker if budget is None else budget._replace(asker=asker), random_state, replay
        )
        self._activities, self.desktop, self.past = Activities(), Desktop(), Past()
        self.asked = Questions(patience)

    # What there is

    @property
    def activities(self) -> list[str]:
        """The activities that are not closed."""
        return self._activities.names

    @property
    def declared(self) -> str | None:
        """The activity that the user has declared, or answered with, last."""
        return self._activities.name(self.past.said.activity)

    @property
    def alarms(self) -> list[Alarm]:
        """The alarms that wait for an answer."""
        return [self._named(asked) for asked in self.asked.waiting]

    # What is seen

    def see(self, event: Event) -> None:
        """Take up an event, in order of starts; SelectronError if it is late, or overlaps."""
        self.desktop.see(event)

    def tick(self, time: float) -> Prediction | None:
        """Close the stretch that ends at `time`; None if nobody was there."""
        self._check_time(time)
        instance = self._close(time)
        for asked in self.asked.lapsed(time):
            self._settle(asked)
        if instance is None:
            return None
        found = self.scoring.find(self._scores(instance), self.past.said.activity)
        if found is None:
            return Prediction(time, None, 0.0, self.declared, None)
        instance.predicted = found.pair.now
        alarm = None
        if found.pair.now != self.past.said.activity:
            alarm = self._ask(instance, found)
        if alarm is None and self.past.said.age(time) <= FRESH:
            self._learn(instance)
        name = self._activities.name(found.pair.now)
        return Prediction(time, name, found.lead, self.declared, alarm)

    # What the user says

    def declare(self, activity: str, time: float) -> None:
        """Take it that from `time` on the user works on an activity, a new one if need be.

        It holds until what is said to have begun later. Of what has been looked at since then, the
        last hours are credited to it, and learned from, as if it had been declared in time.
        """
        if not math.isfinite(time):
            raise SelectronError(f"time must be a time in seconds, got {time!r}.")
        number = self._activities.taken_up(activity)
        if not (late := time < self.desktop.closed_at):
            self._close(time)
        for asked in self.asked.waiting:
            self._settle(asked)
        self.past.said.add(Statement(time, number, None))
        for moved in self.past.relabel() if late else ():
            if (instance := self.past.history.get(moved)) and instance.vector.end - time <= FRESH:
                self._learn(instance)

    def answer(self, alarm_id: int, activity: str, time: float | None = None) -> None:
        """Learn what was worked on when an alarm was raised: the activity it names, or another.

        `time` is when the switch really was, if there was one; None: when it seems to have been.
        What was associated with the declared activity since then, now is with the right one.
        Answering again corrects.
        """
        asked = self.asked.by_number.get(alarm_id)
        if asked is None:
            raise SelectronError(
                f"There is no alarm {alarm_id!r}, or it is too old: there were "
                f"{self.asked.raised}, and those of the last {LENGTH} stretches can be answered."
            )
        since = asked.alarm.since if time is None else time
        if not math.isfinite(since):
            raise SelectronError(f"time must be a time in seconds, got {time!r}.")
        number = self._activities.taken_up(activity)
        if asked.answer != (number, since):
            self._take(asked, number, since)

    def set_back(self, time: float) -> None:
        """Go on from a time before the last stretch's end, for the clock was wrong.

        What was learned stays. Alarms from before cannot be answered any more, and the budget's
        period begins anew.
        """
        if math.isfinite(self.desktop.closed_at):
            self.scoring.set_back(self.desktop.closed_at, time)
        self.desktop.set_back(time)
        self.past.set_back(time)
        self.asked.set_back()

    def create(self, name: str) -> None:
        """Create an activity; SelectronError if there is one of that name."""
        self._activities.create(name)

    def rename(self, old: str, new: str) -> None:
        """Give an activity another name."""
        self._activities.rename(old, new)

    def merge(self, old: str, into: str) -> None:
        """Let one activity be part of another from now on, with all that is known of it."""
        gone, stays = self._activities.merge(old, into)
        self.past.merge(gone, stays)
        self.asked.merge(gone, stays)

    def close(self, name: str) -> None:
        """Close an activity: it is not predicted any more until it is declared again."""
        number = self._activities.number(name)
        if self.past.said.activity == number:
            self.past.said.add(Statement(self.desktop.closed_at, None, None))
        self._activities.close(name)

    def associate(self, resource: str, activity: str | None) -> None:
        """Associate a resource with an activity explicitly; None takes that back."""
        number = None if activity is None else self._activities.number(activity)
        self.past.known.associate(resource, number)

    # Files

    def save(self, path: str | os.PathLike) -> None:
        """Write all that the predictor is to a file; it is no pickle."""
        files.write(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike, parts: tuple[Any, ...] = ()) -> "ActivityPredictor":
        """Return the predictor of a file, which goes on bit for bit.

        A learner that is not Selectron's own must be given in `parts`. Raises SelectronError if the
        file does not hold a predictor, or is damaged.
        """
        return files.read(cls, path, parts)

    # Within

    def _check_time(self, time: float) -> None:
        if not (math.isfinite(time) and time >= self.desktop.closed_at):
            raise SelectronError(
                f"The time {time!r} is before {self.desktop.closed_at!r}, up to which all has been "
                "looked at."
            )

    def _close(self, time: float) -> Instance | None:
        """Return the instance of the stretch that ends at `time`, credited to what is declared."""
        vector = self.desktop.close(time, self.past.said.switched)
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
        """Raise an alarm, unless it is one too many, or the threshold or the budget forbid it."""
        before, time = self.past.history.before(instance), instance.vector.end
        if found.lead < needed(self.threshold, self.past.said.age(time), self.past.said.answered):
            return None  # no round: a budget may ask for anything now and then
        if self.asked.early(found.lead, self.threshold, found.pair.now == before.predicted):
            return None
        if self.asked.lately(found.pair.now, found.lead, time):
            return None
        chance = self.scoring.ask(before.features, instance.features, found, time - self.midnight)
        if chance is None:
            self.asked.spare(found.pair.now, time)
            return None
        first = self.past.history.run(found.pair.now, self.past.said.switched)
        what = self._activities.name(found.pair.now), self.declared, first.vector.start
        alarm = Alarm(self.asked.raised + 1, time, *what, found.lead, chance)
        at = instance.number, instance.vector.middle
        self.asked.add(Asked(alarm, *at, found.pair.now, self.past.said.activity))
        return alarm

    def _take(self, asked: Asked, activity: int, since: float) -> None:
        """Take up an answer: set right what is said, what is credited, and the weights."""
        asked.answer, asked.settled = (activity, since), True
        self.past.said.answer(asked.alarm.id, activity, since, asked.moment)
        taught = {asked.instance, *self.past.relabel()[:1]}
        for number in sorted(taught):
            self._learn(self.past.history.get(number))

    def _learn(self, instance: Instance | None) -> None:
        """Learn the labels of an instance and the one before, as far as they are known."""
        if instance is None:
            return
        before = self.past.history.before(instance)
        shut = self._activities.shut
        if before.label in shut or instance.label in shut:
            return
        if before.label is not None and instance.label is not None:
            pair = Pair(before.label, instance.label)
            self.scoring.learn(before.features, instance.features, pair, self._scores(instance))

    def _settle(self, asked: Asked) -> None:
        """Wait no longer for an answer."""
        asked.settled = True
        if self.unanswered == "positive":
            self._take(asked, asked.activity, asked.alarm.since)
        elif self.unanswered == "negative":
            self._learn(self.past.history.get(asked.instance))

    def _named(self, asked: Asked) -> Alarm:
        """Return an alarm with the names that its activities have now."""
        name = self._activities.name
        return asked.alarm._replace(activity=name(asked.activity), declared=name(asked.declared))
