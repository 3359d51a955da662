"""What an experiment comes to: tables, figures, and claims that hold or not."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

Play = Callable[..., list[Any]]  # (trial, calls) -> results, as `evaluate.each`


class Claim(NamedTuple):
    """What a paper says, whether it holds here, and the numbers that tell."""

    paper: str
    holds: bool
    measured: str


class Findings(NamedTuple):
    """An experiment's outcome: `setting` is paragraphs of text, tables are lists of equal rows."""

    title: str
    source: str
    setting: Sequence[str]
    claims: Sequence[Claim]
    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    figures: Mapping[str, tuple[Any, str]]  # matplotlib's figure, and what the report says under it


class Comparison(NamedTuple):
    """Two ways on the same draws: by how much the first is above, and how likely by chance."""

    gap: float
    p: float

    def above(self, level: float = 0.01) -> bool:
        """Is the first above the second, and not by chance?"""
        return self.gap > 0 and self.p < level

    def __str__(self) -> str:
        return f"{100 * self.gap:+.2f} points, p {'<' if self.p < 1e-4 else '='} {_shown(self.p)}"


def _shown(p: float) -> str:
    return "0.0001" if p < 1e-4 else f"{p:.2g}"


def paired(first: Any, second: Any) -> Comparison:
    """Compare two columns of repetitions, numbers, in pairs, by Student's t-test of two sides.

    >>> str(paired([0.9, 0.8, 0.85], [0.7, 0.65, 0.6]))
    '+20.00 points, p = 0.02'
    """
    from scipy.stats import ttest_rel

    gap = np.subtract(first, second)
    if len(gap) < 2 or np.ptp(gap) == 0:  # nothing to tell chance by
        return Comparison(float(np.mean(gap)), 1.0)
    return Comparison(float(np.mean(gap)), float(ttest_rel(first, second).pvalue))


def band(repetitions: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean over repetitions (rows), and half its 95% interval by Student's t.

    >>> mean, half = band([[1.0], [2.0], [3.0]])
    >>> mean.round(3), half.round(3)
    (array([2.]), array([2.484]))
    """
    from scipy.stats import sem, t

    values = np.asarray(repetitions, float)
    if len(values) < 2:
        return values.mean(axis=0), np.zeros(values.shape[1:])
    return values.mean(axis=0), sem(values, axis=0) * t.ppf(0.975, len(values) - 1)
