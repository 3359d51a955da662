"""Metrics of predictions, from a weighted confusion table and sums over probabilities.

Rows have weight 1, or 1 / probability of asking where only the labels asked for are used: sums of
the latter estimate those over all labels without bias, as in `selectron.evaluate.Audit`.
"""

import math
import warnings
from typing import Any, NamedTuple

import numpy as np

from .audit import Z, estimated, widened

FEWEST = 5  # labels of equal weight that are as precise: fewer have no interval
BINS = 20  # of probabilities, of equal width
LEAST = np.finfo(float).eps  # probability in a log loss


class Metrics(NamedTuple):
    """Metrics of predictions; NaN where there is nothing to measure.

    `confusion` has the true classes as rows and the predicted ones as columns. `reliability` has a
    row for each bin of the predicted class's probability that is not empty: its weight, the mean
    probability, and the share that was right; the calibration error is the mean difference between
    these two. In an estimate, the variance of each that is due to not asking is subtracted from its
    square: differences of few labels are mostly chance. Without probabilities, the error and log
    loss are NaN, and `reliability` is empty.

    An estimate from the labels asked for has 95% intervals of recall and precision, as of accuracy;
    they are NaN for classes with too few labels, or predictions, asked for, and allow for any class
    on rows whose probability of asking was 0. All estimates are of the other rows.

    >>> from selectron import OnlineClassifier
    >>> run = OnlineClassifier().run([[1.0], [-2.0], [3.0]], ["up", "down", "up"])
    >>> run.metrics().true.confusion.tolist()
    [[0.0, 1.0], [0.0, 2.0]]
    """

    classes: list  # as they are named, in the order of the arrays
    confusion: np.ndarray  # (n_classes, n_classes): a row for each true class
    accuracy: float  # share of right predictions
    majority: float  # accuracy of always predicting the most frequent class
    balanced_accuracy: float  # mean of `recall` over the classes
    kappa: float  # Cohen's kappa
    recall: np.ndarray  # (n_classes,), share of the rows of a class that were predicted right
    f1: np.ndarray  # (n_classes,), of each class
    precision: np.ndarray  # (n_classes,), share of the predictions of a class that were right
    recall_interval: np.ndarray  # (n_classes, 2): both ends; NaN without an estimate
    precision_interval: np.ndarray  # (n_classes, 2)
    log_loss: float = math.nan  # mean of -log of the probability of the true class
    calibration_error: float = math.nan  # mean |probability - share of right ones|
    reliability: np.ndarray = np.zeros((0, 3))  # (n_bins, 3)


class RunMetrics(NamedTuple):
    """Metrics over all labels, and those estimated from the labels asked for, or None.

    >>> from selectron import OnlineClassifier
    >>> run = OnlineClassifier().run([[1.0], [-2.0], [3.0]], ["up", "down", "up"])
    >>> true, estimated = run.metrics()
    >>> true.accuracy == run.accuracy
    True
    """

    true: Metrics  # over all labels
    estimated: Metrics | None  # from the labels asked for alone; None without margins


class Tally:
    """Sums from which metrics follow, for a stream of any length."""

    def __init__(self) -> None:
        self.confusion = np.zeros((0, 0))
        self.squares = np.zeros((0, 0))  # the same sums of squared weights
        self.loss = 0.0
        self.bins = np.zeros((BINS, 4))  # weight, probability, right; variance due to not asking
        self.unaskable = np.zeros(0)  # rows that were never to be asked for, by predicted class

    def add(self, true: Any, predicted: Any, weight: Any = 1.0, proba: Any = None) -> None:
        """Add rows: indices of classes (n,), weights, and probabilities (n, n_classes) or None."""
        if not len(true):
            return
        self.extend(1 + max(int(true.max()), int(predicted.max())))
        np.add.at(self.confusion, (true, predicted), weight)
        if np.ndim(weight):
            np.add.at(self.squares, (true, predicted), weight**2)
        if proba is None:
            return
        rows = np.arange(len(true))
        self.loss -= float(np.sum(weight * np.log(np.maximum(proba[rows, true], LEAST))))
        p = proba[rows, predicted]
        spare = (weight - 1) * p * (1 - p)
        sums = weight * np.array([np.ones(len(p)), p, true == predicted, spare])
        np.add.at(self.bins, np.minimum((p * BINS).astype(int), BINS - 1), sums.T)

    def add_rows(self, rows: Any, true: Any, predicted: Any, weight: Any, proba: Any) -> None:
        """Add those of the rows that a mask names; `weight` holds their weights alone."""
        rows = slice(None) if rows.all() else rows  # a view is faster
        self.add(true[rows], predicted[rows], weight, None if proba is None else proba[rows])

    def add_asked(self, labelled: Any, true: Any, run: Any, proba: Any) -> None:
        """Add rows of a `Run` or an `Outcome` whose labels were asked for, as a sample of all."""
        asked, chances = labelled & run.asked, run.ask_probability
        self.add_rows(asked, true, run.index, 1 / chances[asked], proba)
        if len(never := run.index[chances == 0]):
            self.extend(1 + int(never.max()))
            np.add.at(self.unaskable, never, 1)

    def extend(self, classes: int) -> None:
        """Make room for a number of classes."""
        more = 0, max(0, classes - len(self.confusion))
        self.confusion, self.squares = np.pad(self.confusion, more), np.pad(self.squares, more)
        self.unaskable = np.pad(self.unaskable, more)

    def shares(self) -> np.ndarray:
        """Return the share of each class among the labels."""
        return divided(self.confusion.sum(axis=1), self.confusion.sum())

    def recall(self) -> np.ndarray:
        """Return the recall of each class; NaN if it has no label."""
        return divided(np.diag(self.confusion), self.confusion.sum(axis=1))

    def metrics(self, classes: Any) -> Metrics:
        """Return the metrics, given the names of the classes."""
        self.extend(len(classes))
        names, table = list(classes), self.confusion.copy()
        total, none = float(table.sum()), np.full(len(table), math.nan)
        if not total > 0:
            missing: Any = *[math.nan] * 4, none, none, none, *[np.array([none, none]).T] * 2
            return Metrics(names, table, *missing)
        most = float(self.shares().max())
        never = self.unaskable  # of any class, for all that is known
        all_of_them = np.full(len(table), never.sum())
        intervals = (
            _intervals(table, self.squares, all_of_them),
            _intervals(table.T, self.squares.T, never),
        )
        accuracy = float(np.trace(table)) / total
        found = Metrics(names, table, accuracy, most, *_by_sklearn(table), *intervals)
        counted = self.bins[self.bins[:, 0] > 0]
        if not len(counted):
            return found
        weights, likely, right, variance = counted.T
        off = np.sqrt(np.maximum((likely - right) ** 2 - variance, 0.0))
        return found._replace(
            log_loss=self.loss / total,
            calibration_error=float(off.sum()) / total,
            reliability=np.array([weights, likely / weights, right / weights]).T,
        )


def _intervals(table: np.ndarray, squares: np.ndarray, unknown: np.ndarray) -> np.ndarray:
    """Return the interval of the right share of each row of weights, given their squares.

    There are as many more rows of which nothing is known as `unknown` has for each.
    """
    found = np.full((len(table), 2), math.nan)
    for k, (weights, squared) in enumerate(zip(table, squares, strict=True)):
        if squared.any() and weights.sum() ** 2 >= FEWEST * squared.sum():
            wrong, spare = np.arange(len(table)) != k, squared - weights
            sums = weights, weights[wrong], squared, spare, spare[wrong]
            known = estimated(np.array([part.sum() for part in sums]), Z)
            found[k] = widened(known, unknown[k] / (unknown[k] + weights.sum()))[1:]
    return found


def _by_sklearn(table: np.ndarray) -> tuple[float, float, np.ndarray, np.ndarray, np.ndarray]:
    """Return balanced accuracy, kappa, recall, F1 and precision of a table of weighted rows."""
    from sklearn import metrics  # slow to import

    true, predicted = np.nonzero(table)
    given: Any = {"sample_weight": table[true, predicted]}
    each = given | {"labels": range(len(table)), "average": None, "zero_division": np.nan}
    with warnings.catch_warnings():  # of classes without a label or a prediction
        warnings.simplefilter("ignore")
        return (
            float(metrics.balanced_accuracy_score(true, predicted, **given)),
            float(metrics.cohen_kappa_score(true, predicted, **given)),
            metrics.recall_score(true, predicted, **each),
            metrics.f1_score(true, predicted, **each),
            metrics.precision_score(true, predicted, **each),
        )


def divided(values: np.ndarray, by: Any) -> np.ndarray:
    """Return a quotient, NaN where the divisor is 0."""
    with np.errstate(invalid="ignore"):
        return values / by
