"""Passes over sets of many classes, and the volume of an ellipsoid as it is cut."""

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from selectron.askers import Always
from selectron.bounds import ellipsoid
from selectron.classifier import OnlineClassifier
from selectron.engine.rows import Dense
from selectron.learners import CELLIP
from selectron.model import Model

from .. import datasets

POINTS = 60  # of a curve over time


@lru_cache(maxsize=4)
def scaled(data: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a data set with every feature scaled to [-1, 1], and its classes."""
    found = getattr(datasets, data)()
    low, high = found.X.min(axis=0), found.X.max(axis=0)
    return 2 * (found.X - low) / np.where(high > low, high - low, 1) - 1, found.y


def passed(
    data: str,
    n: int | None,
    seed: int,
    learner: Any,
    many: str,
    kernel: str | None = None,
    sparse: bool = False,
) -> dict[str, Any]:
    """Play the first n rows of a random order, of unit length: errors and steps so far.

    With `sparse` they are handed over as sparse ones are, of which second-order learners keep
    variances.
    """
    X, y = scaled(data)
    order = np.random.default_rng(seed).permutation(len(y))[:n]
    clf = OnlineClassifier(
        learner, many=many, kernel=kernel, normalize=True, fit_intercept=False, random_state=seed
    )
    rows = csr_array(X[order]) if sparse else X[order]
    run = clf.run(rows, y[order], margins=False, classes=np.unique(y))
    ends = np.linspace(len(order) / POINTS, len(order), POINTS).astype(int)
    return {
        "ends": ends.tolist(),
        "mistakes": (~run.correct).cumsum()[ends - 1].tolist(),
        "steps": run.updated.cumsum()[ends - 1].tolist(),
    }


def separable(n: int, d: int, gamma: float, seed: int) -> tuple[np.ndarray, ...]:
    """Return rows of length 1 and labels that a u of length 1 tells apart with margin gamma."""
    random = np.random.default_rng(seed)
    u = random.standard_normal(d)
    u /= np.linalg.norm(u)
    y = np.where(random.random(n) < 0.5, -1, 1)
    margin = random.uniform(gamma, 4 * gamma, n)
    across = random.standard_normal((n, d))
    across -= np.outer(across @ u, u)
    across *= (np.sqrt(1 - margin**2) / np.linalg.norm(across, axis=1))[:, None]
    return across + np.outer(y * margin, u), y, u


def cut(n: int, d: int, gamma: float, seed: int, a: float, start: str) -> dict[str, Any]:
    """Play CELLIP on separable rows: the ellipsoid after every mistake.

    `volume` is the logarithm of its volume over that of the first, `good` whether the ball of
    classifiers within (1 - a) gamma of u has always been in it, and `bound` Theorem 2.
    """
    X, y, u = separable(n, d, gamma, seed)
    learner = CELLIP(gamma, a, start)
    run = OnlineClassifier(learner, fit_intercept=False).run(X, y, margins=False)
    model = Model(learner, Always(), width=d, constant=False)
    volumes, good, first = [0.0], True, _log_volume(_matrix(model))
    for row in np.flatnonzero(run.updated):
        model.learn(Dense(X[row : row + 1]), y[row : row + 1].astype(np.int8))
        P = _matrix(model)
        volumes.append(_log_volume(P) - first)
        good = good and _holds_ball(P, model.weights(), u, (1 - a) * gamma)
    bound = ellipsoid.theorem_2(run, X, u, gamma, a, start)
    return {
        "mistakes": (~run.correct).cumsum().tolist()[:: max(1, n // 200)],
        "volume": volumes,
        "good": good,
        "bound": bound,
    }


def _matrix(model: Model) -> np.ndarray:
    """Return P, of which the space keeps the lower triangle."""
    low = np.zeros((model.width, model.width))
    low[np.tril_indices(model.width)] = model.state.triangle
    return low + np.tril(low, -1).T


def _log_volume(P: np.ndarray) -> float:
    """Return the logarithm of the volume, but for that of the unit ball."""
    return float(np.linalg.slogdet(P)[1] / 2)


def _holds_ball(P: np.ndarray, w: np.ndarray, u: np.ndarray, radius: float) -> bool:
    """Is the point of the ball around u that is farthest from w, by P, in the ellipsoid?

    The maximum of (z - w)' P^-1 (z - w) over |z - u| = r is found by the secular equation, in the
    basis of P's eigenvectors.
    """
    from scipy.optimize import brentq

    lam, basis = np.linalg.eigh(P)
    curvature, e = 1 / lam, basis.T @ (u - w)
    pull = curvature * e
    top = curvature.max()

    def too_long(mu: float) -> float:
        return float(np.linalg.norm(pull / (mu - curvature))) - radius

    low, high = top * (1 + 1e-9), top + np.linalg.norm(pull) / radius + top
    mu = brentq(too_long, low, high) if too_long(low) > 0 > too_long(high) else low
    z = e + pull / (mu - curvature)
    return bool(curvature @ z**2 <= 1 + 1e-9)
