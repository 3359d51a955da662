"""Sparse rows: the leading directions of their largest features, and a variance for each weight.

An expert's margin is <a, z> + <w, x>: z has the leading directions of the rows (`directions`), a
has a matrix, and every weight in w a variance of its own. The two parts of a margin are independent
under the prior, and later taken to be, so that predicting costs O(non-zeros).
"""

import math
from typing import Any

import numpy as np

from ..engine.arithmetic import row_dot, sparse_dot
from ..engine.bind import noinline
from ..engine.round import REFUSED, UPDATED
from ..engine.rows import DenseRows, Sparse, readonly
from ..engine.rows import SparseRows as Rows
from ..spaces import sparse_second
from ..spaces.dense_second import State as Expert
from ..spaces.dense_second import form as product
from ..spaces.dense_second import update as update_matrix
from ..spaces.sparse_second import squared_norm
from .directions import (
    OF_ROWS,
    SQUARES,
    TABLE,
    as_weights,
    renewed,
    rest_variance,
    rows_left,
    sound,
    widen,
)
from .experts import CONSTANT_VARIANCE, HEARD, norms, predict, start_late, update
from .posterior import (
    ALL,
    EXPERTS,
    KIND,
    KINDS,
    LABELS,
    Q,
    ceiling,
    evidence_of,
    lasting_and_steps,
    leader,
)
from .renewal import of_rows
from .state import CONSTANT, ROUND, SEEN

__all__ = ["OF_ROWS", "ceiling", "lasting_and_steps", "renewed", "rows_left", "sound", "widen"]

order = 2
atomic = False
NO_SCALARS = np.zeros(8)  # those of `dense_second`, which go unused
State, at, start, size, scaled = TABLE.State, TABLE.at, TABLE.start, TABLE.size, TABLE.scaled
shared = TABLE.shared


def rows(block: Sparse, constant: bool, normalize: bool = False) -> Rows:
    """Return the block as the loop takes it, with rows of unit length if `normalize`."""
    found = sparse_second.rows(block, constant)
    if not normalize:
        return found
    n = len(found.indptr) - 1
    row = np.repeat(np.arange(n), np.diff(found.indptr).astype(int))
    squares = np.bincount(row, found.values * found.values, minlength=n)
    return found._replace(values=readonly(found.values / norms(squares)[row]))


def weights(s: Any) -> np.ndarray:
    """Return w of the leader, with what its directions stand for."""
    lead = leader(s.experts)
    return s.w[lead] + as_weights(s, lead)


def informed(fresh: Any, other: Any) -> Any:
    """Return the state of a class that is met late: no label so far was of this class."""
    new = fresh._replace(**of_rows(other, TABLE))
    new.scalars[LABELS] = other.scalars[LABELS]
    for k in range(EXPERTS):
        reset_to_prior(new, k, int(new.experts[k, KIND]))
    start_late(new, other, new.rows_seen[CONSTANT] > 0)
    return new


def inner(s: Any, rows: Any, i: int) -> float:
    """Return p(+1) - p(-1), the mean over the experts by their weights.

    It is NaN for a row with which the sums of squares would overflow.
    """
    view(s, rows, i)
    return belief(s, rows, i)


def score_all(s: Any, rows: Any, i: int) -> None:
    """Leave p(+1) - p(-1) of every class in s.scores."""
    view(at(s, 0), rows, i)
    for k in range(len(s.scores)):
        s.scores[k] = belief(at(s, k), rows, i)


def belief(s: Any, rows: Any, i: int) -> float:
    """Return p(+1) - p(-1) for the row in view."""
    return predict(s, rows, i, HEARD) if math.isfinite(s.status[0]) else math.nan


def start_of_features(rows: Any, i: int) -> int:
    """Return where the row begins, after the constant."""
    return rows.indptr[i] + (1 if rows.constant > 0 else 0)


@noinline
def view(s: Any, rows: Any, i: int) -> None:
    """Leave z, the row along the leading directions, and whether the row is finite."""
    s.rows_seen[CONSTANT] = rows.constant
    s.status[0] = s.rows_seen[SQUARES] + squared_norm(rows, i)
    z = s.z[0]
    for k in range(len(z)):
        z[k] = -s.offset[k]
    for j in range(start_of_features(rows, i), rows.indptr[i + 1]):
        at = s.place[rows.indices[j]] - 1
        if at >= 0:
            add(z, s.basis[at], rows.values[j])


def add(z: Any, row: Any, x: float) -> None:
    """z <- z + x row."""
    for k in range(len(z)):
        z[k] += x * row[k]


def form(s: Any, rows: Any, i: int) -> float:
    """Return q of the last row."""
    return s.predictions[ALL, 0]


@noinline
def observe(s: Any, rows: Any, i: int, t: float) -> None:
    """Add the last row to the moments of all rows, unless it has been added."""
    if t <= s.rows_seen[ROUND]:
        return
    s.rows_seen[ROUND] = t
    s.rows_seen[SEEN] += 1
    first = start_of_features(rows, i)
    for j in range(first, rows.indptr[i + 1]):
        x = rows.values[j]
        s.squares[rows.indices[j]] += x * x
        s.rows_seen[SQUARES] += x * x
        a = s.place[rows.indices[j]] - 1
        if a >= 0:
            s.sums[a] += x
            for h in range(first, j + 1):
                b = s.place[rows.indices[h]] - 1
                if b >= 0:
                    high, low = max(a, b), min(a, b)
                    s.moments[high * (high + 1) // 2 + low] += x * rows.values[h]


def evidence(s: Any, t: float) -> tuple[float, float]:
    """Return the evidence of a switch, and the leader's age."""
    return evidence_of(s.experts, t)


@noinline
def learn(
    p: Any, s: Any, rows: Any, i: int, scale: float, m: float, q: float, y: float, t: float
) -> int:
    """Update all experts with label y."""
    if s.scalars[LABELS] == 0:
        for k in range(EXPERTS):
            reset_to_prior(s, k, int(s.experts[k, KIND]))
    predict(s, rows, i, 0.0)
    return UPDATED if update(p, s, rows, i, float(y), t) else REFUSED


def margin_of(s: Any, k: int, rows: Any, i: int) -> tuple[float, float]:
    """Return the margin and the quadratic form of expert k; leaves P z in s.g[k]."""
    first, end = start_of_features(rows, i), rows.indptr[i + 1]
    own = Expert(s.a[k], s.triangle[k], s.g[k], NO_SCALARS)
    q = product(own, DenseRows(s.z, 0.0, ()), 0)
    for j in range(first, end):
        q += s.p[k, rows.indices[j]] * rows.values[j] * rows.values[j]
    m = row_dot(s.a[k], s.z, 0) + sparse_dot(s.w[k], rows.indices, rows.values, first, end)
    if rows.constant > 0:
        m += math.sqrt(1 + q) * s.w[k, 0]
        q += (1 + q) * s.p[k, 0]
    return m, q


def step_expert(s: Any, k: int, rows: Any, i: int, eta: float, nu: float) -> bool:
    """Update a, w and their variances: w <- w + eta g, P <- P - nu g g' with g = P x.

    Of w, only the diagonal of P is kept. Return whether w and its variances are finite.
    """
    total = 0.0
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        at, x = rows.indices[j], rows.values[j]
        if at == 0 and rows.constant > 0:  # as for the margin
            x = math.sqrt((1 + s.predictions[k, Q]) / (1 + s.p[k, 0]))
        g = s.p[k, at] * x
        s.w[k, at] += eta * g
        s.p[k, at] -= nu * g * g
        total += abs(s.w[k, at]) + abs(s.p[k, at])
    add(s.a[k], s.g[k], eta)
    update_matrix(s.triangle[k], s.g[k], 0.0, 1.0, 1.0, nu)
    return math.isfinite(total)


def reset_to_prior(s: Any, k: int, kind: int) -> None:
    """Set expert k to a prior."""
    s.prior[k] = rest_variance(s, kind)
    s.w[k, :], s.a[k, :], s.triangle[k, :] = 0.0, 0.0, 0.0
    s.p[k, :] = s.prior[k]
    if s.rows_seen[CONSTANT] > 0:
        s.p[k, 0] = CONSTANT_VARIANCE
    for j in range(s.a.shape[1]):
        s.triangle[k, j * (j + 3) // 2] = s.priors[kind, j]


def discount(s: Any, k: int, by: float) -> None:
    """w <- by w, P <- by^2 P + (1 - by^2) prior."""
    kind, square = int(s.experts[k, KIND]), by * by
    now = rest_variance(s, kind)
    s.prior[k] = square * s.prior[k] + (1 - square) * now
    for j in range(s.w.shape[1]):
        own = CONSTANT_VARIANCE if j == 0 and s.rows_seen[CONSTANT] > 0 else now
        s.w[k, j] *= by
        s.p[k, j] = square * s.p[k, j] + (1 - square) * own
    for j in range(s.triangle.shape[1]):
        s.triangle[k, j] *= square
    for j in range(s.a.shape[1]):
        s.a[k, j] *= by
        s.triangle[k, j * (j + 3) // 2] += (1 - square) * s.priors[kind, j]


def kinds(s: Any) -> int:
    """Return the number of kinds of priors."""
    return KINDS


def copy_from(s: Any, k: int, other: int) -> None:
    """Copy w, P and the kind of prior of another expert to expert k."""
    for j in range(s.w.shape[1]):
        s.w[k, j], s.p[k, j] = s.w[other, j], s.p[other, j]
    for j in range(s.a.shape[1]):
        s.a[k, j] = s.a[other, j]
    for j in range(s.triangle.shape[1]):
        s.triangle[k, j] = s.triangle[other, j]
    s.prior[k], s.experts[k, KIND] = s.prior[other], s.experts[other, KIND]
