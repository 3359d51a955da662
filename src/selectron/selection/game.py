"""Feature selection as a game of two persons (large-margin paper, eq. 4.26)."""

import numpy as np
import scipy.sparse
from scipy.optimize import linprog

from ..errors import SelectronError


def play_game(M: np.ndarray, k: int) -> tuple[np.ndarray, float]:
    """Return the row player's best u of shape (d,), and the value of the game.

    max_u min_v u'Mv over 0 <= u, v <= 1 with sum u = sum v = k, for M of shape (d, d). By duality,
    the inner minimum is the largest k l - sum s with l - s_j <= (M'u)_j and s >= 0, which makes one
    linear programme in u, s and l. Several u may be best; it returns one of them. The solver's
    tolerances are absolute, so that M is brought to the size of 1.

    Raises SelectronError if the programme is not solved.

    Source: Shen & Dietterich, "A Family of Large Margin Linear Classifiers" (SDM 2009), eq. (4.26)
    without its integers.

    >>> u, value = play_game(np.array([[2.0, 0.0], [0.0, 1.0]]), 1)
    >>> u.round(3), round(value, 3)
    (array([0.333, 0.667]), 0.667)
    """
    d, size = len(M), float(np.abs(M).max()) or 1.0
    cost = np.concatenate([np.zeros(d), np.ones(d), [-k]])
    response = scipy.sparse.hstack([-M.T / size, -scipy.sparse.eye_array(d), np.ones((d, 1))])
    total = np.concatenate([np.ones(d), np.zeros(d + 1)])[None]
    bounds = [(0, 1)] * d + [(0, None)] * d + [(None, None)]
    found = linprog(cost, response, np.zeros(d), total, [k], bounds, method="highs")
    if found.status != 0:
        raise SelectronError(f"The game of {d} features was not solved: {found.message}")
    return found.x[:d], -found.fun * size
