"""Verdicts on claims, by intervals for the mean of paired differences: see docs/reproduction.md.

Intervals are Student's t, at 99%; several that one verdict follows from hold together (Bonferroni).
"""

import math
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import sem, t

HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "undecided"
LEVEL, BAND = 0.99, 0.95  # of the intervals of verdicts, and of those in figures


class Comparison(NamedTuple):
    """Two methods on the same draws: the mean lead of the first, its standard error, the draws."""

    gap: float
    error: float
    draws: int
    unit: str = "points"  # of percent; or what is counted

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Return the interval of the mean lead; of a single draw nothing is known."""
        if self.draws < 2:
            return -math.inf, math.inf
        half = self.error * float(t.ppf((1 + level) / 2, self.draws - 1))
        return self.gap - half, self.gap + half

    def above(self, margin: float = 0.0, level: float = LEVEL) -> str:
        """Return the verdict on: the lead is above the margin."""
        low, high = self.interval(level)
        return HOLDS if low > margin else FAILS if high <= margin else UNDECIDED

    def below(self, margin: float, level: float = LEVEL) -> str:
        """Return the verdict on: the lead is below the margin."""
        return self._replace(gap=-self.gap).above(-margin, level)

    def within(self, margin: float) -> str:
        """Return the verdict on: the difference is smaller than the margin, either way."""
        return together([self.above(-margin), self.below(margin)])

    @property
    def p(self) -> float:
        """The p-value of the two-sided paired t-test."""
        if self.draws < 2 or self.error == 0:  # no variance to test against
            return 1.0
        return 2 * float(t.sf(abs(self.gap) / self.error, self.draws - 1))

    def __str__(self) -> str:
        p = "< 0.0001" if self.p < 1e-4 else f"= {self.p:.2g}"
        gap = f"{100 * self.gap:+.2f}" if self.unit == "points" else f"{self.gap:+,.0f}"
        return f"{gap} {self.unit}, p {p}"


def paired(first: Any, second: Any, unit: str = "points") -> Comparison:
    """Compare two columns of repetitions.

    >>> gap = paired([0.9, 0.8, 0.85], [0.7, 0.65, 0.6])
    >>> str(gap), gap.above(), gap.below(0.0), paired([0.9, 0.8], [0.7, 0.6]).above()
    ('+20.00 points, p = 0.02', 'undecided', 'undecided', 'holds')
    """
    gaps = np.subtract(first, second)
    error = 0.0 if len(gaps) < 2 or np.ptp(gaps) < 1e-12 else float(sem(gaps))
    return Comparison(float(np.mean(gaps)), error, len(gaps), unit)


def every(gaps: Collection[Comparison]) -> str:
    """Return the verdict on: all leads are above 0.

    >>> good, bad = paired([3, 4, 5], [0, 1, 2]), paired([0, 1, 2], [3, 4, 5])
    >>> every([good, good]), every([good, bad]), every([])
    ('holds', 'does not hold', 'undecided')
    """
    if gaps and all(gap.above() == HOLDS for gap in gaps):
        return HOLDS
    strict = _together(len(gaps))
    return FAILS if any(gap.above(level=strict) == FAILS for gap in gaps) else UNDECIDED


def some(gaps: Collection[Comparison], margin: float) -> str:
    """Return the verdict on: a lead is below the margin, of one comparison at least.

    >>> near, far = paired([3, 4, 5], [3, 4, 5]), paired([3, 4, 5], [0, 1, 2])
    >>> some([near, far], 1.0), some([far, far], 1.0), some([], 1.0)
    ('holds', 'does not hold', 'does not hold')
    """
    strict = _together(len(gaps))
    if any(gap.below(margin, strict) == HOLDS for gap in gaps):
        return HOLDS
    return FAILS if all(gap.below(margin) == FAILS for gap in gaps) else UNDECIDED


def _together(n: int) -> float:
    """Return the level of each of n intervals that all of them hold at `LEVEL` (Bonferroni)."""
    return 1 - (1 - LEVEL) / max(1, n)


def together(verdicts: Collection[str]) -> str:
    """Return the verdict on several claims at once.

    >>> together([HOLDS, HOLDS]), together([HOLDS, UNDECIDED]), together([UNDECIDED, FAILS])
    ('holds', 'undecided', 'does not hold')
    """
    return FAILS if FAILS in verdicts else UNDECIDED if UNDECIDED in verdicts else HOLDS


def most(gaps: Collection[Comparison]) -> str:
    """Return the verdict on: more than half of the leads are above 0, each by its own interval."""
    found = [gap.above() for gap in gaps]
    if 2 * found.count(HOLDS) > len(found):
        return HOLDS
    return FAILS if 2 * (len(found) - found.count(FAILS)) <= len(found) else UNDECIDED


def counted(holds: bool) -> str:
    """Return the verdict on what is counted."""
    return HOLDS if holds else FAILS


def opposite(verdict: str) -> str:
    """Return the verdict on the opposite."""
    return {HOLDS: FAILS, FAILS: HOLDS}.get(verdict, verdict)


def band(repetitions: Any, within: tuple[float, float] = (0.0, 1.0)) -> tuple[np.ndarray, ...]:
    """Return the mean over repetitions (rows), and the ends of its 95% interval by Student's t.

    The interval is cut off at what is possible, `within`: an error is from 0 to 1, a count is 0 or
    more.

    >>> [end.round(3).tolist() for end in band([[1.0], [2.0], [3.0]], within=(0, 10))]
    [[2.0], [0.0], [4.484]]
    """
    values = np.asarray(repetitions, float)
    mean = values.mean(axis=0)
    if len(values) < 2:
        return mean, mean, mean
    half = sem(values, axis=0) * t.ppf((1 + BAND) / 2, len(values) - 1)
    return mean, np.clip(mean - half, *within), np.clip(mean + half, *within)
