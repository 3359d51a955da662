"""The ellipsoid learners: mistakes against one comparator u.

Source: Yang, Jin & Ye, "Online Learning by Ellipsoid Method" (ICML 2009), a talk without proofs.

X (n, d) are the rows as the learner saw them; sums and extremes are over the rows with a step, and
R is the largest norm of these. Each function bounds the number of mistakes with a step, which
equals `run.steps`, except for CELLIP under `Disagreement`, which also steps on correct predictions.
u may have any norm.

CELLIP. Let u have margin g. All z within delta = (g - a gamma) / R of u have margin a gamma, so
that no cut removes them. No eigenvalue of P therefore falls below r^2, for a ball of radius r
inside both that set and the first ellipsoid, whose P has the eigenvalue lambda_1: r is the smaller
one of delta and (delta + sqrt(lambda_1) - ||u||) / 2. But a step takes P to (1 - alpha^2) P at
most, on a mistake with alpha >= a gamma / (R sqrt(lambda)), lambda the largest eigenvalue of P, or
its upper bound lambda_1. The latter gives Theorem 2, the former `shrinking`.

IELLIP. Let s^2 = x' P x, v = gamma - y w'x >= gamma, alpha = v / s and h = y (u - w)'x / s, and
l = max(0, gamma - y u'x), e = max(0, -y u'x). A step makes q = (u - w)' P^-1 (u - w) into
(1 - c_t) q + alpha^2 - 2 alpha h + c_t h^2, and h^2 <= q. P only grows, and P_t <= p0 / pi_t with
pi_t = prod (1 - c_i) >= (1 - b - c) / (1 - b) = 1 / K. So s^2 lies between p0 ||x||^2 and
p0 R^2 / pi_t. Sum q, with h >= alpha - l / s, and v (v - 2 l) >= gamma^2 - 2 gamma l - e^2:

    M <= K R^2 / gamma^2 (||u||^2 + sum (2 gamma l + e^2) / ||x||^2)                            (i)

Or sum q / pi_t, in which the last three terms are (1 - c_t) (2 alpha l / s - alpha^2) + c_t l^2 /
s^2 where l > 0, and else at most -(1 - c_t) alpha^2, as long as h <= (2 / c_t - 1) alpha:

    M <= R^2 / gamma^2 (||u||^2 + K sum (2 gamma l + e^2 + c l^2) / ||x||^2)                   (ii)

if c <= 2 gamma / (gamma + max y u'x). p0 cancels, and has no influence on w either.
"""

import math

import numpy as np

from ..engine.parameters import shown
from ..errors import SelectronError
from ..model.run import Run
from .quantities import fitting, from_0, longest, losses, margins, steps


def lambda_1(gamma: float, a: float, start: str = "sound") -> float:
    """Return the eigenvalue of CELLIP's first P: rho^2, rho = 1 + (1 - a) gamma, or the talk's rho.

    >>> round(lambda_1(0.1, 0.5), 4), lambda_1(0.1, 0.5, "talk")
    (1.1025, 1.05)
    """
    from_0(gamma=gamma, a=a)
    if start not in ("sound", "talk"):
        raise SelectronError(f'start must be "sound" or "talk", got {shown(start)}.')
    rho = 1 + (1 - a) * gamma
    return rho if start == "talk" else rho**2


def theorem_2(
    run: Run, X: np.ndarray, u: np.ndarray, gamma: float, a: float, start: str = "sound"
) -> float:
    """Return the bound on the mistakes that CELLIP(gamma, a, start) steps on.

    It is (log r^2 - log lambda_1) / log(1 - (a gamma / R)^2 / lambda_1), or inf if u has no margin
    above a gamma. With the talk's ||u|| = 1, R = 1, g = gamma and a first ellipsoid that contains
    the ball around u, r is (1 - a) gamma. The talk starts from P = (1 + (1 - a) gamma) I, which
    does not contain it, and its bound has that eigenvalue in one place and its square in another.
    For that start the bound here is larger, since r is smaller.

    >>> X, y = np.eye(2), [-1, 1]
    >>> from selectron import OnlineClassifier
    >>> from selectron.learners import CELLIP
    >>> run = OnlineClassifier(CELLIP(0.5, 0.5), fit_intercept=False).run(X, y)
    >>> round(theorem_2(run, X, np.array([-0.6, 0.8]), gamma=0.5, a=0.5), 2)
    69.92
    """
    first, r, cut = _bodies(run, X, u, gamma, a, start)
    if r <= 0 or cut == 0:
        return math.inf
    return math.log(r**2 / first) / math.log1p(-cut / first)


def shrinking(
    run: Run, X: np.ndarray, u: np.ndarray, gamma: float, a: float, start: str = "sound"
) -> float:
    """Return (lambda_1 - r^2) / (a gamma / R)^2, sharper than `theorem_2`; not in the talk."""
    first, r, cut = _bodies(run, X, u, gamma, a, start)
    return (first - r**2) / cut if r > 0 and cut > 0 else math.inf


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

    The talk has M <= 1 / gamma^2 + 2 K / gamma sum l for ||u|| = 1 and rows of norm 1 or less,
    which does not hold as printed: if u has the margin, c must be small enough, for example c <= 2
    gamma / (1 + gamma); if not, short rows and large errors cost more. The smaller one of (i) and
    (ii) is returned; (ii) is the talk's if there are no losses. Very short rows cause large steps,
    hence the division by ||x||^2; a zero row makes the bound inf. As in the talk, losses are summed
    over all rounds with a label; with `everywhere=False`, over the steps, which is sharper.

    >>> X, y = np.eye(3), [-1, 1, -1]
    >>> from selectron import OnlineClassifier
    >>> from selectron.learners import IELLIP
    >>> run = OnlineClassifier(IELLIP(0.5, 0.1, 0.8), fit_intercept=False).run(X, y)
    >>> run.mistakes, round(theorem_3(run, X, np.array([-0.6, 0.5, -0.6]), 0.5, 0.1, 0.8), 2)
    (2, 3.88)
    """
    from_0(gamma=gamma, c=c, b=b)
    X, u = fitting(run, X, u, still=True)
    s = steps(run, X, u)
    if c + b >= 1 or gamma <= 0:
        return math.inf
    K, R, reached = (1 - b) / (1 - b - c), longest(s.X), margins(s)
    lossy = steps(run, X, u, everywhere)
    loss, wrong = losses(lossy, gamma), losses(lossy, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        costs = [
            np.where(cost > 0, cost / (lossy.X**2).sum(axis=1), 0.0).sum()
            for cost in (2 * gamma * loss + wrong**2, c * loss**2)
        ]
    scale, size = (R / gamma) ** 2, float(u @ u)
    first = scale * K * (size + costs[0])
    narrow = c <= 2 * gamma / (gamma + max(gamma, reached.max(initial=0.0)))
    return float(min(first, scale * (size + K * sum(costs))) if narrow else first)


def _bodies(
    run: Run, X: np.ndarray, u: np.ndarray, gamma: float, a: float, start: str
) -> tuple[float, float, float]:
    """Return lambda_1, r and (a gamma / R)^2; the last two are 0 if R is."""
    first = lambda_1(gamma, a, start)
    X, u = fitting(run, X, u, still=True)
    s = steps(run, X, u)
    R = longest(s.X)
    if R == 0:
        return first, 0.0, 0.0
    delta = float(margins(s).min() - a * gamma) / R
    room = math.sqrt(first) - float(np.linalg.norm(u))
    return first, min(delta, (delta + room) / 2), (a * gamma / R) ** 2
