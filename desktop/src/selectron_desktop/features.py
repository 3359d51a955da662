"""Features of an information vector: F_A for every activity, and F_S for the switch (section 5.2).

All are from 0 to `SCALE`, so that no pair's Z is longer than a fixed R, as Theorem 5.1 wants. F_A
is kept for activities alone that have anything to do with the vector; for all others it is 0.

The weights of F_A are shared by all activities, so a word cannot have one of its own: what counts
is how important the words are to the activity, summed and at most.
"""

import math
from typing import NamedTuple

import numpy as np

from .associations import NOBODY, Associations
from .windows import Vector

OF_ACTIVITY = (
    "explicit",  # share of the time with resources that the user has given to the activity
    "implicit",  # strength of the implicit association of the resources, by their share of time
    "share",  # the activity's share of the time the resources have been used, likewise
    "open",  # share of open resources associated with the activity
    "words",  # importance of title words, mean over words by their share of time
    "word",  # importance of the most important word
)
OF_SWITCH = (
    "always",  # 1: what a switch costs in any case
    "closed",  # resources closed, grows to 1
    "used",  # share of open resources that were in front
    "since",  # time since the last declared switch, grows to 1 in a day
    "gap",  # time since somebody was there, likewise
)
# What C means depends on the length of Z: with the paper's C = 10 and features up to 1, a step goes
# almost all of its way, and learns every glimpse elsewhere. As short as this it goes some 5%.
SCALE = 0.03
K, M = len(OF_ACTIVITY), len(OF_SWITCH)
EXPLICIT, IMPLICIT, SHARE, OPEN, SUM, MOST = range(K)
HALF = 600_000  # milliseconds of use that make an implicit association half as strong as can be
DAY = 86_400.0
NONE = np.zeros(K)


class Features(NamedTuple):
    """F_A and F_S of one vector."""

    activities: np.ndarray  # int64 (c,), the activities that have any
    values: np.ndarray  # (c, K)
    switch: np.ndarray  # (M,)

    def of(self, activity: int) -> np.ndarray:
        """Return F_A of one activity."""
        at = np.flatnonzero(self.activities == activity)
        return self.values[at[0]] if len(at) else NONE

    def scores(self, weights: np.ndarray, n: int) -> np.ndarray:
        """Return Lambda_1 . F_A for n activities."""
        scores = np.zeros(n)
        scores[self.activities] = self.values @ weights
        return scores


def features(vector: Vector, known: Associations, n: int) -> Features:
    """Return the features of a vector for n activities, before it is credited to any of them."""
    table = np.zeros((n, K))
    known.extend(n)
    add_resources(table, vector, known)
    add_words(table, vector, known)
    add_open(table, vector.open, known)
    activities = np.flatnonzero(table.any(axis=1))
    return Features(activities, SCALE * table[activities], SCALE * of_switch(vector))


def add_resources(table: np.ndarray, vector: Vector, known: Associations) -> None:
    """Add what the resources tell that were in front, by their share of the time."""
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
    """Add what the words of the titles tell."""
    seconds, numbers, shares = vector.seconds, [], []
    for _, words, time in vector.windows:
        for word in words:
            if word in known.words.numbers:
                numbers.append(known.words.numbers[word])
                shares.append(time / (seconds * len(words)))
    activities, importance = known.importance(numbers)
    spread(table, SUM, activities, np.array(shares)[:, None] * importance)
    there = activities != NOBODY
    np.maximum.at(table[:, MOST], activities[there], importance[there])


def add_open(table: np.ndarray, resources: tuple[str, ...], known: Associations) -> None:
    """Add what the open resources tell: one that is shared counts in parts."""
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
    """Add values to a column, each in the row of its activity."""
    at = activities.ravel() - NOBODY  # nobody's come first, and are left out
    table[:, column] += np.bincount(at, values.ravel(), len(table) + 1)[1:]


def of_switch(vector: Vector) -> np.ndarray:
    """Return F_S."""
    return np.array(
        [
            1.0,
            vector.closed / (vector.closed + 1),
            vector.used,
            grown(vector.since),
            grown(vector.gap),
        ]
    )


def grown(seconds: float) -> float:
    """Return 0 for no time, and 1 for a day or more, on a scale of logarithms."""
    return min(1.0, math.log1p(seconds / 60) / math.log1p(DAY / 60))


def joint(first: Features, second: Features, before: int, now: int) -> np.ndarray:
    """Return phi with g = Lambda . phi, for a pair of activities (section 5.2)."""
    switch = float(before != now)
    return np.concatenate(
        [first.of(before) + second.of(now), -switch * first.switch, -switch * second.switch]
    )
