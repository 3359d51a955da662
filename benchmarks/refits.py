"""Models that are fitted again as labels come, with which the default learner is compared.

They predict every row before its label.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

GROWTH = sorted({int(10 * 1.3**j) for j in range(24)})  # numbers of labels, from 10 on
NUMBERS = (*range(1, 10), *GROWTH)
CONSTANTS = (1.0, 10.0, 100.0)


def majority(y: np.ndarray) -> Any:
    """Return the most frequent class."""
    values, counts = np.unique(y, return_counts=True)
    return values[counts.argmax()]


def at_random(rows: int, labels: int, seed: int) -> np.ndarray:
    """Return whether each row is one of as many random ones."""
    asked = np.zeros(rows, bool)
    asked[np.random.default_rng(seed).permutation(rows)[:labels]] = True
    return asked


def refitted(
    make: Callable[[], Any],
    X: Any,
    y: np.ndarray,
    asked: np.ndarray,
    numbers: Sequence[int] = NUMBERS,
) -> float:
    """Return the accuracy of models fitted to the labels asked for, after these numbers of them.

    Labels of one class are predicted as that class. Before the first fit, the prediction is the
    most frequent class of all rows.
    """
    of, at = getattr(X, "iloc", X), np.flatnonzero(asked)
    right = y == majority(y)
    starts = [int(at[k - 1]) + 1 for k in numbers if k <= len(at)]
    for start, stop in pairwise([*starts, len(y)]):
        known, rows = at[at < start], slice(start, stop)
        if start < stop:
            one = len(np.unique(y[known])) == 1
            model = (DummyClassifier() if one else make()).fit(of[known], y[known])
            right[rows] = model.predict(of[rows]) == y[rows]
    return float(right.mean())


class Logistic(LogisticRegression):
    """Logistic regression without features that are 0 in all its rows, whose weights are 0."""

    def fit(self, X: Any, y: np.ndarray) -> Any:
        self.seen = np.flatnonzero(abs(X).sum(axis=0))
        return super().fit(X[:, self.seen], y)

    def predict(self, X: Any) -> np.ndarray:
        return super().predict(X[:, self.seen])


def logistic(X: Any, y: np.ndarray, labels: int, seed: int) -> float:
    """Return the accuracy of logistic regression on labels of random rows, the best constant's."""
    asked = at_random(len(y), labels, seed)
    return max(refitted(partial(Logistic, C=C, max_iter=300), X, y, asked) for C in CONSTANTS)
