"""Second order in dual form: w and P over stored examples x_0, x_1, ..., written for phi(x_j).

    w = sum_j coef_j x_j,   P = s I - mix * sum_t c_t g_t g_t',   g_t = sum_{j <= t} h_tj x_j

A step along g = (P + eps I) x stores x, and g as a new row of the triangle h. With a_t = <g_t, x>,
from the kernel's values between x and the examples, q is (s + eps) k(x, x) - mix * sum_t c_t a_t^2:
k (k + 1) / 2 multiplications for k examples, as many as for the new row of h.

P's eigenvalues are at most s. A term is shortened if rounding might make P indefinite
(`dense_second.damped`), so that nu (q + doubt) <= mu; unlike in primal form, there is no diagonal
to raise. <w, w>, which no second-order learner of Selectron reads, is not kept: a step that reads
it is refused.
"""

import math
import sys
from typing import Any

import numpy as np

from ..engine.arithmetic import add_multiple, dot, multiply
from ..engine.bind import noinline, variant
from ..engine.parts import space, storage
from ..engine.round import Round, ShapeStep
from . import dense_second, sparse_second
from .dense_second import EPSILON, damped
from .dual_first import STORED
from .dual_first import needs_growth as needs_growth
from .sparse_first import HIGHEST, LOWEST
from .state import COUNT, DUAL_LENGTH, FRESH, HELD, MIX, NOISE, Field, numbers, triangle
from .support_sparse import add

order = 2
opposite, shrunk = dense_second.opposite, dense_second.shrunk

START: dict[int, float | str] = {NOISE: "noise", FRESH: "scale", MIX: 1.0}
OF_P = {
    "triangle": Field(lambda r: (triangle(r.capacity),)),  # h, row by row
    "c": Field(lambda r: (r.capacity,)),
    "kappa": Field(lambda r: (r.capacity,)),  # the last values of the kernel
    "a": Field(lambda r: (r.capacity,)),  # a_t of the last row that needed q
    "scalars": numbers(DUAL_LENGTH, {}, START, (STORED,)),
}
FIELDS = {"coef": Field(lambda r: (r.capacity,), power=1), **OF_P}


def coefficients(s: Any) -> np.ndarray:
    """Return the coefficients of the stored examples."""
    return s.coef[: int(s.scalars[HELD])]


def sound(s: Any, held: int) -> bool:
    """Return whether a step can go on from these numbers."""
    w = s.coef[:held] if hasattr(s, "coef") else s.w
    found = [w, s.triangle[: triangle(held)], s.c[:held], s.scalars[[NOISE, FRESH, MIX]]]
    return all(bool(np.isfinite(n).all()) for n in found) and s.scalars[MIX] > 0


def inner(s: Any, rows: Any, i: int) -> float:
    """Return <w, phi(x)>; NaN for a row that is not finite, whatever is stored."""
    storage.fill(s, rows, i)
    n = int(s.scalars[HELD])
    return dot(s.coef[:n], s.kappa[:n]) + 0.0 * storage.squared_norm(rows, i)


def own_square(s: Any) -> float:
    """Return NaN, as <w, w> is not kept."""
    return math.nan


def quadratic_form(s: Any, rows: Any, i: int) -> float:
    """Return q, from the kernel's values that `inner` has left."""
    return quadratic(s, storage.squared_norm(rows, i))


@noinline
def quadratic(s: Any, xx: float) -> float:
    """Return q; leave a_t = <g_t, phi(x)> in s.a."""
    total, begin = 0.0, 0
    for t in range(int(s.scalars[HELD])):
        s.a[t] = dot(s.kappa, s.triangle[begin : begin + t + 1])
        total += s.c[t] * s.a[t] * s.a[t]
        begin += t + 1
    return (s.scalars[FRESH] + s.scalars[NOISE]) * xx - s.scalars[MIX] * total


def upper_bound(s: Any, xx: float) -> float:
    """Return an upper bound of q, as P <= s I, with an allowance for rounding."""
    return (s.scalars[FRESH] + s.scalars[NOISE]) * xx * (1 + 1e-9)


@noinline
def move(s: Any, rows: Any, i: int, scale: float, now: Round, step: Any) -> int:
    """w <- w + eta g and P <- mu (P + eps I) - nu g g', phi(x) scaled, after `quadratic_form`."""
    n = int(s.scalars[HELD])
    most = upper_bound(s, storage.squared_norm(rows, i)) / (scale * scale)
    step = damped(now, step, 4 * (n + 1) * EPSILON * most)
    if not reshaped(s, rows, i, scale, now, step):
        return False
    if s.scalars[HELD] > n:
        space.add_examples(s, n, s.triangle[triangle(n) : triangle(n + 1)], step.eta)
    return True


def add_examples(s: Any, n: int, g: np.ndarray, eta: float) -> None:
    """w <- w + eta sum_j g_j x_j, where the last x_j is new."""
    s.coef[n] = 0.0
    for j in range(len(g)):
        s.coef[j] += eta * g[j]


def largest(s: Any) -> float:
    """Return the largest eigenvalue of P without its terms."""
    return s.scalars[FRESH]


def rescale(s: Any, by: float) -> None:
    """P <- by P."""
    for j in (FRESH, NOISE, MIX):
        s.scalars[j] *= by


def reshaped(s: Any, rows: Any, i: int, scale: float, now: Round, step: ShapeStep) -> bool:
    """Step in P, storing the example and g if needed; return False if that is not finite."""
    n = int(s.scalars[HELD])
    g = s.triangle[triangle(n) : triangle(n + 1)]
    along(s, g, n, scale)
    gg = dot(g, g)  # infinite or too large if a coefficient is
    size = step.eta * step.eta * (now.q + gg)
    if not (math.isfinite(size) and math.isfinite(step.nu * gg) and math.isfinite(step.mu)):
        return False
    s.scalars[FRESH] = step.mu * (s.scalars[FRESH] + s.scalars[NOISE])
    s.scalars[MIX] *= step.mu
    if n > 0 and not LOWEST < s.scalars[MIX] < HIGHEST:
        multiply(s.c[:n], s.scalars[MIX])
        s.scalars[MIX] = 1.0
    if scale < math.inf and (step.eta != 0 or step.nu != 0):
        storage.put(s, rows, i, n)
        s.c[n] = step.nu / s.scalars[MIX]
        s.scalars[HELD] = n + 1
    s.scalars[COUNT] += 1
    return True


def along(s: Any, g: np.ndarray, n: int, scale: float) -> None:
    """g <- the coefficients of (P + eps I) phi(x), scaled; a_t as `quadratic_form` has left it."""
    for j in range(n):
        g[j] = 0.0
    g[n] = (s.scalars[FRESH] + s.scalars[NOISE]) / scale
    begin = 0
    for t in range(n):
        by = s.scalars[MIX] * s.c[t] * s.a[t] / scale
        add_multiple(g, s.triangle[begin : begin + t + 1], -by)
        begin += t + 1


# Sparse rows without a kernel: w is a dense vector. A margin is then one sparse product, and only q
# costs inner products with all stored examples, where it is needed.


def explicit_form(s: Any, rows: Any, i: int) -> float:
    """Return q; leave the kernel's values in s.kappa."""
    storage.fill(s, rows, i)
    return quadratic(s, storage.squared_norm(rows, i))


def explicit_add(s: Any, n: int, g: np.ndarray, eta: float) -> None:
    """w <- w + eta sum_j g_j x_j."""
    for j in range(len(g)):
        add(s.w, s, j, eta * g[j])


explicit = variant(
    "dual_explicit",
    sys.modules[__name__],
    FIELDS={"w": Field(lambda r: (r.width,), power=1), **OF_P},
    inner=sparse_second.inner,
    quadratic_form=explicit_form,
    add_examples=explicit_add,
)
