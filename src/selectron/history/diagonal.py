"""Diagonal experts on dense rows of many features: w, and a variance for each weight alone.

Such rows are brought to a few leading directions for all other experts. Where none lead, as in
independent features of equal size, that loses most of what rows hold; a diagonal expert has every
feature, standardised, at the cost of their covariances.

The array of an expert is (2, d): w, and the variances.
"""

import math
from typing import Any

from .experts import PRIOR_VARIANCE
from .posterior import KIND, KINDS
from .state import RENEWED


def is_diagonal(s: Any, k: int) -> bool:
    """Return whether expert k is diagonal."""
    return s.diagonal.shape[2] > 0 and s.experts[k, KIND] == KINDS


def diagonal_prior(variances: Any, first: int) -> None:
    """Set the variances of the prior, under which margins have the usual variance."""
    own = PRIOR_VARIANCE / max(1, len(variances) - first)
    for j in range(len(variances)):
        variances[j] = PRIOR_VARIANCE / 2 if j < first else own


def margin_of_diagonal(own: Any, x: Any) -> tuple[float, float]:
    """Return the margin and the quadratic form."""
    m, q = 0.0, 0.0
    for j in range(len(x)):
        m += own[0, j] * x[j]
        q += own[1, j] * x[j] * x[j]
    return m, q


def step_diagonal(own: Any, x: Any, eta: float, nu: float) -> bool:
    """w <- w + eta P x, P <- P - nu P x x' P on its diagonal; return whether all is finite."""
    total = 0.0
    for j in range(len(x)):
        g = own[1, j] * x[j]
        own[0, j] += eta * g
        own[1, j] -= nu * g * g
        total += abs(own[0, j]) + abs(own[1, j])
    return math.isfinite(total)


def discount_diagonal(own: Any, prior: Any, by: float) -> None:
    """w <- by w, P <- by^2 P + (1 - by^2) prior."""
    for j in range(own.shape[1]):
        own[0, j] *= by
        own[1, j] = by * by * own[1, j] + (1 - by * by) * prior[1, j]


def copy_diagonal(source: Any, target: Any) -> None:
    """Copy the arrays of an expert."""
    for j in range(source.shape[1]):
        target[0, j], target[1, j] = source[0, j], source[1, j]


def bring_diagonal(s: Any, new: Any, first: int) -> None:
    """Convert the diagonal experts of a state to the scales of a new one, and renew their prior."""
    found = new.diagonal[:-1]
    diagonal_prior(new.diagonal[-1, 1], first)
    if s.rows_seen[RENEWED] == 0:
        found[:] = new.diagonal[-1]
        return
    ratio = s.scaler[1] / new.scaler[1]
    found[:, 0] *= ratio
    found[:, 1] *= ratio**2
    moved = (new.scaler[0] - s.scaler[0]) * new.scaler[1]  # 0 where there is no constant
    found[:, 0, 0] += found[:, 0] @ moved
