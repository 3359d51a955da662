"""`python -m benchmarks.calibration`: how well probabilities are calibrated with 10% of the labels.

The expected calibration error of the predicted class's probability, before each label, in ten bins
of equal width, on the rows after the first 100 labels. "Noise" is the error that the same
probabilities would have, on average, if they were right. "Estimate" is the error of the method on
two classes if labels are drawn from the logistic function of the margin (or of the learner's own
log odds) that fits best: it is due to the number of labels, and to rows that are predicted on the
wrong side of 1/2. "Hindsight" is the error of the logistic function that fits all asked labels of a
stream best, weighted by 1 / probability of asking.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from benchmarks import sets
from benchmarks.tables import show
from selectron import OnlineClassifier
from selectron.askers import Budget
from selectron.learners import LASEC, BayesianPerceptron, LeadingHistory, PassiveAggressive
from selectron.learners import Perceptron as FirstOrder
from selectron.model.calibration import log_odds
from selectron.streams import switching_gaussian

LEARNERS = LeadingHistory(), BayesianPerceptron(), LASEC(), PassiveAggressive(), FirstOrder()
LABELS, BINS, DRAWS, SEEDS = 100, 10, 20, 3
WIDE = 5000  # sparse features from which second-order learners are run in dual form


def a9a(seed: int) -> tuple[Any, np.ndarray]:
    """Return the census set in its order."""
    data = sets.a9a()
    return data.X, data.y


def spam(seed: int) -> tuple[Any, np.ndarray]:
    """Return the mails in their order."""
    data = sets.spam()
    return data.X, data.y


def digits(seed: int, passes: int = 5) -> tuple[Any, np.ndarray]:
    """Return scikit-learn's digits five times, each time in another order: 8,985 rows."""
    X, y = load_digits(return_X_y=True)
    random = np.random.default_rng(seed)
    order = np.concatenate([random.permutation(len(y)) for _ in range(passes)])
    return X[order] / 16, y[order]


def switching(seed: int) -> tuple[Any, np.ndarray]:
    """Return 10,000 rows of the switching Gaussian."""
    return switching_gaussian(10_000, seed=seed)


STREAMS = {"a9a": a9a, "spam": spam, "digits": digits, "switching Gaussian": switching}


def calibration_error(top: np.ndarray, right: np.ndarray) -> float:
    """Return the expected calibration error of the probabilities of predicted classes."""
    bins = np.minimum((top * BINS).astype(int), BINS - 1)
    sums = np.bincount(bins, top, BINS) - np.bincount(bins, right, BINS)
    return float(np.abs(sums).sum() / len(top))


def noise(top: np.ndarray, seed: int = 0) -> float:
    """Return the mean error of probabilities that are right."""
    random = np.random.default_rng(seed)
    draws = (random.random(len(top)) < top for _ in range(DRAWS))
    return float(np.mean([calibration_error(top, right) for right in draws]))


def scaled_margins(run: Any) -> np.ndarray:
    """Return (n, 1) margins, or log odds of learners that have them, over their mean size."""
    calibration, (rounds, *_) = run.replay.func.__self__, run.replay.args
    m = rounds[3]
    if calibration.own:
        p = map(calibration.learner.probability, rounds[0].tolist())
        m = np.array([[log_odds(each)] for each in p])
    return m / np.abs(m).mean()


def hindsight(run: Any, later: np.ndarray) -> float:
    """Return the error of the best logistic function of the margin; NaN for many classes."""
    if len(run.classes) > 2:
        return np.nan
    m, asked, positive = scaled_margins(run), run.asked, run.label == run.classes[1]
    weights = 1 / run.ask_probability[asked]
    fit = LogisticRegression(C=1e6).fit(m[asked], positive[asked], weights)
    p = fit.predict_proba(m)[:, 1][later]
    top = np.maximum(np.where(run.positive[later], p, 1 - p), 0.5)
    return calibration_error(top, run.correct[later])


def estimate(run: Any, later: np.ndarray, seed: int = 0) -> float:
    """Return the mean error on labels drawn from a logistic function; NaN for many classes."""
    if len(run.classes) > 2:
        return np.nan
    calibration, (rounds, codes, chances) = run.replay.func.__self__, run.replay.args
    random, m = np.random.default_rng(seed), scaled_margins(run)
    likely = LogisticRegression(C=1e6).fit(m, codes > 0).predict_proba(m)[:, 1]
    errors = []
    for _ in range(DRAWS):
        drawn = np.where(random.random(len(m)) < likely, 1, -1).astype(codes.dtype)
        proba = calibration.proba(rounds, drawn, chances)[later]
        right = run.positive[later] == (drawn[later] > 0)
        errors.append(calibration_error(proba.max(axis=1), right))
    return float(np.mean(errors))


def figures(learner: Any, stream: str, seed: int) -> tuple[float, ...]:
    """Return the error, its noise, that of the estimate, the log loss and the accuracy of a run."""
    X, y = STREAMS[stream](seed)
    dual = hasattr(learner, "shape") and not isinstance(X, np.ndarray) and X.shape[1] > WIDE
    kernel = "linear" if dual else None
    clf = OnlineClassifier(learner, Budget(rate=0.1), random_state=seed, kernel=kernel)
    run = clf.run(X, y)
    later = run.asked.cumsum() > LABELS
    proba, right = run.proba[later], run.correct[later]
    top, true = proba.max(axis=1), np.searchsorted(run.classes, run.label[later])
    likely = proba[np.arange(len(proba)), true]
    loss = -np.log(np.maximum(likely, 1e-15)).mean()
    floors = noise(top), estimate(run, later), hindsight(run, later)
    return calibration_error(top, right), *floors, float(loss), float(right.mean())


def rows() -> Iterator[tuple[str, ...]]:
    """Yield the figures of each learner on each stream: means over seeds."""
    for stream in STREAMS:
        for learner in LEARNERS:
            found = [figures(learner, stream, seed) for seed in range(SEEDS)]
            error, *floors, loss, accuracy = np.mean(found, axis=0)
            worst = max(each[0] for each in found)
            errors = [f"{value:.4f}" for value in (error, worst, *floors)]
            yield stream, type(learner).__name__, *errors, f"{loss:.3f}", f"{accuracy:.3f}"


if __name__ == "__main__":
    head = "Stream", "learner", "calibration error", "worst seed", "noise", "estimate", "hindsight"
    show((*head, "log loss", "accuracy"), rows())
