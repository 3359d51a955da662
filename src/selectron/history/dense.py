"""Dense rows: two ensembles, on the features and on random Fourier features of them.

Rows are standardised, z = (x - mean) / scale, by what all rows so far were like (`renewal`), and
winsorised. Of more than `WHOLE` features, z has the leading directions, and features have weights
of their own, too (`vectors`). The second ensemble gets cos(F x + phase), whose inner products
approximate Gaussian kernels (Rahimi & Recht, "Random features for large-scale kernel machines",
2007). A third predictor knows base rates alone. They are mixed by how well each predicted:

    r = sum share_v r_v,   share_v <- share_v (1 + y r_v) / 2, normalised; then 0.5% is shared out.
"""

import math
from typing import Any

import numpy as np

from ..engine.arithmetic import dot
from ..engine.bind import noinline
from ..engine.round import SHORTEST, UPDATED
from ..engine.rows import Dense, readonly
from ..engine.rows import DenseRows as Rows
from ..spaces import dense_second
from ..spaces.dense_second import squared_norm as squared_norm
from .discriminant import learn_class as learn_class
from .discriminant import log_densities as log_densities
from .experts import HEARD, is_copy, norms, predict, update
from .experts import inner as inner
from .experts import score_all as score_all
from .posterior import ALL, EXPERTS, KIND, LABELS, evidence_of, leader
from .posterior import lasting_and_steps as lasting_and_steps
from .posterior import upper_bound as upper_bound
from .renewal import (
    FITTING,
    OF_ROWS,
    adapted,
    as_weights,
    informed,
    renew,
    rows_left,
    start,
    widen,
)
from .state import (
    BASE,
    BASE_COUNT,
    BASE_SUM,
    CLASSES,
    CONSTANT,
    CURVED,
    EARLY,
    FEWER,
    FORM,
    LINEAR,
    LINEAR_SHARES,
    MOST_CLASSES,
    PARTS,
    RENEWED,
    ROUND,
    SEEN,
    SHARES,
    TABLE,
    VIEWS,
    curved,
    linear,
)
from .vectors import CONSTANT_VARIANCE, PRIOR_VARIANCE, reset_to_prior

__all__ = ["OF_ROWS", "adapted", "informed", "renew", "rows_left", "start", "widen"]

order = 2
refuses = False
State, at, size, scaled, shared = TABLE.State, TABLE.at, TABLE.size, TABLE.scaled, TABLE.shared
sound = TABLE.sound

SHARED_OUT, LEAST_LIKELY = 0.005, 0.005
NEGLIGIBLE = 0.01  # share below which the second ensemble neither predicts nor learns each label,
RESTING = 4  # but one of this many, after the first FITTING
HEARD_MOST = 0.05  # weight from which an expert predicts in any case: of 13, some have more
RATE_MEMORY = 500.0  # labels over which base rates are averaged
# Places in `status`: a number that is finite if the row is; whether there are no scales yet, as
# before the first label and the first renewal; whether the row has been lifted
TOTAL, UNSCALED, IS_LIFTED = range(3)


def rows(block: Dense, constant: bool, normalize: bool = False) -> Rows:
    """Return the block as the loop takes it, with rows of unit length if `normalize`."""
    found = dense_second.rows(block, constant)
    if not normalize:
        return found
    squares = np.array([x @ x for x in found.values])
    return found._replace(values=readonly(found.values / norms(squares)[:, None]))


def fourier_features(learner: Any, classes: int, before: Any = None) -> int:
    """Return how many Fourier features each of the classes has: those of the state before, if any.

    So one class more, which may be a typing error, does not cost what they have learned.
    """
    if classes > MOST_CLASSES:
        return 0
    if before is not None:
        return len(before.phases)
    return int(learner.fourier if classes <= CLASSES else FEWER * learner.fourier)


# Predicting and learning


@noinline
def look(s: Any, rows: Any, i: int) -> None:
    """Leave what all classes need of a row."""
    s.rows_seen[CONSTANT] = rows.constant
    s.status[TOTAL], s.status[IS_LIFTED] = winsorise(s, rows, i), 0.0
    s.status[UNSCALED] = 1.0 if s.rows_seen[RENEWED] == 0 else 0.0
    if s.status[UNSCALED] == 0:
        standardise(s.row, s.scaler, s.basis, s.z[0])


@noinline
def belief(s: Any, rows: Any, i: int) -> float:
    """Return p(+1) - p(-1) for the row in view."""
    if not math.isfinite(s.status[TOTAL]):
        return math.nan
    if s.status[UNSCALED] > 0:
        s.mix[FORM] = 0.0
        return 0.0
    return mixed(s, HEARD, len(s.phases) > 0 and s.mix[CURVED] >= NEGLIGIBLE)


def winsorise(s: Any, rows: Any, i: int) -> float:
    """Leave the row with outliers limited in s.row; return a sum that is finite if the row is."""
    total, again = 0.0, is_last(s.last, rows, i)
    for j in range(s.last.shape[1]):
        value, mean, distance = rows.values[i, j], s.scaler[0, j], s.scaler[2, j]
        far = distance > 0 and abs(value - mean) > distance
        limit = distance * 2.0 ** outliers_before(s.last, j, again) if far else math.inf
        s.row[0, j] = min(max(value, mean - limit), mean + limit) if far else value
        s.row[1, j] = 1.0 if far else 0.0
        total += s.row[0, j] * s.row[0, j] + 0.0 * value
    return total


def is_last(last: Any, rows: Any, i: int) -> bool:
    """Return whether this is the last row observed, so that it comes out as it did then."""
    for j in range(last.shape[1]):  # noqa: SIM110 (Numba compiles no generators)
        if rows.values[i, j] != last[0, j]:
            return False
    return True


def outliers_before(last: Any, j: int, again: bool) -> float:
    """Return the number of consecutive outliers of a feature before this row."""
    return last[2, j] if again else last[1, j] * (last[2, j] + 1)


@noinline
def standardise(row: Any, scaler: Any, basis: Any, z: Any) -> None:
    """Leave the standardised row in z."""
    for j in range(row.shape[1]):
        row[2, j] = row[0, j] - scaler[0, j]
        row[3, j] = row[2, j] * scaler[1, j]
    whole = len(basis) == 0
    for j in range(len(z)):
        z[j] = row[3, j] if whole else dot(basis[j], row[2])


@noinline
def lift(row: Any, scaler: Any, frequencies: Any, phases: Any, z: Any) -> None:
    """Leave the Fourier features of a row in z, its values brought to the range of earlier ones."""
    for j in range(row.shape[1]):
        row[4, j] = min(max(row[0, j], scaler[3, j]), scaler[4, j])
    for j in range(len(phases)):
        z[j] = math.cos(dot(frequencies[j], row[4]) + phases[j])


def mixed(s: Any, least: float, lifted: bool) -> float:
    """Return the mean of the predictors by their shares, small ones left out; store q."""
    mix = s.mix
    mix[VIEWS + LINEAR] = predict(
        linear(s), Rows(s.z, s.rows_seen[CONSTANT], ()), 0, min(least / mix[LINEAR], HEARD_MOST)
    )
    mix[VIEWS + CURVED] = mix[VIEWS + LINEAR]
    mix[VIEWS + BASE] = mix[BASE_SUM] / (max(mix[BASE_COUNT], 1.0) + 2)
    if lifted:
        if s.status[IS_LIFTED] == 0:
            lift(s.row, s.scaler, s.frequencies, s.phases, s.curved_z[0])
            s.status[IS_LIFTED] = 1.0
        mix[VIEWS + CURVED] = predict(
            curved(s), Rows(s.curved_z, 0.0, ()), 0, min(least / mix[CURVED], HEARD_MOST)
        )
    bits = mix[LINEAR] * s.predictions[ALL, 0]
    mix[FORM] = bits + (mix[CURVED] * s.curved_predictions[ALL, 0] if lifted else 0.0)
    total, heard = 0.0, 0.0
    for v in range(VIEWS):
        if mix[v] >= NEGLIGIBLE:
            total += mix[v] * mix[VIEWS + v]
            heard += mix[v]
    return total / heard


def quadratic_form(s: Any, rows: Any, i: int) -> float:
    """Return q of the last row, the mean over the ensembles."""
    return s.mix[FORM]


@noinline
def learn(
    p: Any, s: Any, rows: Any, i: int, scale: float, m: float, q: float, y: float, t: float
) -> int:
    """Update the shares and both ensembles with label y."""
    if s.status[UNSCALED] > 0:
        begin(s)
    y, n = float(y), int(s.scalars[LABELS])
    learns = s.mix[CURVED] >= NEGLIGIBLE or n < FITTING or n % RESTING == 0
    lifted = len(s.phases) > 0 and s.rows_seen[RENEWED] >= 1 and learns
    mixed(s, 0.0, lifted)
    if not is_copy(s, t):
        share_out(s.mix, SHARES if len(s.phases) > 0 else LINEAR_SHARES, y)
    s.mix[BASE_SUM] += y - s.mix[BASE_SUM] / RATE_MEMORY
    s.mix[BASE_COUNT] += 1 - s.mix[BASE_COUNT] / RATE_MEMORY
    update(p, linear(s), Rows(s.z, s.rows_seen[CONSTANT], ()), 0, y, t)
    if lifted:
        update(p, curved(s), Rows(s.curved_z, 0.0, ()), 0, y, t)
    return UPDATED


def share_out(mix: Any, parts: Any, y: float) -> None:
    """Update the shares of the predictors."""
    total = 0.0
    for v in range(VIEWS):
        mix[v] *= max((1 + y * mix[VIEWS + v]) / 2, LEAST_LIKELY)
        total += mix[v]
    for v in range(VIEWS):
        mix[v] = (1 - SHARED_OUT) * mix[v] / total + SHARED_OUT * parts[v]


def begin(s: Any) -> None:
    """Start with the scale of the first row, if its label comes before the first renewal."""
    first, d, total = int(s.rows_seen[CONSTANT]), s.last.shape[1], 0.0
    for j in range(first, d):
        total += s.row[0, j] * s.row[0, j]
    rms = math.sqrt(total / max(1, d - first))
    for j in range(d):
        s.scaler[1, j] = 1 / rms if j >= first and rms * rms >= SHORTEST else 1.0
    for kind in range(len(s.priors)):
        part = PARTS[kind] if s.w.shape[1] > 0 else 1.0
        own = part * PRIOR_VARIANCE / max(1, s.a.shape[1] - first)
        for j in range(s.a.shape[1]):
            s.priors[kind, j * (j + 3) // 2] = CONSTANT_VARIANCE if j < first else own
        s.variances[kind] = (1 - part) * PRIOR_VARIANCE / max(1, d - first)
    for j in range(len(s.basis)):
        s.basis[j, j] = s.scaler[1, j]
    s.rows_seen[RENEWED] = 0.5
    standardise(s.row, s.scaler, s.basis, s.z[0])
    for k in range(EXPERTS):
        reset_to_prior(linear(s), k, int(s.experts[k, KIND]))


@noinline
def observe(s: Any, rows: Any, i: int, t: float) -> None:
    """Add the last row to the moments of all rows, unless it has been added."""
    if t <= s.rows_seen[ROUND]:
        return
    s.rows_seen[ROUND] = t
    s.rows_seen[SEEN] += 1
    n, constant, again = s.rows_seen[SEEN], s.rows_seen[CONSTANT], is_last(s.last, rows, i)
    for j in range(s.last.shape[1]):
        value = s.row[0, j]
        s.last[2, j] = outliers_before(s.last, j, again)
        s.last[0, j], s.last[1, j] = rows.values[i, j], s.row[1, j]
        if n <= EARLY:
            s.early[int(n) - 1, j] = value
        before = constant * s.sums[0, j] / max(1.0, n - 1)
        s.sums[0, j] += value
        s.row[1, j] = value - before
        s.row[2, j] = value - constant * s.sums[0, j] / n
        s.sums[1, j] += abs(s.row[2, j])
        s.sums[2, j] += 1 if rows.values[i, j] != 0 else 0
        s.range[0, j] = min(s.range[0, j], value) if n > 1 else value
        s.range[1, j] = max(s.range[1, j], value) if n > 1 else value
    add_moments(s.moments, s.row[1], s.row[2])


def add_moments(moments: Any, before: Any, after: Any) -> None:
    """Add the products of deviations from the mean before and with this row."""
    at = 0
    for j in range(len(before)):
        part, by = moments[at : at + j + 1], after[j]
        for i in range(j + 1):
            part[i] += by * before[i]
        at += j + 1


def evidence(s: Any, t: float) -> tuple[float, float]:
    """Return the evidence of a switch, and the leader's age, in the ensemble of larger share."""
    return evidence_of(s.curved_experts if s.mix[CURVED] > s.mix[LINEAR] else s.experts, t)


# The weights of features


def span(s: Any, rows: Any, i: int) -> tuple[int, int]:
    """Return the places where the features begin and end, without the constant."""
    return int(rows.constant), s.w.shape[1]


def feature(s: Any, rows: Any, j: int) -> tuple[int, float]:
    """Return the index and the standardised value of a feature."""
    return j, s.row[3, j]


def own_variance(s: Any, kind: int) -> float:
    """Return the variance of the weight of a feature under a prior."""
    return s.variances[kind]


def weights(s: Any) -> np.ndarray:
    """Return w of the first ensemble's leader, for rows that are not standardised."""
    return as_weights(s, leader(s.experts))
