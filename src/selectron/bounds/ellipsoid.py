"""The ellipsoid learners: mistakes against one comparator u.

Source: Yang, Jin & Ye, "Online Learning by Ellipsoid Method" (ICML 2009), a talk without proofs.

X (n, d) are the rows as the learner saw them; sums and extremes are over the rows with a step, and
R is the largest norm of these; u may have any. Each function bounds the mistakes with a step: all
of `run.steps`, but for CELLIP under `Disagreement`, which also steps on correct predictions.

Proofs and the changes to the talk are in docs/explanation/bounds.md.
"""

import math

import numpy as np

from ..engine.parameters import shown
from ..errors import SelectronError
from ..model.run import Run
from .quantities import fitting, from_0, longest, steps

__all__ = ["lambda_1", "theorem_2", "theorem_3", "volume_factor"]


def lambda_1(gamma: float, a: float, start: str = "sound") -> float:
    """Return the eigenvalue of CELLIP's first P: l^2, l = 1 + (1 - a) gamma, or the talk's l.

    >>> round(lambda_1(0.1, 0.5), 4), lambda_1(0.1, 0.5, "talk")
    (1.1025, 1.05)
    """
    from_0(gamma=gamma, a=a)
    if start not in ("sound", "talk"):
        raise SelectronError(f'start must be "sound" or "talk", got {shown(start)}.')
    longest_held = 1 + (1 - a) * gamma
    return longest_held if start == "talk" else longest_held**2


def theorem_2(
    run: Run,
    X: np.ndarray,
    u: np.ndarray,
    gamma: float,
    a: float,
    start: str = "sound",
    rho: float = 0.0,
) -> float:
    """Return the bound on the mistakes that CELLIP(gamma, a, start, rho) steps on.

    It is (log r^2 - log lambda_1) / log(1 - (a gamma / R)^2 / lambda_1), or inf if u has no margin
    above a gamma; r is (1 - a) gamma in the talk, whose bound is corrected for its own start. With
    rho > 0, for which the talk has no bound, it is d (log r^2 - log lambda_1) / log(f^2), where
    f = `volume_factor(rho, d)` must be below 1; it holds for all steps, and for a gamma = 0.

    >>> X, y = np.eye(2), [-1, 1]
    >>> from selectron import OnlineClassifier, learners
    >>> run = OnlineClassifier(learners.CELLIP(0.5, 0.5), fit_intercept=False).run(X, y)
    >>> round(theorem_2(run, X, np.array([-0.6, 0.8]), gamma=0.5, a=0.5), 2)
    69.92
    """
    first = lambda_1(gamma, a, start)
    X, u = fitting(run, X, u, still=True)
    d = X.shape[1]
    log_volume = math.log(volume_factor(rho, d))
    s = steps(run, X, u)
    R = longest(s.X)
    if R == 0 or (log_volume >= 0 if rho > 0 else a * gamma == 0):
        return math.inf
    delta = float(s.margins.min() - a * gamma) / R
    r = min(delta, (delta + math.sqrt(first) - float(np.linalg.norm(u))) / 2)
    if r <= 0:
        return math.inf
    per_step = log_volume / d * 2 if rho > 0 else math.log1p(-((a * gamma / R) ** 2) / first)
    return math.log(r**2 / first) / per_step


def volume_factor(rho: float, d: int) -> float:
    """Return by what CELLIP's `rho` multiplies the volume of every new ellipsoid in d dimensions.

    It is (1 - rho)^d / (1 - 2 rho)^((d - 1) / 2) at any depth, and smallest for 1 / (d + 1).

    >>> volume_factor(0.0, 2), round(volume_factor(1 / 3, 2), 3), round(volume_factor(0.1, 50), 3)
    (1.0, 0.77, 1.22)
    """
    from_0(rho=rho)
    if not rho < 0.5:
        raise SelectronError(f"rho must be a number below 0.5, got {shown(rho)}.")
    return math.exp(d * math.log1p(-rho) - (d - 1) / 2 * math.log1p(-2 * rho))


def theorem_3(
    run: Run,
    X: np.ndarray,
    u: np.ndarray,
    gamma: float,
    c: float,
    b: float,
    everywhere: bool = True,
) -> float:
    """Return the bound on the steps of IELLIP(gamma, c, b); inf if c + b >= 1.

    The talk's bound does not hold as printed; the smaller one of (i) and (ii) in
    docs/explanation/bounds.md is returned, inf with a zero row. As in the talk, losses are summed
    over all rounds with a label; with `everywhere=False`, over the steps, which is sharper.

    >>> X, y = np.eye(3), [-1, 1, -1]
    >>> from selectron import OnlineClassifier, learners
    >>> run = OnlineClassifier(learners.IELLIP(0.5, 0.1, 0.8), fit_intercept=False).run(X, y)
    >>> run.mistakes, round(theorem_3(run, X, np.array([-0.6, 0.5, -0.6]), 0.5, 0.1, 0.8), 2)
    (2, 3.88)
    """
    from_0(gamma=gamma, c=c, b=b)
    X, u = fitting(run, X, u, still=True)
    s = steps(run, X, u)
    if c + b >= 1 or gamma <= 0:
        return math.inf
    K, R, reached = (1 - b) / (1 - b - c), longest(s.X), s.margins
    lossy = steps(run, X, u, everywhere)
    loss, wrong = lossy.losses(gamma), lossy.losses(0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        costs = [
            np.where(cost > 0, cost / (lossy.X**2).sum(axis=1), 0.0).sum()
            for cost in (2 * gamma * loss + wrong**2, c * loss**2)
        ]
    scale, size = (R / gamma) ** 2, float(u @ u)
    first = scale * K * (size + costs[0])
    narrow = c <= 2 * gamma / (gamma + max(gamma, reached.max(initial=0.0)))
    return float(min(first, scale * (size + K * sum(costs))) if narrow else first)
