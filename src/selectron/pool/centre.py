"""The centre of the weights that fit what has been told: a logistic fit that finds its own prior.

    minimise over w   sum_i log(1 + exp(-y_i <w, x_i>)) + lam/2 <w, w>

With labels that some w fits, lam goes to 0 from fit to fit, and w to the direction of the largest
margin. With noise, lam stays where the evidence has it, and w is an ordinary logistic regression.
Only rows near the boundary have a say, so that a fit costs little more than the pass that finds
them.

Sources: the fit is Newton's method, damped; lam follows MacKay, "Bayesian Interpolation" (Neural
Computation 1992), eq. 4.9: lam <- gamma / <w, w>, gamma the number of well-determined weights. That
the limit is the largest margin: Rosset, Zhu & Hastie (NIPS 2003), theorem 3.1.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse.linalg
from scipy.special import expit

LEAST, MOST = 1e-8, 1e2  # bounds of lam, for rows of mean square length 1
FAR = 20.0  # rows this much further from the boundary than the closest weigh e^-20 of it
WIDE = 1_000  # features beyond which the d x d matrix is not formed
ROUNDS = 3  # of the evidence, at most, in a fit
PROBES = 4  # random vectors that estimate a trace


class Centre(NamedTuple):
    """Weights, and the precision of their prior."""

    w: np.ndarray  # (d,)
    lam: float


def centre(X: Any, signs: np.ndarray, last: Centre) -> tuple[Centre, np.ndarray]:
    """Return the next centre, starting from the last one, and <w, x> for every row.

    `signs` (n,) are -1 and +1, and 0 for rows without a label. The prior is brought to the evidence
    in a few rounds, not to the end: where a w fits all labels, there is no end.
    """
    margins = X @ last.w
    for _ in range(ROUNDS):
        w, margins, gamma = fit(X, signs, last, margins)
        square = w @ w
        lam = min(max(gamma / square, LEAST), MOST) if square > 0 else last.lam
        settled = abs(math.log(lam / last.lam)) < 0.3
        last = Centre(w, lam)
        if settled:
            break
    return last, margins


def fit(
    X: Any, signs: np.ndarray, last: Centre, margins: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the minimum for the prior as it is, <w, x> for every row, and gamma."""
    told, near = signs != 0, np.zeros(len(signs), bool)
    w, gamma = last.w, 0.0
    while True:
        away = np.where(told, signs * margins, np.inf)
        fresh = (away <= max(away.min(), 0.0) + FAR) & ~near
        if not fresh.any():
            return w, margins, gamma
        near |= fresh
        w, gamma = newton(X[near], signs[near].astype(float), w, last.lam)
        margins = X @ w


def newton(X: Any, y: np.ndarray, w: np.ndarray, lam: float) -> tuple[np.ndarray, float]:
    """Return the minimum, and how many weights the rows determine."""
    margins = X @ w
    value = loss(margins, y, w, lam)
    for _ in range(50):
        miss = expit(-y * margins)
        slope = lam * w - X.T @ (y * miss)
        solve, gamma = solver(X, miss * (1 - miss), lam)
        step = solve(slope)
        gain = slope @ step
        if gain < 1e-3 * value:
            break
        along, length = X @ step, 1.0
        while length > 1e-4:
            there = loss(margins - length * along, y, w - length * step, lam)
            if there <= value - 1e-4 * length * gain:
                break
            length /= 2
        else:
            break  # rounding: there is nothing to be gained any more
        w, margins, value = w - length * step, margins - length * along, there
    return w, gamma()


def loss(margins: np.ndarray, y: np.ndarray, w: np.ndarray, lam: float) -> float:
    """Return what is minimised."""
    return float(np.logaddexp(0, -y * margins).sum() + lam / 2 * (w @ w))


def solver(
    X: Any, curve: np.ndarray, lam: float
) -> tuple[Callable[[np.ndarray], np.ndarray], Callable[[], float]]:
    """Return what solves H s = g for H = X' diag(curve) X + lam I, and gamma = d - lam tr(1/H)."""
    seen = curve > 1e-9 * curve.max()
    X, curve, d = X[seen], curve[seen], X.shape[1]
    if d > WIDE:
        return solver_without_matrix(X, curve, lam)
    bent = X.multiply(curve[:, None]).T @ X if scipy.sparse.issparse(X) else (X.T * curve) @ X
    H = bent.toarray() if scipy.sparse.issparse(bent) else bent
    H.flat[:: d + 1] += lam
    factor = scipy.linalg.cho_factor(H, overwrite_a=True, check_finite=False)

    def solve(g: np.ndarray) -> np.ndarray:
        return scipy.linalg.cho_solve(factor, g, check_finite=False)

    return solve, lambda: float(d - lam * np.trace(solve(np.eye(d))))


def solver_without_matrix(
    X: Any, curve: np.ndarray, lam: float
) -> tuple[Callable[[np.ndarray], np.ndarray], Callable[[], float]]:
    """Return the same by conjugate gradients, and the trace by random vectors."""
    d = X.shape[1]
    H = scipy.sparse.linalg.LinearOperator(
        (d, d), lambda v: X.T @ (curve * (X @ v)) + lam * v, dtype=float
    )

    def solve(g: np.ndarray) -> np.ndarray:
        return scipy.sparse.linalg.cg(H, g, rtol=0.1, maxiter=200)[0]

    def gamma() -> float:
        probes = np.random.default_rng(0).choice([-1.0, 1.0], (PROBES, d))
        return float(max(d - lam * np.mean([v @ solve(v) for v in probes]), 0.0))

    return solve, gamma
