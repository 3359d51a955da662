"""The last hours: the vectors, the statements about them, and the activities they count for."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .associations import Associations
from .features import Features, features
from .timeline import Timeline
from .windows import Vector

LENGTH = 480  # vectors: eight hours of presence


@dataclass
class Instance:
    """A vector, its number, and the activity that it counts for."""

    number: int
    vector: Vector
    features: Features  # computed before it counted for any activity
    label: int | None
    predicted: int | None = None

    def merge(self, old: int, into: int) -> None:
        """Replace an activity that was merged into another."""
        self.label = into if self.label == old else self.label
        self.predicted = into if self.predicted == old else self.predicted
        if into not in self.features.activities:
            renumbered = np.where(self.features.activities == old, into, self.features.activities)
            self.features = self.features._replace(activities=renumbered)


class History(deque[Instance]):
    """The last instances, in order of their numbers; the oldest are evicted."""

    def __init__(self, instances: Iterable[Instance] = ()) -> None:
        super().__init__(instances, maxlen=LENGTH)

    def before(self, instance: Instance) -> Instance:
        """Return the instance before this one, or the first one itself."""
        return self.get(instance.number - 1) or instance

    def get(self, number: int) -> Instance | None:
        """Return the instance with this number, None if it was evicted."""
        at = number - self[0].number if self else -1
        return self[at] if 0 <= at < len(self) else None

    def run(self, activity: int, since: float) -> Instance:
        """Return the first instance, after `since`, from which on this activity is predicted."""
        first = self[-1]
        for instance in reversed(self):
            if instance.predicted != activity or instance.vector.start < since:
                break
            first = instance
        return first


class Past:
    """Instances, statements and associations, which are consistent after `relabel`."""

    def __init__(self) -> None:
        self.known, self.said, self.history = Associations(), Timeline(), History()
        self.count = 0  # instances so far

    def add(self, vector: Vector, activities: int) -> Instance:
        """Add a vector, which counts for the declared activity, one of `activities`."""
        label, found = self.said.at(vector.middle), features(vector, self.known, activities)
        kept = vector._replace(open=())  # a long list, of which only the features are needed
        instance = Instance(self.count, kept, found, label)
        self.known.credit(vector, label)
        self.history.append(instance)
        self.count += 1
        self.said.forget(self.history[0].vector.start)
        return instance

    def relabel(self) -> list[int]:
        """Recount instances by what is now declared; return the numbers of those that changed."""
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
        """Continue from an earlier time; associations stay as they are."""
        self.said.set_back(time)
        self.history = History()

    def merge(self, old: int, into: int) -> None:
        """Replace an activity that was merged into another."""
        self.known.merge(old, into)
        self.said.merge(old, into)
        for instance in self.history:
            instance.merge(old, into)
