"""Features of an information vector: F_A for every activity, and F_S for the switch (section 5.2).

All are from 0 to `SCALE`, so that the norm of every Z is at most R, as Theorem 5.1 requires. F_A is
stored only for activities that have a feature other than 0. Its weights are shared by all
activities, so a word has no weight: a feature is the importance of the words to the activity.
"""

import math
from typing import NamedTuple

import numpy as np

from .associations import NOBODY, Associations
from .windows import Vector

# The meaning of C depends on the norm of Z: with the paper's C = 10 and features up to 1, a step
# would cover almost all of the distance, and learn every glimpse. With this scale it covers 5%.
SCALE = 0.03
K, M = 6, 5  # features of an activity, and of a switch
EXPLICIT = 0  # share of the time with resources that the user has assigned to the activity
IMPLICIT = 1  # strength of the implicit association of the resources, weighted by time
SHARE = 2  # the activity's share of the time the resources have been used, weighted by time
OPEN = 3  # share of open resources that are associated with the activity
WORDS = 4  # importance of title words, mean over words, weighted by time
WORD = 5  # importance of the most important word
HALF = 600_000  # milliseconds of use at which an implicit association has half of its full strength
DAY = 86_400.0


class Features(NamedTuple):
    """F_A and F_S of one vector."""

    activities: np.ndarray  # int64 (c,), the activities with a feature other than 0
    values: np.ndarray  # (c, K)
    switch: np.ndarray  # (M,)

    def of(self, activity: int) -> np.ndarray:
        """Return F_A of one activity."""
        return self.values[self.activities == activity].sum(axis=0)

    def scores(self, weights: np.ndarray, n: int) -> np.ndarray:
        """Return Lambda_1 . F_A for n activities."""
        scores = np.zeros(n)
        scores[self.activities] = self.values @ weights
        return scores


def features(vector: Vector, known: Associations, n: int) -> Features:
    """Return the features of a vector for n activities, before it counts for any of them."""
    table = np.zeros((n, K))
    known.extend(n)
    add_resources(table, vector, known)
    add_words(table, vector, known)
    add_open(table, vector.open, known)
    activities = np.flatnonzero(table.any(axis=1))
    return Features(activities, SCALE * table[activities], SCALE * of_switch(vector))


def add_resources(table: np.ndarray, vector: Vector, known: Associations) -> None:
    """Add the features of the resources that were in front, weighted by their time."""
    seconds, numbers, shares = vector.seconds, [], []
    for resource, time in vector.times.items():
        if resource in known.explicit:
            table[known.explicit[resource], EXPLICIT] += time / seconds
        if resource in known.times.numbers:
            numbers.append(known.times.numbers[resource])
            shares.append(time / seconds)
    activities, amounts, totals = known.times.rows(numbers)
    weights = np.array(shares)[:, None]
    spread(table, IMPLICIT, activities, weights * (amounts / (amounts + HALF)))
    spread(table, SHARE, activities, weights * (amounts / np.maximum(1, totals)[:, None]))


def add_words(table: np.ndarray, vector: Vector, known: Associations) -> None:
    """Add the features of the words in the titles."""
    seconds, numbers, shares = vector.seconds, [], []
    for _, words, time in vector.windows:
        for word in words:
            if word in known.words.numbers:
                numbers.append(known.words.numbers[word])
                shares.append(time / (seconds * len(words)))
    activities, importance = known.importance(numbers)
    spread(table, WORDS, activities, np.array(shares)[:, None] * importance)
    there = activities != NOBODY
    np.maximum.at(table[:, WORD], activities[there], importance[there])


def add_open(table: np.ndarray, resources: tuple[str, ...], known: Associations) -> None:
    """Add the feature of the open resources; one that is shared counts in parts."""
    numbers = []
    for resource in resources:
        if resource in known.explicit:
            table[known.explicit[resource], OPEN] += 1 / len(resources)
        elif resource in known.times.numbers:
            numbers.append(known.times.numbers[resource])
    activities, amounts, totals = known.times.rows(numbers)
    shares = amounts / np.maximum(1, totals)[:, None]
    spread(table, OPEN, activities, shares / max(1, len(resources)))


def spread(table: np.ndarray, column: int, activities: np.ndarray, values: np.ndarray) -> None:
    """Add values to a column, each in the row of its activity; those of NOBODY are ignored."""
    at = activities.ravel() - NOBODY
    table[:, column] += np.bincount(at, values.ravel(), len(table) + 1)[1:]


def of_switch(vector: Vector) -> np.ndarray:
    """Return F_S: a constant, closed and used resources, time since a switch, and absence."""
    closed = vector.closed / (vector.closed + 1)
    return np.array([1.0, closed, vector.used, grown(vector.since), grown(vector.gap)])


def grown(seconds: float) -> float:
    """Return a duration on a logarithmic scale: 0 for none, 1 for a day or more."""
    return min(1.0, math.log1p(seconds / 60) / math.log1p(DAY / 60))


def joint(first: Features, second: Features, before: int, now: int) -> np.ndarray:
    """Return phi with g = Lambda . phi, for a pair of activities (section 5.2)."""
    switch = float(before != now)
    return np.concatenate(
        [first.of(before) + second.of(now), -switch * first.switch, -switch * second.switch]
    )
