"""Dense rows: two ensembles, on the features and on random Fourier features of them.

Rows are standardised, z = (x - mean) / scale, by what all rows so far were like (`renewal`), and
winsorised; of more than `WHOLE` features, z has the leading directions. Where none lead, as in
independent features of equal size, that loses most of what rows hold: diagonal experts have w and a
variance for all of these features, at the cost of their covariances. The second ensemble gets
cos(F x + phase), whose inner products approximate Gaussian kernels (Rahimi & Recht, "Random
features for large-scale kernel machines", 2007). A third predictor knows base rates alone. They are
mixed by how well each predicted:

    r = sum share_v r_v,   share_v <- share_v (1 + y r_v) / 2, normalised; then 0.5% is shared out.

Every expert has w and a matrix P, which is stored as in `dense_second`.
"""

import math
from typing import Any

import numpy as np

from ..engine.arithmetic import dot, row_dot
from ..engine.bind import noinline
from ..engine.round import REFUSED, SHORTEST, UPDATED
from ..engine.rows import Dense, readonly
from ..engine.rows import DenseRows as Rows
from ..spaces import dense_second
from ..spaces.dense_second import State as Expert
from ..spaces.dense_second import form as product
from ..spaces.dense_second import squared_norm as squared_norm
from ..spaces.dense_second import update as update_matrix
from .experts import CONSTANT_VARIANCE, HEARD, PRIOR_VARIANCE, norms, predict, update
from .posterior import ALL, EXPERTS, KIND, KINDS, LABELS, Q, evidence_of, leader
from .posterior import ceiling as ceiling
from .posterior import lasting_and_steps as lasting_and_steps
from .renewal import (
    FITTING,
    OF_ROWS,
    adapted,
    diagonal_prior,
    informed,
    renewed,
    rows_left,
    start,
    to_z,
    widen,
)
from .state import (
    BASE,
    BASE_COUNT,
    BASE_SUM,
    CLASSES,
    CONSTANT,
    CURVED,
    FORM,
    LINEAR,
    LINEAR_SHARES,
    RENEWED,
    ROUND,
    SEEN,
    SHARES,
    TABLE,
    VIEWS,
    curved,
    linear,
)

__all__ = ["OF_ROWS", "adapted", "informed", "renewed", "rows_left", "start", "widen"]

order = 2
atomic = False
State, at, size, scaled, shared = TABLE.State, TABLE.at, TABLE.size, TABLE.scaled, TABLE.shared
NO_SCALARS = np.zeros(8)  # those of `dense_second`, which go unused

SHARED_OUT, LEAST_LIKELY = 0.005, 0.005
NEGLIGIBLE = 0.01  # share below which the second ensemble neither predicts nor learns each label,
RESTING = 4  # but one of this many, after the first FITTING
HEARD_MOST = 0.05  # weight from which an expert predicts in any case: of 13, some have more
RATE_MEMORY = 500.0  # labels over which base rates are averaged
# Places in `status`: a number that is finite if the row is; whether there has been no label and no
# renewal so far; whether the row has been lifted
TOTAL, FIRST, IS_LIFTED = range(3)


def rows(block: Dense, constant: bool, normalize: bool = False) -> Rows:
    """Return the block as the loop takes it, with rows of unit length if `normalize`."""
    found = dense_second.rows(block, constant)
    if not normalize:
        return found
    squares = np.array([x @ x for x in found.values])
    return found._replace(values=readonly(found.values / norms(squares)[:, None]))


def fourier_features(learner: Any, classes: int) -> int:
    """Return how many Fourier features each of the classes has."""
    return int(learner.fourier) if classes <= CLASSES else 0


# Predicting and learning


def inner(s: Any, rows: Any, i: int) -> float:
    """Return p(+1) - p(-1), and leave what learning needs."""
    view(s, rows, i)
    return belief(s)


def score_all(s: Any, rows: Any, i: int) -> None:
    """Leave p(+1) - p(-1) of every class in s.scores."""
    view(at(s, 0), rows, i)
    for k in range(len(s.scores)):
        s.scores[k] = belief(at(s, k))


@noinline
def view(s: Any, rows: Any, i: int) -> None:
    """Leave what all classes need of a row."""
    s.rows_seen[CONSTANT] = rows.constant
    s.status[TOTAL], s.status[IS_LIFTED] = winsorise(s, rows, i), 0.0
    s.status[FIRST] = 1.0 if s.rows_seen[RENEWED] == 0 else 0.0
    if s.status[FIRST] == 0:
        standardise(s.row, s.scaler, s.basis, s.z[0])


@noinline
def belief(s: Any) -> float:
    """Return p(+1) - p(-1) for the row in view."""
    if not math.isfinite(s.status[TOTAL]):
        return math.nan
    if s.status[FIRST] > 0:
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
def lift(x: Any, frequencies: Any, phases: Any, z: Any) -> None:
    """Leave the Fourier features of x in z."""
    for j in range(len(phases)):
        z[j] = math.cos(dot(frequencies[j], x) + phases[j])


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
            lift(s.row[0], s.frequencies, s.phases, s.curved_z[0])
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


def form(s: Any, rows: Any, i: int) -> float:
    """Return q of the last row, the mean over the ensembles."""
    return s.mix[FORM]


@noinline
def learn(
    p: Any, s: Any, rows: Any, i: int, scale: float, m: float, q: float, y: float, t: float
) -> int:
    """Update the shares and both ensembles with label y."""
    if s.status[FIRST] > 0:
        begin(s)
    y, n = float(y), int(s.scalars[LABELS])
    learns = s.mix[CURVED] >= NEGLIGIBLE or n < FITTING or n % RESTING == 0
    lifted = len(s.phases) > 0 and s.rows_seen[RENEWED] >= 1 and learns
    mixed(s, 0.0, lifted)
    share_out(s.mix, SHARES if len(s.phases) > 0 else LINEAR_SHARES, y)
    finite = update(p, linear(s), Rows(s.z, s.rows_seen[CONSTANT], ()), 0, y, t)
    if lifted:
        finite = finite and update(p, curved(s), Rows(s.curved_z, 0.0, ()), 0, y, t)
    return UPDATED if finite else REFUSED


def share_out(mix: Any, parts: Any, y: float) -> None:
    """Update the shares of the predictors, and the base rates."""
    total = 0.0
    for v in range(VIEWS):
        mix[v] *= max((1 + y * mix[VIEWS + v]) / 2, LEAST_LIKELY)
        total += mix[v]
    for v in range(VIEWS):
        mix[v] = (1 - SHARED_OUT) * mix[v] / total + SHARED_OUT * parts[v]
    mix[BASE_SUM] += y - mix[BASE_SUM] / RATE_MEMORY
    mix[BASE_COUNT] += 1 - mix[BASE_COUNT] / RATE_MEMORY


def begin(s: Any) -> None:
    """Start with the scale of the first row, if its label comes before the first renewal."""
    first, d, total = int(s.rows_seen[CONSTANT]), s.last.shape[1], 0.0
    own = PRIOR_VARIANCE / max(1, s.w.shape[1] - first)
    for j in range(first, d):
        total += s.row[0, j] * s.row[0, j]
    rms = math.sqrt(total / max(1, d - first))
    for j in range(d):
        s.scaler[1, j] = 1 / rms if j >= first and rms * rms >= SHORTEST else 1.0
    if s.diagonal.shape[2] > 0:
        diagonal_prior(s.diagonal[ALL, 1], first)
    for j in range(s.w.shape[1]):
        for kind in range(KINDS):
            s.priors[kind, j * (j + 3) // 2] = CONSTANT_VARIANCE if j < first else own
        if len(s.basis) > 0:
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
        before = constant * s.sums[0, j] / max(1.0, n - 1)
        s.sums[0, j] += value
        s.row[1, j] = value - before
        s.row[2, j] = value - constant * s.sums[0, j] / n
        s.sums[1, j] += abs(s.row[2, j])
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


# The vectors of an ensemble


def is_diagonal(s: Any, k: int) -> bool:
    """Return whether expert k is diagonal."""
    return s.diagonal.shape[2] > 0 and s.experts[k, KIND] == KINDS


def margin_of(s: Any, k: int, rows: Any, i: int) -> tuple[float, float]:
    """Return the margin and the quadratic form of expert k; leaves g = P z in s.g[k]."""
    if is_diagonal(s, k):
        return margin_of_diagonal(s.diagonal[k], s.row[3], int(rows.constant))
    own = Expert(s.w[k], s.triangle[k], s.g[k], NO_SCALARS)
    m, q = row_dot(s.w[k], rows.values, i), product(own, rows, i)
    if rows.constant > 0:
        more = raise_constant(s.triangle[k], s.g[k], q, rows.values[i, 0])
        m += more * s.w[k, 0]
        q += more * (2 * s.g[k, 0] - more * s.triangle[k, 0])
    return m, q


def raise_constant(triangle: Any, g: Any, q: float, constant: float) -> float:
    """Add to g what P z gains if the constant is sqrt(1 + v); return the constant's growth."""
    rest = q - constant * (2 * g[0] - constant * triangle[0])
    more, at = math.sqrt(1 + max(0.0, rest)) - constant, 0
    for j in range(len(g)):
        g[j] += more * triangle[at]
        at += j + 1
    return more


def margin_of_diagonal(own: Any, x: Any, first: int) -> tuple[float, float]:
    """Return the margin and the quadratic form; the features before `first` are a constant."""
    m, q = 0.0, 0.0
    for j in range(first, len(x)):
        m += own[0, j] * x[j]
        q += own[1, j] * x[j] * x[j]
    if first > 0:
        m += math.sqrt(1 + q) * own[0, 0]
        q += (1 + q) * own[1, 0]
    return m, q


def step_expert(s: Any, k: int, rows: Any, i: int, eta: float, nu: float) -> bool:
    """w <- w + eta g, P <- P - nu g g'; return whether all is finite."""
    if is_diagonal(s, k):
        own = s.diagonal[k]
        constant = math.sqrt((1 + s.predictions[k, Q]) / (1 + own[1, 0]))  # as for the margin
        return step_diagonal(own, s.row[3], constant if rows.constant > 0 else s.row[3, 0], eta, nu)
    g, w = s.g[k], s.w[k]
    for j in range(len(g)):
        w[j] += eta * g[j]
    update_matrix(s.triangle[k], g, 0.0, 1.0, 1.0, nu)
    return math.isfinite(dot(w, w) + nu * dot(g, g))


def step_diagonal(own: Any, x: Any, first: float, eta: float, nu: float) -> bool:
    """w <- w + eta P x, P <- P - nu P x x' P on its diagonal; return whether all is finite.

    `first` stands for the first feature.
    """
    total = 0.0
    for j in range(len(x)):
        g = own[1, j] * (x[j] if j > 0 else first)
        own[0, j] += eta * g
        own[1, j] -= nu * g * g
        total += abs(own[0, j]) + abs(own[1, j])
    return math.isfinite(total)


def reset_to_prior(s: Any, k: int, kind: int) -> None:
    """Set expert k to a prior."""
    s.w[k, :] = 0.0
    if kind < KINDS:
        copy(s.priors[kind], s.triangle[k])
    else:
        copy_diagonal(s.diagonal[ALL], s.diagonal[k])


def discount(s: Any, k: int, by: float) -> None:
    """w <- by w, P <- by^2 P + (1 - by^2) prior."""
    if is_diagonal(s, k):
        own = s.diagonal[k]
        for j in range(own.shape[1]):
            own[0, j] *= by
            own[1, j] = by * by * own[1, j] + (1 - by * by) * s.diagonal[ALL, 1, j]
        return
    prior = s.priors[int(s.experts[k, KIND])]
    for j in range(len(s.w[k])):
        s.w[k, j] *= by
    for j in range(len(prior)):
        s.triangle[k, j] = by * by * s.triangle[k, j] + (1 - by * by) * prior[j]


def copy_from(s: Any, k: int, other: int) -> None:
    """Copy w, P and the kind of prior of another expert to expert k."""
    copy(s.w[other], s.w[k])
    copy(s.triangle[other], s.triangle[k])
    copy_diagonal(s.diagonal[other], s.diagonal[k])
    s.experts[k, KIND] = s.experts[other, KIND]


def copy_diagonal(source: Any, target: Any) -> None:
    """Copy the arrays of a diagonal expert, or of their prior."""
    for j in range(source.shape[1]):
        target[0, j], target[1, j] = source[0, j], source[1, j]


def copy(source: Any, target: Any) -> None:
    """Copy the numbers of an array to another."""
    for j in range(len(target)):
        target[j] = source[j]


def kinds(s: Any) -> int:
    """Return the number of kinds of priors: diagonal experts have one of their own."""
    return KINDS if s.diagonal.shape[2] == 0 else KINDS + 1


def weights(s: Any) -> np.ndarray:
    """Return w of the first ensemble's leader, for rows that are not standardised."""
    lead = leader(s.experts)
    w = s.diagonal[lead, 0] * s.scaler[1] if is_diagonal(s, lead) else s.w[lead] @ to_z(s)
    w[0] -= w @ s.scaler[0]  # which is 0 where there is no constant
    return w
