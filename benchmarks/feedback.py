"""`python -m benchmarks.feedback`: regret where only proposals are judged, not labels given.

Every row is judged: the learner hears whether the class that it proposed is right. Banditron
(Kakade, Shalev-Shwartz & Tewari, ICML 2008), which tries other classes at random, is the rival; its
gamma is the best of four for each stream.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from benchmarks.tables import show
from selectron import OnlineClassifier
from selectron.learners import LASEC, LeadingHistory, PassiveAggressive, Perceptron

GAMMAS = (0.01, 0.03, 0.1, 0.3)
LEARNERS = Perceptron(), PassiveAggressive(), LASEC(), LeadingHistory()


def streams() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the streams, by name."""
    rng = np.random.default_rng(41)
    images, digits = load_digits(return_X_y=True)
    order = rng.permutation(len(digits))
    centres, of = rng.normal(size=(26, 30)), rng.integers(0, 26, 10_000)
    words = (rng.random((10_000, 100)) < 0.1) * 1.0
    topics = np.argmax(words @ rng.normal(size=(100, 9)), axis=1)
    wrong = rng.random(10_000) < 0.05
    topics[wrong] = rng.integers(0, 9, wrong.sum())
    return {
        "handwritten digits, 10 classes": (images[order] / 16, digits[order]),
        "26 Gaussian classes": (centres[of] + 1.3 * rng.normal(size=(10_000, 30)), of),
        "9 classes, 5% of the labels wrong": (words, topics),
    }


def judged(learner: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Return the part of rows with a wrong proposal, each of which is judged."""
    clf = OnlineClassifier(learner, classes=range(y.max() + 1), many="rest", random_state=0)
    wrong = 0
    for x, label in zip(X, y.tolist(), strict=True):
        decision = clf.decide(x)
        clf.tell(decision.ticket, correct=decision.label == label)
        wrong += decision.label != label
    return wrong / len(y)


def taught(learner: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Return the part of rows with a wrong proposal, the label of each being given."""
    clf = OnlineClassifier(learner, classes=range(y.max() + 1), many="rest", random_state=0)
    return 1 - float(clf.run(X, y).accuracy)


def banditron(X: np.ndarray, y: np.ndarray, gamma: float) -> float:
    """Return the part of rows with a wrong proposal of Banditron."""
    rng, classes, wrong = np.random.default_rng(0), y.max() + 1, 0
    W = np.zeros((classes, X.shape[1] + 1))
    for x, label in zip(np.insert(X, 0, 1.0, axis=1), y, strict=True):
        best = int(np.argmax(W @ x))
        chances = np.full(classes, gamma / classes)
        chances[best] += 1 - gamma
        tried = rng.choice(classes, p=chances)
        wrong += tried != label
        if tried == label:
            W[tried] += x / chances[tried]
        W[best] -= x
    return wrong / len(y)


def feedback() -> Iterator[tuple[str, str, str]]:
    """Yield (stream and learner, errors with judgements, errors with labels and regret)."""
    for name, (X, y) in streams().items():
        for learner in LEARNERS:
            error, least = judged(learner, X, y), taught(learner, X, y)
            what = f"{least:.1%}, {round((error - least) * len(y)):,} of {len(y):,}"
            yield f"{name}: {type(learner).__name__}", f"{error:.1%}", what
        yield f"{name}: Banditron", f"{min(banditron(X, y, g) for g in GAMMAS):.1%}", ""


if __name__ == "__main__":
    show(("Wrong proposals", "told right or wrong", "told the label; regret in rows"), feedback())
