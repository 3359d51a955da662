"""Sparse rows, second order with a sketch: see `sketched`. The directions are sums of rows.

    g_t = sum_j h_tj y_j,   w = v + sum_j b_j y_j

over the rows y_j of a table Y, stored by features as z: m eigenvectors and the rows of newer steps.
All but `inner`, `fill` and `compress` is the dual form of `dual_second`, in which the y_j are the
stored examples.

`compress` replaces Y by A Y: the m eigenvectors. In z it would change all features. It only begins
a new epoch instead. Each feature has the number of the epoch in which it was last part of a step,
and the z of that epoch; `moved[e]` leads from there to the z of today, and the weight of feature j
is v_j + <b[e], z_j> in any epoch e = epoch[j], since a step adds to the b of all epochs what it
adds to w. When the epochs run out, all features move to the first one.
"""

import sys
from typing import Any

import numpy as np

from ..engine.arithmetic import dot, reassociated
from ..engine.bind import noinline
from ..engine.round import Shape
from ..engine.rows import SparseRows as Rows
from . import dual_second
from .sketched import needs_growth as needs_growth
from .sketched import eigenvectors, reduced
from .sketched import sound as sound_numbers
from .sparse_second import length
from .sparse_second import rows as rows
from .state import DUAL_LENGTH, EPOCH, FRESH, HELD, MIX, SEEN, Field, Room, Table, numbers

order = 2
atomic = True
EPOCHS = 64


def fill_scalars(scalars: np.ndarray, shape: Shape) -> None:
    """Start with P = shape.scale I and eps = shape.noise, in epoch 1."""
    dual_second.fill_scalars(scalars, shape)
    scalars[EPOCH] = 1


TABLE = Table(
    {
        "v": Field(lambda r: (r.width,), power=1),
        "b": Field(lambda r: (EPOCHS, r.capacity), power=1),
        "z": Field(lambda r: (r.width, r.capacity)),
        "epoch": Field(lambda r: (r.width,), dtype=np.int64),  # 0 before the first step
        "moved": Field(lambda r: (EPOCHS, r.capacity // 2, r.capacity)),
        "gram": Field(lambda r: (r.capacity, r.capacity)),  # YY'
        **{name: dual_second.OF_P[name] for name in ("triangle", "c", "kappa", "a")},
        "scalars": numbers(DUAL_LENGTH, {}, fill_scalars),
    }
)
State, at, start, size, scaled = TABLE.State, TABLE.at, TABLE.start, TABLE.size, TABLE.scaled


def widen(s: Any, width: int) -> Any:
    """Return the state with new features, as if they had been 0 from the start."""
    return TABLE.resized(s, Room(width, len(s.c)))


def weights(s: Any) -> np.ndarray:
    """Return w."""
    return s.v + (s.b[s.epoch] * s.z).sum(axis=1)


def sound(s: Any) -> bool:
    """Return whether counts and epochs are valid and numbers finite, in a state from a file."""
    now = s.scalars[EPOCH]
    valid = 1 <= now < EPOCHS and now == int(now) and s.scalars[MIX] > 0
    return bool(valid and (s.epoch >= 0).all() and (s.epoch <= now).all()) and sound_numbers(s)


def inner(s: Any, rows: Any, i: int) -> float:
    """Return <w, x>."""
    total = 0.0
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        total += rows.values[j] * weight(s, rows.indices[j])
    return total


def weight(s: Any, j: Any) -> float:
    """Return the weight of feature j."""
    e = s.epoch[j]
    return s.v[j] + dot(s.b[e], s.z[j]) if e > 0 else s.v[j]


def score_all(s: Any, rows: Any, i: int) -> None:
    """Leave <w_k, x> of every class k in s.scores."""
    for k in range(len(s.scores)):
        s.scores[k] = inner(at(s, k), rows, i)


@noinline
def fill(s: Any, rows: Any, i: int) -> None:
    """Leave <y_j, x> of row i in s.kappa."""
    now = int(s.scalars[EPOCH])
    for k in range(len(s.kappa)):
        s.kappa[k] = 0.0
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        index, x = rows.indices[j], rows.values[j]
        if s.epoch[index] == now:
            add(s.kappa, s.z[index], x)
        elif s.epoch[index] > 0:
            for k in range(len(s.kappa) // 2):
                s.kappa[k] += x * dot(s.moved[s.epoch[index], k], s.z[index])


@reassociated
def add(total: np.ndarray, row: np.ndarray, by: float) -> None:
    """total <- total + by row."""
    for k in range(len(total)):
        total[k] += by * row[k]


@noinline
def put(s: Any, rows: Any, i: int, n: int) -> None:
    """Make row i the row y_n, given its <y_j, x> in s.kappa."""
    now = int(s.scalars[EPOCH])
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        if rows.values[j] != 0:
            bring(s, rows.indices[j], now)
            s.z[rows.indices[j], n] = rows.values[j]
    for k in range(n):
        s.gram[n, k] = s.gram[k, n] = s.kappa[k]
    s.gram[n, n] = length(rows, i)


def bring(s: Any, j: Any, now: int) -> None:
    """Bring feature j to the epoch `now`; its weight stays as it is."""
    e, z, m = s.epoch[j], s.z[j], len(s.kappa) // 2
    if e == now:
        return
    if e == 0:
        s.scalars[SEEN] += 1
    s.v[j] = weight(s, j)
    for k in range(m):  # the upper half is room, as what is there is not needed any more
        s.a[k] = dot(s.moved[e, k], z)
    for k in range(m):
        z[k], z[m + k] = s.a[k], 0.0
    s.v[j] -= dot(s.b[now], z)
    s.epoch[j] = now


def add_examples(s: Any, n: int, g: np.ndarray, eta: float) -> None:
    """w <- w + eta sum_j g_j y_j over n + 1 rows."""
    now, m = int(s.scalars[EPOCH]), len(s.kappa) // 2
    for j in range(n + 1):
        s.b[now, j] += eta * g[j]
    for e in range(1, now):
        for k in range(min(m, n + 1)):
            add(s.b[e], s.moved[e, k], eta * g[k])


def compress(s: Any) -> Any:
    """Return the state with half of the terms; None if there is room for another one."""
    if int(s.scalars[HELD]) < len(s.c):
        return None
    new, m, now = s._replace(**{name: getattr(s, name).copy() for name in CHANGED}), len(s.c) // 2, int(s.scalars[EPOCH])
    lower = np.tril_indices(len(s.c))
    terms = np.zeros_like(s.gram)
    terms[lower] = s.triangle
    terms *= np.sqrt(s.scalars[MIX] * s.c)[:, None]
    removed, units = eigenvectors(terms @ s.gram @ terms.T, m)
    into = units @ terms
    new.c[:], new.triangle[:], new.gram[:] = 0.0, np.eye(len(s.c))[lower], 0.0
    new.c[:m], new.scalars[FRESH] = reduced(removed, s.scalars[FRESH], int(s.scalars[SEEN]), m)
    new.gram[:m, :m] = into @ s.gram @ into.T
    new.moved[:now] = into[:, :m] @ s.moved[:now]
    new.moved[now] = into
    new.scalars[[MIX, HELD, EPOCH]] = 1.0, m, now + 1
    if now + 1 == EPOCHS:
        return settled(new)
    new.b[now + 1] = 0.0
    return new


def settled(s: Any) -> Any:
    """Return the state with all features in the first epoch."""
    z, v, m = np.zeros_like(s.z), s.v.copy(), len(s.c) // 2
    for e in range(1, EPOCHS):
        of_e = s.epoch == e
        z[of_e, :m] = s.z[of_e] @ s.moved[e].T
        v[of_e] += s.z[of_e] @ s.b[e]
    scalars = s.scalars.copy()
    scalars[EPOCH] = 1
    return s._replace(z=z, v=v, b=np.zeros_like(s.b), epoch=np.minimum(s.epoch, 1), scalars=scalars)


CHANGED = ("b", "moved", "gram", "triangle", "c", "scalars")  # by `compress`, in place
parts = {"space": (sys.modules[__name__], dual_second.explicit), "storage": sys.modules[__name__]}
