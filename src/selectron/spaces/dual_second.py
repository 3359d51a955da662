"""Second order in dual form: w and P over stored examples x_0, x_1, ..., phi(x_j) for short.

    w = sum_j coef_j x_j,   P = s I - mix * sum_t c_t g_t g_t',   g_t = sum_{j <= t} h_tj x_j

A step along g = (P + eps I) x stores x and g, as a row more of the triangle h. With a_t = <g_t, x>,
which takes the kernel's values between x and the examples, q is (s + eps) k(x, x) - mix * sum_t c_t
a_t^2: that costs k (k + 1) / 2 multiplications for k examples, and so does the new row of h.

P's eigenvalues are s at most. Its terms are taken off one by one, each of them shortened where
rounding might take more than there is (`second.damped`): nu (q + doubt) <= mu. Otherwise P is what
the formula gives; unlike the primal one it is never written down, and has no diagonal to be raised.
<w, w>, which no learner of second order reads, is not kept: it is 0.
"""

import math
import sys
from typing import Any

import numpy as np

from ..engine.arithmetic import dot, reassociated, sparse_dot
from ..engine.bind import apart, variant
from ..engine.parts import storage
from ..engine.round import Round, Shape, ShapeStep
from . import dense_second
from .dense_second import EPSILON, damped
from .sparse_first import HIGHEST, LOWEST, fold
from .state import COUNT, DUAL_LENGTH, FRESH, HELD, MIX, NOISE, Field, numbers, triangle
from .support_sparse import add

order = 2
opposite, shrunk, still = dense_second.opposite, dense_second.shrunk, dense_second.still


def fill_scalars(scalars: np.ndarray, shape: Shape) -> None:
    """Start with P = shape.scale I and eps = shape.noise."""
    scalars[NOISE], scalars[FRESH], scalars[MIX] = shape.noise, shape.scale, 1.0


OF_P = {
    "triangle": Field(lambda r: (triangle(r.capacity),)),  # h, row by row
    "c": Field(lambda r: (r.capacity,)),
    "kappa": Field(lambda r: (r.capacity,)),  # the last values of the kernel
    "a": Field(lambda r: (r.capacity,)),  # a_t of the last row that needed q
    "scalars": numbers(DUAL_LENGTH, {}, fill_scalars),
}
FIELDS = {"coef": Field(lambda r: (r.capacity,), power=1), **OF_P}


def coefficients(s: Any) -> np.ndarray:
    """Return what each stored example weighs."""
    return s.coef[: int(s.scalars[HELD])]


def sound(s: Any, held: int) -> bool:
    """Are these numbers that a step can go on from?"""
    return bool(np.isfinite(s.coef[:held]).all()) and sound_p(s, held)


def sound_p(s: Any, held: int) -> bool:
    """Are these the numbers of a P?"""
    found = [s.triangle[: triangle(held)], s.c[:held], s.scalars[[NOISE, FRESH, MIX]]]
    return all(bool(np.isfinite(n).all()) for n in found) and s.scalars[MIX] > 0


def inner(s: Any, rows: Any, i: int) -> float:
    """<w, phi(x)>; NaN for a row that is not finite, whatever is stored."""
    storage.fill(s, rows, i)
    n = int(s.scalars[HELD])
    return dot(s.coef[:n], s.kappa[:n]) + 0.0 * storage.length(rows, i)


def form(s: Any, rows: Any, i: int) -> float:
    """q, from the kernel's values that `inner` has left."""
    return quadratic(s, storage.length(rows, i))


@apart
def quadratic(s: Any, xx: float) -> float:
    """q, with a_t = <g_t, phi(x)> left in s.a."""
    total, begin = 0.0, 0
    for t in range(int(s.scalars[HELD])):
        s.a[t] = dot(s.kappa, s.triangle[begin : begin + t + 1])
        total += s.c[t] * s.a[t] * s.a[t]
        begin += t + 1
    return (s.scalars[FRESH] + s.scalars[NOISE]) * xx - s.scalars[MIX] * total


def ceiling(s: Any, xx: float) -> float:
    """Return an upper bound of q: P is s I less something, with an allowance for rounding."""
    return (s.scalars[FRESH] + s.scalars[NOISE]) * xx * (1 + 1e-9)


def needs_growth(s: Any, rows: Any, i: int) -> bool:
    """Is there no slot left that row i fits into?"""
    return int(s.scalars[HELD]) == len(s.c) or storage.too_long(s, rows, i)


@apart
def move(s: Any, rows: Any, i: int, scale: float, now: Round, step: Any) -> int:
    """w <- w + eta g and P <- mu (P + eps I) - nu g g', for phi(x) scaled, after `form`."""
    n = int(s.scalars[HELD])
    step = shortened(s, rows, i, scale, now, step)
    if not reshaped(s, rows, i, scale, now, step):
        return False
    if s.scalars[HELD] > n:
        s.coef[n] = 0.0
        begin, end = last_row(s)
        g = s.triangle[begin:end]
        for j in range(len(g)):
            s.coef[j] += step.eta * g[j]
    return True


def shortened(s: Any, rows: Any, i: int, scale: float, now: Round, step: ShapeStep) -> ShapeStep:
    """Return the step, shortened where rounding might make P indefinite."""
    most = ceiling(s, storage.length(rows, i)) / (scale * scale)
    return damped(s, now, step, 4 * (s.scalars[HELD] + 1) * EPSILON * most)


def reshaped(s: Any, rows: Any, i: int, scale: float, now: Round, step: ShapeStep) -> bool:
    """Step in P, and store the example and its g if they matter; False where that is not finite."""
    n = int(s.scalars[HELD])
    g = s.triangle[n * (n + 1) // 2 : (n + 1) * (n + 2) // 2]
    along(s, g, n, scale)
    gg = dot(g, g)  # no length in itself, but too large where a coefficient is
    size = step.eta * step.eta * (now.q + gg)
    if not (math.isfinite(size) and math.isfinite(step.nu * gg) and math.isfinite(step.mu)):
        return False
    s.scalars[FRESH] = step.mu * (s.scalars[FRESH] + s.scalars[NOISE])
    s.scalars[MIX] *= step.mu
    if n > 0 and not LOWEST < s.scalars[MIX] < HIGHEST:
        fold(s.c[:n], s.scalars[MIX])
        s.scalars[MIX] = 1.0
    if scale < math.inf and (step.eta != 0 or step.nu != 0):
        storage.put(s, rows, i, n)
        s.c[n] = step.nu / s.scalars[MIX]
        s.scalars[HELD] = n + 1
    s.scalars[COUNT] += 1
    return True


def along(s: Any, g: np.ndarray, n: int, scale: float) -> None:
    """g <- what (P + eps I) phi(x), scaled, is made of; a_t as `form` has left it."""
    for j in range(n):
        g[j] = 0.0
    g[n] = (s.scalars[FRESH] + s.scalars[NOISE]) / scale
    begin = 0
    for t in range(n):
        by = s.scalars[MIX] * s.c[t] * s.a[t] / scale
        subtract(g, s.triangle[begin : begin + t + 1], by)
        begin += t + 1


@reassociated
def subtract(g: np.ndarray, row: np.ndarray, by: float) -> None:
    """g <- g - by row, over the length of the row."""
    for j in range(len(row)):
        g[j] -= by * row[j]


def last_row(s: Any) -> tuple[int, int]:
    """Where does the last row of the triangle begin and end?"""
    n = int(s.scalars[HELD])
    return n * (n - 1) // 2, n * (n + 1) // 2


# Sparse rows without a kernel: w is written out. A margin is then one sparse product, and only a q
# that is needed costs inner products with all stored examples.


def explicit_sound(s: Any, held: int) -> bool:
    """Return whether a step can go on from these numbers."""
    return bool(np.isfinite(s.w).all()) and sound_p(s, held)


def explicit_inner(s: Any, rows: Any, i: int) -> float:
    """<w, x>."""
    return sparse_dot(s.w, rows.indices, rows.values, rows.indptr[i], rows.indptr[i + 1])


def explicit_form(s: Any, rows: Any, i: int) -> float:
    """q, with the kernel's values left in s.kappa."""
    storage.fill(s, rows, i)
    return quadratic(s, storage.length(rows, i))


@apart
def explicit_move(s: Any, rows: Any, i: int, scale: float, now: Round, step: Any) -> int:
    """w <- w + eta g and P <- mu (P + eps I) - nu g g', for x scaled, after `form`."""
    n = int(s.scalars[HELD])
    step = shortened(s, rows, i, scale, now, step)
    if not reshaped(s, rows, i, scale, now, step):
        return False
    if s.scalars[HELD] > n:
        begin, end = last_row(s)
        g = s.triangle[begin:end]
        for j in range(len(g)):
            add(s.w, s, j, step.eta * g[j])
    return True


explicit = variant(
    "dual_explicit",
    sys.modules[__name__],
    FIELDS={"w": Field(lambda r: (r.width,), power=1), **OF_P},
    sound=explicit_sound,
    inner=explicit_inner,
    form=explicit_form,
    move=explicit_move,
)
