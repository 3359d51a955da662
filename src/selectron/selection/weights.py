"""Which weights are small enough to drop.

Source: Shen & Dietterich, "A Family of Large Margin Linear Classifiers" (SDM 2009), 3.4.
"""

from typing import Any

import numpy as np

from ..engine.parameters import shown
from ..errors import SelectronError

COSTS = {"abs": np.abs, "square": np.square}


def kept(w: Any, sigma: float, norm: str = "abs") -> np.ndarray:
    """Return a mask (d,) of the features that keep their weights.

    Weights are dropped from the smallest magnitude on while their sum stays below `sigma`: the sum
    of squares with norm "square", as in Theorems 3.3 and 3.4, or of absolute values with norm
    "abs", as in the paper's experiments. Of equal magnitudes, the first is dropped first. With
    sigma = 0 all weights are kept; with any other, weights of zero are dropped.

    `w` has shape (d,), or (K, d) for K classes: a feature then costs the sum over them. Raises
    SelectronError if sigma is negative, the norm unknown, or w not of this shape.

    >>> kept([0.5, -0.1, 2.0, 0.2], sigma=0.4)
    array([ True, False,  True, False])
    >>> kept([0.5, -0.1, 2.0, 0.2], sigma=0.4, norm="square")
    array([False, False,  True, False])
    """
    costs = _costs(w, norm)
    if not isinstance(sigma, int | float | np.integer | np.floating) or not sigma >= 0:
        raise SelectronError(f"sigma must be a number from 0 on, got {shown(sigma)}.")
    increasing = np.sort(costs)
    count = int(np.searchsorted(np.cumsum(increasing), sigma))
    if count == 0:
        return np.ones(len(costs), bool)
    below = costs < increasing[count - 1]
    mask = ~below
    equal = np.flatnonzero(costs == increasing[count - 1])
    mask[equal[: count - np.count_nonzero(below)]] = False
    return mask


def _costs(w: Any, norm: Any) -> np.ndarray:
    """Return the cost of dropping each feature, (d,)."""
    if not isinstance(norm, str) or norm not in COSTS:
        raise SelectronError(f'norm must be "abs" or "square", got {shown(norm)}.')
    try:
        array = np.asarray(w)
        array = array.astype(float, casting="safe" if array.dtype.kind == "c" else "unsafe")
    except (TypeError, ValueError) as error:
        what = repr(w) if isinstance(w, str) else f"a {type(w).__name__}"
        raise SelectronError(f"w must be an array of real numbers, got {what}.") from error
    if array.ndim not in (1, 2):
        raise SelectronError(f"w must have one dimension or two, got shape {array.shape}.")
    with np.errstate(over="ignore"):  # a weight whose square overflows is not small
        return COSTS[norm](np.atleast_2d(array)).sum(axis=0)
