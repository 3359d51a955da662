"""The paper's batch method: a linear SVM that is retrained as labels arrive (5.4).

Every pair that is learned gives Z as a positive example and -Z as a negative one; the weights are
fitted to all of them. If it is silent, it raises no alarm in the ten minutes after one, and learns
instead that its prediction would have been wrong.
"""

import time as clock
from typing import Any

import numpy as np

from selectron_desktop.alarms import FRESH, Alarm
from selectron_desktop.features import Features, K, M, joint
from selectron_desktop.past import Instance
from selectron_desktop.predictor import ActivityPredictor
from selectron_desktop.scoring import Found, Pair, Scores, Scoring

SILENCE = 600.0  # seconds
FIRST = 50  # labels, after each of which it is fitted in any case


class BatchScoring(Scoring):
    """g with weights that are refitted after every `every` labels."""

    def __init__(self, threshold: float, every: int, svm: Any):
        self.threshold, self.every, self.svm = threshold, every, svm or linear()
        self.rows: list[np.ndarray] = []
        self.fits, self.seconds = 0, 0.0  # number of fits, and the processor's time for them
        self.fitted = np.zeros(K + 2 * M)

    def weights(self) -> np.ndarray:
        """Return the weights of the last fit."""
        return self.fitted

    def learn(self, first: Features, second: Features, pair: Pair, scores: Scores) -> None:
        """Keep an example, and fit if a fit is due."""
        rival = scores.best(without=pair)
        if rival is None:
            return
        self.rows.append(joint(first, second, *pair) - joint(first, second, *rival))
        if len(self.rows) % self.every == 0 or len(self.rows) < min(self.every, FIRST):
            start = clock.process_time()
            self.fitted = self.svm.fit(*both(np.array(self.rows))).coef_[0]
            self.seconds += clock.process_time() - start
            self.fits += 1

    def ask(self, first: Features, second: Features, found: Found, time: float) -> float | None:
        """Raise an alarm if the lead exceeds the threshold."""
        return 1.0 if found.lead >= self.threshold else None


def linear() -> Any:
    """Return scikit-learn's fastest linear support vector machine for such examples."""
    from sklearn.svm import LinearSVC  # slow to import

    return LinearSVC(C=10.0, fit_intercept=False, dual=False, tol=1e-3)


def both(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Z as positive examples and -Z as negative ones, with their labels."""
    return np.concatenate([Z, -Z]), np.repeat([1, -1], len(Z))


class BatchPredictor(ActivityPredictor):
    """The predictor with a batch method instead of a learner, fitted after every `every` labels.

    `svm` is the estimator: LinearSVC with C = 10, or another linear one of scikit-learn's. The
    paper's is SVC(kernel="linear", C=10), LIBSVM.
    """

    scoring: BatchScoring

    def __init__(
        self, threshold: float = 0.5, every: int = 1, silent: bool = False, svm: Any = None
    ):
        super().__init__(threshold=threshold, patience=0.0)
        self.scoring = BatchScoring(threshold, every, svm)
        self.silent, self.spoke = silent, -np.inf

    def _ask(self, instance: Instance, found: Found) -> Alarm | None:
        """Raise an alarm, or be silent; right after a declaration, too."""
        if instance.vector.end - self.past.said.last.time <= FRESH:
            return None
        if self.silent and instance.vector.end < self.spoke + SILENCE:
            self._learn(instance)
            return None
        alarm = super()._ask(instance, found)
        if alarm is not None:
            self.spoke = alarm.time
        return alarm
