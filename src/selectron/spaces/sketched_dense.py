"""Dense rows, second order with a sketch, of m terms and up to m newer ones.

    P = s I - sum_t c_t g_t g_t'

A step P <- mu (P + eps I) - nu g g' is

    s <- mu (s + eps),   c_t <- mu c_t,   and one more term nu g g'

without any error, for every learner of second order, also for those that forget (eps) or fade (mu).
When there are 2 m terms, the m eigenvectors of P with the smallest eigenvalues are kept, those
along which most is known: exact where no more than m directions have been seen. What is known along
the others, in precision, is shared by all other directions, so that the trace of P^-1 stays: of
their eigenvalues, the harmonic mean becomes s.

q costs O(m d), and so do a step and, on average, its share of the decomposition; a round without a
step costs as much as in first order. Sparse rows are in `sketched_sparse`.

Source: Luo, Agarwal, Cesa-Bianchi & Langford, "Efficient Second Order Online Learning by Sketching"
(NeurIPS 2016), section 3, with P = A^-1 and s = 1 / alpha. Its frequent directions (FD-SON) lose
the precision along dropped directions: on dense rows, whose directions are many and alike, that is
worse than first order. Oja's rule (Oja-SON) finds new directions slowly, at a step size to choose.
"""

import math
from typing import Any

import numpy as np

from ..engine.arithmetic import add_multiple, dot, multiply
from ..engine.round import Round
from . import dense_second
from .dense_second import EPSILON, damped, squared_norm, walk
from .dense_second import Rows as Rows
from .dense_second import inner as inner
from .dense_second import rows as rows
from .dense_second import score_all as score_all
from .dense_second import weights as weights
from .dual_second import largest as largest
from .dual_second import upper_bound as upper_bound
from .state import (
    ALL_OF,
    FRESH,
    HELD,
    NOISE,
    SKETCH_LENGTH,
    SQUARE,
    Field,
    Limits,
    Table,
    numbers,
)

order = 2
opposite, shrunk = dense_second.opposite, dense_second.shrunk

TERMS, VARIANCE = Limits(HELD, lambda s: len(s.c)), Limits(FRESH, whole=False)
WEIGHTS = Limits(ALL_OF, math.inf, whole=False)  # of terms, whose roots are taken

TABLE = Table(
    {
        "w": Field(lambda r: (r.width,), power=1),
        "directions": Field(lambda r: (r.capacity, r.width)),
        "c": Field(lambda r: (r.capacity,), limits=(WEIGHTS,)),
        "seen": Field(lambda r: (r.width,), dtype=np.uint8),  # features that a step has touched
        "a": Field(lambda r: (r.capacity,)),  # <g_t, x> of the last row that needed q
        "g": Field(lambda r: (r.width,)),  # room for a step
        "scalars": numbers(
            SKETCH_LENGTH, {SQUARE: 2}, {NOISE: "noise", FRESH: "scale"}, (TERMS, VARIANCE)
        ),
    },
    capacity="c",
)
State, at, start, size, scaled = TABLE.State, TABLE.at, TABLE.start, TABLE.size, TABLE.scaled
widen, sound = TABLE.widen, TABLE.sound


def full(s: Any) -> bool:
    """Return whether there is no room for another term, so that `compress` has to make some."""
    return int(s.scalars[HELD]) == len(s.c)


def quadratic_form(s: Any, rows: Any, i: int) -> float:
    """Return q; leave a_t = <g_t, x> in s.a."""
    x, n, total = rows.values[i], int(s.scalars[HELD]), 0.0
    for t in range(n):
        s.a[t] = dot(s.directions[t], x)
        total += s.c[t] * s.a[t] * s.a[t]
    return (s.scalars[FRESH] + s.scalars[NOISE]) * squared_norm(rows, i) - total


def move(s: Any, rows: Any, i: int, scale: float, now: Round, step: Any) -> int:
    """w <- w + eta g and P <- mu (P + eps I) - nu g g', for x scaled, after `quadratic_form`."""
    n = int(s.scalars[HELD])
    most = upper_bound(s, squared_norm(rows, i)) / (scale * scale)
    step = damped(now, step, 4 * (n + 1) * EPSILON * most)
    product(s, rows.values[i], n)
    if not walk(s, scale, now, step):
        return False
    mark(s.seen, rows.values[i])
    s.scalars[FRESH] = step.mu * (s.scalars[FRESH] + s.scalars[NOISE])
    multiply(s.c[:n], step.mu)
    if step.nu > 0:
        s.c[n] = step.nu
        for j in range(len(s.g)):
            s.directions[n, j] = s.g[j]
        s.scalars[HELD] = n + 1
    return True


def mark(seen: np.ndarray, x: np.ndarray) -> None:
    """Count the features that are not 0 among those seen."""
    for j in range(len(x)):
        seen[j] |= x[j] != 0


def product(s: Any, x: np.ndarray, n: int) -> None:
    """Leave g = (P + eps I) x in s.g."""
    lead = s.scalars[FRESH] + s.scalars[NOISE]
    for j in range(len(x)):
        s.g[j] = lead * x[j]
    for t in range(n):
        add_multiple(s.g, s.directions[t], -s.c[t] * s.a[t])


def rescale(s: Any, by: float) -> None:
    """P <- by P."""
    for j in (FRESH, NOISE):
        s.scalars[j] *= by
    multiply(s.c, by)


def compress(s: Any) -> bool:
    """Keep half of the terms if there is no room for another one; return whether there was none."""
    if not full(s):
        return False
    m, roots = len(s.c) // 2, np.sqrt(s.c)
    removed, units = eigenvectors(roots[:, None] * (s.directions @ s.directions.T) * roots, m)
    s.directions[:m] = (units * roots) @ s.directions
    kept, s.scalars[FRESH] = reduced(removed, s.scalars[FRESH], int(np.count_nonzero(s.seen)), m)
    s.c[:m], s.c[m:] = kept, 0.0
    s.scalars[HELD] = m
    return True


def eigenvectors(inner: np.ndarray, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what terms remove along their eigenvectors, ascending, and the last m of these.

    `inner` has the inner products of the terms sqrt(c_t) g_t; the eigenvectors are combinations of
    terms, of unit length, a row each, and 0 where nothing is removed.

    >>> eigenvectors(np.array([[4.0, 0.0], [0.0, 1.0]]), 1)
    (array([1., 4.]), array([[0.5, 0. ]]))
    """
    removed, vectors = np.linalg.eigh(inner)
    some = removed > len(removed) * EPSILON * removed[-1]
    lengths = np.sqrt(np.where(some, removed, np.inf))
    return removed, (vectors / lengths).T[-m:]


def reduced(removed: np.ndarray, s: float, features: int, m: int) -> tuple[np.ndarray, float]:
    """Return the weights of the m terms that are kept, and the new s.

    `removed`, in ascending order, is what the terms take from s along their eigenvectors, of which
    the last m are kept, and `features` the number of those seen.

    >>> kept, s = reduced(np.array([0.0, 0.5, 0.75]), 1.0, 3, 1)
    >>> s - kept, round(s, 3)
    (array([0.25]), 0.667)
    """
    least = 4 * len(removed) * EPSILON * s
    variances = np.maximum(s - removed, least)
    others = features - m
    if others <= 0:
        return removed[-m:].clip(0.0, s - least), s
    left = variances[max(len(removed) - m - others, 0) : len(removed) - m]
    mean = others / ((1 / left).sum() + (others - len(left)) / s)
    return (mean - variances[-m:]).clip(0.0), float(mean)
