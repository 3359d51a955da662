"""What Theorem 1's rho does for CELLIP: mistakes, labels and volume on separable streams."""

from collections.abc import Iterator

import numpy as np

from benchmarks.tables import show
from selectron import OnlineClassifier
from selectron.askers import Always, Disagreement
from selectron.bounds.ellipsoid import theorem_2
from selectron.learners import CELLIP

DRAWS, ROWS = 10, 5000
SIZES, MARGINS = (2, 5, 10, 20, 50), (0.001, 0.01, 0.1)


def stream(d: int, gamma: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return points of the unit sphere with this margin, their labels, and u."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(6 * ROWS, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X = X[abs(X[:, 0]) >= gamma][:ROWS]
    return X, np.where(X[:, 0] >= 0, 1, -1), np.eye(d)[0]


def compared() -> Iterator[tuple[str, ...]]:
    """Yield a row for each number of features and margin; each figure is without and with rho."""
    for d in SIZES:
        for gamma in MARGINS:
            pairs = np.mean([played(d, gamma, seed) for seed in range(DRAWS)], axis=0)
            mistakes, bounds, asked = pairs.T
            yield (
                f"{d}, {gamma}",
                *(f"{one:,.0f}" for one in mistakes),
                *(f"{one:,.0f}" for one in bounds),
                *(f"{one:.1%}" for one in asked),
            )


def played(d: int, gamma: float, seed: int) -> list[tuple[float, float, float]]:
    """Return mistakes and their bound with all labels, and the rate of labels that are needed.

    These are asked for by `Disagreement`, which learns from right predictions too: a = 0.9 there.
    """
    X, y, u = stream(d, gamma, seed)
    found = []
    for rho in (0.0, 1 / (d + 1)):
        runs = [
            OnlineClassifier(CELLIP(gamma, a, rho=rho), asker, fit_intercept=False).run(X, y)
            for a, asker in ((0.5, Always()), (0.9, Disagreement(margin=0.9 * gamma)))
        ]
        bound = theorem_2(runs[0], X, u, gamma, 0.5, rho=rho)
        found.append((runs[0].mistakes, bound, runs[1].label_rate))
    return found


if __name__ == "__main__":
    columns = [f"{name}, {way}" for name in ("mistakes", "bound", "labels") for way in ("0", "rho")]
    show(("d, gamma", *columns), compared())
