"""What the theorems are made of: the rounds with a step, hinge losses, and a trade-off."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..model.run import Run
from .checks import Runs, listed, recorded

ROUNDING = 1e-9  # relative; what a condition of a theorem may be missed by


class Tradeoff(NamedTuple):
    """A bound fixed + a/2 comparator + spread / (2 a), in which a > 0 is the asker's parameter.

    `comparator` is what the comparator costs, `spread` what the rows cost. In the
    selective-sampling paper the parameter is called b.

    >>> bound = Tradeoff(fixed=1.0, comparator=8.0, spread=2.0)
    >>> bound.at(1.0), bound.tuning(), bound.best()
    (6.0, 0.5, 5.0)
    """

    fixed: float
    comparator: float
    spread: float

    def at(self, a: float) -> float:
        """Return the bound for an asker with parameter a; inf for one that always asks."""
        growing = a * self.comparator if self.comparator else 0.0
        falling = self.spread / a if self.spread else 0.0
        return self.fixed + (growing + falling) / 2

    def tuning(self) -> float:
        """Return the a at which the bound is least."""
        return math.sqrt(self.spread / self.comparator) if self.comparator else math.inf

    def best(self) -> float:
        """Return the least value over a."""
        return self.fixed + math.sqrt(self.comparator * self.spread)


class Steps(NamedTuple):
    """Some rounds, mostly those in which the learner stepped."""

    X: np.ndarray  # (m, d)
    y: np.ndarray  # (m,), -1 or +1
    U: np.ndarray  # (m, d), the comparators


def steps(run: Run, X: np.ndarray, U: np.ndarray, everywhere: bool = False) -> Steps:
    """Return the rounds with a step, or all with a label; U is (d,), or has a row a round."""
    every = np.broadcast_to(U, X.shape)
    chosen = run.code != 0 if everywhere else run.updated
    return Steps(X[chosen], run.code[chosen], every[chosen])


def margins(s: Steps) -> np.ndarray:
    """Return y <u, x> of every step."""
    return s.y * np.einsum("td,td->t", s.U, s.X)


def losses(s: Steps, gamma: float) -> np.ndarray:
    """Return the comparators' hinge losses max(0, gamma - y <u, x>)."""
    return np.maximum(0.0, gamma - margins(s))


def drifts(U: np.ndarray) -> np.ndarray:
    """Return ||u_k - u_(k-1)||, one less than there are comparators."""
    return np.linalg.norm(np.diff(U, axis=0), axis=1)


def longest(X: np.ndarray) -> float:
    """Return the largest ||x||, 0 without rows."""
    return float(np.linalg.norm(X, axis=1).max(initial=0.0))


def averaged(bounds: Sequence[Tradeoff]) -> Tradeoff:
    """Return the mean of each term, which estimates its expectation over the draws."""
    fixed, comparator, spread = np.mean(bounds, axis=0)
    return Tradeoff(float(fixed), float(comparator), float(spread))


def weighted_mistakes(runs: Runs) -> float:
    """Return the mistakes that were stepped on, each divided by its probability of being asked.

    For a learner that steps on mistakes alone, its expectation over the draws is the expected
    number of all mistakes. That is how the theorems on selective sampling are proven: their right
    side bounds this number in every single run, hence the mistakes on the average over runs.

    >>> from selectron import OnlineClassifier
    >>> from selectron.askers import Fixed
    >>> from selectron.learners import Perceptron
    >>> clf = OnlineClassifier(Perceptron(), asker=Fixed(0.5), random_state=0)
    >>> run = clf.run([[1.0]] * 8, [-1, 1] * 4)
    >>> run.mistakes, run.steps, weighted_mistakes(run)
    (5, 2, 4.0)
    """
    return float(np.mean([(1 / recorded(r, "probability")[r.updated]).sum() for r in listed(runs)]))


def expected_labels(runs: Runs) -> float:
    """Return the expected number of labels asked for: the probabilities' sum, over the runs' mean.

    The second part of Theorems 1 and 2 of the selective-sampling paper, and of Theorem 4 of
    LASEC's. Rounds without a label are never asked, and not counted.
    """
    return float(np.mean([recorded(r, "probability")[r.labelled].sum() for r in listed(runs)]))
