"""Feature scales of the experts, on dense rows.

The scale of a feature is its variance over its mean absolute deviation: for one that rarely differs
from its usual value, such as a pixel that is seldom on, it is proportional to that difference. From
few rows it is uncertain, so scales are shrunk towards their geometric mean (Efron & Morris 1973):

    log scale = mean log + a (log own - mean log),    a = max(0, 1 - (LOG_VARIANCE / n) / variance)

where `variance` is that of log own over the features.

Values are winsorised at CLIP_AT scales from the mean, so that one absurd value, or -999 for a
missing one, does no harm. Consecutive outliers each double the limit for the next.

Experts are brought to the current scales. Where one is `ratio` times an expert's, w_j becomes
ratio w_j, and the variance v of its prior is corrected: the posterior is multiplied by
exp(-tau w_j^2 / 2) with tau = (1 - 1 / ratio^2) / v, as if that had been the scale from its birth.
"""

import math
from typing import Any

from ..engine.scales import SHORTEST
from ..spaces.dense_second import update
from .experts import PRIOR_VARIANCE
from .posterior import ALIVE, LABELS

LOG_VARIANCE = 3.0  # 0.6 for a Gaussian feature, more for one with heavy tails
TOLERANCE = 1.5  # the ratio of scales beyond which an expert is rescaled
CLIP_AT, CLIP_AFTER = 5.0, 8.0  # scales from the mean; labels before anything is winsorised


def update_scales(s: Any) -> None:
    """Compute the current offsets and scales from all labelled rows so far."""
    d, first, n, now = s.sums.shape[1], int(s.constant[0]), s.scalars[LABELS], len(s.experts)
    typical, total = typical_scale(s), 0.0
    part = trusted_part(s, typical)
    for j in range(d):
        own = feature_scale(s, j)
        s.scaler[0, now, j] = s.sums[0, j] / n if first == 1 and j > 0 else 0.0
        s.scaler[1, now, j] = 1.0
        if j >= first and typical > 0:
            ratio = (own / typical) ** part if own > 0 else 1.0
            s.scaler[1, now, j] = 1 / (typical * ratio)
            total += variance(s, j) * s.scaler[1, now, j] ** 2
    if total > 0:
        for j in range(first, d):
            s.scaler[1, now, j] *= math.sqrt((d - first) / total)


def typical_scale(s: Any) -> float:
    """Return the geometric mean of all scales, or the root mean square if no feature varies yet."""
    together, squares = 0.0, 0.0
    d, first = s.sums.shape[1], int(s.constant[0])
    for j in range(first, d):
        together += feature_scale(s, j)
        squares += (s.sums[0, j] / s.scalars[LABELS]) ** 2
    if not together > 0:
        return math.sqrt(squares / max(1, d - first)) if squares >= SHORTEST else 0.0
    logs, count = 0.0, 0
    for j in range(first, d):
        if feature_scale(s, j) > 0:
            logs += math.log(feature_scale(s, j) / together)
            count += 1
    return together * math.exp(logs / count)


def trusted_part(s: Any, typical: float) -> float:
    """Return a, the part of the differences between scales that is more than chance."""
    squares, others = 0.0, -1
    for j in range(int(s.constant[0]), s.sums.shape[1]):
        if feature_scale(s, j) > 0:
            squares += math.log(feature_scale(s, j) / typical) ** 2
            others += 1
    return max(0.0, 1 - LOG_VARIANCE / s.scalars[LABELS] * others / squares) if squares > 0 else 0.0


def feature_scale(s: Any, j: int) -> float:
    """Return the scale of feature j, 0 if it does not vary."""
    deviation = s.sums[2, j] / s.scalars[LABELS]
    spread = variance(s, j)
    return spread / deviation if spread >= SHORTEST and deviation > 0 else 0.0


def variance(s: Any, j: int) -> float:
    """Return the variance of feature j, or its mean square where there is no constant."""
    return s.sums[1, j] / s.scalars[LABELS]


def clip_distance(s: Any, j: int) -> float:
    """Return how far feature j may be from its mean, inf if its scale is not known yet."""
    own = feature_scale(s, j) if s.scalars[LABELS] >= CLIP_AFTER else 0.0
    return CLIP_AT * own if own > 0 else math.inf


def clip(s: Any, j: int, value: float, distance: float) -> float:
    """Return the value of feature j, limited to this distance from the mean."""
    mean = s.constant[0] * s.sums[0, j] / max(1.0, s.scalars[LABELS])
    return min(max(value, mean - distance), mean + distance)


def rescale(s: Any) -> None:
    """Bring all experts to the current scales, up to TOLERANCE."""
    now = len(s.experts)
    for k in range(now):
        if s.experts[k, ALIVE] > 0:
            for j in range(int(s.constant[0]), s.sums.shape[1]):
                ratio = s.scaler[1, k, j] / s.scaler[1, now, j]
                if ratio > TOLERANCE or ratio < 1 / TOLERANCE:
                    rescale_feature(s, k, j, ratio)


def rescale_feature(s: Any, k: int, j: int, ratio: float) -> None:
    """Multiply the scale of feature j in expert k by `ratio`, and correct its posterior.

    With P and v as they are before, 1 + tau ratio^2 P_jj = 1 + (ratio^2 - 1) P_jj / v.
    """
    t, g, w = s.triangle[k], s.g[k], s.w[k]
    d = len(w)
    for i in range(d):
        g[i] = t[place(i, j)]
    own, old = g[j], w[j]
    if not own > 0:
        return
    more = 1 + (ratio * ratio - 1) * own / prior_variance(s, j)
    more = max(more, least_factor(s, t, g, j, ratio))
    nu = (1 - 1 / more) / own
    for i in range(d):
        w[i] -= nu * old * g[i]
    update(t, g, 0.0, 1.0, 1.0, nu)
    for i in range(d):  # the same as P - nu g g', without its rounding errors
        t[place(i, j)] = ratio / more * g[i]
    t[place(j, j)] *= ratio
    w[j] = ratio / more * old
    s.scaler[1, k, j] /= ratio


def least_factor(s: Any, t: Any, g: Any, j: int, ratio: float) -> float:
    """Return the least 1 + tau ratio^2 P_jj for which no variance exceeds that of the prior.

    An empirical prior may be wider, which cannot be separated from what was learned.
    """
    most = min(1.0, ratio * ratio)
    for i in range(len(g)):
        if i != j and g[i] != 0:
            room = g[j] * max(0.0, prior_variance(s, i) - t[place(i, i)])
            most = max(most, 1 / (1 + room / g[i] / g[i]))
    return most


def prior_variance(s: Any, j: int) -> float:
    """Return the variance of weight j under the prior, before any former leader."""
    first = int(s.constant[0])
    return PRIOR_VARIANCE / 2 if j < first else PRIOR_VARIANCE / (s.sums.shape[1] - first)


def place(i: int, j: int) -> int:
    """Return the index of P_ij in the triangle."""
    return i * (i + 1) // 2 + j if i > j else j * (j + 1) // 2 + i
