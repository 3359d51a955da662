"""Tyler's scatter: the linear map after which points, brought to unit length, are spread evenly.

    A with mean of z z' = I/k for z = A x / |A x|: S = 1/(A'A) solves
    S = (k/n) sum_i x_i x_i' / (x_i' S^-1 x_i), the minimum of
    f(S) = log det S + (k/n) sum_i log(x_i' S^-1 x_i)

The plain iteration is A <- M^-1/2 A, with M = (k/n) sum z z'. It crawls where a subspace is almost
too heavy; there, a Newton step is taken instead: with S = exp(H) around the present position,
f(H) = tr H + (k/n) sum log(z' exp(-H) z) has at 0 the gradient I - M and the second derivative

    H -> (M H + H M)/2 - (k/n) sum_i (z_i' H z_i) z_i z_i'.

f is convex along such paths (it is geodesically convex), and bounded below exactly if no proper
subspace of dimension j holds more than j/k of the points.

Sources: Tyler, "A distribution-free M-estimator of multivariate scatter" (Annals of Statistics
1987); Wiesel, "Geodesic convexity and covariance estimation" (IEEE TSP 2012); radially isotropic
position is Forster's (JCSS 2002).
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse.linalg

CRAWL = 0.7  # plain steps that leave more than this of the error, three times, give way to Newton's
COLLAPSED = 1e12  # ratio of axes at which points are taken to fall into a subspace
SAMPLE = 20_000  # points that give the second derivative


class Position(NamedTuple):
    """A linear map, and how far the points are from even under it."""

    matrix: np.ndarray  # (k, k)
    eps: float  # largest |k u'Mu - 1|, M the mean of z z', over unit vectors u
    steps: int


def balanced(Z: np.ndarray, eps: float, most: int) -> Position:
    """Return the position that points of unit length, spanning all dimensions, are brought to.

    The steps end at `eps`, or after `most` steps, or when the map collapses: see `heavy`.
    """
    k = Z.shape[1]
    A, error, slow = np.eye(k), np.inf, 0
    for step in range(most + 1):
        M = k * (Z.T @ Z) / len(Z)
        values, vectors = np.linalg.eigh(M)
        before, error = error, float(max(values[-1] - 1, 1 - values[0]))
        axes = np.linalg.svd(A, compute_uv=False)
        if error <= eps or step == most or axes[0] > COLLAPSED * axes[-1]:
            break
        slow += error > CRAWL * before
        values = np.maximum(values, 1e-12)
        B = newton(Z, M) if slow >= 3 else (vectors / np.sqrt(values)) @ vectors.T
        Z = unit(Z @ B)
        A = B @ A
        A /= np.linalg.norm(A, 2)
    return Position(A, error, step)


def newton(Z: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Return exp(-t H/2) for Newton's direction H, t halved until f does not rise."""
    k = Z.shape[1]
    slope = np.eye(k) - M
    some = Z[:: max(1, len(Z) // SAMPLE)]

    def bend(flat: np.ndarray) -> np.ndarray:
        H = flat.reshape(k, k)
        along = np.einsum("ij,ij->i", some @ H, some)
        return ((M @ H + H @ M) / 2 - k / len(some) * (some.T * along) @ some).ravel()

    operator = scipy.sparse.linalg.LinearOperator((k * k, k * k), bend, dtype=float)
    accuracy = min(0.1, float(np.abs(slope).max()))
    flat, _ = scipy.sparse.linalg.cg(operator, -slope.ravel(), rtol=accuracy, maxiter=2 * k)
    H = flat.reshape(k, k)
    H = (H + H.T) / 2 - np.trace(H) / k * np.eye(k)  # f is the same along multiples of I
    H *= 4.0 / max(float(np.linalg.norm(H, 2)), 4.0)
    values, vectors = np.linalg.eigh(H)
    turned = (Z @ vectors) ** 2
    length = 1.0
    while length > 1e-6:
        rise = k * np.mean(np.log(turned @ np.exp(-length * values)))  # tr H is 0
        if rise <= 0:
            break
        length /= 2
    return (vectors * np.exp(-length / 2 * values)) @ vectors.T


def unit(Z: np.ndarray) -> np.ndarray:
    """Return rows of unit length, and those of 0 as they are."""
    lengths = np.linalg.norm(Z, axis=1)[:, None]
    return np.divide(Z, lengths, out=np.zeros_like(Z), where=lengths > 0)
