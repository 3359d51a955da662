"""Passes over sets of many classes, and the volume of an ellipsoid from cut to cut."""

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.sparse import csr_array

from selectron import OnlineClassifier
from selectron.askers import Always
from selectron.bounds import ellipsoid
from selectron.engine.rows import Dense
from selectron.history.conversion import matrices
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
    data: str, n: int | None, seed: int, learner: Any, sparse: bool = False, **options: Any
) -> dict[str, Any]:
    """Run the first n rows of a random order, of unit length: mistakes and updates so far.

    For `sparse` rows, second-order learners keep variances instead of matrices.
    """
    X, y = scaled(data)
    order = np.random.default_rng(seed).permutation(len(y))[:n]
    options |= {"normalize": True, "fit_intercept": False, "random_state": seed}
    rows = csr_array(X[order]) if sparse else X[order]
    clf = OnlineClassifier(learner, **options)
    run = clf.run(rows, y[order], margins=False, classes=np.unique(y))
    ends = np.linspace(len(order) / POINTS, len(order), POINTS).astype(int)
    return {
        "ends": ends.tolist(),
        "mistakes": (~run.correct).cumsum()[ends - 1].tolist(),
        "steps": run.updated.cumsum()[ends - 1].tolist(),
    }


def separable(n: int, d: int, gamma: float, seed: int) -> tuple[np.ndarray, ...]:
    """Return rows and labels that u separates with margin gamma, and u; all of unit length."""
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
    """Run CELLIP on separable rows and follow its ellipsoid from mistake to mistake.

    `volume` is the logarithm of its volume over that of the first, `good` whether it always holds
    the ball of classifiers within (1 - a) gamma of u, and `bound` is that of Theorem 2.
    """
    X, y, u = separable(n, d, gamma, seed)
    learner = CELLIP(gamma, a, start)
    run = OnlineClassifier(learner, fit_intercept=False).run(X, y, margins=False)
    model = Model(learner, Always(), width=d, constant=False)
    volumes, good, first = [0.0], True, np.linalg.slogdet(matrices(model.state.triangle))[1]
    for row in np.flatnonzero(run.updated):
        model.learn(Dense(X[row : row + 1]), y[row : row + 1].astype(np.int8))
        P = matrices(model.state.triangle)
        volumes.append(float(np.linalg.slogdet(P)[1] - first) / 2)
        good = good and _holds_ball(P, model.weights(), u, (1 - a) * gamma)
    bound = ellipsoid.theorem_2(run, X, u, gamma, a, start)
    return {"volume": volumes, "good": good, "bound": bound}


def _holds_ball(P: np.ndarray, w: np.ndarray, u: np.ndarray, radius: float) -> bool:
    """Return whether the point of the ball around u farthest from w, by P, is in the ellipsoid.

    The maximum of (z - w)' P^-1 (z - w) over |z - u| = r is found by the secular equation, in the
    basis of P's eigenvectors.
    """
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
