"""Accuracy estimated from queried labels alone, by inverse probability weighting.

A row whose label is asked for with probability p counts 1/p times: the weighted mean of mistakes is
consistent for any asker, if p > 0 (Horvitz & Thompson 1952; Beygelzimer, Dasgupta & Langford 2009).
The interval is Wilson's, with the effective sample size that follows from the variance of the
weighted mistakes (Kish 1965). With many labels, this is the variance of the draws given the rows,
as the interval is for the accuracy on these rows. Estimated from few mistakes it is too small: then
the variance of as many labels of equal weight takes its place, in part. Also, the weights of few
labels may add up to far fewer rows than there are. Nothing is known about the others, which were
unlikely to be asked for: the interval grows by a part of their share.
`python -m benchmarks.coverage` measures the coverage. Below 30 rows the interval is from 0 to 1.
Nothing is known about rows with p = 0, as after a budget is spent: the interval allows for any
accuracy there. Only sums are stored.
"""

import math
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from ..engine.parameters import PROPER_SHARE, number
from ..errors import SelectronError

ROWS = 30  # fewer have no interval
FEW = 5.0  # labels, or mistakes, of equal weight, with which what widens the interval counts half
Z = NormalDist().inv_cdf(0.975)  # of an interval at 95%
SUMS = 5  # quantities that are added up


class Estimate(NamedTuple):
    """Accuracy and a confidence interval, from 0 to 1 with fewer than 30 rows.

    If no label has been asked for, accuracy is NaN.

    >>> audit = Audit()
    >>> audit.add(np.full(200, 0.5), np.arange(200) < 20)
    >>> accuracy, low, high = audit.estimate()
    >>> round(accuracy, 2), round(low, 2), round(high, 2)
    (0.9, 0.86, 0.93)
    """

    accuracy: float  # share of right predictions over all rows
    low: float  # lower end of the interval
    high: float  # upper end of the interval


class Audit:
    """An estimate of accuracy from queried labels, for a stream of any length.

    Raises SelectronError if the `confidence` of the interval is not between 0 and 1.

    >>> audit = Audit()
    >>> audit.add(np.array([0.5, 0.5, 1.0]), np.array([False, True, True]))
    >>> audit.estimate().accuracy
    0.4
    """

    def __init__(self, confidence: float = 0.95):
        self.confidence = confidence
        self.z = NormalDist().inv_cdf((1 + number(self, "confidence", PROPER_SHARE)) / 2)
        self.sums = np.zeros(SUMS)

    def add(self, probability: Any, mistake: Any) -> None:
        """Add queried labels: the probabilities with which they were asked for, and the mistakes.

        Raises SelectronError if their numbers differ, a probability is not in (0, 1], or a mistake
        is neither True nor False.
        """
        p, wrong = np.asarray(probability, float).ravel(), np.asarray(mistake, float).ravel()
        if p.size != wrong.size:
            raise SelectronError(f"There are {p.size} probabilities for {wrong.size} labels.")
        if not ((p > 0) & (p <= 1)).all():
            raise SelectronError("Probabilities of asked labels must be above 0 and at most 1.")
        if not ((wrong == 0) | (wrong == 1)).all():
            raise SelectronError("Mistakes must be True or False, or 1 or 0.")
        self.sums += moments(p, wrong).sum(axis=1)

    def estimate(self, rows: float = math.inf, unaskable: int = 0) -> Estimate:
        """Return the estimate so far. Give `rows`, the length of the stream, if it is short.

        `unaskable` of these rows had a probability of 0. The interval then covers all rows,
        whatever the accuracy on these; the estimated accuracy is that on the others.
        """
        return estimated(self.sums, self.z, rows, unaskable)


def moments(probability: np.ndarray, mistake: np.ndarray) -> np.ndarray:
    """Return the terms of the sums of an estimate for each asked label, of shape (SUMS, n)."""
    weight = 1 / probability
    spare = weight * (weight - 1)  # the variance due to not asking
    return np.array([weight, weight * mistake, weight**2, spare, spare * mistake])


def estimated(sums: np.ndarray, z: float, rows: float = math.inf, unaskable: int = 0) -> Estimate:
    """Return the estimate from sums of `moments` over a number of rows, some with p = 0."""
    if unaskable:
        return widened(estimated(sums, z, rows - unaskable), unaskable / rows)
    total, wrong, squares, spare, spare_wrong = sums.tolist()
    if not total > 0:
        return Estimate(math.nan, 0.0, 1.0)
    e = wrong / total
    if rows < ROWS:
        return Estimate(1 - e, 0.0, 1.0)
    alike = total**2 / squares  # labels of equal weight that are as precise
    few = FEW / (FEW + alike)
    drawn = (spare_wrong * (1 - 2 * e) + spare * e * e) / total**2
    few_wrong = FEW / (FEW + wrong**2 / (spare_wrong + wrong)) if wrong > 0 else 1.0
    variance = (1 - few_wrong) * drawn + few_wrong * e * (1 - e) / alike
    n = min(e * (1 - e) / variance, total) if variance > 0 and 0 < e < 1 else alike
    low, high = _wilson(1 - e, max(n, min(alike, 1.0)), z)
    unknown = few * max(0.0, 1 - total / rows) if rows < math.inf else 0.0
    return Estimate(1 - e, low * (1 - unknown), high + (1 - high) * unknown)


def widened(known: Estimate, part: float) -> Estimate:
    """Return an estimate whose interval allows for anything in a part of the rows."""
    return known._replace(low=known.low * (1 - part), high=known.high * (1 - part) + part)


def _wilson(share: float, n: float, z: float) -> tuple[float, float]:
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = middle - half if share > 0 else 0.0  # free of rounding: accuracy may be 0 or 1
    high = middle + half if share < 1 else 1.0
    return max(0.0, low), min(1.0, high)


def audited(run: Any, confidence: float = 0.95) -> Estimate:
    """Return the accuracy of a run, estimated from the labels that it asked for.

    `run` is what `OnlineClassifier.run` returns; SelectronError is raised if that was without
    margins. The interval allows for any accuracy on rows whose probability is 0.

    >>> from selectron import Budget, OnlineClassifier, learners, streams
    >>> clf = OnlineClassifier(learners.LASEC(), asker=Budget(rate=0.2), random_state=0)
    >>> run = clf.run(*streams.switching_gaussian(4000, d=10))
    >>> found = audited(run)
    >>> bool(found.low < run.accuracy < found.high)
    True
    """
    if run.ask_probability is None:
        raise SelectronError("The run has no probabilities: run it with margins=True.")
    asked = run.asked & run.labelled
    audit = Audit(confidence)
    audit.add(run.ask_probability[asked], ~run.correct[asked])
    return audit.estimate(len(run), int((run.ask_probability == 0).sum()))
