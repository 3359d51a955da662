"""Sparse rows: the leading directions of their largest features, and a variance for each weight.

One ensemble has z, which are the constant and the leading directions (`directions`), and weights of
all features next to it (`vectors`), so that predicting costs O(non-zeros).
"""

import math
from typing import Any

import numpy as np

from ..engine.bind import noinline
from ..engine.round import UPDATED, Shape
from ..engine.rows import Sparse, readonly
from ..engine.rows import SparseRows as Rows
from ..spaces import sparse_second
from ..spaces.sparse_second import squared_norm
from . import renewal
from .conversion import matrices, of_rows, triangles, under_priors
from .directions import (
    ABOUT,
    COMMON,
    OF_ROWS,
    OWN_UNITS,
    RATIO,
    REDUCED,
    SCALED,
    SQUARES,
    TABLE,
    as_weights,
    choose_features,
    find_units,
    own_variance,
    priors,
    renew,
    rows_left,
    sound,
    squares_about_means,
    widen,
)
from .discriminant import learn_class as learn_class
from .discriminant import log_densities as log_densities
from .experts import HEARD, inner, norms, predict, score_all, start_late, update
from .posterior import (
    ALIVE,
    ALL,
    EXPERTS,
    KIND,
    KINDS,
    LABELS,
    evidence_of,
    lasting_and_steps,
    leader,
    upper_bound,
)
from .state import CONSTANT, RENEWED, ROUND, SEEN
from .vectors import add, reset_to_prior

__all__ = ["OF_ROWS", "inner", "lasting_and_steps", "own_variance", "renew", "rows_left"]
__all__ += ["score_all", "sound", "upper_bound", "widen"]

# kinds of priors on sparse rows in place of those on dense ones, see `renewal.POWERS`
SPARSE_KIND = OWN_UNITS, 2, OWN_UNITS, 1, OWN_UNITS

order = 2
refuses = False
State, at, size, scaled, shared = TABLE.State, TABLE.at, TABLE.size, TABLE.scaled, TABLE.shared


def rows(block: Sparse, constant: bool, normalize: bool = False) -> Rows:
    """Return the block as the loop takes it, with rows of unit length if `normalize`."""
    found = sparse_second.rows(block, constant)
    if not normalize:
        return found
    n = len(found.indptr) - 1
    row = np.repeat(np.arange(n), np.diff(found.indptr).astype(int))
    squares = np.bincount(row, found.values * found.values, minlength=n)
    return found._replace(values=readonly(found.values / norms(squares)[row]))


def start(width: int, shape: Shape | None, capacity: int = 0) -> Any:
    """Return the state before the first row."""
    s = TABLE.start(width, shape, capacity)
    s.priors[:], s.rests[:] = triangles(priors(np.zeros(KINDS), np.zeros(0))), 1.0
    s.ratios[:] = 1.0
    return s


def weights(s: Any) -> np.ndarray:
    """Return w of the leader, with what its directions stand for."""
    return as_weights(s, leader(s.experts))


def informed(fresh: Any, other: Any) -> Any:
    """Return the state of a class that is met late: no label so far was of this class."""
    new = fresh._replace(**of_rows(other, TABLE))
    new.scalars[LABELS] = other.scalars[LABELS]
    set_to_priors(new)
    start_late(new, other, new.rows_seen[CONSTANT] > 0)
    return new


def set_to_priors(s: Any) -> None:
    """Set P of all experts to that of their priors, given the rows so far."""
    under_priors(s, np.array([own_variance(s, kind) for kind in range(KINDS)]))
    s.p[:] *= s.ratios[RATIO[s.experts[:, KIND].astype(int)]]


def outgrow(olds: list[Any], news: list[Any]) -> None:
    """Bring what was learned from dense rows to the states of all classes, before directions.

    Experts keep their weights, and the precision that labels have added to that of each; the offset
    stays the same for a row of mean variance.
    """
    known, new_known = olds[0], news[0]
    first, d = int(known.rows_seen[CONSTANT]), known.last.shape[1]
    n, squares = known.rows_seen[SEEN], diagonal(known.moments)
    squares += first * known.sums[0] ** 2 / max(1.0, n)  # moments are about the mean, then
    new_known.squares[first:d] = squares[first:]
    new_known.totals[first:d], new_known.counts[first:d] = known.sums[[0, 2], first:]
    new_known.rows_seen[: len(known.rows_seen)] = known.rows_seen
    new_known.rows_seen[[RENEWED, SQUARES]] = n, squares[first:].sum()
    find_units(new_known)
    choose_features(new_known)
    for s, new in zip(olds, news, strict=True):
        if s.scalars[LABELS] > 0:
            take_over(s, new)


def take_over(s: Any, new: Any) -> None:
    """Bring the experts of one class from a dense state to a sparse one, which knows the rows."""
    new.scalars[:], new.experts[:], new.predictions[:] = s.scalars, s.experts, s.predictions
    new.experts[:, KIND] = np.array(SPARSE_KIND)[s.experts[:, KIND].astype(int)]
    set_to_priors(new)
    first, d = int(s.rows_seen[CONSTANT]), s.last.shape[1]
    unit = s.scaler[1, first:] ** 2  # of the variances
    for k in np.flatnonzero(s.experts[:, ALIVE]).tolist():
        kept = renewal.as_weights(s, k)
        new.w[k, first:d], new.a[k, :first] = kept[first:], kept[:first]
        prior = diagonal(s.priors[int(s.experts[k, KIND])])[first:]
        learned = 1 / diagonal(s.triangle[k])[first:] - 1 / prior
        new.p[k, first:d] = 1 / (1 / new.p[k, first:d] + np.maximum(0.0, learned) / unit)
        # the constant is sqrt(1 + v), and v large where features have means: see `vectors`
        squares = squares_about_means(new)[first:d]
        variance = new.p[k, first:d] @ squares / max(1.0, new.rows_seen[SEEN])
        new.a[k, :first] += kept[first:] @ new.means[first:d]
        new.a[k, :first] /= math.sqrt(1 + variance)


def diagonal(triangle: np.ndarray) -> np.ndarray:
    """Return the diagonal of a symmetric matrix, given its lower triangle row by row."""
    return np.diag(matrices(triangle)).copy()


def belief(s: Any, rows: Any, i: int) -> float:
    """Return p(+1) - p(-1), the mean over the experts; NaN if sums of squares would overflow."""
    return predict(s, rows, i, HEARD) if math.isfinite(s.status[0]) else math.nan


@noinline
def look(s: Any, rows: Any, i: int) -> None:
    """Leave z, the row along the leading directions, and whether the row is finite."""
    s.rows_seen[CONSTANT] = rows.constant
    s.status[0] = 4 * (s.rows_seen[SQUARES] + squared_norm(rows, i))  # bounds squares about means
    center(s, rows, i)
    s.z[0, 0], z = rows.constant, s.z[0, 1:]
    for k in range(len(z)):
        z[k] = -s.offset[k]
    first, end = span(s, rows, i)
    for j in range(first, end):
        at, x = feature(s, rows, j)
        if s.place[at] > 0:
            add(z, s.basis[s.place[at] - 1], x)


def center(s: Any, rows: Any, i: int) -> None:
    """Leave the row about the means: first the features that have one, then its other values."""
    n = int(s.rows_seen[COMMON])
    for j in range(n):
        s.entries[j], s.row[j] = s.centered[j], -s.means[s.centered[j]]
    for j in range(rows.indptr[i] + (1 if rows.constant > 0 else 0), rows.indptr[i + 1]):
        at = rows.indices[j]
        if s.slots[at] > 0:
            s.row[s.slots[at] - 1] += rows.values[j]
        else:
            s.entries[n], s.row[n] = at, rows.values[j]
            n += 1
    s.status[1] = n


def quadratic_form(s: Any, rows: Any, i: int) -> float:
    """Return q of the last row."""
    return s.predictions[ALL, 0]


@noinline
def observe(s: Any, rows: Any, i: int, t: float) -> None:
    """Add the last row to the moments of all rows, unless it has been added."""
    if t <= s.rows_seen[ROUND]:
        return
    s.rows_seen[ROUND] = t
    s.rows_seen[SEEN] += 1
    for j in range(rows.indptr[i] + (1 if rows.constant > 0 else 0), rows.indptr[i + 1]):
        at, x = rows.indices[j], rows.values[j]
        s.squares[at] += x * x
        s.totals[at] += x
        s.counts[at] += 1 if x != 0 else 0
        s.rows_seen[SQUARES] += x * x
    first, end = span(s, rows, i)
    for j in range(first, end):
        at, x = feature(s, rows, j)
        s.rows_seen[ABOUT] += x * x
        s.rows_seen[SCALED] += s.ratios[REDUCED, at] * x * x
        a = s.place[at] - 1
        if a >= 0:
            s.sums[a] += x
            for h in range(first, j + 1):
                other, value = feature(s, rows, h)
                b = s.place[other] - 1
                if b >= 0:
                    high, low = max(a, b), min(a, b)
                    s.moments[high * (high + 1) // 2 + low] += x * value


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
    update(p, s, rows, i, float(y), t)
    return UPDATED


# The weights of features


def span(s: Any, rows: Any, i: int) -> tuple[int, int]:
    """Return the places in `row` where the features begin and end."""
    return 0, int(s.status[1])


def feature(s: Any, rows: Any, j: int) -> tuple[int, float]:
    """Return the index of the feature in place j, and its value about the mean."""
    return s.entries[j], s.row[j]


def ratio(s: Any, kind: int, at: int) -> float:
    """Return the variance of a weight under a prior, over that of a feature never seen."""
    return s.ratios[RATIO[kind], at]
