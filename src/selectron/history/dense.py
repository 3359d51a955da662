"""Dense rows: every expert has w and a matrix P, which is stored as in `dense_second`.

An expert uses standardised features: the mean of the labelled rows before its birth is subtracted,
if there is a constant feature to make up for it, and the rest divided by the feature scale
(`scaling`). Its prior is then isotropic, apart from the empirical prior (`prior`).
"""

import math
from typing import Any

import numpy as np

from ..engine.arithmetic import dot, row_dot
from ..engine.bind import noinline
from ..engine.parts import expert
from ..engine.round import Round
from ..engine.rows import Dense, readonly
from ..engine.rows import DenseRows as Rows
from ..spaces import dense_second
from ..spaces.dense_second import State as Expert
from ..spaces.dense_second import form as product
from ..spaces.dense_second import length, update
from ..spaces.state import Field, Table, triangle
from .drift import evidence
from .experts import PRIOR_VARIANCE, SHARED, STORED, ceiling, form, inner, learn, norms
from .posterior import EXPERTS, LABELS, SQUARES, age, leader, life, margin_noise
from .prior import add_leader, apply_prior
from .scaling import clip, clip_distance, place, prior_variance, rescale, update_scales

__all__ = ["add_leader", "age", "ceiling", "evidence", "form", "inner", "learn", "length", "life"]
__all__ += ["rescale"]

order = 2
atomic = False
NO_SCALARS = np.zeros(8)  # those of `dense_second`, which go unused


TABLE = Table(
    {
        "w": Field(lambda r: (EXPERTS, r.width), power=1),
        "triangle": Field(lambda r: (EXPERTS, triangle(r.width))),
        "g": Field(lambda r: (EXPERTS, r.width)),  # P z of the last row
        **SHARED,
        "stored": Field(lambda r: (STORED, r.width)),  # the rows of the stored labels
        # Sums over labelled rows of the features, their squared and their absolute deviations
        "sums": Field(lambda r: (3, r.width)),
        "outliers": Field(lambda r: (r.width,)),  # consecutive ones, up to the last label
        # Offsets and factors of the features for every expert, and the current ones
        "scaler": Field(lambda r: (2, EXPERTS + 1, r.width)),
        "row": Field(lambda r: (2, r.width)),  # the last one, winsorised; 1.0 if an outlier
        "z": Field(lambda r: (1, r.width)),  # the last row, standardised
        # Second moments and w of former leaders, summed
        "prior_moment": Field(lambda r: (triangle(r.width),)),
        "prior_mean": Field(lambda r: (r.width,), power=1),
    }
)
State, at, start, size, scaled = TABLE.State, TABLE.at, TABLE.start, TABLE.size, TABLE.scaled


def rows(block: Dense, constant: bool, normalize: bool = False) -> Rows:
    """Return the block as the loop takes it, with rows of unit length if `normalize`."""
    found = dense_second.rows(block, constant)
    if not normalize:
        return found
    squares = np.array([x @ x for x in found.values])
    return found._replace(values=readonly(found.values / norms(squares)[:, None]))


def widen(s: Any, width: int) -> Any:
    """Return the state with new features, as if they had been 0 from the start.

    The prior of a weight is the narrower, the more features there are, and their scales are the
    larger: with c^2 the ratio of these numbers, z becomes c z and w becomes w / c.
    """
    wide = TABLE.widen(s, width)
    if s.scalars[LABELS] == 0:
        return wide
    first, old = int(s.constant[0]), s.w.shape[1]
    by = np.ones(width)  # the factor of every weight
    by[first:] = math.sqrt(max(1, old - first) / (width - first))
    row, column = np.tril_indices(width)
    pairs, new = by[row] * by[column], np.arange(old, width)
    for array, factor in ((wide.w, by), (wide.triangle, pairs), (wide.prior_mean, by)):
        array *= factor
    wide.prior_moment[:] *= pairs
    wide.scalars[SQUARES] *= by[-1] ** 4
    with np.errstate(divide="ignore"):  # experts yet to be born have no scales
        wide.scaler[1, :, new] = np.exp(np.log(s.scaler[1, :, first:]).mean(axis=1))
    wide.scaler[1] /= by
    wide.triangle[:, new * (new + 3) // 2] = PRIOR_VARIANCE / (width - first)
    return wide


def weights(s: Any) -> np.ndarray:
    """Return w of the leader, for rows that are not standardised."""
    k = leader(s)
    mean, by = s.scaler[:, k]
    w = s.w[k] * by
    w[0] -= w @ mean  # which is 0 where there is no constant
    return w


def winsorised(s: Any, rows: Any, i: int) -> Any:
    """Return the row with outliers limited; NaN where a value, or its square, is not finite."""
    for j in range(len(s.outliers)):
        value, distance = rows.values[i, j], clip_distance(s, j)
        clipped = clip(s, j, value, distance * 2.0 ** s.outliers[j])
        s.row[0, j] = clipped + 0.0 * (clipped * clipped) + 0.0 * value
        s.row[1, j] = 1.0 if clip(s, j, value, distance) != value else 0.0
    return Rows(s.row, 0.0, ()), 0


def margin_of(s: Any, k: int, rows: Any, i: int) -> tuple[float, float]:
    """Return the margin and the quadratic form of expert k; leaves g = P z in s.g[k]."""
    mean, by = s.scaler[0, k], s.scaler[1, k]
    for j in range(len(by)):
        s.z[0, j] = (rows.values[i, j] - mean[j]) * by[j]
    own = Expert(s.w[k], s.triangle[k], s.g[k], NO_SCALARS)
    return row_dot(s.w[k], s.z, 0), product(own, Rows(s.z, 0.0, ()), 0)


def step_expert(s: Any, k: int, rows: Any, i: int, eta: float, nu: float) -> bool:
    """w <- w + eta g, P <- P - nu g g'; return whether all is finite."""
    g, w = s.g[k], s.w[k]
    for j in range(len(g)):
        w[j] += eta * g[j]
    update(s.triangle[k], g, 0.0, 1.0, 1.0, nu)
    return math.isfinite(dot(w, w) + nu * dot(g, g))


@noinline
def refit_site(p: Any, s: Any, k: int, slot: int, wrong: float) -> bool:
    """Remove a site from the posterior of expert k, and fit it again; return whether finite."""
    m, q = margin_of(s, k, Rows(s.stored, 0.0, ()), slot)
    tau, nu = s.sites[0, k, slot], s.sites[1, k, slot]
    left = 1 - tau * q
    if not (q > 0 and left > 1e-9):
        return True
    cavity, mean = q / left, (m - nu * q) / left
    step = expert.step(p, Round(mean, cavity, s.labels[slot], 0.0, 0.0, wrong), margin_noise(s, k))
    new_tau = step.nu / (1 - step.nu * cavity)
    new_nu = step.eta * (1 + new_tau * cavity) + new_tau * mean
    more = 1 + (new_tau - tau) * q
    if not more > 1e-6:
        return True
    s.sites[0, k, slot], s.sites[1, k, slot] = new_tau, new_nu
    eta = (new_nu - nu - (new_tau - tau) * m) / more
    return step_expert(s, k, Rows(s.stored, 0.0, ()), slot, eta, (new_tau - tau) / more)


def reset_to_prior(s: Any, k: int) -> None:
    """Set expert k to the empirical prior, in the current feature scales."""
    for j in range(len(s.w[k])):
        s.scaler[0, k, j], s.scaler[1, k, j] = s.scaler[0, -1, j], s.scaler[1, -1, j]
    s.w[k, :] = 0.0
    s.triangle[k, :] = 0.0
    add_prior(s, k, 1.0)
    apply_prior(s, k)


def discount(s: Any, k: int, by: float) -> None:
    """w <- by w, P <- by^2 P + (1 - by^2) prior."""
    for j in range(len(s.w[k])):
        s.w[k, j] *= by
    for j in range(len(s.triangle[k])):
        s.triangle[k, j] *= by * by
    add_prior(s, k, 1 - by * by)


def add_prior(s: Any, k: int, part: float) -> None:
    """P <- P + part prior."""
    for j in range(len(s.w[k])):
        s.triangle[k, place(j, j)] += part * prior_variance(s, j)


def copy_from(s: Any, k: int, other: int) -> None:
    """Copy w, P and the feature scales of another expert to expert k."""
    for j in range(len(s.w[k])):
        s.w[k, j] = s.w[other, j]
        s.scaler[0, k, j], s.scaler[1, k, j] = s.scaler[0, other, j], s.scaler[1, other, j]
    for j in range(len(s.triangle[k])):
        s.triangle[k, j] = s.triangle[other, j]


def store_row(s: Any, rows: Any, i: int, slot: int) -> bool:
    """Store the winsorised row, and update the feature scales; return whether all is finite.

    Squared deviations are summed as in Welford (1962).
    """
    s.constant[0] = rows.constant
    n, total = s.scalars[LABELS], 0.0
    for j in range(len(s.stored[slot])):
        value, before = s.row[0, j], s.sums[0, j] / max(1.0, n - 1)
        s.stored[slot, j] = value
        s.outliers[j] = s.row[1, j] * (s.outliers[j] + 1)
        s.sums[0, j] += value
        off = value - s.constant[0] * s.sums[0, j] / n
        s.sums[1, j] += (value - s.constant[0] * before) * off
        s.sums[2, j] += abs(off)
        total += value * value + s.sums[1, j]
    if not math.isfinite(total):
        return False
    update_scales(s)
    return True
