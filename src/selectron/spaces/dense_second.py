"""Dense rows, second order: the lower triangle of the symmetric P is kept row by row.

A product P x and a step pass once over d (d + 1) / 2 numbers each.

How P stays positive definite. Let N = P + eps I, D its diagonal, `lower` and `upper` bounds of its
eigenvalues, and unit = 4 d EPSILON (`rounding`). Without rounding, mu N - nu g g' is positive
definite as long as nu <g, N^-1 g> < mu. Rounding has two effects, each cured in O(d) a step:

1. <g, N^-1 g> may exceed q by up to `doubt` = d unit times the upper bound of q, which covers the
   worst case up to d = 20, and errors that grow as sqrt(d) beyond. If nu > mu / (q + doubt), as for
   extremely long rows, the step is shortened as if the label were noisier.
2. Every entry of P is rounded, in total by less than unit mu D. The inverse of P grows by
   nu / (mu - nu q) x x' / mu in a step, so that `lower` follows by recurrence, less unit upper each
   time. While it is above d unit upper, P is safe. Otherwise D is raised to (1 + unit) D before the
   step, by more than rounding takes: a slight forgetting, 4e-15 of D a step for d = 5.
"""

import math
from typing import Any

import numpy as np

from ..engine.arithmetic import dot, multiply, reassociated
from ..engine.parts import COUNT, SQUARE
from ..engine.round import Round, Shape, ShapeStep
from ..engine.rows import Dense, readonly
from ..engine.rows import DenseRows as Rows
from .dense_first import products
from .state import FRESH, LARGEST, LENGTH, NOISE, SMALLEST, Field, Table, numbers, triangle

order = 2
STEPS_BETWEEN_NORMS = 16
EPSILON = 2.0**-52

START = {NOISE: "noise", LARGEST: "scale", SMALLEST: "scale", FRESH: "scale"}
SCALARS = numbers(LENGTH, {SQUARE: 2}, START)


def fill_triangle(array: np.ndarray, shape: Shape) -> None:
    """Start with P = shape.scale I."""
    width = int(math.sqrt(2 * len(array)))
    array[np.arange(1, width + 1).cumsum() - 1] = shape.scale


TABLE = Table(
    {
        "w": Field(lambda r: (r.width,), power=1),
        "triangle": Field(lambda r: (triangle(r.width),), fill=fill_triangle),  # P_00, P_10, P_11
        "g": Field(lambda r: (r.width,)),  # (P + eps I) x of the last row that needed it
        "scalars": SCALARS,
    }
)
State, at, start, size, scaled = TABLE.State, TABLE.at, TABLE.start, TABLE.size, TABLE.scaled
sound = TABLE.sound


def rows(block: Dense, constant: bool, kernel: tuple[float, ...] = ()) -> Rows:
    """Return the block as the loop takes it; a constant costs a copy, cheap compared with P x."""
    values = block.values
    if constant:
        values = np.empty((len(block.values), block.values.shape[1] + 1))
        values[:, 0] = 1.0
        values[:, 1:] = block.values
    return Rows(readonly(values), float(constant), kernel)


def widen(s: Any, width: int) -> Any:
    """Return the state with new features, as if they had been 0 from the start."""
    wide, new, fresh = TABLE.widen(s, width), np.arange(len(s.w), width), s.scalars[FRESH]
    wide.triangle[new * (new + 3) // 2] = fresh
    wide.scalars[LARGEST] = max(s.scalars[LARGEST], fresh)
    wide.scalars[SMALLEST] = min(s.scalars[SMALLEST], fresh)
    return wide


def weights(s: Any) -> np.ndarray:
    """Return w."""
    return s.w.copy()


def inner(s: Any, rows: Any, i: int) -> float:
    """Return <w, x>."""
    return dot(s.w, rows.values[i])


def score_all(s: Any, rows: Any, i: int) -> None:
    """Leave <w_k, x> of every class k in s.scores."""
    products(s.w, rows.values, i, s.scores)


def squared_norm(rows: Any, i: int) -> float:
    """Return <x, x>."""
    return dot(rows.values[i], rows.values[i])


@reassociated
def row_product(p: Any, x: np.ndarray, by: float, g: np.ndarray) -> float:
    """g <- g + by p; return <p, x>, where p is a row of P before the diagonal."""
    total = 0.0
    for k in range(len(p)):
        total += p[k] * x[k]
        g[k] += p[k] * by
    return total


@reassociated
def pair_product(
    p: Any, q: np.ndarray, x: np.ndarray, first: float, second: float, g: np.ndarray
) -> tuple[float, float]:
    """`row_product` of two rows in one pass over x and g, which is a quarter faster."""
    total, other = 0.0, 0.0
    for k in range(len(p)):
        total += p[k] * x[k]
        other += q[k] * x[k]
        g[k] += p[k] * first + q[k] * second
    return total, other


def quadratic_form(s: Any, rows: Any, i: int) -> float:
    """Return q = <x, g> with g = (P + eps I) x, which is left in s.g."""
    x, g, t, eps = rows.values[i], s.g, s.triangle, s.scalars[NOISE]
    pairs = len(x) - len(x) % 2
    at = 0
    for j in range(0, pairs, 2):
        below = at + j + 1
        corner = t[below + j]
        p, q = t[at : at + j], t[below : below + j]
        total, other = pair_product(p, q, x, x[j], x[j + 1], g)
        g[j] = total + (t[at + j] + eps) * x[j] + corner * x[j + 1]
        g[j + 1] = other + corner * x[j] + (t[below + j + 1] + eps) * x[j + 1]
        at = below + j + 2
    for j in range(pairs, len(x)):  # the last row, if their number is odd
        total = row_product(t[at : at + j], x, x[j], g)
        g[j] = total + (t[at + j] + eps) * x[j]
    return dot(x, g)


def move(s: Any, rows: Any, i: int, scale: float, now: Round, step: Any) -> int:
    """w <- w + eta g and P <- mu (P + eps I) - nu g g', with x scaled, g of `quadratic_form`."""
    step, lift = walk_and_bound(s, squared_norm(rows, i), scale, now, step)
    if lift == 0:
        return False
    update(s.triangle, s.g, s.scalars[NOISE], lift, step.mu, step.nu)
    if s.scalars[COUNT] % STEPS_BETWEEN_NORMS == 0:
        s.scalars[LARGEST] = min(s.scalars[LARGEST], norm(s.triangle, len(s.g)))
    return True


def walk_and_bound(
    s: Any, xx: float, scale: float, now: Round, step: ShapeStep
) -> tuple[ShapeStep, float]:
    """Step in all but P; return the step for P and the factor of its diagonal, 0 if refused."""
    most = upper_bound(s, xx) / (scale * scale)
    doubt = len(s.g) * rounding(s) * most
    step = damped(now, step, doubt)
    return step, bound(s, now, step, most, doubt) if walk(s, scale, now, step) else 0.0


def update(
    triangle: np.ndarray, g: np.ndarray, eps: float, lift: float, mu: float, nu: float
) -> None:
    """P <- mu (P + eps I) - nu g g', the diagonal of P + eps I multiplied by `lift` first."""
    at = 0
    for j in range(len(g)):
        p = triangle[at : at + j + 1]
        p[j] = (p[j] + eps) * lift
        by = nu * g[j]
        for k in range(len(p)):
            p[k] = mu * p[k] - by * g[k]
        at += j + 1


def rescale(s: Any, by: float) -> None:
    """P <- by P."""
    rescale_bounds(s, by)
    multiply(s.triangle, by)


def norm(triangle: np.ndarray, d: int) -> float:
    """Return the Frobenius norm of P; entries off the diagonal count twice."""
    squares = 2 * dot(triangle, triangle)
    for j in range(d):
        entry = triangle[j * (j + 3) // 2]
        squares -= entry * entry  # a power takes a tenth of a second to compile
    return math.sqrt(squares)


def upper_bound(s: Any, xx: float) -> float:
    """Return an upper bound of q, with an allowance for the rounding of many steps."""
    return (s.scalars[LARGEST] + s.scalars[NOISE]) * xx * (1 + 1e-9)


def rounding(s: Any) -> float:
    """Return the part of P's diagonal that outweighs the rounding of all entries in a step."""
    return 4 * len(s.g) * EPSILON


def damped(now: Round, step: ShapeStep, doubt: float) -> ShapeStep:
    """Return the step, shortened if a q larger by `doubt` would make P indefinite."""
    if not step.nu * (now.q + doubt) > step.mu:
        return step
    share = step.mu / (step.nu * (now.q + doubt))
    return ShapeStep(step.eta * share, step.mu, step.nu * share)


def bound(s: Any, now: Round, step: ShapeStep, most: float, doubt: float) -> float:
    """Bound P's eigenvalues after a step; return the factor of P's diagonal before it."""
    lower, upper = s.scalars[SMALLEST] + s.scalars[NOISE], s.scalars[LARGEST] + s.scalars[NOISE]
    left = step.mu - step.nu * (now.q + doubt)
    after = -rounding(s) * upper
    if left > 0:  # most / upper is <x, x>; N^-1 g is less than twice as long as x
        after += lower * left / (left + 4 * step.nu * most * lower / upper)
    safe = after > len(s.g) * rounding(s) * upper
    lift = 1.0 if safe else 1 + rounding(s)
    s.scalars[SMALLEST] = step.mu * after if safe else 0.0
    s.scalars[LARGEST] = step.mu * upper * (1 + 2 * rounding(s))
    s.scalars[FRESH] = step.mu * ((s.scalars[FRESH] + s.scalars[NOISE]) * lift)
    return lift


def walk(s: Any, scale: float, now: Round, step: ShapeStep) -> bool:
    """Step in all but P, given the unscaled g in s.g; return whether that was finite and done."""
    for j in range(len(s.g)):
        s.g[j] /= scale
    gg = dot(s.g, s.g)
    after = now.ww + 2 * step.eta * dot(s.w, s.g) + step.eta * step.eta * gg
    if not (math.isfinite(now.q) and math.isfinite(after) and math.isfinite(step.nu * gg)):
        return False
    for j in range(len(s.w)):
        s.w[j] += step.eta * s.g[j]
    s.scalars[SQUARE] = max(0.0, after)
    s.scalars[COUNT] += 1
    return True


def largest(s: Any) -> float:
    """Return an upper bound of the eigenvalues of P."""
    return s.scalars[LARGEST]


def rescale_bounds(s: Any, by: float) -> None:
    """Multiply the numbers that are kept next to P."""
    for j in (LARGEST, SMALLEST, FRESH, NOISE):
        s.scalars[j] *= by


def opposite(step: Any) -> Any:
    """Return the same step the other way."""
    return ShapeStep(-step.eta, step.mu, step.nu)


def shrunk(s: Any, rows: Any, i: int, step: Any) -> int:
    """Return 1: no class shrinks in second order."""
    return 1
