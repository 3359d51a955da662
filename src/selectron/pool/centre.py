"""The centre of the weights that fit what has been told: a logistic fit that finds its own prior.

    minimise over w   sum_i log(1 + exp(-y_i <w, x_i>)) + lam/2 <w, w>

With labels that some w fits, lam goes to 0 from fit to fit, and w to the direction of the largest
margin. With noise, lam stays where the evidence has it, and w is close to an ordinary logistic
regression. Only rows near the boundary have a say, so that a fit costs little more than the pass
that finds them.

Sources: the fit is Newton's method, damped, on d weights or, where there are fewer rows, on these
(Woodbury's identity); lam follows MacKay, "Bayesian Interpolation" (Neural Computation 1992), eq.
4.9: lam <- gamma / <w, w>, gamma the number of well-determined weights. That the limit is the
largest margin: Rosset, Zhu & Hastie (NIPS 2003), theorem 3.1. What a fit says of a row that is left
out is one Newton step away: Opper & Winther, "Gaussian processes for classification: mean-field
algorithms" (Neural Computation 2000).
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
WIDE = 1_024  # rows and columns of the largest matrix that is formed: more than `kernels` go with
WIDER = 10.0  # the prior that margins come from, against the evidence's, which is too narrow
ROUNDS = 3  # of the evidence, at most, in a fit


class Centre(NamedTuple):
    """Weights, and the precision of their prior."""

    w: np.ndarray  # (d,)
    lam: float
    rests: int = 0  # mistakes before which there is to be no other fit


class Bend(NamedTuple):
    """The second derivative H = X' diag(curve) X + lam I, as far as it is wanted."""

    solve: Callable[[np.ndarray], np.ndarray]  # H s = g
    gamma: Callable[[], float]  # d - lam tr(1/H)


class Fit(NamedTuple):
    """The minimum for a prior."""

    w: np.ndarray  # (d,)
    margins: np.ndarray  # (n,), <w, x> of every row
    near: np.ndarray  # (n,) booleans: the rows that have a say
    bend: Bend


class Found(NamedTuple):
    """What has been learned from what has been told."""

    centre: Centre  # at the evidence's prior: what the next fit begins from
    fit: Fit | None  # under the wider prior; None where nothing has been told
    margins: np.ndarray  # (n,), those of the fit


def centre(X: Any, signs: np.ndarray, last: Centre) -> Found:
    """Return the next centre, starting from the last one.

    `signs` (n,) are -1 and +1, and 0 for rows without a label. The prior is brought to the evidence
    in a few rounds, not to the end: where a w fits all labels, there is no end.
    """
    margins = X @ last.w
    if not signs.any():
        return Found(last, None, margins)
    for _ in range(ROUNDS):
        w, margins, _, bend = fit(X, signs, last, margins)
        square = w @ w
        lam = min(max(bend.gamma() / square, LEAST), MOST) if square > 0 else last.lam
        settled = abs(math.log(lam / last.lam)) < 0.3
        last = Centre(w, lam)
        if settled:
            break
    wider = fit(X, signs, Centre(last.w, last.lam / WIDER), margins)
    return Found(last, wider, wider.margins)


def left_out(X: np.ndarray, signs: np.ndarray, found: Found) -> np.ndarray:
    """Return <w, x> for every row, that of a told one as if it had not been told, nearly.

    Without row i, w is about -H_i^-1 y_i miss_i x_i away, H_i being H without its part.
    """
    if found.fit is None:
        return found.margins
    near, margins = found.fit.near, found.margins.copy()
    A, y = X[near], signs[near]
    miss = expit(-y * margins[near])
    reach = np.einsum("ij,ji->i", A, found.fit.bend.solve(A.T))  # x' H^-1 x
    margins[near] -= y * miss * reach / np.maximum(1 - reach * miss * (1 - miss), 1e-3)
    return margins


def fit(X: Any, signs: np.ndarray, last: Centre, margins: np.ndarray) -> Fit:
    """Return the minimum for the prior as it is, starting from weights and their margins."""
    near, w = np.zeros(len(signs), bool), last.w
    fresh = nearest(signs, margins)
    while (fresh & ~near).any():
        near |= fresh
        w, bend = newton(X[near], signs[near].astype(float), w, last.lam)
        margins = X @ w
        fresh = nearest(signs, margins)
    return Fit(w, margins, near, bend)


def nearest(signs: np.ndarray, margins: np.ndarray) -> np.ndarray:
    """Tell which rows of those told have a say: all that are wrong, or about as near as any."""
    away = np.where(signs != 0, signs * margins, np.inf)
    return away <= max(away.min(), 0.0) + FAR


def newton(X: Any, y: np.ndarray, w: np.ndarray, lam: float) -> tuple[np.ndarray, Bend]:
    """Return the minimum, and how it bends there."""
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
            break  # rounding: there is nothing to be gained any more
        w, margins, value = w - length * step, margins - length * along, there
    return w, bend


def loss(margins: np.ndarray, y: np.ndarray, w: np.ndarray, lam: float) -> float:
    """Return what is minimised."""
    return float(np.logaddexp(0, -y * margins).sum() + lam / 2 * (w @ w))


def bends(X: Any, curve: np.ndarray, lam: float) -> Bend:
    """Return the second derivative, in the form that costs least."""
    seen = curve > 1e-6 * curve.max()
    if not seen.all():
        X, curve = X[seen], curve[seen]
    n, d = X.shape
    if min(n, d) > WIDE:
        return bend_without_matrix(X, curve, lam)
    root = np.sqrt(curve)[:, None]
    R = scipy.sparse.csr_array(X.multiply(root)) if scipy.sparse.issparse(X) else X * root
    return bend_of_rows(R, lam) if n < d else bend_of_weights(R, lam)


def bend_of_weights(R: Any, lam: float) -> Bend:
    """Return H = R'R + lam I from a d x d matrix."""
    d = R.shape[1]
    H = dense(R.T @ R)
    H.flat[:: d + 1] += lam
    factor = scipy.linalg.cho_factor(H, overwrite_a=True, check_finite=False)

    def solve(g: np.ndarray) -> np.ndarray:
        return scipy.linalg.cho_solve(factor, g, check_finite=False)

    return Bend(
        solve,
        lambda: float(d - lam * np.trace(solve(np.eye(d)))),
    )


def bend_of_rows(R: Any, lam: float) -> Bend:
    """Return H = R'R + lam I from an n x n matrix, B = I + R R'/lam."""
    n = R.shape[0]
    B = dense(R @ R.T) / lam
    B.flat[:: n + 1] += 1
    factor = scipy.linalg.cho_factor(B, overwrite_a=True, check_finite=False)

    def solve(g: np.ndarray) -> np.ndarray:
        back = scipy.linalg.cho_solve(factor, R @ g, check_finite=False)
        return (g - R.T @ back / lam) / lam

    def gamma() -> float:
        return float(n - np.trace(scipy.linalg.cho_solve(factor, np.eye(n), check_finite=False)))

    return Bend(solve, gamma)


def bend_without_matrix(X: Any, curve: np.ndarray, lam: float) -> Bend:
    """Return it by conjugate gradients, the trace by a random vector.

    One vector is enough: its error is below a share sqrt(2/gamma) of the trace, and gamma is large.
    """
    d = X.shape[1]
    diagonal = (X.multiply(X) if scipy.sparse.issparse(X) else X * X).T @ curve + lam
    first = scipy.sparse.linalg.LinearOperator((d, d), lambda v: v / diagonal, dtype=float)
    H = scipy.sparse.linalg.LinearOperator(
        (d, d), lambda v: X.T @ (curve * (X @ v)) + lam * v, dtype=float
    )

    def solve(g: np.ndarray) -> np.ndarray:
        return scipy.sparse.linalg.cg(H, g, rtol=0.1, maxiter=200, M=first)[0]

    def gamma() -> float:
        v = np.random.default_rng(0).choice([-1.0, 1.0], d)
        return float(max(d - lam * (v @ solve(v)), 0.0))

    return Bend(solve, gamma)


def dense(X: Any) -> np.ndarray:
    """Return rows as an array."""
    return X.toarray() if scipy.sparse.issparse(X) else X
