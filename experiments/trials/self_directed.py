"""Pools that are labelled to the end, and the angle to the target on the way."""

from typing import Any

import numpy as np

from selectron import OnlineClassifier
from selectron.learners import Perceptron
from selectron.pool import Greedy, SelfDirectedClassifier

# halfspaces through 0, as in the paper
HOMOGENEOUS: dict[str, Any] = {"features": "raw", "fit_intercept": False}


def points(pool: str, n: int, d: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return n points, their side of a halfspace through 0, and its direction.

    "sphere": evenly drawn from the sphere; "line": half of them on a line; "clusters": around 3 d
    centres; "skewed": features from 1 to 10,000 times as long, of which all count alike.
    """
    random = np.random.default_rng(seed)
    X, u = random.normal(size=(n, d)), random.normal(size=d)
    if pool == "sphere":
        X /= np.linalg.norm(X, axis=1)[:, None]
    elif pool == "line":
        X[: n // 2] = X[: n // 2, :1] * random.normal(size=d)
    elif pool == "clusters":
        X = random.normal(size=(3 * d, d))[random.integers(3 * d, size=n)] + 0.1 * X
    elif pool == "skewed":
        lengths = 10.0 ** np.linspace(0, 4, d)
        X, u = X * lengths, u / lengths
    return X, X @ u >= 0, u / np.linalg.norm(u)


def mistakes(pool: str, n: int, d: int, seed: int, learner: Any, mode: str = "perfect") -> int:
    """Return the mistakes of a learner up to its goal, all points or 99% of them.

    To the Perceptron, the points come in random order.
    """
    X, y, _ = points(pool, n, d, seed)
    if isinstance(learner, Perceptron):
        return int(OnlineClassifier(learner, fit_intercept=False).run(X, y, margins=False).mistakes)
    one = SelfDirectedClassifier(learner, mode=mode, random_state=seed, **HOMOGENEOUS)
    return one.run(X, y).mistakes


def angles(n: int, d: int, seed: int) -> list[float]:
    """Return the angle to the target after every step of the margin-perceptron, on the sphere.

    Each step is on the mistake of the largest margin among all points left.
    """
    X, y, u = points("sphere", n, d, seed)
    one = SelfDirectedClassifier(Greedy(), random_state=seed, **HOMOGENEOUS)
    one.run(X, y)
    vectors = [begun.carry for begun in one.session_.begun[1:]]
    cosines = [w @ u / max(float(np.linalg.norm(w)), 1e-300) for w in vectors]
    return [float(np.arccos(np.clip(cosine, -1, 1))) for cosine in cosines]
