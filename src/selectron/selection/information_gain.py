"""Keep the features that tell most about the class."""

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from ..estimator import parameters as shared
from . import checks
from .bins import binned, cuts
from .information import information
from .ranking import top


class InformationGain(SelectorMixin, BaseEstimator):
    """Select the k features of the largest mutual information I(x_j; y), over all rows so far.

    Parameters
    ----------
    k : int, default 10
        How many features are kept; all, if there are no more.
    bins : int, default 4
        How many values a feature is reduced to, 3 or more. The first rows fix the bins for good,
        equally many of them in each, so start with some hundred. A value that fills a bin has it to
        itself: a feature that is mostly zero is told apart as below, at and above zero, and a 0/1
        indicator is taken as it is.

    Attributes
    ----------
    scores_ : ndarray of shape (d,)
        Mutual information in nats.
    counts_ : ndarray of shape (d, bins, K)
        Rows by bin and class: all that is remembered, beside the cuts.
    cuts_ : ndarray of shape (d, bins - 1)
        The ends of the bins.
    classes_ : ndarray of shape (K,)
        The classes so far; new ones may come at any time.
    n_features_in_ : int
    feature_names_in_ : ndarray, if the rows came with names

    Rows without a label (NaN, None) do not count. Input errors are `SelectronError`, and leave
    everything as it was.

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

    def __init__(self, k: int = 10, *, bins: int = 4):
        self.k = k
        self.bins = bins

    def fit(self, X: Any, y: Any) -> "InformationGain":
        """Forget everything, then count rows of shape (n, d) and their n labels of any kind."""
        with checks.all_or_nothing(self):
            checks.forget(self)
            self.partial_fit(X, y)
        return self

    def partial_fit(self, X: Any, y: Any) -> "InformationGain":
        """Count more rows; X and y are as in `fit`."""
        with checks.all_or_nothing(self):
            shared.above_zero("k", self.k)
            first = not hasattr(self, "counts_")
            X = checks.table(self, X, first=first)
            rows, y = checks.labelled(X, y)
            if first:
                self.cuts_ = cuts(X, checks.bins(self.bins, X, power=1))
                self.counts_ = np.zeros((*self.cuts_.shape[:1], self.bins, 0), np.int64)
                self.classes_ = y[:0]
            self._count(rows, y)
            self.scores_ = information(self.counts_)
        return self

    def _count(self, X: Any, y: np.ndarray) -> None:
        classes = checks.classes(self.classes_, y)
        counts = np.zeros((*self.counts_.shape[:2], len(classes)), np.int64)
        counts[:, :, np.searchsorted(classes, self.classes_)] = self.counts_
        counts += counted(X, np.searchsorted(classes, y), self.cuts_, len(classes))
        self.counts_, self.classes_ = counts, classes

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return top(self.scores_, shared.above_zero("k", self.k))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def counted(X: Any, codes: np.ndarray, cuts: np.ndarray, K: int) -> np.ndarray:
    """Return how many rows there are by feature, bin and class, (d, bins, K).

    `codes` are the classes of the rows, from 0 on. The zeros of a CSR array take no time: they are
    what is left of each class.
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
