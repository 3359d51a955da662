"""What is known of resources and words: which activities they came with, and for how long."""

import math
from typing import Any

import numpy as np

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
        self.vectors = np.zeros(16, np.int64)  # labelled with each activity
        self.total = 0  # vectors

    def associate(self, resource: str, activity: int | None) -> None:
        """Associate a resource explicitly, or take that back."""
        if activity is None:
            self.explicit.pop(resource, None)
        else:
            self.explicit[resource] = activity

    def credit(self, vector: Vector, activity: int | None) -> None:
        """Take a vector to belong to an activity, or to none."""
        times = vector.times
        self.times.add(times, activity, _milliseconds(times))
        self.words.add(vector.vocabulary, activity, 1)
        self.total += 1
        if activity is not None:
            self.extend(activity + 1)
            self.vectors[activity] += 1
        self.words.forget(WORDS + PER_RESOURCE * len(self.times))
        self.times.forget(RESOURCES + PER_ACTIVITY * len(self.vectors))

    def discredit(self, vector: Vector, activity: int | None) -> None:
        """Take back `credit`."""
        times = vector.times
        self.times.take(times, activity, _milliseconds(times))
        self.words.take(vector.vocabulary, activity, 1)
        self.total -= 1
        if activity is not None:
            self.vectors[activity] -= 1

    def extend(self, activities: int) -> None:
        """Make room for so many activities."""
        if activities > len(self.vectors):
            self.vectors = np.concatenate([self.vectors, np.zeros(activities, np.int64)])

    def merge(self, old: int, into: int) -> None:
        """Let one activity have what another had."""
        self.extend(max(old, into) + 1)
        self.times.merge(old, into)
        self.words.merge(old, into)
        self.vectors[into] += self.vectors[old]
        self.vectors[old] = 0
        for resource, activity in self.explicit.items():
            if activity == old:
                self.explicit[resource] = into

    def importance(self, words: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return activities (m, MOST) and how important m words are to them, from 0 to 1.

        That is log(|S|/DF(word, S)) of section 5.2, S being the vectors that are not labelled with
        the activity, each count one more than it is, divided by its largest value. It would be the
        same for all activities that a word never came with, so it is weighed by the activity's
        share of the vectors with the word.
        """
        activities, amounts, totals = self.words.rows(words)
        within = totals[:, None] + 1.0
        others = self.total + 1 - self.vectors[activities]
        rare = np.log(np.maximum(1.0, others / (within - amounts))) / math.log(self.total + 2)
        return activities, rare * amounts / within

    def pack(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return the state as JSON can hold it, and arrays."""
        times, arrays = self.times.pack("times")
        words, more = self.words.pack("words")
        header = {"explicit": self.explicit, "times": times, "words": words, "total": self.total}
        return header, {**arrays, **more, "vectors": self.vectors}

    @classmethod
    def unpack(cls, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> "Associations":
        """Return the associations that were packed."""
        found = cls()
        found.explicit, found.total = header["explicit"], header["total"]
        found.times = Counts.unpack("times", header["times"], arrays)
        found.words = Counts.unpack("words", header["words"], arrays)
        found.vectors = np.array(arrays["vectors"])
        return found


def _milliseconds(times: dict[str, float]) -> np.ndarray:
    return np.array([round(1000 * seconds) for seconds in times.values()], dtype=np.int64)
