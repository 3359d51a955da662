"""The last hours: what was seen, what was said of it, and what it is credited to."""

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from .associations import Associations
from .features import Features, K, features
from .timeline import Timeline
from .windows import Vector, Window

LENGTH = 480  # vectors: eight hours of presence


@dataclass
class Instance:
    """A vector, the `number`-th one, with the activity that it is credited to."""

    number: int
    vector: Vector
    features: Features  # by what was known before it was credited to any activity
    label: int | None
    predicted: int | None = None

    def merge(self, old: int, into: int) -> None:
        """Let it belong to the activity that another one has been merged into."""
        self.label = into if self.label == old else self.label
        self.predicted = into if self.predicted == old else self.predicted
        if into not in self.features.activities:
            renumbered = np.where(self.features.activities == old, into, self.features.activities)
            self.features = self.features._replace(activities=renumbered)

    def pack(self) -> list[Any]:
        """Return the instance as JSON can hold it."""
        activities, values, switch = (array.tolist() for array in self.features)
        return [
            self.number,
            list(self.vector),
            activities,
            values,
            switch,
            self.label,
            self.predicted,
        ]

    @classmethod
    def unpack(cls, packed: list[Any]) -> "Instance":
        """Return the instance that was packed."""
        number, vector, activities, values, switch, label, predicted = packed
        start, end, windows, opened, *rest = vector
        seen = tuple(Window(resource, tuple(words), time) for resource, words, time in windows)
        table = np.array(values, dtype=float).reshape(len(activities), K)
        found = Features(np.array(activities, dtype=np.int64), table, np.array(switch))
        return cls(number, Vector(start, end, seen, tuple(opened), *rest), found, label, predicted)


class History(deque[Instance]):
    """The last instances, in order, by number; the oldest is forgotten where there are too many."""

    def __init__(self) -> None:
        super().__init__(maxlen=LENGTH)

    def before(self, instance: Instance) -> Instance:
        """Return the instance before this one; the first stands for the one before it."""
        return self.get(instance.number - 1) or instance

    def get(self, number: int) -> Instance | None:
        """Return the instance of a number, None if it is not there any more."""
        at = number - self[0].number if self else -1
        return self[at] if 0 <= at < len(self) else None

    def run(self, activity: int, since: float | None) -> Instance:
        """Return the first of the run of predictions of an activity that lasts until now.

        Only what is said to be after `since` counts.
        """
        first = self[-1]
        for instance in reversed(self):
            started = since is None or instance.vector.start >= since
            if instance.predicted != activity or not started:
                break
            first = instance
        return first

    def merge(self, old: int, into: int) -> None:
        """Let instances belong to the activity that another one has been merged into."""
        for instance in self:
            instance.merge(old, into)


class Past:
    """Instances, statements and associations, which agree with each other after `relabel`."""

    def __init__(self) -> None:
        self.known, self.said, self.history = Associations(), Timeline(), History()
        self.count = 0  # instances so far

    def add(self, vector: Vector, activities: int) -> Instance:
        """Return the instance of a vector, credited to what is declared; there are so many."""
        label, found = self.said.at(vector.middle), features(vector, self.known, activities)
        kept = vector._replace(open=())  # the features have it: a list as long as all that is open
        instance = Instance(self.count, kept, found, label)
        self.known.credit(vector, label)
        self.history.append(instance)
        self.count += 1
        self.said.forget(self.history[0].vector.start)
        return instance

    def relabel(self) -> list[int]:
        """Credit instances to what is said of their times now; return the numbers of the moved."""
        moved = []
        for instance in self.history:
            label = self.said.at(instance.vector.middle)
            if label != instance.label:
                self.known.discredit(instance.vector, instance.label)
                self.known.credit(instance.vector, label)
                instance.label = label
                moved.append(instance.number)
        return moved

    def set_back(self, time: float) -> None:
        """Go on from an earlier time: what has been seen stays credited to what it is."""
        self.said.set_back(time)
        self.history = History()

    def merge(self, old: int, into: int) -> None:
        """Let all that was of one activity be of another."""
        self.known.merge(old, into)
        self.said.merge(old, into)
        self.history.merge(old, into)

    def pack(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return the state as JSON can hold it, and arrays."""
        known, arrays = self.known.pack()
        history = [instance.pack() for instance in self.history]
        said = self.said.pack()
        return {"known": known, "said": said, "history": history, "count": self.count}, arrays

    @classmethod
    def unpack(cls, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> "Past":
        """Return the past that was packed."""
        past = cls()
        past.known = Associations.unpack(header["known"], arrays)
        past.said, past.count = Timeline.unpack(header["said"]), header["count"]
        for packed in header["history"]:
            past.history.append(Instance.unpack(packed))
        return past
