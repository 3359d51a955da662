"""Covariances of priors, and what experts have learned, brought to other ones.

To coordinates A z, and from prior S to S':

    P'^-1 = S'^-1 + A (P^-1 - S^-1) A^T,    w' = P' A P^-1 w

is what they would have learned. What a state knows of rows, all classes of a stack share.
"""

import math
from typing import Any

import numpy as np

from ..spaces.state import Table
from .posterior import ALIVE, KIND
from .vectors import PRIOR_VARIANCE

LEAST_VARIANCE = 1e-3  # of a prior, relative to the largest


def of_rows(s: Any, table: Table) -> dict[str, np.ndarray]:
    """Return copies of what a state knows of rows, by name."""
    return {name: getattr(s, name).copy() for name in table.shared}


def under_priors(s: Any, variances: np.ndarray) -> None:
    """Set P of all experts to that of their priors, given the variances of weights in w."""
    kind_of = s.experts[:, KIND].astype(int)
    s.triangle[:] = s.priors[kind_of] * s.experts[:, ALIVE, None]
    s.prior[:] = variances[kind_of]
    s.p[:] = s.prior[:, None]


def convert(s: Any, new: Any, A: np.ndarray, before: np.ndarray, after: np.ndarray) -> None:
    """Convert a and its matrix to coordinates A z, given the precisions of both priors."""
    for k in np.flatnonzero(s.experts[:, ALIVE]).tolist():
        kind = int(s.experts[k, KIND])
        learned = matrices(s.triangle[k]), s.a[k], before[kind]
        new.a[k], new.triangle[k] = converted(*learned, A, after[kind], new.priors[kind])


def converted(
    P: np.ndarray, w: np.ndarray, before: np.ndarray, A: np.ndarray, after: np.ndarray, prior: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return w and the triangle of P in other coordinates, given the precisions of the priors.

    If that fails, they are those of the new prior.
    """
    try:
        precision = np.linalg.inv(P)
        P = np.linalg.inv(after + A @ (precision - before) @ A.T)
        w = P @ (A @ (precision @ w))
    except np.linalg.LinAlgError:
        w = np.full(len(after), math.nan)
    if np.isfinite(P).all() and np.isfinite(w).all() and (np.diag(P) > 0).all():
        return w, triangles((P + P.T) / 2)
    return np.zeros(len(after)), prior


def powered(C: np.ndarray, mean: np.ndarray, by: np.ndarray, power: float, part: float) -> Any:
    """Return C^(power - 1), in other units and shrunk, scaled to the usual variance of margins.

    Without a constant, the direction of the mean has half of that variance, too.
    """
    d, moments, mean = len(C), C * by[:, None] * by, mean * by
    usual = np.trace(moments) / d
    moments = (1 - part) * moments / usual + part * np.eye(d)
    values, vectors = np.linalg.eigh(moments)
    values = np.maximum(values, 0.0) ** (power - 1.0)
    own = (vectors * np.maximum(values, LEAST_VARIANCE * values.max())) @ vectors.T
    found = own * PRIOR_VARIANCE / ((own * moments).sum() * usual)
    square = mean @ mean
    if square > 0:
        found += PRIOR_VARIANCE / 2 / square / max(square, usual) * np.outer(mean, mean)
    found = found * by[:, None] * by
    return found + LEAST_VARIANCE * np.trace(found) / d * np.eye(d)


def inverses(triangles: np.ndarray) -> np.ndarray:
    """Return the inverses of symmetric matrices, NaN if one is singular."""
    found = matrices(triangles)
    try:
        return np.linalg.inv(found)
    except np.linalg.LinAlgError:
        return np.full(found.shape, np.nan)


def matrices(triangle: np.ndarray) -> np.ndarray:
    """Return symmetric matrices, given their lower triangles row by row."""
    d = int(math.sqrt(2 * triangle.shape[-1]))
    found, lower = np.zeros((*triangle.shape[:-1], d, d)), np.tril_indices(d)
    found[..., lower[0], lower[1]] = found[..., lower[1], lower[0]] = triangle
    return found


def triangles(matrix: np.ndarray) -> np.ndarray:
    """Return the lower triangles of matrices, row by row."""
    lower = np.tril_indices(matrix.shape[-1])
    return matrix[..., lower[0], lower[1]]
