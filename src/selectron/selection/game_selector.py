"""Keep the features that tell most about whichever others will count."""

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from ..errors import SelectronError
from ..estimator import parameters as shared
from . import checks
from .bins import binned, cuts
from .game import play_game
from .information import information
from .ranking import top

CHUNK = 1024  # rows whose bins are spread out at a time
WIDEST = 1024  # features; the time of the linear programme grows with the cube of them, or faster


class Game(SelectorMixin, BaseEstimator):
    """Select k features by the game max_u min_v u'Mv with M_ij = I(x_i; x_j): labels play no part.

    The learner bets on features, 0 <= u <= 1 with sum k; the world answers with those v that they
    tell least about. The k features of the largest u are kept. A feature that has not varied yet is
    no part of the game, and is kept only for want of others. Every `partial_fit` solves it anew, a
    linear programme with d^2 coefficients: half a second at 256 features, a few at 512.

    Parameters
    ----------
    k : int, default 10
        How many features are kept; all, if there are no more.
    bins : int, default 4
        How many values a feature is reduced to, as in `InformationGain`.

    Attributes
    ----------
    strategy_ : ndarray of shape (d,)
        The learner's u. Several may be best; this is one.
    value_ : float
        u'Mv, in nats.
    information_ : ndarray of shape (d, d)
        M, over all rows so far; on its diagonal are the entropies.
    counts_ : ndarray of shape (d, bins, d, bins)
        Rows by bins of two features.
    cuts_ : ndarray of shape (d, bins - 1)
        The ends of the bins.
    n_features_in_ : int
    feature_names_in_ : ndarray, if the rows came with names

    Input errors are `SelectronError`, and leave everything as it was; more than 1024 features are
    refused.

    Source: Shen & Dietterich, "A Family of Large Margin Linear Classifiers" (SDM 2009), eq. (4.26).

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

    counts_: np.ndarray

    def __init__(self, k: int = 10, *, bins: int = 4):
        self.k = k
        self.bins = bins

    def fit(self, X: Any, y: Any = None) -> "Game":
        """Forget everything, then count rows of shape (n, d) and solve the game; y is ignored."""
        with checks.all_or_nothing(self):
            checks.forget(self)
            self.partial_fit(X)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> "Game":
        """Count more rows and solve the game anew; X and y are as in `fit`."""
        with checks.all_or_nothing(self):
            k = shared.above_zero("k", self.k)
            first = not hasattr(self, "counts_")
            X = _narrow(checks.table(self, X, first=first))
            if first:
                self.cuts_ = cuts(X, checks.bins(self.bins, X, power=2))
            pairs = paired(X, self.cuts_)
            self.counts_ = pairs if first else self.counts_ + pairs
            self.information_ = information(self.counts_.transpose(0, 2, 1, 3))
            self.strategy_, self.value_ = _best(self.information_, k)
        return self

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return top(self.strategy_, shared.above_zero("k", self.k))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _best(M: np.ndarray, k: int) -> tuple[np.ndarray, float]:
    """Return the strategy and the value, features that do not vary being no part of the game.

    Nothing tells anything about them, so that the world would answer with them, and all strategies
    be worth 0.
    """
    u, varied = np.zeros(len(M)), np.flatnonzero(M.diagonal())
    if not len(varied):
        return u, 0.0
    u[varied], value = play_game(M[np.ix_(varied, varied)], min(k, len(varied)))
    return u, value


def _narrow(X: Any) -> Any:
    if X.shape[1] > WIDEST:
        raise SelectronError(
            f"X has {X.shape[1]} features, and the game is played with {WIDEST} at most: "
            "take InformationGain, or fewer features."
        )
    return X


def paired(X: Any, cuts: np.ndarray) -> np.ndarray:
    """Return how many rows there are by the bins of two features, (d, bins, d, bins)."""
    d, bins = len(cuts), cuts.shape[1] + 1
    counts = np.zeros((d * bins, d * bins))  # whole numbers, exact up to 2^53
    for start in range(0, X.shape[0], CHUNK):
        part = X[start : start + CHUNK]
        part = part.toarray() if scipy.sparse.issparse(part) else part
        spread = np.zeros((len(part), d * bins))
        spread[np.arange(len(part))[:, None], np.arange(d) * bins + binned(part, cuts)] = 1.0
        counts += spread.T @ spread
    return counts.reshape(d, bins, d, bins)
