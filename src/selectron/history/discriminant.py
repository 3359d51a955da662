"""Linear discriminant analysis of z: every class is a Gaussian, and all have one covariance.

With few labels of each class, it separates many classes better than one learner for each does,
which has to find from its few labels what all classes have in common:

    log p(k | z) = <N mu_k, z> - <N mu_k, mu_k> / 2 + log p(k) + a constant,

    mu_k = sum of z over labels of k / (count_k + 1),    N^-1 = (W + PRIOR d v I) / (n + PRIOR d)

z is what `LeadingHistory` makes of a row: d coordinates about the mean of all rows, in units of
their scales, of mean variance v. W is the scatter of n labels about the means of their classes, so
that N is kept up in O(d^2) a label. Means forget, so that MEMORY labels of its class later a label
counts 1 / e as much, and p(k) does after RATE_MEMORY labels.

Sources: Fisher, "The Use of Multiple Measurements in Taxonomic Problems" (1936); Friedman,
"Regularized Discriminant Analysis" (JASA, 1989).
"""

import math
from typing import Any

import numpy as np

from ..engine.arithmetic import add_multiple, dot
from ..engine.bind import noinline
from ..engine.rows import DenseRows
from ..spaces.dense_second import State as Matrix
from ..spaces.dense_second import quadratic_form, update
from .conversion import inverses, triangles
from .state import CONSTANT
from .vectors import NO_SCALARS

PRIOR = 0.3  # labels that the prior of W counts as, for each coordinate
MEMORY = 50.0  # labels of a class over which its mean is averaged
RATE_MEMORY = 500.0  # labels over which p(k) is averaged
HALF = 0.5  # labels that every class has in p(k) before its first one
SUM, NORMAL = 0, 1  # rows of `centers`: the sum of z, and M mu, where M = (W + PRIOR d v I)^-1
HELD, SQUARE, RATE = 0, 1, 2  # in `center_counts`: count_k, <M mu, mu>, and labels for p(k)
SCATTERED, RIDGE = 0, 1  # in `degrees`: n, and PRIOR d v
VECTOR, PRODUCT = 0, 1  # rows of `deviation`: a vector, and its product with M


def log_densities(s: Any, logs: Any) -> None:
    """Leave log p(k | z) but for a constant in `logs`, from its second number on; 0 before M."""
    n, known = s.degrees[SCATTERED] + PRIOR * s.z.shape[1], s.degrees[RIDGE] > 0
    for k in range(len(s.center_counts)):
        own = dot(s.centers[k, NORMAL], s.z[0]) - s.center_counts[k, SQUARE] / 2
        logs[k + 1] = n * own + math.log(s.center_counts[k, RATE] + HALF) if known else 0.0


@noinline
def learn_class(s: Any, k: int) -> None:
    """Learn that the row in view is of class k, if rows have coordinates already."""
    if s.degrees[RIDGE] == 0:
        return
    held = s.center_counts[k, HELD]
    if held > 0:
        scatter(s, k, math.sqrt(held / (held + 1)))
    for j in range(int(s.rows_seen[CONSTANT]), s.z.shape[1]):
        s.centers[k, SUM, j] = (1 - 1 / MEMORY) * s.centers[k, SUM, j] + s.z[0, j]
    s.center_counts[k, HELD] = (1 - 1 / MEMORY) * held + 1
    for c in range(len(s.center_counts)):
        s.center_counts[c, RATE] *= 1 - 1 / RATE_MEMORY
    s.center_counts[k, RATE] += 1
    for j in range(s.z.shape[1]):
        s.deviation[VECTOR, j] = s.centers[k, SUM, j] / (s.center_counts[k, HELD] + 1)
    s.center_counts[k, SQUARE] = times_within(s)
    for j in range(s.z.shape[1]):
        s.centers[k, NORMAL, j] = s.deviation[PRODUCT, j]


def times_within(s: Any) -> float:
    """Leave M u of the vector u in s.deviation; return <u, M u>."""
    own, g = s.deviation[VECTOR], s.deviation[PRODUCT]
    return quadratic_form(
        Matrix(own, s.within, g, NO_SCALARS), DenseRows(s.deviation, 0.0, ()), VECTOR
    )


def scatter(s: Any, k: int, by: float) -> None:
    """Add the deviation of the row in view from the mean of its class, times `by`, to W."""
    for j in range(int(s.rows_seen[CONSTANT]), s.z.shape[1]):
        mean = s.centers[k, SUM, j] / s.center_counts[k, HELD]
        s.deviation[VECTOR, j] = by * (s.z[0, j] - mean)
    q = times_within(s)
    if not 0 <= q < math.inf:
        return
    g = s.deviation[PRODUCT]
    update(s.within, g, 0.0, 1.0, 1.0, 1 / (1 + q))
    s.degrees[SCATTERED] += 1
    for c in range(len(s.center_counts)):
        moved = dot(g, s.centers[c, SUM]) / (s.center_counts[c, HELD] + 1)
        s.center_counts[c, SQUARE] -= moved * moved / (1 + q)
        add_multiple(s.centers[c, NORMAL], g, -moved / (1 + q))


def bring_centers(olds: list[Any], news: list[Any], A: np.ndarray, variance: float) -> None:
    """Convert means and W to coordinates A z, of a mean variance each; W restarts if that fails."""
    known, new_known, first = olds[0], news[0], int(olds[0].rows_seen[CONSTANT])
    ridge = PRIOR * len(A) * variance
    M = np.eye(len(A)) / ridge
    if new_known.degrees[SCATTERED] > 0:
        W = A @ (inverses(known.within) - known.degrees[RIDGE] * np.eye(A.shape[1])) @ A.T
        W[:first], W[:, :first] = 0.0, 0.0
        found = inverses(triangles(W + ridge * np.eye(len(A))))
        if np.isfinite(found).all() and (np.diag(found) > 0).all():
            M = (found + found.T) / 2
        else:
            new_known.degrees[SCATTERED] = 0.0
    new_known.degrees[RIDGE], new_known.within[:] = ridge, triangles(M)
    for s, new in zip(olds, news, strict=True):
        if (held := new.center_counts[HELD]) > 0:  # before, A may not be finite
            total = s.centers[SUM].copy()
            total[:first] = held  # the constant is 1 in every row
            new.centers[SUM] = A @ total
            new.centers[SUM, :first] = 0.0
            new.centers[NORMAL] = M @ new.centers[SUM] / (held + 1)
            new.center_counts[SQUARE] = new.centers[NORMAL] @ new.centers[SUM] / (held + 1)


def forget_centers(states: list[Any]) -> None:
    """Forget all labels, as absurd values among the first rows would count for long."""
    for s in states:
        s.centers[:], s.center_counts[:], s.degrees[SCATTERED] = 0.0, 0.0, 0.0
