"""What dense and sparse rows share in second order: all but the matrix itself."""

import math

import numpy as np

from ..engine.arithmetic import dot
from ..engine.round import Shape
from .scalars import COUNT, FRESH, LARGEST, LENGTH, NOISE, SQUARE, TRACE


def scalars(width: int, shape: Shape) -> np.ndarray:
    """Return the numbers kept beside w and P at the start."""
    numbers = np.zeros(LENGTH)
    numbers[NOISE] = shape.noise
    numbers[LARGEST] = numbers[FRESH] = shape.scale
    numbers[TRACE] = shape.scale * width
    return numbers


def ceiling(s, xx):
    """Return an upper bound of q: no eigenvalue of P exceeds its trace or the recurrent bound.

    The trace comes from the matrix as it is, rounding included, hence the allowance.
    """
    eps = s.scalars[NOISE]
    trace = s.scalars[TRACE] + eps * len(s.w) + 1e-12 * s.scalars[LARGEST]
    return min(s.scalars[LARGEST] + eps, trace) * xx * (1 + 1e-12)


def walk(s, eta, nu, mu, now):
    """Step in all but P, with g in s.g: True, or False and nothing changed."""
    gg = dot(s.g, s.g)
    after = now.ww + 2 * eta * dot(s.w, s.g) + eta * eta * gg
    if not (math.isfinite(after) and math.isfinite(nu * gg)):
        return False
    for j in range(len(s.w)):
        s.w[j] += eta * s.g[j]
    s.scalars[LARGEST] = mu * (s.scalars[LARGEST] + s.scalars[NOISE])
    s.scalars[FRESH] = mu * (s.scalars[FRESH] + s.scalars[NOISE])
    s.scalars[SQUARE] = max(0.0, after)
    s.scalars[COUNT] += 1
    return True
