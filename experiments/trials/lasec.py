"""Passes over streams whose concept switches."""

from functools import lru_cache
from typing import Any

import numpy as np

from selectron import OnlineClassifier
from selectron.streams import shifting_classes, switching_gaussian

from ..datasets import usps

POINTS = 100  # of a curve over time

digits = lru_cache(maxsize=1)(usps)


@lru_cache(maxsize=4)
def stream(data: str, n: int, every: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first n rows of a stream, and labels -1 and +1 by a concept that switches."""
    if data == "gaussian":
        return switching_gaussian(n, d=50, every=every, seed=seed)
    images = digits()
    order = np.random.default_rng(seed).permutation(len(images.y))[:n]
    return images.X[order], shifting_classes(images.y[order], every, seed)


def passed(data: str, n: int, every: int, seed: int, learner: Any, asker: Any) -> dict[str, Any]:
    """Run one pass on rows of unit length: accuracy, share of labels, and mistakes so far.

    `later` is the accuracy after the first switch, if there is one.
    """
    X, y = stream(data, n, every, seed)
    clf = OnlineClassifier(learner, asker, fit_intercept=False, normalize=True, random_state=seed)
    run = clf.run(X, y, margins=False)
    later = float(run.correct[every:].mean()) if every < n else run.accuracy
    ends = np.linspace(n / POINTS, n, POINTS).astype(int)
    mistakes = (~run.correct).cumsum()[ends - 1].tolist()
    return {"accuracy": run.accuracy, "rate": run.label_rate, "later": later, "mistakes": mistakes}
