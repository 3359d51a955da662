"""How long each resource, and how often each word, came with which activity: sparse counts."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .windows import Vector

MOST = 24  # activities that a row distinguishes: so memory is linear in the rows
NOBODY = -1  # a place in a row that is free
WORDS, RESOURCES = 20_000, 20_000  # rows that are kept in any case,
PER_RESOURCE, PER_ACTIVITY = 20, 200  # and the words per resource and resources per activity


class Rows(NamedTuple):
    """Some rows of a table of counts."""

    activities: np.ndarray  # int32 (m, MOST)
    amounts: np.ndarray  # int64 (m, MOST), 0 where the activity is NOBODY
    totals: np.ndarray  # int64 (m,)


class Counts:
    """A sparse table of integers: rows by name, columns by the number of an activity.

    A row has room for `MOST` activities: a new one replaces the one with the smallest count. The
    total of a row still counts all activities, and what came with none.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.table = _empty(256)

    def __len__(self) -> int:
        return len(self.numbers)

    def __getstate__(self) -> dict[str, Any]:
        return {
            "numbers": self.numbers,
            "table": Rows(*(array[: len(self)] for array in self.table)),
        }

    def rows(self, numbers: list[int]) -> Rows:
        """Return rows by number."""
        return Rows(*(array[numbers] for array in self.table))

    def add(self, names: Iterable[str], activity: int | None, amounts: object) -> None:
        """Add to the counts of some rows, each named once, for an activity or for none."""
        at = np.array([self._number(name) for name in names], dtype=np.intp)
        activities, counted, totals = self.table
        totals[at] += amounts
        if activity is None:
            return
        held = activities[at] == activity
        before = np.where(held.any(axis=1), (counted[at] * held).sum(axis=1), 0)
        column = np.where(held.any(axis=1), held.argmax(axis=1), counted[at].argmin(axis=1))
        activities[at, column] = activity
        counted[at, column] = before + amounts

    def take(self, names: Iterable[str], activity: int | None, amounts: object) -> None:
        """Subtract from the counts of some rows, as far as they are still there."""
        rows = np.array([self.numbers.get(name, -1) for name in names], dtype=np.intp)
        less = np.broadcast_to(np.asarray(amounts), len(rows))[rows >= 0]
        at = rows[rows >= 0]
        activities, counted, totals = self.table
        totals[at] = np.maximum(0, totals[at] - less)
        if activity is None:
            return
        held = activities[at] == activity
        counted[at] = np.where(held, np.maximum(0, counted[at] - less[:, None]), counted[at])
        activities[at] = np.where(held & (counted[at] == 0), NOBODY, activities[at])

    def merge(self, old: int, into: int) -> None:
        """Add the counts of one activity to those of another."""
        activities, amounts, _ = self.table
        both = (activities == old).any(axis=1) & (activities == into).any(axis=1)
        for row in np.flatnonzero(both):
            gone, stays = activities[row] == old, activities[row] == into
            amounts[row, stays] += amounts[row, gone]
            amounts[row, gone], activities[row, gone] = 0, NOBODY
        activities[activities == old] = into

    def forget(self, most: int) -> None:
        """If there are more than `most` rows, keep the half of that with the largest totals."""
        if len(self.numbers) <= most:
            return
        order = np.argsort(-self.table.totals[: len(self)], kind="stable")
        kept = sorted(order[: most // 2].tolist())
        names = list(self.numbers)
        self.table = self.rows(kept)
        self.numbers = {names[number]: i for i, number in enumerate(kept)}

    def _number(self, name: str) -> int:
        """Return the number of a row, which is added if necessary."""
        number = self.numbers.setdefault(name, len(self.numbers))
        if number == len(self.table.totals):
            more = _empty(max(256, number))
            self.table = Rows(*map(np.concatenate, zip(self.table, more, strict=True)))
        return number


def _empty(n: int) -> Rows:
    activities = np.full((n, MOST), NOBODY, np.int32)
    return Rows(activities, np.zeros((n, MOST), np.int64), np.zeros(n, np.int64))


class Associations:
    """Explicit associations of resources, and implicit ones, learned from the declarations.

    Implicit ones are counted in milliseconds; words by the number of vectors that contain them, the
    document frequency DF of section 5.2.
    """

    def __init__(self) -> None:
        self.explicit: dict[str, int] = {}
        self.times = Counts()
        self.words = Counts()
        self.vectors = np.zeros(16, np.int64)  # labelled with each activity
        self.total = 0  # vectors

    def associate(self, resource: str, activity: int | None) -> None:
        """Associate a resource explicitly; None removes the association."""
        if activity is None:
            self.explicit.pop(resource, None)
        else:
            self.explicit[resource] = activity

    def credit(self, vector: Vector, activity: int | None) -> None:
        """Count a vector for an activity, or for none."""
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
        """Undo `credit`."""
        times = vector.times
        self.times.take(times, activity, _milliseconds(times))
        self.words.take(vector.vocabulary, activity, 1)
        self.total -= 1
        if activity is not None:
            self.vectors[activity] -= 1

    def extend(self, activities: int) -> None:
        """Make room for at least this number of activities."""
        if activities > len(self.vectors):
            self.vectors = np.concatenate([self.vectors, np.zeros(activities, np.int64)])

    def merge(self, old: int, into: int) -> None:
        """Add what is known of one activity to another."""
        self.extend(max(old, into) + 1)
        self.times.merge(old, into)
        self.words.merge(old, into)
        self.vectors[into] += self.vectors[old]
        self.vectors[old] = 0
        for resource, activity in self.explicit.items():
            if activity == old:
                self.explicit[resource] = into

    def importance(self, words: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return activities (m, MOST) and the importance of m words to them, from 0 to 1.

        This is log(|S|/DF(word, S)) of section 5.2, where S are the vectors not labelled with the
        activity; each count is increased by 1, and the result is divided by its largest value. It
        is multiplied by the activity's share of the vectors with the word, since otherwise it would
        be the same for all activities that the word never came with.
        """
        activities, amounts, totals = self.words.rows(words)
        within = totals[:, None] + 1.0
        others = self.total + 1 - self.vectors[activities]
        rare = np.log(np.maximum(1.0, others / (within - amounts))) / math.log(self.total + 2)
        return activities, rare * amounts / within


def _milliseconds(times: dict[str, float]) -> np.ndarray:
    return np.array([round(1000 * seconds) for seconds in times.values()], dtype=np.int64)
