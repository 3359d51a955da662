"""What all rows so far tell, labelled or not: scales, priors, and the width of Fourier features.

It is renewed after 1, 2, 4, 8 rows and so on, so that results do not depend on how a stream is cut.

The scale of a feature is its variance over its mean absolute deviation: for one that rarely differs
from its usual value, such as a pixel that is seldom on, it is proportional to that difference. From
n rows it is uncertain, so scales are shrunk towards their geometric mean (Efron & Morris 1973):

    log scale = mean log + a (log own - mean log),    a = max(0, 1 - (LOG_VARIANCE / n) / variance)

where `variance` is that of log own over the features. Values are winsorised at CLIP_AT scales from
the mean, so that one absurd value, or -999 for a missing one, does no harm. Consecutive outliers
each double the limit for the next.

Under a prior of power p, w ~ N(0, C^(p-1)) for features as they are, or in units of their scales:
C is the covariance of all rows, shrunk towards a multiple of the identity. p = 0 would whiten rows,
p = 1 takes them as they are, and with p > 1 directions count for more in which rows differ much.

Experts are brought to new features, z = A z', and from prior S to S' (`convert`): from Q = A' P A,

    P'^-1 = Q^-1 + D,    w' = P' Q^-1 A' w,    D = S'^-1 - (A' S A)^-1

is what they would have learned. Fourier features take new scales until FITTING labels have been
learned; w and P stay as they are, as features change less and less.
"""

import math
from typing import Any

import numpy as np

from ..engine.round import Shape
from ..engine.scales import SHORTEST
from ..spaces.state import Room
from .experts import PRIOR_VARIANCE
from .posterior import ALIVE, KIND, KINDS, LABELS
from .state import (
    CONSTANT,
    CURVED,
    LINEAR,
    LINEAR_SHARES,
    RENEWED,
    ROUND,
    SEEN,
    TABLE,
    VIEWS,
    linear,
)

LOG_VARIANCE = 3.0  # 0.6 for a Gaussian feature, more for one with heavy tails
CLIP_AT, CLIP_AFTER = 5.0, 8  # scales from the mean; rows before anything is winsorised
POWERS = ("scaled", 1), ("raw", 3), ("scaled", 3), ("raw", 2)  # of the priors
SHRUNK = 0.1  # C is shrunk by d / (n + d) times this
REST = 0.3  # of the variance, for Fourier features other than those that a prior prefers
FITTING = 256  # labels until which Fourier features take new scales
LEAST = 1e-3  # the least variance of a prior, relative to the largest
SINGLE = 0.3  # the part of the Fourier features that look at one feature alone
NARROW, WIDE, LONE = 0.4, 1.0, 0.5  # widths of kernels, relative to the root mean square distance


def rows_left(s: Any, t: int) -> int:
    """Return the rows before the next renewal, 0 if it is due before round t."""
    seen, renewed = int(s.rows_seen[SEEN]), s.rows_seen[RENEWED]
    if t > s.rows_seen[ROUND] and seen > renewed and seen & (seen - 1) == 0:
        return 0
    return (1 << seen.bit_length()) - seen


def renewed(s: Any) -> Any:
    """Return a copy of the state, renewed by the moments of all rows."""
    s = type(s)(*(array.copy() for array in s))
    first, begun = int(s.rows_seen[CONSTANT]), s.rows_seen[RENEWED] > 0
    if len(s.order) and s.rows_seen[SEEN] == 1:  # features by their size in the first row
        s.order[first:] = np.argsort(np.argsort(-abs(s.sums[0, first:]), kind="stable"))
    old, priors = s.scaler.copy(), matrices(s.priors)
    covariance = matrices(s.moments) / s.rows_seen[SEEN]
    s.scaler[:] = scaler(s, covariance, first)
    s.priors[:] = triangles(renewed_priors(s, covariance, first))
    s.rows_seen[RENEWED] = s.rows_seen[SEEN]
    view = linear(s)
    if not begun:
        for k in np.flatnonzero(view.experts[:, ALIVE]):
            view.triangle[k] = view.priors[int(view.experts[k, KIND])]
    if len(s.phases) and s.scalars[LABELS] <= FITTING:
        lift_again(s, first)
    if begun:
        convert(view, old, s.scaler, priors)
    return s


def scaler(s: Any, covariance: np.ndarray, first: int) -> np.ndarray:
    """Return the mean, the factor and the distance of outliers of every feature."""
    n, d = s.rows_seen[SEEN], s.sums.shape[1]
    mean = s.sums[0] / n if first else np.zeros(d)
    spread, deviation = np.diag(covariance), s.sums[1] / n
    varies = (spread >= SHORTEST) & (deviation > 0)
    own = np.divide(spread, deviation, out=np.zeros(d), where=varies)
    found = np.array([mean, np.ones(d), np.zeros(d)])
    if first and d:
        found[0, 0], varies[0] = 0.0, False
    if varies.any():
        logs = np.log(own[varies] / own[varies].sum())
        squares, others = ((logs - logs.mean()) ** 2).sum(), varies.sum() - 1
        trusted = max(0.0, 1 - LOG_VARIANCE / n * others / squares) if squares > 0 else 0.0
        typical, by = own[varies].sum() * math.exp(logs.mean()), np.ones(d)
        by[varies] = (typical / own[varies]) ** trusted / typical
        by[~varies] = 1 / typical
        by[first:] *= math.sqrt((d - first) / (spread[first:] * by[first:] ** 2).sum())
        found[1, first:] = by[first:]
    else:
        square = (s.sums[0, first:] ** 2).mean() / n / n if d > first else 0.0
        found[1, first:] = 1 / math.sqrt(square) if square >= SHORTEST else 1.0
    if n >= CLIP_AFTER:
        found[2] = CLIP_AT * own
    return found


def renewed_priors(s: Any, covariance: np.ndarray, first: int) -> np.ndarray:
    """Return the covariance matrices of w under the priors, for standardised features."""
    n, by, d = s.rows_seen[SEEN], s.scaler[1, first:], s.w.shape[1] - first
    of_z = (covariance * s.scaler[1, :, None] * s.scaler[1])[first:, first:]
    mean = np.zeros(d) if first else s.sums[0] / n * by
    centred = of_z - np.outer(mean, mean)
    found = np.zeros((KINDS, first + d, first + d))
    found[:, :first, :first] = PRIOR_VARIANCE / 2
    for prior, (units, power) in zip(found, POWERS, strict=True):
        prior[first:, first:] = np.eye(d) * PRIOR_VARIANCE / max(1, d)
        if (units, power) != ("scaled", 1) and np.trace(centred) > 1e-9 * np.trace(of_z):
            factor = np.ones(d) if units == "scaled" else by.min() / by
            prior[first:, first:] = powered(centred, mean, factor, power, SHRUNK * d / (n + d))
    return found


def powered(C: np.ndarray, mean: np.ndarray, by: np.ndarray, power: float, part: float) -> Any:
    """Return C^(power - 1), in other units and shrunk, scaled to the usual variance of margins.

    Without a constant, the direction of the mean has half of that variance, too.
    """
    d, moments, mean = len(C), C * by[:, None] * by, mean * by
    usual = np.trace(moments) / d
    moments = (1 - part) * moments / usual + part * np.eye(d)
    values, vectors = np.linalg.eigh(moments)
    values = np.maximum(values, 0.0) ** (power - 1.0)
    own = (vectors * np.maximum(values, LEAST * values.max())) @ vectors.T
    found = own * PRIOR_VARIANCE / ((own * moments).sum() * usual)
    square = mean @ mean
    if square > 0:
        found += PRIOR_VARIANCE / 2 / square / max(square, usual) * np.outer(mean, mean)
    found = found * by[:, None] * by
    return found + LEAST * np.trace(found) / d * np.eye(d)


def convert(view: Any, old: np.ndarray, new: np.ndarray, priors: np.ndarray) -> None:
    """Bring all experts to other features and priors.

    With z = A z', which adds b to the multiples of a where there is a constant, w and P become
    A' w and A' P A first; D is the difference of the precisions of the priors. Neither P nor what
    was learned is inverted, which would cost digits.
    """
    a, b = old[1] / new[1], (new[0] - old[0]) * old[1]  # z = a z' + b
    D = np.linalg.inv(matrices(view.priors)) - np.linalg.inv(moved(priors, a, b))
    for k in np.flatnonzero(view.experts[:, ALIVE]):
        kind = int(view.experts[k, KIND])
        convert_one(view.w[k], view.triangle[k], a, b, D[kind], view.priors[kind])


def convert_one(
    w: Any, triangle: Any, a: np.ndarray, b: np.ndarray, D: np.ndarray, prior: np.ndarray
) -> None:
    """P <- (I + P D)^-1 P, w <- (I + P D)^-1 w for other features; the prior, if that fails."""
    P, other, d = moved(matrices(triangle), a, b), a * w, len(a)
    other[:1] += b @ w
    try:
        found = np.linalg.solve(np.eye(d) + P @ D, np.column_stack([P, other]))
    except np.linalg.LinAlgError:
        found = np.full((d, d + 1), math.nan)
    sound = np.isfinite(found).all() and (np.diag(found) > 0).all()
    triangle[:] = triangles((found[:, :d] + found[:, :d].T) / 2) if sound else prior
    w[:] = found[:, d] if sound else 0.0


def moved(P: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return A' P A, where A' is diagonal but for b in its first row."""
    left = a[:, None] * P
    left[..., :1, :] += (b @ P)[..., None, :]
    found = left * a
    found[..., :1] += (left @ b)[..., None]
    return found


def lift_again(s: Any, first: int) -> None:
    """Bring the Fourier features to the scales of the rows so far."""
    features, d = len(s.phases), s.last.shape[1] - first
    lone, half = int(SINGLE * features), features // 2
    width = math.sqrt(2 * max(1, d)) * np.where(np.arange(features) < half, NARROW, WIDE)
    width[:lone] = LONE * math.sqrt(2)
    drawn = directions(features, d)[:, s.order[first:].astype(int)]
    s.frequencies[:, first:] = drawn * s.scaler[1, first:] / width[:, None]
    s.phases[:] = np.arange(features) % 2 * np.pi / 2  # a cosine and a sine of every direction
    s.phases[:] -= s.frequencies @ s.scaler[0]


def directions(features: int, d: int) -> np.ndarray:
    """Return random directions in pairs, (features, d): first those along one axis, then others.

    Apart from which axis that is, a column depends on its number alone.
    """
    found, lone = np.zeros((features, d)), int(SINGLE * features)
    for j in range(d):
        found[:, j] = np.random.default_rng([17, j]).standard_normal(features)
    found[1::2] = found[: features // 2 * 2 : 2]
    pair = np.arange(lone) // 2
    found[:lone] *= pair[:, None] % max(1, d) == np.arange(d)
    return found


def start(width: int, shape: Shape | None, fourier: int) -> Any:
    """Return the state before the first row."""
    s = TABLE.start(width, shape, fourier)
    if fourier == 0:
        s.mix[:VIEWS] = LINEAR_SHARES
        return s
    lone, half, part = int(SINGLE * fourier), fourier // 2, np.ones((KINDS, fourier))
    part[1, lone:half] = part[2, :lone] = part[2, half:] = part[3, :half] = REST
    part *= 2 * PRIOR_VARIANCE / part.sum(axis=1, keepdims=True)
    s.curved_priors[:] = triangles(np.eye(fourier) * part[:, None])
    s.curved_triangle[:] = s.curved_priors[s.curved_experts[:, KIND].astype(int)]
    return s


def adapted(s: Any, fresh: Any) -> Any:
    """Return a state without Fourier features, if a fresh one has none."""
    if len(fresh.phases) == len(s.phases):
        return s
    names = [name for name in s._fields if name.startswith("curved_")]
    names += ["order", "frequencies", "phases"]
    s = s._replace(mix=s.mix.copy(), **{name: getattr(fresh, name).copy() for name in names})
    s.mix[LINEAR], s.mix[CURVED] = s.mix[LINEAR] + s.mix[CURVED], 0.0
    return s


def widen(s: Any, width: int) -> Any:
    """Return the state with new features, as if they had been 0 from the start."""
    wide, old = TABLE.resized(s, Room(width, len(s.phases))), s.w.shape[1]
    wide.order[old:] = np.arange(len(wide.order))[old:] - s.rows_seen[CONSTANT]
    if s.rows_seen[RENEWED] == 0:
        return wide
    first, new = int(s.rows_seen[CONSTANT]), np.arange(old, width)
    wide.scaler[1, old:] = math.exp(np.log(s.scaler[1, first:]).mean()) if old > first else 1.0
    features, lone = len(s.phases), int(SINGLE * len(s.phases))
    drawn = directions(features, width - first)[lone:, old - first :]
    wide.frequencies[lone:, old:] = drawn * wide.scaler[1, old:] / math.sqrt(2 * (width - first))
    at = new * (new + 3) // 2
    for kind in range(KINDS):
        own = np.diag(matrices(s.priors[kind]))[first:].mean() if old > first else 1.0
        wide.priors[kind, at] = own
    wide.triangle[:, at] = wide.priors[s.experts[:, KIND].astype(int)][:, at]
    return wide


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
