"""Which activities resources and words came with, and for how long: sparse tables of counts."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .windows import Vector

MOST = 24  # activities that a row tells apart: so memory is linear in rows
NOBODY = -1  # where there is room for another
WORDS, RESOURCES = 20_000, 20_000  # rows kept in any case,
PER_RESOURCE, PER_ACTIVITY = 20, 200  # and more words, and resources, the more there are


class Rows(NamedTuple):
    """Some rows of a table of counts."""

    activities: np.ndarray  # int32 (m, MOST)
    amounts: np.ndarray  # int64 (m, MOST), 0 where the activity is NOBODY
    totals: np.ndarray  # int64 (m,)


class Counts:
    """A sparse table of whole numbers, rows by name and columns by the numbers of activities.

    A row has room for `MOST` activities: a new one takes the place of that with the least. Its
    total stays that of all. What came with no activity counts in the total alone.

    >>> counts = Counts()
    >>> counts.add(["tax.ods", "mail"], 3, 60)
    >>> counts.add(["tax.ods"], None, 20)
    >>> counts.of("tax.ods"), int(counts.rows([0]).totals[0])
    ({3: 60}, 80)
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.table = _room(256)

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def nbytes(self) -> int:
        """The memory of the table in bytes."""
        return sum(array.nbytes for array in self.table)

    def rows(self, numbers: list[int]) -> Rows:
        """Return rows by number."""
        return Rows(*(array[numbers] for array in self.table))

    def of(self, name: str) -> dict[int, int]:
        """Return what each activity has of a row."""
        if name not in self.numbers:
            return {}
        activities, amounts, _ = (array[self.numbers[name]] for array in self.table)
        return {int(one): int(n) for one, n in zip(activities, amounts, strict=True) if n}

    def add(self, names: Iterable[str], activity: int | None, amounts: object) -> None:
        """Count more of some rows, each named once, for an activity or for none."""
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
        """Count less of some rows; what has been forgotten is not missed."""
        known = [(self.numbers.get(name, NOBODY), n) for name, n in _each(names, amounts)]
        at = np.array([row for row, _ in known if row != NOBODY], dtype=np.intp)
        less = np.array([n for row, n in known if row != NOBODY], dtype=np.int64)
        activities, counted, totals = self.table
        totals[at] = np.maximum(0, totals[at] - less)
        if activity is None:
            return
        held = activities[at] == activity
        counted[at] = np.where(held, np.maximum(0, counted[at] - less[:, None]), counted[at])
        activities[at] = np.where(held & (counted[at] == 0), NOBODY, activities[at])

    def merge(self, old: int, into: int) -> None:
        """Let one activity have what another had."""
        activities, amounts, _ = self.table
        both = (activities == old).any(axis=1) & (activities == into).any(axis=1)
        for row in np.flatnonzero(both):
            gone, stays = activities[row] == old, activities[row] == into
            amounts[row, stays] += amounts[row, gone]
            amounts[row, gone], activities[row, gone] = 0, NOBODY
        activities[activities == old] = into

    def forget(self, most: int) -> None:
        """Where there are more than `most` rows, keep the half with the largest totals."""
        if len(self.numbers) <= most:
            return
        order = np.argsort(-self.table.totals[: len(self)], kind="stable")
        kept = set(order[: most // 2].tolist())
        names = [name for name, number in self.numbers.items() if number in kept]
        table = self.rows([self.numbers[name] for name in names])
        self.numbers, self.table = {name: i for i, name in enumerate(names)}, table

    def _number(self, name: str) -> int:
        """Return the number of a row, a new one if need be."""
        number = self.numbers.setdefault(name, len(self.numbers))
        if number == len(self.table.totals):
            more = _room(number)
            self.table = Rows(*map(np.concatenate, zip(self.table, more, strict=True)))
        return number

    def pack(self, prefix: str) -> tuple[list[str], dict[str, np.ndarray]]:
        """Return the names of rows, and the table as named arrays."""
        table = Rows(*(array[: len(self)] for array in self.table))
        arrays = {f"{prefix}.{name}": array for name, array in table._asdict().items()}
        return list(self.numbers), arrays

    @classmethod
    def unpack(cls, prefix: str, names: list[str], arrays: dict[str, np.ndarray]) -> "Counts":
        """Return the table that was packed."""
        counts, n = cls(), len(names)
        counts.numbers = {name: i for i, name in enumerate(names)}
        found = Rows(*(arrays[f"{prefix}.{name}"] for name in Rows._fields))
        like = zip(found, _room(n), strict=True)
        if len(counts.numbers) != n or any(_kind(a) != _kind(b) for a, b in like):
            raise ValueError("The table does not fit its names.")
        more = _room(max(256, 2 * n) - n)
        counts.table = Rows(*map(np.concatenate, zip(found, more, strict=True)))
        return counts


def _room(n: int) -> Rows:
    """Return n empty rows."""
    activities = np.full((n, MOST), NOBODY, np.int32)
    return Rows(activities, np.zeros((n, MOST), np.int64), np.zeros(n, np.int64))


def _kind(array: np.ndarray) -> tuple:
    return array.shape, array.dtype


def _each(names: Iterable[str], amounts: object) -> Iterable[tuple[str, int]]:
    """Return names with their amounts, which may be one for all."""
    names = list(names)
    return zip(names, np.broadcast_to(np.asarray(amounts), len(names)).tolist(), strict=True)


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
