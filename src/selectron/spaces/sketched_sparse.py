"""Sparse rows, second order with a sketch: see `sketched_dense`. The directions are sums of rows.

    g_t = sum_j h_tj y_j,   w = v + sum_j b_j y_j

over the rows y_j of a table Y: m eigenvectors, and the rows of newer steps. In the dual form of
`dual_second`, whose code this is except for the products with Y, they are the stored examples.

`compress` replaces Y by A Y, m eigenvectors, and would have to change all features. It begins a new
epoch instead, and changes those that were part of a step in the last one. Y is stored by features,
and a feature keeps its column of the epoch epoch[j] = e: `moved[e]` leads from there to the column
of now, and its weight is v_j + <b[e], column>, as a step adds to the b of every epoch what it adds
to w. When the epochs run out, all features are brought to the first one.

A step costs O(m^2), and O(m) for each non-zero, as in the paper's section 4. Its sketch has
orthonormal rows V = F Z, of which only Z, at the non-zeros, and the small F change; here F is taken
into Z feature by feature, when a step next needs the feature.
"""

import sys
from typing import Any

import numpy as np

from ..engine.arithmetic import add_multiple, dot
from ..engine.bind import noinline
from . import dual_second
from .sketched_dense import TERMS, VARIANCE, WEIGHTS, eigenvectors, reduced
from .sketched_dense import full as full
from .sparse_second import Rows as Rows
from .sparse_second import rows as rows
from .sparse_second import squared_norm
from .state import (
    ALL_OF,
    DUAL_LENGTH,
    EPOCH,
    FRESH,
    HELD,
    MIX,
    SEEN,
    Field,
    Limits,
    Table,
    numbers,
)

order = 2
EPOCHS = 64
UP_TO_NOW = Limits(ALL_OF, lambda s: s.scalars[EPOCH])
LIMITS = (TERMS, VARIANCE, Limits(EPOCH, EPOCHS - 1, 1), Limits(SEEN, lambda s: len(s.epoch)))

TABLE = Table(
    {
        "v": Field(lambda r: (r.width,), power=1),
        "b": Field(lambda r: (EPOCHS, r.capacity), power=1),
        "y": Field(lambda r: (r.width, r.capacity)),
        # of the column of Y of each feature; 0 before its first step
        "epoch": Field(lambda r: (r.width,), dtype=np.int64, limits=(UP_TO_NOW,)),
        "moved": Field(lambda r: (EPOCHS, r.capacity // 2, r.capacity // 2)),
        "gram": Field(lambda r: (r.capacity, r.capacity)),  # YY'
        **{name: dual_second.OF_P[name] for name in ("triangle", "c", "kappa", "a")},
        "c": Field(lambda r: (r.capacity,), limits=(WEIGHTS,)),
        "scalars": numbers(DUAL_LENGTH, {}, dual_second.START | {EPOCH: 1.0}, LIMITS),
    },
    capacity="c",
)
State, at, start, size, scaled = TABLE.State, TABLE.at, TABLE.start, TABLE.size, TABLE.scaled
widen = TABLE.widen


def weights(s: Any) -> np.ndarray:
    """Return w."""
    return s.v + (s.b[s.epoch] * s.y).sum(axis=1)


def sound(s: Any) -> bool:
    """Return whether counts and epochs are valid and numbers finite, in a state from a file."""
    return TABLE.sound(s) and s.scalars[MIX] > 0


def inner(s: Any, rows: Any, i: int) -> float:
    """Return <w, x>."""
    total = 0.0
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        total += rows.values[j] * weight(s, rows.indices[j])
    return total


def weight(s: Any, j: Any) -> float:
    """Return the weight of feature j."""
    e = s.epoch[j]
    if e == 0:
        return s.v[j]
    n = len(s.kappa) if e == int(s.scalars[EPOCH]) else len(s.kappa) // 2
    return s.v[j] + dot(s.b[e], s.y[j, :n])


@noinline
def fill(s: Any, rows: Any, i: int) -> None:
    """Leave <y_j, x> of row i in s.kappa."""
    now = int(s.scalars[EPOCH])
    for k in range(len(s.kappa)):
        s.kappa[k] = 0.0
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        index, x = rows.indices[j], rows.values[j]
        if s.epoch[index] == now:
            add_multiple(s.kappa, s.y[index], x)
        elif s.epoch[index] > 0:
            for k in range(len(s.kappa) // 2):
                s.kappa[k] += x * dot(s.y[index], s.moved[s.epoch[index], k])


@noinline
def put(s: Any, rows: Any, i: int, n: int) -> None:
    """Make row i the row y_n, given its <y_j, x> in s.kappa."""
    now = int(s.scalars[EPOCH])
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        if rows.values[j] != 0:
            bring(s, rows.indices[j], now)
            s.y[rows.indices[j], n] = rows.values[j]
    for k in range(n):
        s.gram[n, k] = s.gram[k, n] = s.kappa[k]
    s.gram[n, n] = squared_norm(rows, i)


def bring(s: Any, j: Any, now: int) -> None:
    """Bring feature j to the epoch `now`; its weight stays as it is."""
    e, y, m = s.epoch[j], s.y[j], len(s.kappa) // 2
    if e == now:
        return
    if e == 0:
        s.scalars[SEEN] += 1
    s.v[j] = weight(s, j)
    for k in range(m):
        s.a[k] = dot(y, s.moved[e, k])
    for k in range(m):
        y[k] = s.a[k]
    s.v[j] -= dot(s.b[now], y)
    s.epoch[j] = now


def add_examples(s: Any, n: int, g: np.ndarray, eta: float) -> None:
    """w <- w + eta sum_j g_j y_j over n + 1 rows."""
    now, m = int(s.scalars[EPOCH]), len(s.kappa) // 2
    for j in range(n + 1):
        s.b[now, j] += eta * g[j]
    for e in range(1, now):
        for k in range(min(m, n + 1)):
            add_multiple(s.b[e], s.moved[e, k], eta * g[k])


def compress(s: Any) -> bool:
    """Keep half of the terms if there is no room for another one; return whether there was none."""
    if not full(s):
        return False
    m, now, lower = len(s.c) // 2, int(s.scalars[EPOCH]), np.tril_indices(len(s.c))
    terms = np.zeros_like(s.gram)
    terms[lower] = s.triangle
    terms *= np.sqrt(s.scalars[MIX] * s.c)[:, None]
    removed, units = eigenvectors(terms @ s.gram @ terms.T, m)
    into = units @ terms
    kept, s.scalars[FRESH] = reduced(removed, s.scalars[FRESH], int(s.scalars[SEEN]), m)
    s.c[:m], s.c[m:], s.triangle[:] = kept, 0.0, np.eye(len(s.c))[lower]
    gram = into @ s.gram @ into.T
    s.gram[:] = 0.0
    s.gram[:m, :m] = gram
    s.moved[1:now] = into[:, :m] @ s.moved[1:now]
    bring_all(s, now, into)
    s.b[now], s.moved[now] = 0.0, np.eye(m)
    s.scalars[[MIX, HELD, EPOCH]] = 1.0, m, now + 1
    if now + 1 == EPOCHS:
        for e in range(1, EPOCHS):
            bring_all(s, e, s.moved[e])
        np.minimum(s.epoch, 1, out=s.epoch)
        s.b[:], s.scalars[EPOCH] = 0.0, 1
    return True


def bring_all(s: Any, e: int, into: np.ndarray) -> None:
    """Replace the columns of all features of an epoch, whose b will be 0; weights stay."""
    n, of_e = into.shape[1], np.flatnonzero(s.epoch == e)
    y, m = s.y[of_e, :n], len(into)
    s.v[of_e] += y @ s.b[e, :n]
    s.y[of_e, :m], s.y[of_e, m:] = y @ into.T, 0.0


parts = {"space": (sys.modules[__name__], dual_second.explicit), "storage": sys.modules[__name__]}
