"""The last hours: what was seen, what has been said of it, and what it is credited to."""

from typing import Any

import numpy as np

from .associations import Associations
from .features import features
from .history import History, Instance
from .timeline import Timeline
from .vector import Vector


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
        self.history.add(instance)
        self.count += 1
        self.said.forget(self.history.first.vector.start)
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
            past.history.add(Instance.unpack(packed))
        return past
