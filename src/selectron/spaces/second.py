"""What dense and sparse rows share in second order: all but the matrix itself.

How P stays positive definite. Let N = P + eps I, D its diagonal, and `lower` and `upper` bounds of
its eigenvalues; grain = 4 d EPSILON. Without rounding, mu N - nu g g' is positive definite as long
as nu <g, N^-1 g> < mu. Rounding does two things, and each is cured at a cost of O(d) a step:

1. g is not quite N x, but N times something near x, for which <g, N^-1 g> may exceed q by some
   `doubt` = d grain q's ceiling. Where nu exceeds mu / (q + doubt), which takes rows so long beside
   P that less than 1 is lost in q, the step is shortened as if the label were that much noisier.
2. Every entry of P is rounded, by up to 5/2 EPSILON mu sqrt(D_i D_j): all of them together take
   less than grain mu D. The inverse of P grows by nu / (mu - nu q) x x' / mu in a step, so that
   `lower` can be kept by recurrence, grain upper being taken off each time. While it is above
   d grain upper, P is safe, and nothing is done: not a bit differs from the plain formula.
   Otherwise D is raised to (1 + grain) D before the step, more than rounding takes, which leaves P
   above some d EPSILON D. A rise acts as a trace of forgetting, 4e-15 of D a step for d = 5.

The d in `doubt` covers the worst case up to d = 20; beyond, errors that grow as sqrt(d), not as d.
"""

import math
from typing import Any

import numpy as np

from ..engine.arithmetic import dot
from ..engine.round import Round, Shape, ShapeStep
from .scalars import COUNT, FRESH, LARGEST, LENGTH, NOISE, SMALLEST, SQUARE

STEPS_BETWEEN_NORMS = 16
EPSILON = 2.0**-52


def scalars(width: int, shape: Shape) -> np.ndarray:
    """Return the numbers kept beside w and P at the start."""
    numbers = np.zeros(LENGTH)
    numbers[NOISE] = shape.noise
    numbers[LARGEST] = numbers[SMALLEST] = numbers[FRESH] = shape.scale
    return numbers


def ceiling(s: Any, xx: float) -> float:
    """Return an upper bound of q, with an allowance for the rounding of many steps."""
    return (s.scalars[LARGEST] + s.scalars[NOISE]) * xx * (1 + 1e-9)


def ceiling_all(s: Any, xx: float) -> float:
    """Return an upper bound of q for all classes of a stack."""
    most = 0.0
    for k in range(len(s.scores)):
        most = max(most, s.scalars[k, LARGEST] + s.scalars[k, NOISE])
    return most * xx * (1 + 1e-9)


def grain(s: Any) -> float:
    """Return how much of P's diagonal outweighs the rounding of all its entries in a step."""
    return 4 * len(s.g) * EPSILON


def damped(s: Any, now: Round, step: ShapeStep, doubt: float) -> ShapeStep:
    """Return the step, shortened where a q larger by this doubt would make P indefinite."""
    if not step.nu * (now.q + doubt) > step.mu:
        return step
    share = step.mu / (step.nu * (now.q + doubt))
    return ShapeStep(step.eta * share, step.mu, step.nu * share)


def bound(s: Any, now: Round, step: ShapeStep, most: float, doubt: float) -> float:
    """Bound P's eigenvalues after a step; return what P's diagonal is multiplied by before it."""
    lower, upper = s.scalars[SMALLEST] + s.scalars[NOISE], s.scalars[LARGEST] + s.scalars[NOISE]
    left = step.mu - step.nu * (now.q + doubt)
    after = -grain(s) * upper
    if left > 0:  # most / upper is <x, x>; what g stands for is less than twice as long as x
        after += lower * left / (left + 4 * step.nu * most * lower / upper)
    safe = after > len(s.g) * grain(s) * upper
    lift = 1.0 if safe else 1 + grain(s)
    s.scalars[SMALLEST] = step.mu * after if safe else 0.0
    s.scalars[LARGEST] = step.mu * upper * (1 + 2 * grain(s))
    s.scalars[FRESH] = step.mu * ((s.scalars[FRESH] + s.scalars[NOISE]) * lift)
    return lift


def walk(s: Any, scale: float, now: Round, step: ShapeStep) -> bool:
    """Step in all but P, with g in s.g for the row before scaling: True, or False and no step."""
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


def due(s: Any) -> bool:
    """Is it time to look at the size of P, which takes a pass over it?"""
    return s.scalars[COUNT] % STEPS_BETWEEN_NORMS == 0


def tighten(s: Any, norm: float) -> None:
    """No eigenvalue exceeds the Frobenius norm."""
    s.scalars[LARGEST] = min(s.scalars[LARGEST], norm)


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


def still(step: Any) -> bool:
    """Return True: no class shrinks in second order."""
    return True


def shrunk(s: Any, rows: Any, i: int, step: Any) -> int:
    """Return True; it is never called."""
    return True
