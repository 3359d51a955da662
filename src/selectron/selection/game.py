"""Feature selection as a two-person game.

Source: Shen & Dietterich, "A Family of Large Margin Linear Classifiers" (SDM 2009), eq. (4.26).
"""

from typing import Any, Self

import numpy as np
import scipy.sparse
from scipy.optimize import linprog

from ..engine.parameters import whole
from ..errors import SelectronError
from ..estimator.checks import finite
from ..estimator.parameters import all_or_nothing
from .information import _Counter, binned, information

CHUNK = 1024  # rows per one-hot block
WIDEST = 1024  # features; the linear programme takes cubic time or more


def play_game(M: np.ndarray, k: int) -> tuple[np.ndarray, float]:
    """Return an optimal strategy u, (d,), of the row player, and the value of the game.

    max_u min_v u'Mv over 0 <= u, v <= 1 with sum u = sum v = k, for M of shape (d, d): eq. (4.26)
    without its integers. By duality, the inner minimum is the largest k l - sum s with
    l - s_j <= (M'u)_j and s >= 0: a linear programme in u, s and l. One of the optimal u is
    returned. Raises SelectronError if the programme is not solved.

    >>> u, value = play_game(np.array([[2.0, 0.0], [0.0, 1.0]]), 1)
    >>> u.round(3), round(value, 3)
    (array([0.333, 0.667]), 0.667)
    """
    d, size = len(M), float(np.abs(M).max()) or 1.0  # the solver's tolerances are absolute
    cost = np.concatenate([np.zeros(d), np.ones(d), [-k]])
    response = scipy.sparse.hstack([-M.T / size, -scipy.sparse.eye_array(d), np.ones((d, 1))])
    total = np.concatenate([np.ones(d), np.zeros(d + 1)])[None]
    bounds = [(0, 1)] * d + [(0, None)] * d + [(None, None)]
    found = linprog(cost, response, np.zeros(d), total, [k], bounds, method="highs")
    if found.status != 0:
        raise SelectronError(f"The game of {d} features was not solved: {found.message}")
    return found.x[:d], -found.fun * size


class Game(_Counter):
    """Select k features by the game max_u min_v u'Mv with M_ij = I(x_i; x_j), without labels.

    The learner bets on features, 0 <= u <= 1 with sum k; the adversary chooses the v about which
    they have the least information. The k features of largest u are selected. Features that have
    been constant so far are left out of the game, and selected last. Every `partial_fit` solves a
    linear programme with d^2 coefficients: half a second for 256 features, a few seconds for 512.

    Parameters
    ----------
    k : int, default 10
        Number of features to select; all, if there are fewer.
    bins : int, default 4
        Number of bins of a feature, as in `InformationGain`.

    Attributes
    ----------
    strategy_ : ndarray of shape (d,)
        The learner's u, one of the optimal strategies.
    value_ : float
        u'Mv, in nats.
    information_ : ndarray of shape (d, d)
        M, over all rows so far, with the entropies on its diagonal.
    counts_ : ndarray of shape (d, bins, d, bins)
        Number of rows by the bins of two features.
    cuts_ : ndarray of shape (d, bins - 1)
        The upper ends of the bins.
    n_features_in_ : int
    feature_names_in_ : ndarray, if the rows came with names

    Notes
    -----
    Input errors, such as more than 1024 features, are `SelectronError`, and leave the state
    unchanged.

    Source: Shen & Dietterich (SDM 2009), eq. (4.26).

    Examples
    --------
    >>> from selectron.streams import digits
    >>> X, _ = digits(passes=1)
    >>> game = Game(k=10).fit(X)
    >>> game.get_support(indices=True)
    array([ 2,  7, 15, 22, 23, 47, 49, 54, 61, 63])
    >>> round(game.value_, 3)
    0.647
    """

    best = "strategy_"
    counts_: np.ndarray

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Count more rows and solve the game again; y is ignored; return self."""
        with all_or_nothing(self):
            k = whole("k", self.k)
            X = finite(self, X, first=not hasattr(self, "counts_"))
            if X.shape[1] > WIDEST:
                raise SelectronError(
                    f"X has {X.shape[1]} features, and Game takes {WIDEST} at most: "
                    "use InformationGain, or fewer features."
                )
            first = self._first(X, power=2)
            pairs = paired(X, self.cuts_)
            self.counts_ = pairs if first else self.counts_ + pairs
            self.information_ = information(self.counts_.transpose(0, 2, 1, 3))
            self.strategy_, self.value_ = np.zeros(len(pairs)), 0.0
            varied = np.flatnonzero(self.information_.diagonal())  # no information about constants
            if len(varied):
                M = self.information_[np.ix_(varied, varied)]
                self.strategy_[varied], self.value_ = play_game(M, min(k, len(varied)))
        return self


def paired(X: Any, cuts: np.ndarray) -> np.ndarray:
    """Return the number of rows by the bins of two features, (d, bins, d, bins)."""
    d, bins = len(cuts), cuts.shape[1] + 1
    counts = np.zeros((d * bins, d * bins))  # whole numbers, exact up to 2^53
    for start in range(0, X.shape[0], CHUNK):
        part = X[start : start + CHUNK]
        part = part.toarray() if scipy.sparse.issparse(part) else part
        spread = np.zeros((len(part), d * bins))
        spread[np.arange(len(part))[:, None], np.arange(d) * bins + binned(part, cuts)] = 1.0
        counts += spread.T @ spread
    return counts.reshape(d, bins, d, bins)
