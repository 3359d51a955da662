"""Features of an information vector: F_A for every activity, and F_S for the switch (section 5.2).

All are from 0 to 1, so that no pair's Z is longer than a fixed R, as Theorem 5.1 wants. F_A is kept
for activities alone that have anything to do with the vector; for all others it is 0.

The weights of F_A are shared by all activities, so a word cannot have one of its own: what counts
is how important the words are to the activity, summed and at most.
"""

import math
from typing import NamedTuple

import numpy as np

from .associations import Associations
from .vector import Vector

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
K, M = len(OF_ACTIVITY), len(OF_SWITCH)
EXPLICIT, IMPLICIT, SHARE, OPEN, SUM, MOST = range(K)
HALF = 600_000  # milliseconds of use that make an implicit association half as strong as can be
DAY = 86_400.0


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


NONE = np.zeros(K)


def features(vector: Vector, known: Associations) -> Features:
    """Return the features of a vector by what is known before it is credited to any activity."""
    rows: dict[int, list[float]] = {}
    seconds = vector.seconds
    for resource, words, time in vector.windows:
        share = time / seconds
        add_resource(rows, resource, share, known)
        add_words(rows, words, share, known)
    add_open(rows, vector.open, known)
    activities = np.fromiter(rows, np.int64, len(rows))
    values = np.array(list(rows.values())).reshape(len(rows), K)
    return Features(activities, values, of_switch(vector))


def row_of(rows: dict[int, list[float]], activity: int) -> list[float]:
    """Return the row of an activity, a new one if need be."""
    row = rows.get(activity)
    if row is None:
        row = rows[activity] = [0.0] * K
    return row


def add_resource(
    rows: dict[int, list[float]], resource: str, share: float, known: Associations
) -> None:
    """Add what a resource tells that was in front for a share of the time."""
    if resource in known.explicit:
        row_of(rows, known.explicit[resource])[EXPLICIT] += share
    total = known.times.total(resource)
    for activity, time in known.times.row(resource).items():
        row = row_of(rows, activity)
        row[IMPLICIT] += share * time / (time + HALF)
        row[SHARE] += share * time / total


def add_words(
    rows: dict[int, list[float]], words: tuple[str, ...], share: float, known: Associations
) -> None:
    """Add what the words of a title tell."""
    for word in words:
        for activity, importance in known.importance(word):
            row = row_of(rows, activity)
            row[SUM] += share * importance / len(words)
            if importance > row[MOST]:
                row[MOST] = importance


def add_open(rows: dict[int, list[float]], resources: tuple[str, ...], known: Associations) -> None:
    """Add what the open resources tell: one that is shared counts in parts."""
    for resource in resources:
        if resource in known.explicit:
            row_of(rows, known.explicit[resource])[OPEN] += 1 / len(resources)
            continue
        total = known.times.total(resource)
        for activity, time in known.times.row(resource).items():
            row_of(rows, activity)[OPEN] += time / (total * len(resources))


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
