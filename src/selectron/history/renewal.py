"""What the rows so far imply, labelled or not: scales, priors, and the width of Fourier features.

It is renewed after 1, 2, 4, 8 rows and so on, so that results do not depend on how a stream is cut.

The scale of a feature is its variance over its mean absolute deviation: for one that rarely differs
from its usual value, such as a pixel that is seldom on, it is proportional to that difference. From
n rows it is uncertain, so scales are shrunk towards their geometric mean (Efron & Morris 1973):

    log scale = mean log + a (log own - mean log),    a = max(0, 1 - (LOG_VARIANCE / n) / variance)

where `variance` is that of log own over the features. Values are winsorised at CLIP_AT times a
feature's own scale from the mean, so that one absurd value, such as -999, does no harm. Consecutive
outliers each double the limit for the next. Among the first EARLY rows, outliers count as LIMIT
median absolute deviations from the median, once these rows are known.

Under a prior of power p, w ~ N(0, C^(p-1)) for features as they are, or in units of their scales: C
is the covariance of all rows, shrunk towards a multiple of the identity. p = 0 whitens rows, so
that the differences of nearly equal features count; p = 1 takes rows as they are; and with p > 1
directions count for more in which rows differ much. Features that were the same in all rows have
the usual variance: what they are worth is unknown. A few numbers of large scale next to many
features alike, such as embeddings, would hide these, so under one prior they are `reduced`.

Of more than `WHOLE` features, z is made of the leading eigenvectors of C, in the units of the rows
as far as these are alike (`units`). Correlations are shrunk by d / (n + d), or less if they are
large enough to be trusted from n rows (Chen, Wiesel, Eldar & Hero 2010). Of an eigenvalue, the part
that they make counts by its root, and each coordinate has variance 1 but for that.

Experts are brought to new scales, coordinates and priors (`conversion`). Fourier features take new
scales until FITTING labels have been learned, and less and less so; their weights and P stay.
"""

import math
from typing import Any

import numpy as np

from ..engine.arithmetic import limit_outliers
from ..engine.round import SHORTEST, Shape
from ..spaces.state import Room
from .conversion import (
    LEAST_VARIANCE,
    convert,
    inverses,
    matrices,
    of_rows,
    powered,
    triangles,
    under_priors,
)
from .discriminant import RIDGE, bring_centers, forget_centers
from .experts import start_late
from .fourier import SINGLE, directions, lift_again
from .posterior import KIND, KINDS, LABELS
from .state import (
    BASE_COUNT,
    BASE_SUM,
    CONSTANT,
    CURVED,
    DENSE_KINDS,
    EARLY,
    LINEAR,
    LINEAR_SHARES,
    PARTS,
    RENEWED,
    ROUND,
    ROUNDING,
    SEEN,
    SHARES,
    TABLE,
    VIEWS,
    coordinates,
    curved,
    linear,
    wide,
)
from .vectors import CONSTANT_VARIANCE, PRIOR_VARIANCE

LOG_VARIANCE = 3.0  # 0.6 for a Gaussian feature, more for one with heavy tails
CLIP_AT = 5.0  # scales from the mean
ANY = 1e300  # a margin that excludes no row, and is finite, as files have to be
LIMIT = 10.0  # median absolute deviations that outliers among the first rows count as
POWERS = ("scaled", 1), ("reduced", 3), ("scaled", 3), ("raw", 2), ("scaled", 0)  # of priors
SHRUNK = 0.1  # C is shrunk by d / (n + d) times this
REST = 0.3  # of the variance, for Fourier features other than those that a prior prefers
ALIKE = 4.0  # times the usual scale, or a part of it, within which units are those of the rows
LARGE, OUTLYING = 6.0, 6.0  # times the usual scale; median absolute deviations, in logarithms
MANY = 32  # features, of which the usual scale is known well enough for that
FITTING = 256  # labels until which Fourier features take new scales
OF_ROWS = "rows_seen", "sums", "moments", "range", "last", "early"  # fields that no label changes


def rows_left(s: Any, t: int) -> int:
    """Return the rows before the next renewal, 0 if it is due before round t."""
    seen, renewed = int(s.rows_seen[SEEN]), s.rows_seen[RENEWED]
    if t > s.rows_seen[ROUND] and seen > renewed and seen & (seen - 1) == 0:
        return 0
    return (1 << seen.bit_length()) - seen


def renew(states: list[Any], copies: list[Any]) -> None:
    """Renew copies of the states of all classes by the moments of all rows."""
    s, known = states[0], copies[0]
    if s.rows_seen[SEEN] == EARLY and limit_early(known):
        forget_centers(copies)
    moments = covariance(known)
    first = int(s.rows_seen[CONSTANT])
    if len(s.order) and s.rows_seen[SEEN] == 1:  # features by their size in the first row
        known.order[first:] = np.argsort(np.argsort(-abs(s.sums[0, first:]), kind="stable"))
    known.scaler[:] = scaler(known, moments, first)
    known.rows_seen[RENEWED] = s.rows_seen[SEEN]
    if len(s.phases) and s.scalars[LABELS] <= FITTING:
        lift_again(known, np.diag(moments), first)
    renew_coordinates(known, moments)
    bring(states, copies)


def covariance(s: Any) -> np.ndarray:
    """Return the covariance of all rows; without a constant, their second moments."""
    n = max(1, s.rows_seen[SEEN])
    found = matrices(s.moments) / n
    rounding = np.diag(found) < (ROUNDING * s.sums[0] / n) ** 2
    found[rounding] = found[:, rounding] = 0.0
    return found


def limit_early(s: Any) -> bool:
    """Limit outliers among the first rows, which would hide the others; return if there are any."""
    rows = limit_outliers(s.early, LIMIT)
    if limited := bool((rows != s.early).any()):
        means = s.rows_seen[CONSTANT] * rows.cumsum(axis=0) / np.arange(1, EARLY + 1)[:, None]
        s.sums[:2] = rows.sum(axis=0), abs(rows - means).sum(axis=0)
        s.range[:] = rows.min(axis=0), rows.max(axis=0)
        s.moments[:] = triangles((rows - means[-1]).T @ (rows - means[-1]))
    s.early[:] = 0.0
    return limited


def renew_coordinates(known: Any, moments: np.ndarray) -> None:
    """Set the coordinates and priors of a state with new scales."""
    first = int(known.rows_seen[CONSTANT])
    if len(known.basis):
        known.basis[:] = basis(known, moments, first)
    priors = renewed_priors(known, moments, first)
    if wide(known.last.shape[1]):
        priors[:, first:, first:] *= PARTS[:, None, None]
        known.variances[:] = variances(known)
    known.priors[:] = triangles(priors)


def variances(s: Any) -> np.ndarray:
    """Return the variances of the weights of standardised features, by kind of prior."""
    d = s.last.shape[1] - int(s.rows_seen[CONSTANT])
    return (1 - PARTS) * PRIOR_VARIANCE / max(1, d)


def bring(olds: list[Any], news: list[Any]) -> None:
    """Convert the experts of all classes to the coordinates and priors of new states."""
    known, new_known = olds[0], news[0]
    A = to_z(new_known) @ back(known)
    A[:, 0] += to_z(new_known) @ (known.scaler[0] - new_known.scaler[0])  # 0 without a constant
    change = A, inverses(known.priors), inverses(new_known.priors)
    bring_centers(olds, news, A, 1.0)
    for s, new in zip(olds, news, strict=True):
        if s.scalars[LABELS] == 0:
            under_priors(new, new.variances)
            continue
        convert(s, new, *change)
        if new.w.shape[1]:
            scale_weights(s, new)


def scale_weights(s: Any, new: Any) -> None:
    """Convert the weights of features to the scales of a new state."""
    ratio = s.scaler[1] / new.scaler[1]
    new.w[:], new.p[:] = s.w * ratio, s.p * ratio**2
    moved = new.w @ ((new.scaler[0] - s.scaler[0]) * new.scaler[1])
    times = math.sqrt(1 + PRIOR_VARIANCE)  # that the constant counts at first
    new.a[:, :1] += moved[:, None] / times  # 0 where there is no constant


def as_weights(s: Any, k: int) -> np.ndarray:
    """Return the weights of expert k for rows that are not standardised."""
    found = s.a[k] @ to_z(s)
    if s.w.shape[1]:
        found += s.w[k] * s.scaler[1]
    found[0] -= found @ s.scaler[0]  # which is 0 where there is no constant
    return found


def to_z(s: Any) -> np.ndarray:
    """Return B of z = B (x - mean)."""
    return s.basis.copy() if len(s.basis) else np.diag(s.scaler[1])


def back(s: Any) -> np.ndarray:
    """Return the matrix that brings z back to x - mean, as far as z determines it."""
    if len(s.basis) == 0:
        return np.diag(1 / s.scaler[1])
    factors = units(s)
    rows = s.basis / factors  # orthogonal
    return (rows / (rows**2).sum(axis=1, keepdims=True)).T / factors[:, None]


def units(s: Any) -> np.ndarray:
    """Return factors for features in whose units directions lead, so that `basis` is orthogonal.

    Features are taken as they are, if their scales differ by no more than ALIKE from the usual one.
    """
    first = int(s.rows_seen[CONSTANT])
    ratio, factors = np.log(s.scaler[1, first:]), np.ones(s.scaler.shape[1])
    ratio = np.exp(ratio - ratio.mean())  # the usual scale over each
    factors[first:] = ratio * np.clip(1 / ratio, 1 / ALIKE, ALIKE)
    return factors


def reduced(by: np.ndarray) -> np.ndarray:
    """Return the factors that bring outliers among scales, 1 / by, to the usual one.

    >>> reduced(np.array([0.01, *[0.9, 1.0, 1.1] * 20]))[:4]
    array([0.01, 1.  , 1.  , 1.  ])
    """
    if len(by) < MANY:
        return np.ones(len(by))
    ratio = by / np.median(by)
    logs = np.log(ratio)
    limit = max(math.log(LARGE), OUTLYING * float(np.median(abs(logs - np.median(logs)))))
    return np.where(logs < -limit, ratio, 1.0)


def basis(s: Any, moments: np.ndarray, first: int) -> np.ndarray:
    """Return B for rows of many features: the leading directions, standardised."""
    e, d, n = len(s.basis), s.basis.shape[1] - first, s.rows_seen[SEEN]
    factors, by = units(s)[first:], s.scaler[1, :e]
    moments = moments[first:, first:] * factors[:, None] * factors
    usual = np.trace(moments) / d
    found = np.eye(e, first + d) * by[:, None]
    if usual >= SHORTEST:
        trust, own = trusted(moments, n), np.diag(moments)
        part, least = max(trust, n / (n + d)), LEAST_VARIANCE * usual
        values, vectors = np.linalg.eigh(part * moments + (1 - part) * np.diag(own))
        values, vectors = np.maximum(values[first - e :], least), vectors[:, first - e :]
        raised = values / (np.maximum(own, least) @ vectors**2)  # by correlations
        by = raised ** (trust / 4) / np.sqrt(values)
        by *= math.sqrt(len(by) / (values * by**2).sum())
        found[first:, first:] = (vectors * by).T * factors
    return found


def trusted(C: np.ndarray, n: float) -> float:
    """Return the part of correlations that may be kept, from n rows: that for Gaussian ones."""
    own = np.sqrt(np.diag(C))
    by = np.divide(1.0, own, out=np.zeros(len(own)), where=own > 0)
    d, squares = max(1, (own > 0).sum()), ((C * by[:, None] * by) ** 2).sum()
    off = (n + 1 - 2 / d) * (squares - d)
    rest = (1 - 2 / d) * squares + d * d
    return max(0.0, 1 - rest / off) if off > rest * ROUNDING else 0.0


def scaler(s: Any, moments: np.ndarray, first: int) -> np.ndarray:
    """Return the mean, the factor, the distance of outliers and the range of every feature."""
    n, d = s.rows_seen[SEEN], s.sums.shape[1]
    mean = s.sums[0] / n if first else np.zeros(d)
    spread, deviation = np.diag(moments), s.sums[1] / n
    varies = (spread >= np.maximum(SHORTEST, (ROUNDING * mean) ** 2)) & (deviation > 0)
    own = np.divide(spread, deviation, out=np.zeros(d), where=varies)
    margin = (s.range[1] - s.range[0]) * EARLY / n if n > 1 else ANY  # for the next rows
    found = np.array([mean, np.ones(d), np.zeros(d), s.range[0] - margin, s.range[1] + margin])
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
    if n >= EARLY:
        found[2] = CLIP_AT * own
    return found


def renewed_priors(s: Any, moments: np.ndarray, first: int) -> np.ndarray:
    """Return the covariance matrices of w under the priors, for standardised features."""
    n, to, d = max(1, s.rows_seen[SEEN]), to_z(s)[first:, first:], s.a.shape[1] - first
    of_z = to @ moments[first:, first:] @ to.T
    mean = np.zeros(d) if first else to @ (s.sums[0] / n)
    scalers = {"scaled": np.ones(d), **unscaled(s, to, first)}
    centred = of_z - np.outer(mean, mean)
    least = ROUNDING * np.trace(of_z)
    met = np.flatnonzero(np.diag(of_z) > least)
    found = np.zeros((DENSE_KINDS, first + d, first + d))
    found[:, :first, :first] = CONSTANT_VARIANCE
    for prior, (unit, power) in zip(found, POWERS, strict=True):
        prior[first:, first:] = np.eye(d) * PRIOR_VARIANCE / max(1, d)
        if (unit, power) != ("scaled", 1) and np.trace(centred) > least:
            factor = scalers[unit].min() / scalers[unit]
            given = centred[np.ix_(met, met)], mean[met], factor[met]
            within = np.ix_(first + met, first + met)
            prior[within] = powered(*given, power, SHRUNK * d / (n + d))
    return found


def unscaled(s: Any, to: np.ndarray, first: int) -> dict[str, np.ndarray]:
    """Return 1 / scale of every coordinate, with features as they are and with reduced ones."""
    by = s.scaler[1, first:]
    less = reduced(by)
    if len(s.basis) == 0:
        return {"raw": by, "reduced": by / less}
    own = units(s)[first:]
    factors = {"raw": own, "reduced": np.where(less < 1, less, own)}
    return {unit: np.linalg.norm(to / factor, axis=1) for unit, factor in factors.items()}


def start(width: int, shape: Shape | None, fourier: int) -> Any:
    """Return the state before the first row."""
    s = TABLE.start(width, shape, fourier)
    s.mix[:VIEWS] = SHARES if fourier else LINEAR_SHARES
    s.scaler[1] = 1.0  # rows as they are
    if fourier == 0:
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
    names = [n for n in s._fields if n.startswith(("curved_", "order", "frequencies", "phases"))]
    s = s._replace(mix=s.mix.copy(), **{name: getattr(fresh, name).copy() for name in names})
    s.mix[LINEAR], s.mix[CURVED] = s.mix[LINEAR] + s.mix[CURVED], 0.0
    return s


def informed(fresh: Any, other: Any) -> Any:
    """Return the state of a class that is met late, under the priors: no label was of it."""
    new = fresh._replace(**of_rows(other, TABLE))
    under_priors(new, new.variances)
    new.mix[BASE_COUNT] = other.mix[BASE_COUNT]
    new.mix[BASE_SUM] = -new.mix[BASE_COUNT]
    start_late(linear(new), linear(other), new.rows_seen[CONSTANT] > 0)
    if len(new.phases):
        start_late(curved(new), curved(other), False)
    return new


def widen(s: Any, width: int) -> Any:
    """Return the state with new features, as if they had been 0 from the start."""
    if coordinates(width) < s.a.shape[1]:
        s = shortened(s, width)
    new, old = TABLE.resized(s, Room(width, len(s.phases))), s.last.shape[1]
    new.order[old:] = np.arange(len(new.order))[old:] - s.rows_seen[CONSTANT]
    if s.rows_seen[RENEWED] == 0:
        return new
    first, added = int(s.rows_seen[CONSTANT]), np.arange(old, new.a.shape[1])
    new.scaler[1, old:] = math.exp(np.log(s.scaler[1, first:]).mean()) if old > first else 1.0
    if len(new.basis) and not len(s.basis):
        new.basis[:] = np.eye(len(new.basis), width) * new.scaler[1]
    features, lone = len(s.phases), int(SINGLE * len(s.phases))
    drawn = directions(features, width - first)[lone:, old - first :]
    new.frequencies[lone:, old:] = drawn * new.scaler[1, old:] / math.sqrt(2 * (width - first))
    at, kind_of = added * (added + 3) // 2, s.experts[:, KIND].astype(int)
    new.priors[:, at] = np.diag(matrices(s.priors[0]))[first:].mean() if old > first else 1.0
    new.triangle[:, at] = new.priors[kind_of][:, at]
    new.within[at] = 1 / s.degrees[RIDGE] if s.degrees[RIDGE] else 0.0
    if wide(width) and not wide(old):
        new.variances[:] = variances(new)
        new.prior[:] = new.variances[kind_of]
    new.p[:, s.p.shape[1] :] = new.prior[:, None]
    return new


def shortened(s: Any, width: int) -> Any:
    """Return the state with the leading directions of its features, before it widens."""
    short = TABLE.zeros(Room(width, len(s.phases)))
    names = "a", "triangle", "g", "z", "centers", "within", "deviation"
    new = s._replace(**{name: getattr(short, name) for name in names})
    new = new._replace(center_counts=s.center_counts.copy(), degrees=s.degrees.copy())
    new = new._replace(basis=short.basis[:, : s.last.shape[1]], priors=short.priors)
    if s.rows_seen[RENEWED] > 0:
        renew_coordinates(new, covariance(s))
        bring([s], [new])
    return new
