"""Drift, as a `LeadingHistory` notices it: a much younger expert takes the lead, and keeps it."""

from collections import deque

import numpy as np

YOUNGER = 0.4  # of the age of what led before
LEAST = 50  # rounds by which it must be younger
WATCHED, KEPT = 100, 90  # of that many rounds, those that younger experts must lead


class Drifts:
    """Notices drift in the ages of the leading expert, `run.age`, over a stream of any length.

    Drift begins in a round in which the lead goes to an expert that is younger by 50 rounds at
    least, and by 60% of the age of the last one. At rest experts are alike, and the lead goes to
    and fro between them: so drift counts only if younger experts lead in 90 of the 100 rounds from
    there on. It is confirmed 89 to 99 rounds after it began, and not at all near the end of a
    stream. `rounds` has the rounds in which drift began, from 0 on.

    >>> drifts = Drifts()
    >>> drifts.add(np.r_[0:500, 7:107, 600:700])
    [500]
    >>> drifts.add(np.r_[7:60, 753:800]), drifts.rounds
    ([], [500])
    """

    def __init__(self) -> None:
        self.rounds: list[int] = []
        self.seen = 0  # rounds so far
        self._born = 0.0  # when what led before was born
        self._young: deque[int] = deque()  # the last rounds that younger ones led

    def add(self, ages: np.ndarray) -> list[int]:
        """Add the ages of rounds; return when the drifts began that are confirmed by them."""
        known = len(self.rounds)
        for age in np.asarray(ages, float).tolist():
            self._add(self.seen, age)
            self.seen += 1
        return self.rounds[known:]

    def pack(self) -> list[float]:
        """Return the state as numbers, without `rounds`."""
        return [self.seen, self._born, *self._young]

    @classmethod
    def unpack(cls, state: list[float]) -> "Drifts":
        """Return the detector whose state was packed; its `rounds` begin empty."""
        found = cls()
        found.seen, found._born = int(state[0]), state[1]
        found._young.extend(map(int, state[2:]))
        return found

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
