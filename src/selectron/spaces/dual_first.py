"""First order in dual form: w = factor * sum_j coef_j phi(x_j), over stored examples.

A margin costs one kernel value for each example, and a step nothing more. The examples are in slots
0 to HELD - 1. <w, w> follows by a recurrence in m and q.
"""

import math
from typing import Any

import numpy as np

from ..engine.arithmetic import dot, multiply
from ..engine.bind import noinline
from ..engine.parts import learner, storage
from ..engine.round import Old, Round
from .dense_first import square_after
from .sparse_first import HIGHEST, LOWEST
from .state import (
    CHANCE,
    COUNT,
    DUAL_LENGTH,
    FACTOR,
    HELD,
    LIMIT,
    NOTE,
    SQUARE,
    Field,
    Limits,
    numbers,
)

order = 1
MODULUS, MULTIPLIER = 2147483647.0, 48271.0  # Park and Miller: products are exact in doubles
STORED = Limits(HELD, lambda s: len(s.kappa))
LIMITS = (STORED, Limits(CHANCE, MODULUS - 1, 1))

FIELDS = {
    "coef": Field(lambda r: (r.capacity,)),
    "scales": Field(lambda r: (r.capacity,)),  # 1 / scale of the step that stored the example
    "born": Field(lambda r: (r.capacity,)),  # the number of steps before it
    "kappa": Field(lambda r: (r.capacity,)),  # the last values of the kernel
    "scalars": numbers(DUAL_LENGTH, {FACTOR: 1, SQUARE: 2}, {FACTOR: 1.0}, LIMITS),
}


def coefficients(s: Any) -> np.ndarray:
    """Return the coefficients of the stored examples."""
    return s.scalars[FACTOR] * s.coef[: int(s.scalars[HELD])]


def sound(s: Any, held: int) -> bool:
    """Return whether a step can go on from these numbers."""
    found = [s.coef[:held], s.scales[:held], s.born[:held], s.scalars[[FACTOR, SQUARE]]]
    return all(bool(np.isfinite(n).all()) for n in found)


def inner(s: Any, rows: Any, i: int) -> float:
    """Return <w, phi(x)>; NaN for a row that is not finite, whatever is stored."""
    storage.fill(s, rows, i)
    n = int(s.scalars[HELD])
    return s.scalars[FACTOR] * dot(s.coef[:n], s.kappa[:n]) + 0.0 * storage.squared_norm(rows, i)


def needs_growth(s: Any, rows: Any, i: int) -> bool:
    """Return whether no slot is left that row i fits into."""
    return int(s.scalars[HELD]) == len(s.kappa) or storage.too_long(s, rows, i)


@noinline
def move(s: Any, rows: Any, i: int, scale: float, now: Round, step: Any) -> int:
    """w <- keep w + eta phi(x), for phi(x) scaled; store the example unless eta is 0."""
    after, eta = square_after(now, step), step.eta / scale
    if not (math.isfinite(after) and math.isfinite(eta)):
        return False
    shrink(s, step.keep)
    if eta != 0:
        n = int(s.scalars[HELD])
        storage.put(s, rows, i, n)
        s.coef[n] = eta / s.scalars[FACTOR]
        s.scales[n], s.born[n] = 1 / scale, s.scalars[COUNT]
        s.scalars[HELD] = n + 1
    s.scalars[SQUARE] = abs(after)  # rounding may leave a zero below zero
    s.scalars[COUNT] += 1
    return True


def shrink(s: Any, keep: float) -> None:
    """w <- keep w; if that is 0, drop all examples."""
    factor = s.scalars[FACTOR] * keep
    if factor == 0:
        s.scalars[HELD] = 0
        factor = 1.0
    elif not LOWEST < abs(factor) < HIGHEST:
        multiply(s.coef[: int(s.scalars[HELD])], factor)
        factor = 1.0
    s.scalars[FACTOR] = factor


@noinline
def evict(p: Any, s: Any, rows: Any) -> None:
    """Drop an example, but not the newest, if there are too many."""
    n = int(s.scalars[HELD])
    if n <= s.scalars[LIMIT]:
        return
    r = leaving(p, s, n)
    storage.among(s, rows, r)
    coef, scale = s.scalars[FACTOR] * s.coef[r], s.scales[r]
    f = s.scalars[FACTOR] * dot(s.coef[:n], s.kappa[:n])
    u = scale * f if coef > 0 else -scale * f
    removal = learner.shrink(p, Old(abs(coef) / scale, u, s.scalars[COUNT], s.scalars[NOTE]))
    keep = removal.keep
    s.scalars[NOTE] = removal.note
    shrink(s, keep)
    rest = s.scalars[SQUARE] - coef * (2 * f - coef * s.kappa[r])  # <w, w> without r, before `keep`
    s.scalars[SQUARE] = keep * keep * max(0.0, rest)
    if s.scalars[HELD] > 0:  # else `shrink` has dropped all
        drop(s, r, n - 1)


def leaving(p: Any, s: Any, n: int) -> int:
    """Return which of n examples to evict: the oldest, or any except the last, the newest."""
    if learner.at_random(p):
        s.scalars[CHANCE] = (MULTIPLIER * s.scalars[CHANCE]) % MODULUS
        return int(s.scalars[CHANCE] / MODULUS * (n - 1))
    r = 0
    for j in range(1, n):
        if s.born[j] < s.born[r]:
            r = j
    return r


def drop(s: Any, r: int, last: int) -> None:
    """Move the last example to the place of example r."""
    if r != last:
        storage.shift(s, last, r)
        s.coef[r], s.scales[r], s.born[r] = s.coef[last], s.scales[last], s.born[last]
    s.scalars[HELD] = last
