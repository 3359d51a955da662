"""The vectors of the last hours, with their features as they were and what they count as."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .features import Features, K
from .vector import Vector, Window

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


class History:
    """The last instances, in order, by number."""

    def __init__(self) -> None:
        self.kept: deque[Instance] = deque(maxlen=LENGTH)

    def __iter__(self) -> Iterator[Instance]:
        return iter(self.kept)

    def __len__(self) -> int:
        return len(self.kept)

    @property
    def first(self) -> Instance:
        """The oldest."""
        return self.kept[0]

    def add(self, instance: Instance) -> None:
        """Add an instance, and forget the oldest where there are too many."""
        self.kept.append(instance)

    def before(self, instance: Instance) -> Instance:
        """Return the instance before this one; the first stands for the one before it."""
        return self.get(instance.number - 1) or instance

    def get(self, number: int) -> Instance | None:
        """Return the instance of a number, None if it is not there any more."""
        at = number - self.kept[0].number if self.kept else -1
        return self.kept[at] if 0 <= at < len(self.kept) else None

    def run(self, activity: int, since: float | None) -> Instance:
        """Return the first of the run of predictions of an activity that lasts until now.

        Only what is said to be after `since` counts.
        """
        first = self.kept[-1]
        for instance in reversed(self.kept):
            started = since is None or instance.vector.start >= since
            if instance.predicted != activity or not started:
                break
            first = instance
        return first

    def merge(self, old: int, into: int) -> None:
        """Let instances belong to the activity that another one has been merged into."""
        for instance in self.kept:
            instance.merge(old, into)
