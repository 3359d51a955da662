"""Drift alarms of `LeadingHistory`: a much younger expert takes the lead, and keeps it."""

from collections import deque

import numpy as np

YOUNGER = 0.4  # times the age of the leader before
LEAST = 50  # rounds by which the new leader must be younger
WATCHED, KEPT = 100, 90  # rounds, and how many of them younger experts must lead


class Drifts:
    """Drift alarms from the ages of the leading expert, `run.age`, over a stream of any length.

    Drift begins in a round in which the lead goes to an expert that is younger by at least 50
    rounds, and by 60% of the age of the former leader. In a stable concept the experts are alike,
    and the lead alternates between them: so drift counts only if younger experts lead in 90 of the
    next 100 rounds. The alarm comes 89 to 99 rounds after drift began, and never near the end of a
    stream. `rounds` lists the rounds in which drift began, from 0 on.

    >>> drifts = Drifts()
    >>> drifts.add(np.r_[0:500, 7:107, 600:700])
    [500]
    >>> drifts.add(np.r_[7:60, 753:800]), drifts.rounds
    ([], [500])
    """

    def __init__(self) -> None:
        self.rounds: list[int] = []
        self.seen = 0  # rounds so far
        self._born = 0.0  # the round in which the former leader was born
        self._young: deque[int] = deque()  # the last rounds with a younger leader

    def add(self, ages: np.ndarray) -> list[int]:
        """Add the ages of rounds; return the rounds in which drift began, for alarms among them."""
        known = len(self.rounds)
        young = self._young
        for age in np.asarray(ages, float).tolist():
            while young and young[0] <= self.seen - WATCHED:
                young.popleft()
            before = self.seen - self._born
            if age < YOUNGER * before and before - age >= LEAST:
                young.append(self.seen)
                if len(young) == KEPT:
                    self.rounds.append(young[0])
                    self._born = self.seen - age
                    young.clear()
            else:
                self._born = self.seen - age
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
