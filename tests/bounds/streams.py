"""Random streams with the concept behind them, and comparators to hold runs against."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from selectron import OnlineClassifier, Run
from selectron.bounds import comparator

COUNT = 200
KINDS = "separable", "drifting", "noisy", "switching", "corners"
CLASSES = np.array([-1, 1])


class Stream(NamedTuple):
    """Rows, labels, and the concept: in the kinds without noise, its margin is `gap` or more."""

    seed: int
    kind: str
    X: np.ndarray  # (n, d)
    y: np.ndarray  # (n,), -1 or +1
    U: np.ndarray  # (n, d)
    switches: list[int]

    @property
    def gap(self) -> float:
        return float((self.y * np.einsum("td,td->t", self.U, self.X)).min())

    def comparators(self) -> dict[str, np.ndarray]:
        """Return what the theorems hold for: anything."""
        rng = np.random.default_rng(self.seed)
        fitted = comparator(self.X, self.y, self.switches)
        still = np.broadcast_to(comparator(self.X, self.y)[0], self.X.shape)
        randoms = rng.normal(size=self.X.shape[1]) * np.ones_like(self.X)
        wild = rng.normal(size=self.X.shape) * 0.3
        return {
            "concept": self.U,
            "long": 5 * self.U,
            "fitted": fitted,
            "short": 0.3 * fitted,
            "still": still,
            "random": randoms,
            "wild": wild,
            "zero": np.zeros_like(self.X),
        }


@cache
def streams(*kinds: str) -> list[Stream]:
    """Return COUNT streams of these kinds in turn."""
    return [stream(seed, kinds[seed % len(kinds)]) for seed in range(COUNT)]


def stream(seed: int, kind: str) -> Stream:
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(2, 7)), int(rng.integers(40, 120))
    U = concept(rng, n, d, kind)
    X = corners(rng, n, d) if kind == "corners" else rng.normal(size=(n, d))
    if kind == "corners":
        U = np.broadcast_to(np.linalg.qr(rng.normal(size=(d, d)))[0].sum(axis=0), (n, d))
        U = U * 0 + np.linalg.lstsq(X[:d], rng.choice(CLASSES, d), rcond=None)[0]
    else:
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        X = pushed(X, U, 0.25)
        if seed % 3:
            X *= rng.uniform(0.5, 1.0 if seed % 3 == 1 else 3.0, size=(n, 1))
    margins = np.einsum("td,td->t", U, X)
    flip = (kind == "noisy") & (rng.random(n) < 0.1)
    y = np.where((margins >= 0) ^ flip, 1, -1)
    return Stream(seed, kind, X, y, U, [n // 2] if kind == "switching" else [])


def concept(rng: np.random.Generator, n: int, d: int, kind: str) -> np.ndarray:
    """Return unit vectors that stand still, turn slowly, or jump half-way."""
    Q = np.linalg.qr(rng.normal(size=(d, d)))[0]
    angle = np.zeros(n)
    if kind == "drifting":
        angle = np.linspace(0, rng.uniform(0.1, 1.0), n)
    if kind == "switching":
        angle[n // 2 :] = rng.uniform(1, 3)
    return np.outer(np.cos(angle), Q[0]) + np.outer(np.sin(angle), Q[1])


def corners(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Return an orthonormal basis again and again, each time in another order."""
    Q = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return np.vstack([Q[rng.permutation(d)] for _ in range(-(-n // d))])[:n]


def pushed(X: np.ndarray, U: np.ndarray, gap: float) -> np.ndarray:
    """Return unit rows of which every one is at least `gap` from its concept's boundary."""
    along = np.einsum("td,td->t", U, X)
    sides = np.where(along >= 0, 1.0, -1.0)
    missing = np.maximum(0, gap / np.sqrt(1 - gap**2) - abs(along) / np.sqrt(1 - along**2))
    X = X + (sides * missing * np.sqrt(1 - along**2))[:, None] * U
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def played(s: Stream, learner: Any, asker: Any, seed: int = 0) -> Run:
    """Return the library's run."""
    clf = OnlineClassifier(
        learner, asker, classes=CLASSES, fit_intercept=False, normalize=False, random_state=seed
    )
    return clf.run(s.X, s.y)


def at_most(outcome: float, bound: float) -> None:
    assert outcome <= bound * (1 + 1e-9) + 1e-9
