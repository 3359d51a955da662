"""Drift detection for `LeadingHistory`: a much younger expert takes the lead, and keeps it."""

from collections import deque

import numpy as np

YOUNGER = 0.4  # of the age of the previous leader
LEAST = 50  # rounds by which it must be younger
WATCHED, KEPT = 100, 90  # younger experts must lead 90 of 100 rounds


class Drifts:
    """Detects drift in the ages of the leading expert, `run.age`, over a stream of any length.

    Drift begins in a round in which the lead passes to an expert that is younger by at least 50
    rounds, and by 60% of the age of the previous leader. Without drift, experts are alike, and the
    lead alternates between them: so drift counts only if younger experts lead in 90 of the next 100
    rounds. It is confirmed 89 to 99 rounds after it began, and not near the end of a stream.
    `rounds` lists the rounds in which drift began, counted from 0.

    >>> drifts = Drifts()
    >>> drifts.add(np.r_[0:500, 7:107, 600:700])
    [500]
    >>> drifts.add(np.r_[7:60, 753:800]), drifts.rounds
    ([], [500])
    """

    def __init__(self) -> None:
        self.rounds: list[int] = []
        self._seen = 0
        self._born = 0.0  # when the previous leader was born
        self._young: deque[int] = deque()  # the last rounds that younger experts led

    def add(self, ages: np.ndarray) -> list[int]:
        """Add the ages of rounds; return the beginnings of the drifts that they confirm."""
        known = len(self.rounds)
        for age in np.asarray(ages, float).tolist():
            self._add(self._seen, age)
            self._seen += 1
        return self.rounds[known:]

    def _add(self, now: int, age: float) -> None:
        young = self._young
        while young and young[0] <= now - WATCHED:
            young.popleft()
        before = now - self._born
        if age < YOUNGER * before and before - age >= LEAST:
            young.append(now)
            if len(young) == KEPT:
                self.rounds.append(young[0])
                self._born = now - age
                young.clear()
        else:
            self._born = now - age
