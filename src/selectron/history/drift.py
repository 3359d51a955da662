"""Drift alarms of `LeadingHistory`, from the evidence that the leading expert has over older ones.

For every expert, the ensemble sums the logarithms of the ratios of the probabilities that the
expert, and those more than twice as old, gave to each label since the expert's birth. The
exponential of the sum, weighted by the rounds since the birth before, is an e-process: if nothing
has changed and the older experts predict well, the expected sum over all experts that were ever
born is at most the number of rounds. So it reaches 1 / rate no sooner than in 1 / rate rounds on
average (e-detectors: Shin, Ramdas & Rinaldo, "E-detectors: a nonparametric framework for sequential
change detection", 2022), whichever labels are asked for, as the ratios are given the rows.
"""

import math

import numpy as np

from ..engine.parameters import PROPER_SHARE, number
from ..errors import SelectronError

RATE = 1 / 2000  # false alarms a round
LEADERS = 16  # births of recent leaders that are kept


class Drifts:
    """Drift alarms from `run.evidence`, over a stream of any length.

    `rate` limits false alarms: without drift, there is on average at most one in 1 / rate rounds,
    if the older experts predict well. An alarm is raised in the round in which the evidence of a
    leader born after the last alarm reaches 1 / rate. The drift is taken to have begun when that
    leader took the lead: `rounds` lists these rounds, from 0 on, and `alarms` those of the alarms,
    which come later the fewer or later the labels are. Raises SelectronError if the rate is not
    between 0 and 1.

    >>> drifts = Drifts(rate=0.001)
    >>> old = np.column_stack([np.zeros(50), np.arange(50)])
    >>> new = np.column_stack([np.linspace(3, 10, 20), np.arange(5, 25)])
    >>> drifts.add(old), drifts.add(new), drifts.alarms
    ([], [50], [61])
    """

    def __init__(self, rate: float = RATE) -> None:
        self.rate = rate
        self.limit = -math.log(number(self, "rate", PROPER_SHARE))
        self.rounds: list[int] = []
        self.alarms: list[int] = []
        self.seen = 0  # rounds so far
        self._last = 0.0  # the round of the last alarm; leaders born before it count no more
        self._led: dict[float, int] = {}  # births of recent leaders, and their first rounds in lead

    def add(self, evidence: np.ndarray) -> list[int]:
        """Add the evidence of rounds, (n, 2) or (2,); return where drift began, for alarms in them.

        Raises SelectronError for another shape.
        """
        known, shape = len(self.rounds), np.shape(evidence)
        if shape != (2,) and (len(shape) != 2 or shape[1] != 2):
            raise SelectronError(
                f"evidence must have the shape (n, 2) or (2,), as that of LeadingHistory, "
                f"got {'None' if evidence is None else shape}."
            )
        found, ages = np.asarray(evidence, float).reshape(-1, 2).T
        born = self.seen + 1 + np.arange(len(ages)) - ages
        changed = np.diff(born, prepend=math.nan) != 0
        for i in np.flatnonzero(changed | (found >= self.limit)).tolist():
            at, birth = self.seen + i, born[i].item()
            if birth not in self._led:
                self._led[birth] = at
                if len(self._led) > LEADERS:
                    del self._led[next(iter(self._led))]
            if found[i] >= self.limit and birth > self._last:
                self.rounds.append(self._led[birth])
                self.alarms.append(at)
                self._last = at + 1.0
        self.seen += len(ages)
        return self.rounds[known:]

    def sound(self, rounds: int) -> bool:
        """Return whether the state may be that after a number of rounds, at the usual rate."""
        led = self._led.items()
        known = all(math.isfinite(birth) and 0 <= at < rounds for birth, at in led)
        return known and 0 <= self._last <= rounds and self.rate == RATE

    def pack(self) -> list[float]:
        """Return the state and the rate as numbers, without `rounds` and `alarms`."""
        led = [number for pair in self._led.items() for number in pair]
        return [self.seen, self._last, *led, float(self.rate)]

    @classmethod
    def unpack(cls, state: list[float]) -> "Drifts":
        """Return the detector whose state was packed; its `rounds` and `alarms` begin empty."""
        seen, last, *led, rate = state
        found = cls(rate)
        found.seen, found._last = int(seen), float(last)
        found._led = dict(zip(map(float, led[::2]), map(int, led[1::2]), strict=True))
        return found
