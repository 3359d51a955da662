"""Radially isotropic position: the linear map after which normalised points are evenly spread.

    A with mean of z z' = I/k for z = A x / |A x|: S = 1/(A'A) is the minimum of
    f(S) = log det S + (k/n) sum_i log(x_i' S^-1 x_i)

The fixed-point iteration is A <- M^-1/2 A, with M = (k/n) sum z z'. If a subspace holds nearly
too many points, it converges slowly, and Newton steps replace it.

Sources: Tyler, "A distribution-free M-estimator of multivariate scatter" (Annals of Statistics
1987); Wiesel, "Geodesic convexity and covariance estimation" (IEEE TSP 2012); radially isotropic
position is Forster's (JCSS 2002).
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse.linalg
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..estimator.checks import TABLE, in_one_sentence

CRAWL = 0.7  # after three steps that leave more than this share of the error, Newton's follow
COLLAPSED = 1e12  # ratio of axes at which points are taken to lie in a subspace
FLAT = 1e-9  # share of a unit vector outside a subspace that is taken for rounding
SAMPLE = 20_000  # points that the second derivative is computed from


class Position(NamedTuple):
    """A linear map, and the distance of the points from isotropic position under it."""

    matrix: np.ndarray  # (k, k)
    eps: float  # largest |k u'Mu - 1|, M the mean of z z', over unit vectors u
    steps: int


def balanced(Z: np.ndarray, eps: float, most: int) -> Position:
    """Return the position of points of unit length that span all k dimensions.

    Stop at an error of `eps`, after `most` steps, or when the map collapses (see `heavy`).
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
    """Return exp(-t H/2) for Newton's direction H, t halved until f does not increase.

    With S = exp(H), f(H) = tr H + (k/n) sum log(z' exp(-H) z) has at 0 the gradient I - M and the
    second derivative H -> (M H + H M)/2 - (k/n) sum_i (z_i' H z_i) z_i z_i'.
    """
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
    """Return the rows scaled to unit length, rows of 0 unchanged."""
    lengths = np.linalg.norm(Z, axis=1)[:, None]
    return np.divide(Z, lengths, out=np.zeros_like(Z), where=lengths > 0)


class Subspace(NamedTuple):
    """A subspace that holds at least its share of the points."""

    basis: np.ndarray  # (j, k), orthonormal rows
    inside: np.ndarray  # (n,), booleans


def span(Z: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of the span of unit vectors, in rows."""
    values, vectors = np.linalg.eigh(Z.T @ Z)
    if values[0] > len(Z) * 1e-12:  # full rank
        return vectors.T[::-1]
    _, sizes, rows = np.linalg.svd(np.linalg.qr(Z, mode="r") if len(Z) > Z.shape[1] else Z)
    return rows[: int((sizes > FLAT * max(sizes[0], 1e-300) * np.sqrt(Z.shape[1])).sum())]


def heavy(Z: np.ndarray, position: Position) -> Subspace | None:
    """Return a proper subspace of dimension j with a share of j/k of the points or more, or None.

    A map that does not converge shrinks such a subspace without bound: the subspaces tried are
    those of the j shortest axes, the largest gap to the next axis first.
    """
    n, k = Z.shape
    _, axes, directions = np.linalg.svd(position.matrix)
    ratios = axes[:-1] / np.maximum(axes[1:], 1e-300)
    for cut in np.argsort(-ratios):
        j = k - 1 - int(cut)
        enough = -(-n * j // k)
        out = outside(Z, directions[-j:])
        closest = np.argpartition(out, enough - 1)[:enough]
        exact = span(Z[closest]) if out[closest].max() <= 0.1 else directions[:0]
        if 0 < len(exact) <= j:
            inside = outside(Z, exact) <= FLAT * 10
            if inside.sum() * k >= len(exact) * n:
                return Subspace(exact, inside)
    return None


def outside(Z: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Return the distances of points from a subspace."""
    return np.linalg.norm(Z - (Z @ basis.T) @ basis, axis=1)


def forster(X: np.ndarray, eps: float, most: int) -> tuple[Subspace, Position]:
    """Return a subspace with at least its share of the rows (none of them 0), and their position.

    It is the span unless a subspace of that holds too many rows; a line is always in position.
    """
    Z = unit(X)
    basis, inside = np.eye(X.shape[1]), np.ones(len(X), bool)
    while True:
        own = span(Z[inside] @ basis.T)
        basis = own @ basis if len(own) < len(basis) else basis
        part = unit(Z[inside] @ basis.T)
        position = balanced(part, eps, most)
        found = heavy(part, position) if position.eps > eps and len(basis) > 1 else None
        if found is None:
            return Subspace(basis, inside), position
        basis = found.basis @ basis
        inside[np.flatnonzero(inside)[~found.inside]] = False


class RadiallyIsotropic(TransformerMixin, BaseEstimator):
    """The linear map that brings rows, scaled to unit length, into radially isotropic position.

    Under it, the mean of z z' is within eps / k of I / k in every direction, for z = A x / |A x|.
    No such map exists if a proper subspace of dimension j of the k-dimensional span holds more than
    a share j/k of the rows. Then `converged_` is False and `heavy_subspace_` is that subspace.

    Parameters
    ----------
    eps : float, default 1e-6
        Tolerance of `eps_`.
    max_iter : int, default 200
        Maximum number of steps; each takes a few passes over the rows.

    Attributes
    ----------
    converged_ : bool
        Whether `eps_` is at most `eps`.
    eps_ : float
        The error on the rows: the largest \\|k u'Mu - 1\\| over unit vectors u, M the mean of z z'.
    matrix_ : ndarray of shape (k, d)
        The map A; k is the dimension of the span of the rows.
    n_iter_ : int
    heavy_subspace_ : ndarray of shape (j, d), or None
        Orthonormal basis of the subspace found, in rows.
    heavy_rows_ : ndarray of int, or None
        The numbers of the rows in it.
    n_zero_, n_duplicate_ : int
        Numbers of zero rows, which are left out, and of rows that repeat an earlier one.

    Notes
    -----
    `fit` raises SelectronError if X is not a table of finite numbers.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3)) * [1.0, 100.0, 0.01]
    >>> iso = RadiallyIsotropic().fit(X)
    >>> iso.converged_, iso.eps_ < 1e-6
    (True, True)
    >>> Z = iso.transform(X)
    >>> np.round(Z.T @ Z / len(Z), 5) + 0.0
    array([[0.33333, 0.     , 0.     ],
           [0.     , 0.33333, 0.     ],
           [0.     , 0.     , 0.33333]])

    With half of the rows on one line, no such map exists:

    >>> X[:250, 1:] = 0.0
    >>> iso = RadiallyIsotropic().fit(X)
    >>> iso.converged_, len(iso.heavy_subspace_), len(iso.heavy_rows_)
    (False, 1, 250)
    """

    def __init__(self, eps: float = 1e-6, max_iter: int = 200):
        self.eps = eps
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None) -> "RadiallyIsotropic":
        """Compute the map for rows of shape (n, d); y is ignored."""
        with in_one_sentence(TABLE):
            X = validate_data(self, X, dtype=np.float64)
        Z = unit(X)
        full = np.flatnonzero(X.any(axis=1))
        self.n_zero_ = len(X) - len(full)
        self.n_duplicate_ = len(X) - len(np.unique(X, axis=0))
        basis = span(Z[full]) if len(full) else np.eye(X.shape[1])
        within = unit(Z[full] @ basis.T)
        position = balanced(within, self.eps, self.max_iter)
        self.matrix_ = position.matrix @ basis
        self.eps_, self.n_iter_ = position.eps, position.steps
        self.converged_ = bool(self.eps_ <= self.eps)
        found = None if self.converged_ else heavy(within, position)
        self.heavy_subspace_ = found and found.basis @ basis
        self.heavy_rows_ = found and full[found.inside]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the rows under the map, (n, k), scaled to unit length; zero rows stay 0."""
        check_is_fitted(self)
        with in_one_sentence(TABLE):
            X = validate_data(self, X, dtype=np.float64, reset=False)
        return unit(X @ self.matrix_.T)
