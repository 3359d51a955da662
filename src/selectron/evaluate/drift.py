"""Drift, as a `LeadingHistory` notices it: the moment when a much younger member takes the lead."""

import numpy as np

LEAST = 50  # rounds by which it must be younger


class Drifts:
    """Notices drift in the ages of the leading member, `run.age`, over a stream of any length.

    Drift is noticed in a round in which the lead goes to a member less than half as old, by 50
    rounds at least, that was born after drift was last noticed: so that a switch counts once,
    however often old and new take turns at first. `rounds` has all of them, from 0 on.

    >>> drifts = Drifts()
    >>> drifts.add(np.array([98.0, 99.0, 7.0, 101.0, 9.0]))
    [2]
    >>> drifts.add(np.array([10.0, 103.0, 12.0])), drifts.rounds
    ([], [2])
    """

    def __init__(self) -> None:
        self.rounds: list[int] = []
        self._seen = 0
        self._age = 0.0

    def add(self, ages: np.ndarray) -> list[int]:
        """Add the ages of rounds; return those of them in which drift was noticed."""
        before = np.concatenate([[self._age], ages])[:-1]
        young = (ages < before / 2) & (before - ages >= LEAST)
        found = []
        for i in np.flatnonzero(young).tolist():
            born = self._seen + i - ages[i]
            if not self.rounds or born > self.rounds[-1]:
                self.rounds.append(self._seen + i)
                found.append(self._seen + i)
        if len(ages):
            self._age = float(ages[-1])
        self._seen += len(ages)
        return found
