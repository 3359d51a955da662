"""What dense and sparse rows share in second order: all but the matrix itself."""

import math

import numpy as np

from ..engine.arithmetic import dot
from ..engine.round import Shape
from .scalars import COUNT, FRESH, LARGEST, LENGTH, NOISE, SQUARE

STEPS_BETWEEN_NORMS = 16


def scalars(width: int, shape: Shape) -> np.ndarray:
    """Return the numbers kept beside w and P at the start."""
    numbers = np.zeros(LENGTH)
    numbers[NOISE] = shape.noise
    numbers[LARGEST] = numbers[FRESH] = shape.scale
    return numbers


def ceiling(s, xx):
    """Return an upper bound of q, with an allowance for the rounding of many steps."""
    return (s.scalars[LARGEST] + s.scalars[NOISE]) * xx * (1 + 1e-9)


def walk(s, scale, now, step):
    """Step in all but P, with g in s.g for the row before scaling: True, or False and no step."""
    for j in range(len(s.g)):
        s.g[j] *= scale
    gg = dot(s.g, s.g)
    after = now.ww + 2 * step.eta * dot(s.w, s.g) + step.eta * step.eta * gg
    if not (math.isfinite(now.q) and math.isfinite(after) and math.isfinite(step.nu * gg)):
        return False
    for j in range(len(s.w)):
        s.w[j] += step.eta * s.g[j]
    s.scalars[LARGEST] = step.mu * (s.scalars[LARGEST] + s.scalars[NOISE])
    s.scalars[FRESH] = step.mu * (s.scalars[FRESH] + s.scalars[NOISE])
    s.scalars[SQUARE] = max(0.0, after)
    s.scalars[COUNT] += 1
    return True


def due(s):
    """Is it time to look at the size of P, which takes a pass over it?"""
    return s.scalars[COUNT] % STEPS_BETWEEN_NORMS == 0


def tighten(s, norm):
    """No eigenvalue exceeds the Frobenius norm, even where rounding has left P indefinite."""
    s.scalars[LARGEST] = min(s.scalars[LARGEST], norm)
