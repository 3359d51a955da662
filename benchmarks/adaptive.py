"""`python -m benchmarks.adaptive`: a b that tunes itself, a fixed b, and a budget."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.tables import show
from selectron import OnlineClassifier
from selectron.askers import AdaptiveMargin, Always, Budget, Margin
from selectron.learners import Perceptron
from selectron.streams import switching_gaussian

ROWS, SEEDS = 10_000, range(100, 105)
ASKERS = *map(AdaptiveMargin, (0.003, 0.01, 0.03, 0.1)), *map(Margin, (0.03, 0.1, 0.3, 1.0))


def streams() -> dict[str, Any]:
    """Return the streams, by name."""
    found = {"switching Gaussian": switching_gaussian(ROWS, seed=3)}
    for noise in (0.0, 0.1, 0.3):
        rng = np.random.default_rng([0, 77])
        X = rng.normal(size=(ROWS, 20))
        y = np.where(X @ rng.normal(size=20) > 0, 1, -1)
        found[f"{noise:.0%} of the labels wrong"] = X, np.where(rng.random(ROWS) < noise, -y, y)
    return found


def mean(asker: Any, X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Return the Perceptron's accuracy and the share of labels, over several draws."""
    runs = [OnlineClassifier(Perceptron(), asker, random_state=seed).run(X, y) for seed in SEEDS]
    accuracy = float(np.mean([run.accuracy for run in runs]))
    return accuracy, float(np.mean([run.asked.mean() for run in runs]))


def adaptive() -> Iterator[tuple[str, str, str]]:
    """Yield (stream and asker, accuracy and labels, accuracy of a budget of as many labels)."""
    for name, (X, y) in streams().items():
        yield f"{name}: every label", f"{mean(Always(), X, y)[0]:.3f}", ""
        for asker in ASKERS:
            accuracy, rate = mean(asker, X, y)
            budget, _ = mean(Budget(rate=rate, asker=Margin(0.1)), X, y)
            yield f"{name}: {asker}", f"{accuracy:.3f} with {rate:.1%}", f"{budget:.3f}"


if __name__ == "__main__":
    show(("Perceptron", "accuracy", "budget of as many labels"), adaptive())
