"""What is known of resources and words: which activities they came with, and for how long."""

import math
from typing import Any

from .counts import Counts
from .vector import Vector

WORDS, RESOURCES = 20_000, 20_000  # rows kept in any case,
PER_RESOURCE, PER_ACTIVITY = 20, 200  # and more words, and resources, the more there are


class Associations:
    """Explicit associations of resources, and implicit ones from what was declared meanwhile.

    Implicit ones are kept in milliseconds; words by the number of vectors that hold them, the
    document frequency DF of section 5.2.
    """

    def __init__(self) -> None:
        self.explicit: dict[str, int] = {}
        self.times = Counts()
        self.words = Counts()
        self.vectors: dict[int, int] = {}  # labelled with each activity
        self.total = 0  # vectors

    def associate(self, resource: str, activity: int | None) -> None:
        """Associate a resource explicitly, or take that back."""
        if activity is None:
            self.explicit.pop(resource, None)
        else:
            self.explicit[resource] = activity

    def credit(self, vector: Vector, activity: int | None) -> None:
        """Take a vector to belong to an activity, or to none."""
        for window in vector.windows:
            self.times.add(window.resource, activity, _milliseconds(window.seconds))
        for word in vector.vocabulary:
            self.words.add(word, activity, 1)
        self.total += 1
        if activity is not None:
            self.vectors[activity] = self.vectors.get(activity, 0) + 1
        self.words.forget(WORDS + PER_RESOURCE * len(self.times))
        self.times.forget(RESOURCES + PER_ACTIVITY * len(self.vectors))

    def discredit(self, vector: Vector, activity: int | None) -> None:
        """Take back `credit`."""
        for window in vector.windows:
            self.times.take(window.resource, activity, _milliseconds(window.seconds))
        for word in vector.vocabulary:
            self.words.take(word, activity, 1)
        self.total -= 1
        if activity is not None:
            self.vectors[activity] = max(0, self.vectors.get(activity, 0) - 1)

    def merge(self, old: int, into: int) -> None:
        """Let one activity have what another had."""
        self.times.merge(old, into)
        self.words.merge(old, into)
        self.vectors[into] = self.vectors.get(into, 0) + self.vectors.pop(old, 0)
        for resource, activity in self.explicit.items():
            if activity == old:
                self.explicit[resource] = into

    def importance(self, word: str) -> list[tuple[int, float]]:
        """Return how important a word is to every activity that it came with, from 0 to 1.

        That is log(|S|/DF(word, S)) of section 5.2, S being the vectors that are not labelled with
        the activity, each count one more than it is, divided by its largest value.
        """
        all_of_it, total = self.words.total(word) + 1, self.total + 1
        most = math.log(total + 1)
        found = []
        for activity, n in self.words.row(word).items():
            others = total - self.vectors.get(activity, 0)
            found.append((activity, math.log(max(1.0, others / (all_of_it - n))) / most))
        return found

    def pack(self) -> dict[str, Any]:
        """Return the state as JSON can hold it."""
        return {
            "explicit": self.explicit,
            "times": self.times.pack(),
            "words": self.words.pack(),
            "vectors": list(self.vectors.items()),
            "total": self.total,
        }

    @classmethod
    def unpack(cls, packed: dict[str, Any]) -> "Associations":
        """Return the associations that were packed."""
        found = cls()
        found.explicit, found.total = packed["explicit"], packed["total"]
        found.times, found.words = Counts.unpack(packed["times"]), Counts.unpack(packed["words"])
        found.vectors = dict(packed["vectors"])
        return found


def _milliseconds(seconds: float) -> int:
    return round(1000 * seconds)
