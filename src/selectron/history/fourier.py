"""Random Fourier features: directions, and the widths of the Gaussian kernels that they stand for.

Directions come in pairs, for a cosine and a sine. Some look at one feature alone; of the others,
half have a narrow kernel. Widths are relative to the root mean square distance of two rows.

Source: Rahimi & Recht, "Random Features for Large-Scale Kernel Machines" (2007).
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np

from .state import ROUNDING, SEEN

SINGLE = 0.3  # the part of the features that look at one feature of the rows alone
VISIBLE = 0.1  # the least part of the mean square distance that they look at
NARROW, WIDE, LONE = 0.4, 1.0, 0.5  # widths, those of features that look at one alone last


def lift_again(s: Any, spread: np.ndarray, first: int) -> None:
    """Bring the Fourier features to the scales of the rows so far.

    What is 0 in most rows, as the values of categories, is multiplied by (2 p)^2, where a part
    p < 1/2 of the rows is not 0; what was 0 in all rows may still become common.
    """
    features, d = len(s.phases), s.last.shape[1] - first
    lone, half = int(SINGLE * features), features // 2
    p = s.sums[2, first:] / s.rows_seen[SEEN]
    by = np.where(p > 0, np.minimum(1.0, 2 * p) ** 2, 1.0) * s.scaler[1, first:]
    square = (spread[first:] * by**2).sum()  # d if all features are common
    square = max(square, VISIBLE * d) if square > ROUNDING * d else max(1, d)  # if nothing varies
    widths = math.sqrt(2 * square) * np.where(np.arange(features) < half, NARROW, WIDE)
    widths[:lone] = LONE * math.sqrt(2)
    drawn = directions(features, d)[:, s.order[first:].astype(int)]
    s.frequencies[:, first:] = drawn * by / widths[:, None]
    s.phases[:] = np.arange(features) % 2 * np.pi / 2  # a cosine and a sine of every direction
    s.phases[:] -= s.frequencies @ s.scaler[0]


def directions(features: int, d: int) -> np.ndarray:
    """Return random directions in pairs, (features, d): first those along one axis, then others.

    Apart from which axis that is, a column depends on its number alone.
    """
    found, lone = np.zeros((features, d)), int(SINGLE * features)
    for j in range(d):
        found[:, j] = direction(features, j)
    found[1::2] = found[: features // 2 * 2 : 2]
    pair = np.arange(lone) // 2
    found[:lone] *= pair[:, None] % max(1, d) == np.arange(d)
    return found


@lru_cache(1024)
def direction(features: int, j: int) -> np.ndarray:
    """Return the components of random directions along feature j; making generators is slow."""
    return np.random.default_rng([17, j]).standard_normal(features)
