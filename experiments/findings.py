"""The outcome of an experiment: tables, figures, and claims that hold or not."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy.stats import sem, t, ttest_rel

Play = Callable[..., list[Any]]  # (trial, calls) -> results, as `evaluate.each`
BEYOND = "LeadingHistory"  # this project's own learner, with no parameters to choose
K = TypeVar("K")


class Claim(NamedTuple):
    """A paper's claim, whether it holds here, and the numbers behind the verdict."""

    paper: str
    holds: bool
    measured: str

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        return "holds" if self.holds else "does not hold"


class Findings(NamedTuple):
    """An experiment's outcome: `setting` is paragraphs of text, tables are lists of equal rows."""

    title: str
    source: str
    setting: Sequence[str]
    claims: Sequence[Claim]
    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    figures: Mapping[str, tuple[Any, str]]  # matplotlib's figure, and its caption


class Comparison(NamedTuple):
    """Two methods on the same draws: the first's mean lead over the second, and the p-value."""

    gap: float
    p: float

    def above(self) -> bool:
        """Return whether the first is significantly above the second."""
        return self.gap > 0 and self.p < 0.01

    def __str__(self) -> str:
        p = "< 0.0001" if self.p < 1e-4 else f"= {self.p:.2g}"
        return f"{100 * self.gap:+.2f} points, p {p}"


def paired(first: Any, second: Any) -> Comparison:
    """Compare two columns of repetitions by the two-sided paired t-test.

    >>> str(paired([0.9, 0.8, 0.85], [0.7, 0.65, 0.6]))
    '+20.00 points, p = 0.02'
    """
    gap = np.subtract(first, second)
    constant = len(gap) < 2 or np.ptp(gap) == 0  # no variance to test against
    return Comparison(float(np.mean(gap)), 1.0 if constant else float(ttest_rel(first, second)[1]))


def band(repetitions: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean over repetitions (rows), and half its 95% interval by Student's t.

    >>> mean, half = band([[1.0], [2.0], [3.0]])
    >>> mean.round(3), half.round(3)
    (array([2.]), array([2.484]))
    """
    values = np.asarray(repetitions, float)
    if len(values) < 2:
        return values.mean(axis=0), np.zeros(values.shape[1:])
    return values.mean(axis=0), sem(values, axis=0) * t.ppf(0.975, len(values) - 1)


def all_above(paper: str, gaps: Mapping[Any, Comparison], lead: str) -> Claim:
    """Return the claim that the first is significantly above the second in all comparisons."""
    return Claim(paper, bool(gaps) and all(g.above() for g in gaps.values()), listed(gaps, lead))


def listed(numbers: Mapping[Any, Any], lead: str) -> str:
    """Return named numbers as a sentence.

    >>> listed({"SOP": 1, "PA": 2}, "Against")
    'Against SOP: 1; PA: 2.'
    """
    return f"{lead} " + "; ".join(f"{name}: {value}" for name, value in numbers.items()) + "."


def error(result: Mapping) -> float:
    """Return the share of mistakes at the end of a pass."""
    return float(result["mistakes"][-1] / result["ends"][-1])


def grouped(
    play: Play, trial: Callable, calls: Mapping[K, Sequence[Mapping]], what: str
) -> dict[K, list[Any]]:
    """Compute all groups of calls together, and return the results of each group."""
    results = iter(play(trial, [call for group in calls.values() for call in group], what))
    return {key: [next(results) for _ in group] for key, group in calls.items()}


def tidy(
    results: Mapping[tuple, Sequence], names: Sequence[str], columns: Callable[[Any], dict]
) -> list[dict]:
    """Return a row per result: its key and its place in the group under `names`, and `columns`."""
    return [
        dict(zip(names, (*key, i), strict=True)) | columns(result)
        for key, group in results.items()
        for i, result in enumerate(group)
    ]
