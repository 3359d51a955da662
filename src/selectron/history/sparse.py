"""Sparse rows: a variance for each weight alone, so that predicting costs O(non-zeros).

The prior is isotropic, as features of text are alike: under it, a row of mean length has a margin
of variance PRIOR_VARIANCE.
"""

import math
from typing import Any

import numpy as np

from ..engine.arithmetic import sparse_dot
from ..engine.bind import noinline
from ..engine.round import REFUSED, SHORTEST, UPDATED
from ..engine.rows import Sparse, readonly
from ..engine.rows import SparseRows as Rows
from ..spaces import sparse_second
from ..spaces.sparse_second import squared_norm
from ..spaces.state import Field, Table
from .experts import (
    CONSTANT_VARIANCE,
    HEARD,
    PRIOR_VARIANCE,
    SHARED,
    norms,
    predict,
    start_late,
    update,
)
from .posterior import (
    ALIVE,
    ALL,
    EXPERTS,
    KINDS,
    LABELS,
    Q,
    ceiling,
    evidence_of,
    lasting_and_steps,
    leader,
)

__all__ = ["ceiling", "lasting_and_steps", "squared_norm"]

order = 2
atomic = False


TABLE = Table(
    {
        "w": Field(lambda r: (ALL, r.width), power=1),
        "p": Field(lambda r: (ALL, r.width)),  # the variance of every weight
        **SHARED,
        "squares": Field(lambda r: (1,)),  # squared norms of labelled rows, constants left out
        "constant": Field(lambda r: (1,)),  # 1.0 if there is a constant in front
        "prior": Field(lambda r: (ALL,)),  # variance of a weight whose feature was always 0
    }
)
State, at, start, size, scaled = TABLE.State, TABLE.at, TABLE.start, TABLE.size, TABLE.scaled


def rows(block: Sparse, constant: bool, normalize: bool = False) -> Rows:
    """Return the block as the loop takes it, with rows of unit length if `normalize`."""
    found = sparse_second.rows(block, constant)
    if not normalize:
        return found
    n = len(found.indptr) - 1
    row = np.repeat(np.arange(n), np.diff(found.indptr).astype(int))
    squares = np.bincount(row, found.values * found.values, minlength=n)
    return found._replace(values=readonly(found.values / norms(squares)[row]))


def widen(s: Any, width: int) -> Any:
    """Return the state with new features, under each expert's prior."""
    wider = TABLE.widen(s, width)
    wider.p[:, s.p.shape[1] :] = s.prior[:, None]
    return wider


def weights(s: Any) -> np.ndarray:
    """Return w of the leader."""
    return s.w[leader(s.experts)].copy()


def informed(fresh: Any, other: Any) -> Any:
    """Return the state of a class that is met late: no label so far was of this class."""
    new = fresh._replace(squares=other.squares.copy(), constant=other.constant.copy())
    new.scalars[LABELS] = other.scalars[LABELS]
    for k in range(EXPERTS):
        reset_to_prior(new, k, 0)
    start_late(new, other, new.constant[0] > 0)
    return new


def inner(s: Any, rows: Any, i: int) -> float:
    """Return p(+1) - p(-1), the mean over the experts by their weights."""
    return predict(s, rows, i, HEARD)


def form(s: Any, rows: Any, i: int) -> float:
    """Return q of the last row."""
    return s.predictions[ALL, 0]


def evidence(s: Any, t: float) -> tuple[float, float]:
    """Return the evidence of a switch, and the leader's age."""
    return evidence_of(s.experts, t)


@noinline
def learn(
    p: Any, s: Any, rows: Any, i: int, scale: float, m: float, q: float, y: float, t: float
) -> int:
    """Update all experts with label y."""
    s.constant[0] = rows.constant
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        if rows.constant == 0 or rows.indices[j] > 0:
            s.squares[0] += rows.values[j] * rows.values[j]
    if not math.isfinite(s.squares[0]):
        return REFUSED
    if s.scalars[LABELS] == 0:
        for k in range(EXPERTS):
            if s.experts[k, ALIVE] > 0:
                reset_to_prior(s, k, 0)
    predict(s, rows, i, 0.0)
    return UPDATED if update(p, s, rows, i, float(y), t) else REFUSED


def margin_of(s: Any, k: int, rows: Any, i: int) -> tuple[float, float]:
    """Return the margin and the quadratic form of expert k."""
    first = rows.indptr[i] + (1 if rows.constant > 0 else 0)
    end, q = rows.indptr[i + 1], 0.0
    for j in range(first, end):
        q += s.p[k, rows.indices[j]] * rows.values[j] * rows.values[j]
    m = sparse_dot(s.w[k], rows.indices, rows.values, first, end)
    if rows.constant > 0:
        m += math.sqrt(1 + q) * s.w[k, 0]
        q += (1 + q) * s.p[k, 0]
    return m, q


def step_expert(s: Any, k: int, rows: Any, i: int, eta: float, nu: float) -> bool:
    """w <- w + eta P x, P <- P - nu P x x' P on its diagonal; return whether all is finite."""
    total = 0.0
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        at, x = rows.indices[j], rows.values[j]
        if at == 0 and rows.constant > 0:  # as for the margin
            x = math.sqrt((1 + s.predictions[k, Q]) / (1 + s.p[k, 0]))
        g = s.p[k, at] * x
        s.w[k, at] += eta * g
        s.p[k, at] -= nu * g * g
        total += abs(s.w[k, at]) + abs(s.p[k, at])
    return math.isfinite(total)


def variance(s: Any) -> float:
    """Return the variance of a weight under the prior, the constant's excepted."""
    mean = s.squares[0] / max(1.0, s.scalars[LABELS])
    return PRIOR_VARIANCE / mean if mean >= SHORTEST else PRIOR_VARIANCE


def reset_to_prior(s: Any, k: int, kind: int) -> None:
    """Set expert k to the prior, of whatever kind."""
    s.prior[k] = variance(s)
    s.w[k, :] = 0.0
    s.p[k, :] = s.prior[k]
    if s.constant[0] > 0:
        s.p[k, 0] = CONSTANT_VARIANCE


def discount(s: Any, k: int, by: float) -> None:
    """w <- by w, P <- by^2 P + (1 - by^2) prior."""
    now = variance(s)
    s.prior[k] = by * by * s.prior[k] + (1 - by * by) * now
    for j in range(len(s.w[k])):
        own = CONSTANT_VARIANCE if j == 0 and s.constant[0] > 0 else now
        s.w[k, j] *= by
        s.p[k, j] = by * by * s.p[k, j] + (1 - by * by) * own


def kinds(s: Any) -> int:
    """Return the number of kinds of priors, which are all alike."""
    return KINDS


def copy_from(s: Any, k: int, other: int) -> None:
    """Copy w and P of another expert to expert k."""
    for j in range(len(s.w[k])):
        s.w[k, j], s.p[k, j] = s.w[other, j], s.p[other, j]
    s.prior[k] = s.prior[other]
