"""The step of the L1-constrained learner by bisection: slow, and nothing but its definition."""

import numpy as np
from scipy.optimize import brentq


def nearest(w: np.ndarray, z: np.ndarray, radius: float) -> np.ndarray:
    """Return the point nearest to w with <v, z> >= 1 and |v|_1 <= radius, w having only the latter.

    Without such a point: all weight on the largest |z|. For z = 0, w itself.
    """
    j = int(np.argmax(abs(z)))
    if z[j] == 0:
        return w.copy()
    if radius * abs(z[j]) <= 1:
        return np.where(np.arange(len(z)) == j, radius * np.sign(z[j]), 0.0)

    def gain(tau: float) -> float:
        return in_ball(w + tau * z, radius) @ z - 1

    high = 1 / abs(z[j])
    while gain(high) < 0:
        high *= 2
    tau = brentq(gain, 0, high, xtol=1e-300, rtol=1e-15) if gain(0) < 0 else 0.0
    return in_ball(w + tau * z, radius)


def in_ball(u: np.ndarray, radius: float) -> np.ndarray:
    """Return the point of the L1 ball nearest to u, by sorting (Duchi et al., ICML 2008)."""
    if abs(u).sum() <= radius:
        return u
    sizes = np.sort(abs(u))[::-1]
    levels = (sizes.cumsum() - radius) / np.arange(1, len(u) + 1)
    theta = levels[np.flatnonzero(sizes > levels)[-1]]
    return np.sign(u) * np.maximum(abs(u) - theta, 0)
