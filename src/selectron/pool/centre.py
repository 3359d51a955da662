"""The centre of the weights that fit the labels: logistic regression that estimates its own prior.

    minimise over w   sum_i log(1 + exp(-y_i <w, x_i>)) + lam/2 <w, w>

If some w separates the labels, lam decreases to 0 from fit to fit, and w converges to the direction
of the largest margin. With noise, lam stays where the evidence is largest, and w is close to an
ordinary logistic regression. Only rows near the boundary enter a fit, to save time.

Sources: the fit is a damped Newton method; lam follows MacKay, "Bayesian Interpolation" (Neural
Computation 1992), eq. 4.9: lam <- gamma / <w, w>, gamma the number of well-determined weights. For
the limit of the largest margin: Rosset, Zhu & Hastie (NIPS 2003), theorem 3.1. The leave-one-out
margins are one Newton step away: Opper & Winther (Neural Computation 2000).
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import expit
from sklearn.utils.extmath import row_norms

LEAST_LAM, MOST_LAM = 1e-8, 1e2  # for rows of mean squared norm 1
FAR = 20.0  # rows further from the boundary than the closest by this weigh e^-20 of it
WIDE = 1_024  # order of the largest matrix that is formed: above that of every kernel map
WIDER = 10.0  # variance of the prior for margins, relative to the evidence's, which is too narrow
ROUNDS = 3  # maximum number of updates of lam in a fit


class Centre(NamedTuple):
    """Weights, and the precision of their prior."""

    w: np.ndarray  # (d,)
    lam: float
    rests: int = 0  # number of mistakes until the next fit


class Bend(NamedTuple):
    """The second derivative H = X' diag(curve) X + lam I."""

    solve: Callable[[np.ndarray], np.ndarray]  # H s = g
    gamma: Callable[[], float]  # d - lam tr(1/H)
    forms: Callable[[Any], np.ndarray] | None = None  # x' H^-1 x of rows; None if that takes long


class Fit(NamedTuple):
    """The minimum for one prior."""

    w: np.ndarray  # (d,)
    margins: np.ndarray  # (n,), <w, x> of every row
    near: np.ndarray  # (n,) booleans: the rows that enter the fit
    bend: Any  # a Bend, or None without labels


def centre(X: Any, signs: np.ndarray, last: Centre) -> tuple[Centre, Fit]:
    """Return the next centre, starting from the last one, and the fit under a wider prior.

    `signs` (n,) are -1 and +1, and 0 for rows without a label. The prior takes a few steps towards
    the maximum of the evidence: if a w separates the labels, there is no maximum.
    """
    margins = X @ last.w
    if not signs.any():
        return last, Fit(last.w, margins, np.zeros(len(signs), bool), None)
    for _ in range(ROUNDS):
        w, margins, _, bend = fit(X, signs, last, margins)
        square = w @ w
        lam = min(max(bend.gamma() / square, LEAST_LAM), MOST_LAM) if square > 0 else last.lam
        settled = abs(math.log(lam / last.lam)) < 0.3
        last = Centre(w, lam)
        if settled:
            break
    return last, fit(X, signs, Centre(last.w, last.lam / WIDER), margins)


def left_out(X: Any, signs: np.ndarray, found: Fit) -> np.ndarray | None:
    """Return the margins (n,), approximately leave-one-out for labelled rows; None if too many.

    Leaving out row i moves w by about -H_i^-1 y_i miss_i x_i, with H_i = H without its term.
    """
    if found.bend is None:
        return found.margins
    if found.bend.forms is None:
        return None
    near, margins = found.near, found.margins.copy()
    y = signs[near]
    miss, reach = expit(-y * margins[near]), found.bend.forms(X[near])
    margins[near] -= y * miss * reach / np.maximum(1 - reach * miss * (1 - miss), 1e-3)
    return margins


def fit(X: Any, signs: np.ndarray, last: Centre, margins: np.ndarray) -> Fit:
    """Return the minimum for the prior of `last`, starting from its weights and their margins."""
    near, w = np.zeros(len(signs), bool), last.w
    fresh = nearest(signs, margins)
    while (fresh & ~near).any():
        near |= fresh
        w, bend = newton(X[near], signs[near].astype(float), w, last.lam)
        margins = X @ w
        fresh = nearest(signs, margins)
    return Fit(w, margins, near, bend)


def nearest(signs: np.ndarray, margins: np.ndarray) -> np.ndarray:
    """Return which labelled rows enter a fit: all errors, and rows about as near as the nearest."""
    away = np.where(signs != 0, signs * margins, np.inf)
    return away <= max(away.min(), 0.0) + FAR


def newton(X: Any, y: np.ndarray, w: np.ndarray, lam: float) -> tuple[np.ndarray, Bend]:
    """Return the minimum by damped Newton steps, and the second derivative there."""
    margins = X @ w
    value = loss(margins, y, w, lam)
    for _ in range(50):
        miss = expit(-y * margins)
        slope = lam * w - X.T @ (y * miss)
        bend = bends(X, miss * (1 - miss), lam)
        step = bend.solve(slope)
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
            break  # nothing to gain above rounding
        w, margins, value = w - length * step, margins - length * along, there
    return w, bend


def loss(margins: np.ndarray, y: np.ndarray, w: np.ndarray, lam: float) -> float:
    """Return the objective."""
    return float(np.logaddexp(0, -y * margins).sum() + lam / 2 * (w @ w))


def bends(X: Any, curve: np.ndarray, lam: float) -> Bend:
    """Return the second derivative in its cheapest form."""
    seen = curve > 1e-6 * curve.max()
    if not seen.all():
        X, curve = X[seen], curve[seen]
    n, d = X.shape
    if min(n, d) > WIDE:
        return bend_without_matrix(X, curve, lam)
    root = np.sqrt(curve)[:, None]
    R = scipy.sparse.csr_array(X.multiply(root)) if scipy.sparse.issparse(X) else X * root
    return bend_with_matrix(R, lam)


def bend_with_matrix(R: Any, lam: float) -> Bend:
    """Return H = R'R + lam I, from I + R R'/lam if there are fewer rows than weights."""
    of_rows = R.shape[0] < R.shape[1]
    M, shift = (R @ R.T / lam, 1.0) if of_rows else (R.T @ R, lam)
    M = M.toarray() if scipy.sparse.issparse(M) else M
    M.flat[:: len(M) + 1] += shift
    factor = scipy.linalg.cho_factor(M, overwrite_a=True, check_finite=False)
    inverse = partial(scipy.linalg.cho_solve, factor, check_finite=False)

    def solve(g: np.ndarray) -> np.ndarray:
        return (g - R.T @ inverse(R @ g) / lam) / lam if of_rows else inverse(g)

    def forms(A: Any) -> np.ndarray:
        T = A @ R.T if of_rows else A
        T = T.toarray() if scipy.sparse.issparse(T) else T
        found = np.einsum("ij,ji->i", T, inverse(T.T))
        return (row_norms(A, squared=True) - found / lam) / lam if of_rows else found

    return Bend(solve, lambda: float(len(M) - shift * np.trace(inverse(np.eye(len(M))))), forms)


def bend_without_matrix(X: Any, curve: np.ndarray, lam: float) -> Bend:
    """Return H by conjugate gradients, its trace estimated by one random vector."""
    d = X.shape[1]
    diagonal = (X.multiply(X) if scipy.sparse.issparse(X) else X * X).T @ curve + lam
    first = LinearOperator((d, d), lambda v: v / diagonal, dtype=float)
    H = LinearOperator((d, d), lambda v: X.T @ (curve * (X @ v)) + lam * v, dtype=float)

    def solve(g: np.ndarray) -> np.ndarray:
        return cg(H, g, rtol=0.1, maxiter=200, M=first)[0]

    def gamma() -> float:
        v = np.random.default_rng(0).choice([-1.0, 1.0], d)
        return float(max(d - lam * (v @ solve(v)), 0.0))

    return Bend(solve, gamma)
