"""Which weights are small enough to be done without (large-margin paper, section 3.4)."""

from typing import Any

import numpy as np

from ..engine.parameters import shown
from ..errors import SelectronError

COSTS = {"abs": np.abs, "square": np.square}


def kept(w: Any, sigma: float, norm: str = "abs") -> np.ndarray:
    """Return which features keep their weights, as booleans of shape (d,).

    Starting from the smallest magnitude, weights are dropped while what has been dropped adds up to
    less than `sigma`: the sum of squares with norm "square", as in Theorems 3.3 and 3.4, or of
    absolute values with norm "abs", as in the paper's experiments. Of equal magnitudes, the first
    ones go first. With sigma = 0 everything is kept; a weight of zero is dropped as soon as sigma
    is above 0.

    `w` has shape (d,), or (K, d) for K classes. A feature then stays or goes for all classes, and
    costs the sum over them, so that `sigma` bounds what is taken from all weights together.

    Raises SelectronError if sigma is below 0, the norm is unknown, or w is no array of this shape.

    Source: Shen & Dietterich, "A Family of Large Margin Linear Classifiers" (SDM 2009).

    >>> kept([0.5, -0.1, 2.0, 0.2], sigma=0.4)
    array([ True, False,  True, False])
    >>> kept([0.5, -0.1, 2.0, 0.2], sigma=0.4, norm="square")
    array([False, False,  True, False])
    """
    costs, sigma = _costs(_numbers(w), norm), _checked(sigma)
    return _all_but_smallest(costs, dropped(costs, sigma))


def dropped(costs, sigma):
    """How many of the smallest costs can go while their sum stays below sigma.

    The costs are absolute values or squares of weights, none below 0. Numba compiles it as it is.

    >>> int(dropped(np.array([0.5, 0.1, 2.0, 0.2]), 0.4))
    2
    """
    return np.searchsorted(np.cumsum(np.sort(costs)), sigma)


def _all_but_smallest(costs: np.ndarray, count: int) -> np.ndarray:
    """Leave out the `count` smallest, the first of equals; finding their edge is all that it takes.

    A stable argsort would do, in ten times the time.
    """
    if count == 0:
        return np.ones(len(costs), bool)
    edge = np.partition(costs, count - 1)[count - 1]
    below = costs < edge
    mask = ~below
    mask[np.flatnonzero(costs == edge)[: count - np.count_nonzero(below)]] = False
    return mask


def _numbers(w: Any) -> np.ndarray:
    try:
        array = np.asarray(w)
        if array.dtype.kind != "c":
            return array.astype(float)
    except (TypeError, ValueError):
        pass
    what = repr(w) if isinstance(w, str) else f"a {type(w).__name__}"
    raise SelectronError(f"w must be an array of real numbers, got {what}.")


def _checked(sigma: Any) -> float:
    if isinstance(sigma, int | float | np.integer | np.floating) and sigma >= 0:
        return float(sigma)
    raise SelectronError(f"sigma must be a number from 0 on, got {shown(sigma)}.")


def _costs(w: np.ndarray, norm: Any) -> np.ndarray:
    """Return what it costs to drop each feature."""
    if not isinstance(norm, str) or norm not in COSTS:
        raise SelectronError(f'norm must be "abs" or "square", got {shown(norm)}.')
    if w.ndim not in (1, 2):
        raise SelectronError(f"w must have one dimension or two, got shape {w.shape}.")
    with np.errstate(over="ignore"):  # what is too large to be squared is not small
        return COSTS[norm](np.atleast_2d(w)).sum(axis=0)
