"""Feature selection by mutual information: with the labels, or, as a game, between features."""

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse
from scipy.optimize import linprog
from scipy.special import xlogy
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from ..data.labels import as_array, distinct
from ..engine.parameters import whole
from ..errors import SelectronError
from ..estimator import checks, labelling
from ..estimator.parameters import all_or_nothing, forget
from ..model.support import check_memory

CHUNK = 1024  # rows per one-hot block
WIDEST = 1024  # features; the linear program takes cubic time or more


def cuts(X: Any, bins: int) -> np.ndarray:
    """Return the upper ends of all bins but the last, (d, bins - 1), for bins of equal counts.

    Cut b of a feature is the least value that b / bins of the rows, dense or CSR, do not exceed.

    >>> cuts(np.array([[5.0], [1.0], [4.0], [2.0]]), 4)
    array([[1., 2., 4.]])
    """
    n = X.shape[0]
    ranks = -(-np.arange(1, bins) * n // bins) - 1
    if scipy.sparse.issparse(X):
        return _ranked(X.tocsc(), ranks)
    return np.partition(X, ranks, axis=0)[ranks].T


def _ranked(X: Any, ranks: np.ndarray) -> np.ndarray:
    """Return the values of the given ranks (from 0) in every column of a CSC array."""
    n, d = X.shape
    columns = np.repeat(np.arange(d), np.diff(X.indptr))
    order = np.lexsort([X.data, columns])
    values = np.append(X.data[order], 0.0)
    below = np.bincount(columns, X.data < 0, minlength=d).astype(int)[:, None]
    zeros = n - np.diff(X.indptr)[:, None]
    after = ranks >= below + zeros
    place = X.indptr[:-1, None] + ranks - np.where(after, zeros, 0)
    return np.where(after | (ranks < below), values[np.minimum(place, len(X.data))], 0.0)


def binned(values: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Return the bin of every value, from 0 to the number of cuts.

    `values` has the shape of `cuts` without its last axis, or broadcasts to it. A bin includes its
    upper end. If two cuts are equal, the bin between them holds that value alone.

    >>> binned(np.array([-1.0, 0.0, 0.5, 2.0]), np.array([0.0, 0.0, 1.0]))
    array([0, 1, 2, 3])
    """
    below = np.zeros(np.broadcast_shapes(values.shape, cuts.shape[:-1]), np.intp)
    equal = np.zeros(below.shape, np.intp)
    for cut in np.moveaxis(cuts, -1, 0):
        below += values > cut
        equal += values == cut
    return below + (equal > 1)


def information(counts: Any) -> np.ndarray:
    """Return the mutual information I(a; b) >= 0 in nats of tables of counts, (..., A, B).

    I = H(a) + H(b) - H(a, b), from the empirical frequencies; 0 without counts.

    >>> information([[2, 0], [0, 2]]).round(4)
    np.float64(0.6931)
    """
    counts = np.asarray(counts, float)
    a, b, total = counts.sum(-1), counts.sum(-2), counts.sum((-2, -1))
    within = xlogy(counts, counts).sum((-2, -1)) + xlogy(total, total)
    apart = xlogy(a, a).sum(-1) + xlogy(b, b).sum(-1)
    return np.maximum(within - apart, 0.0) / np.maximum(total, 1.0)


class _Counter(SelectorMixin, BaseEstimator):
    """Select the k best features by counts of binned values; `best` names their scores."""

    best: ClassVar[str]
    n_features_in_: int

    def __init__(self, k: int = 10, *, bins: int = 4):
        self.k = k
        self.bins = bins

    def fit(self, X: Any, y: Any = None) -> Self:
        """Reset, then count rows of shape (n, d), with n labels if they matter; return self."""
        with all_or_nothing(self):
            forget(self)
            self.partial_fit(X, y)
        return self

    @abstractmethod
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Count more rows; X and y are as in `fit`; return self."""

    def _first(self, X: Any, power: int) -> bool:
        """Compute the cuts from the first rows, for (d bins)^power counts; are these the first?"""
        if hasattr(self, "counts_"):
            return False
        bins, width = whole("bins", self.bins, least=3), X.shape[1]
        what = f"Counting {bins} bins of {width} features"
        check_memory(8 * (width * bins) ** power, what, "take fewer bins, or fewer features")
        self.cuts_ = cuts(X, bins)
        return True

    def transform(self, X: Any) -> Any:
        """Return X, (n, d), with the selected features alone, (n, k).

        Raises SelectronError if X does not fit the first rows or is not finite, or NotFittedError.
        """
        check_is_fitted(self)
        with checks.in_one_sentence(checks.TABLE):
            return super().transform(X)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        scores = getattr(self, self.best)
        mask = np.zeros(len(scores), bool)
        mask[np.argsort(-scores, kind="stable")[: whole("k", self.k)]] = True
        return mask

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class InformationGain(_Counter):
    """Select the k features with the largest mutual information I(x_j; y), over all rows so far.

    Parameters
    ----------
    k : int, default 10
        Number of features to select; all, if there are fewer.
    bins : int, default 4
        Number of bins of a feature, 3 or more. The first call fixes the bins, with equal counts in
        each, so start with a few hundred rows. A value that fills a bin gets a separate bin.

    Attributes
    ----------
    scores_ : ndarray of shape (d,)
        Mutual information in nats.
    counts_ : ndarray of shape (d, bins, K)
        Number of rows by bin and class.
    cuts_ : ndarray of shape (d, bins - 1)
        The upper ends of the bins.
    classes_ : ndarray of shape (K,)
        The classes so far; new ones may appear at any time.
    n_features_in_ : int
    feature_names_in_ : ndarray, if the rows came with names

    Notes
    -----
    Rows without a label (NaN, None) are ignored. Input errors, `SelectronError`, change nothing.

    Source: Yang & Pedersen, "A comparative study on feature selection in text categorization" (ICML
    1997), as Shen & Dietterich (SDM 2009, section 4.3) use it.

    Examples
    --------
    >>> from selectron.streams import digits
    >>> X, y = digits(passes=1)
    >>> selector = InformationGain(k=3).fit(X, y)
    >>> selector.get_support(indices=True)
    array([34, 38, 42])
    >>> selector.scores_.max().round(4)
    np.float64(0.0528)
    """

    best = "scores_"

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Count more rows; X and y are as in `fit`; return self."""
        with all_or_nothing(self):
            whole("k", self.k)
            X = checks.finite(self, X, first=not hasattr(self, "counts_"))
            y, without = labelling.labels(y, X.shape[0])
            y, rows = labelling.classifiable(y[~without]), X[np.flatnonzero(~without)]
            if self._first(X, power=1):
                self.counts_ = np.zeros((*self.cuts_.shape[:1], self.bins, 0), np.int64)
                self.classes_ = y[:0]
            classes = distinct(as_array([*self.classes_, *distinct(y)]))
            counts = bin_counts(rows, np.searchsorted(classes, y), self.cuts_, len(classes))
            counts[:, :, np.searchsorted(classes, self.classes_)] += self.counts_
            self.counts_, self.classes_ = counts, classes
            self.scores_ = information(counts)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def bin_counts(X: Any, codes: np.ndarray, cuts: np.ndarray, K: int) -> np.ndarray:
    """Return the number of rows by feature, bin and class, (d, bins, K).

    `codes` are the class codes, from 0 on. The zeros of a CSR array are the rest of each class.
    """
    d, bins = len(cuts), cuts.shape[1] + 1
    if not scipy.sparse.issparse(X):
        cells = (np.arange(d) * bins + binned(X, cuts)) * K + codes[:, None]
        return np.bincount(cells.ravel(), minlength=d * bins * K).reshape(d, bins, K)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    found = X.indices.astype(np.intp)
    cells = (found * bins + binned(X.data, cuts[found])) * K + codes[rows]
    counts = np.bincount(cells, minlength=d * bins * K).reshape(d, bins, K)
    zeros = np.bincount(codes, minlength=K) - counts.sum(axis=1)
    counts[np.arange(d), binned(np.zeros(d), cuts)] += zeros
    return counts


def play_game(M: np.ndarray, k: int) -> tuple[np.ndarray, float]:
    """Return an optimal strategy u, (d,), of the row player, and the value of the game.

    max_u min_v u'Mv over 0 <= u, v <= 1 with sum u = sum v = k, for M of shape (d, d): eq. (4.26)
    without its integers. By duality, the inner minimum is the largest k l - sum s with
    l - s_j <= (M'u)_j and s >= 0: a linear program in u, s and l. One of the optimal u is
    returned. Raises SelectronError if the program is not solved.

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
    they have the least information. The k features with the largest u are selected. Features that
    have been constant so far are left out of the game, and selected last. Every `partial_fit`
    solves a linear program with d^2 coefficients: half a second for 256 features, seconds for 512.

    Parameters
    ----------
    k, bins : int, default 10 and 4
        As in `InformationGain`; so are the attributes that have no description.

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
    cuts_, n_features_in_, feature_names_in_

    Notes
    -----
    Input errors, such as more than 1024 features, are `SelectronError`, and change nothing.

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
            X = checks.finite(self, X, first=not hasattr(self, "counts_"))
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
