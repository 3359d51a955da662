"""The empirical prior: what former leaders hand down to new experts, on dense rows.

Each former leader contributes its second moment S_i = P + w w'. With n of them, the mean S of the
moments and the mean w, the prior of a new expert has

    mean             m a b w
    second moment    (1 - m) P0 + m ((1 - a) (tr S / d) I + a S),    m = n / (n + HALF_AFTER)

P0 is the prior without former leaders. a and b are shrinkage coefficients, 0 at least (Ledoit &
Wolf, "A well-conditioned estimator for large-dimensional covariance matrices", 2004):

    a = 1 - (mean |S_i|^2 - |S|^2) / (n - 1) / |S - (tr S / d) I|^2
    b = 1 - (tr S - |w|^2) / (n - 1) / |w|^2

where |S|^2 is the sum of the squared entries. Concepts that have something in common help each
other, and others do no harm. The constant's weight is left out. Every S_i is in the feature scales
of its own expert: weights are handed down for standardised features.
"""

from typing import Any

from ..engine.bind import noinline
from .posterior import LEADERS, SQUARES
from .scaling import place

HALF_AFTER = 5.0  # former leaders, with which the empirical prior counts by half
MIN_LEADERS = 3.0  # with which their differences can be estimated


@noinline
def add_leader(s: Any, k: int) -> None:
    """Add expert k, a former leader, to the empirical prior."""
    first = int(s.constant[0])
    for j in range(first, len(s.prior_mean)):
        s.prior_mean[j] += s.w[k, j]
        for i in range(first, j + 1):
            at = place(i, j)
            moment = s.triangle[k, at] + s.w[k, i] * s.w[k, j]
            s.prior_moment[at] += moment
            s.scalars[SQUARES] += square(moment, i, j)
    s.scalars[LEADERS] += 1


def square(entry: float, i: int, j: int) -> float:
    """Return what entry i, j of a symmetric matrix, i <= j, adds to |S|^2."""
    return entry * entry * (2.0 if i < j else 1.0)


@noinline
def apply_prior(s: Any, k: int) -> None:
    """Bring expert k from the prior without former leaders to the empirical prior."""
    n, d, first = s.scalars[LEADERS], len(s.w[k]), int(s.constant[0])
    if n < MIN_LEADERS:
        return
    total, part = trace(s) / n, n / (n + HALF_AFTER)
    of_moment = part * moment_shrinkage(s, total / (d - first))
    of_mean = of_moment * mean_shrinkage(s, total) / n
    for j in range(first, d):
        s.w[k, j] = of_mean * s.prior_mean[j]
        for i in range(first, j + 1):
            at = place(i, j)
            own = (1 - part) * s.triangle[k, at]
            if i == j:
                own += (part - of_moment) * total / (d - first)
            s.triangle[k, at] = own + of_moment * s.prior_moment[at] / n - s.w[k, i] * s.w[k, j]


def trace(s: Any) -> Any:
    """Return the trace of the sum of second moments."""
    total = 0.0
    for j in range(int(s.constant[0]), len(s.prior_mean)):
        total += s.prior_moment[place(j, j)]
    return total


def moment_shrinkage(s: Any, scale: float) -> Any:
    """Return a, given tr S / d."""
    n, first, together, off = s.scalars[LEADERS], int(s.constant[0]), 0.0, 0.0
    for j in range(first, len(s.prior_mean)):
        for i in range(first, j + 1):
            mean = s.prior_moment[place(i, j)] / n
            together += square(mean, i, j)
            off += square(mean - (scale if i == j else 0.0), i, j)
    chance = (s.scalars[SQUARES] / n - together) / (n - 1)
    return max(0.0, 1 - max(0.0, chance) / off) if off > 0 else 0.0


def mean_shrinkage(s: Any, total: float) -> Any:
    """Return b, given tr S."""
    n, norm = s.scalars[LEADERS], 0.0
    for j in range(int(s.constant[0]), len(s.prior_mean)):
        norm += (s.prior_mean[j] / n) ** 2
    return max(0.0, 1 - (total - norm) / (n - 1) / norm) if norm > 0 else 0.0
