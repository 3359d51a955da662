"""Selection by weights: which ones are small enough to drop.

Source: Shen & Dietterich, "A Family of Large Margin Linear Classifiers" (SDM 2009), 3.4.
"""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..engine.parameters import shown
from ..errors import SelectronError
from ..estimator.classifier import OnlineClassifier
from ..learners import PassiveAggressive

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


class WeightSelector(SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """Select the features with the large weights of an online learner.

    Parameters
    ----------
    classifier : classifier with `coef_`, default OnlineClassifier(PassiveAggressive())
        A clone of it learns. Wrap a fitted classifier in `sklearn.frozen.FrozenEstimator` to use
        it without learning.
    sigma : float, default 0.001
        The smallest weights are dropped while their sum is below it, in units of the weights or
        their squares, which are large for small features. With features of order 1, the default
        drops almost nothing.
    norm : "abs" or "square", default "abs"
        Whether to sum absolute values or squares.

    Attributes
    ----------
    classifier_ : the classifier that learned
    n_features_in_ : int
    feature_names_in_ : ndarray, if the rows came with names

    The intercept is ignored. The rule is `selectron.selection.kept`. The classifier handles rows
    without a label, and errors.

    Examples
    --------
    >>> from selectron.streams import digits
    >>> X, y = digits(passes=1)
    >>> selector = WeightSelector(sigma=10.0).fit(X[:500], y[:500])
    >>> selector.transform(X).shape
    (1797, 7)
    """

    def __init__(self, classifier: Any = None, *, sigma: float = 0.001, norm: str = "abs"):
        self.classifier = classifier
        self.sigma = sigma
        self.norm = norm

    def fit(self, X: Any, y: Any) -> "WeightSelector":
        """Reset, then learn from rows of shape (n, d) and n labels; return self."""
        kept([], self.sigma, self.norm)
        return self._take(clone(self._classifier()).fit(X, y))

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> "WeightSelector":
        """Continue learning; `classes` lists all labels if the first rows may lack some."""
        kept([], self.sigma, self.norm)
        known = hasattr(self, "classifier_")
        learning = self.classifier_ if known else clone(self._classifier())
        return self._take(learning.partial_fit(X, y, classes=classes))

    def _classifier(self) -> Any:
        default = OnlineClassifier(PassiveAggressive())
        return default if self.classifier is None else self.classifier

    def _take(self, fitted: Any) -> "WeightSelector":
        self.classifier_ = fitted
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))
        return self

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return kept(self.classifier_.coef_, self.sigma, self.norm)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        of_classifier = get_tags(self._classifier())
        tags.classifier_tags = of_classifier.classifier_tags
        tags.target_tags.required = True
        tags.input_tags.sparse = of_classifier.input_tags.sparse
        return tags
