"""The best k of some scored things."""

import numpy as np


def top(scores: np.ndarray, k: int) -> np.ndarray:
    """Return which k have the largest scores, the first of equals; all, if there are no more.

    >>> top(np.array([0.2, 0.5, 0.2]), 2)
    array([ True,  True, False])
    """
    mask = np.zeros(len(scores), bool)
    mask[np.argsort(-scores, kind="stable")[:k]] = True
    return mask
