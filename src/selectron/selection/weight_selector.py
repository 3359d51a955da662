"""Keep the features to which a classifier gives weight."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..estimator.classifier import OnlineClassifier
from ..learners import PassiveAggressive
from .weights import kept

SEEN = ("n_features_in_", "feature_names_in_")


class WeightSelector(SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """Select the features whose weights an online learner could not do without.

    Parameters
    ----------
    classifier : classifier with `coef_`, default OnlineClassifier(PassiveAggressive())
        It is cloned, and the clone learns. One that is fitted already is taken as it is if it comes
        as `sklearn.frozen.FrozenEstimator(classifier)`.
    sigma : float, default 0.001
        The smallest weights are dropped while they add up to less. It is in units of the weights,
        or of their squares, which are large where features are small: the default takes features
        of the size of 1 to drop next to nothing.
    norm : "abs" or "square", default "abs"
        Whether absolute values or squares are added up.

    Attributes
    ----------
    classifier_ : the classifier that learned
    n_features_in_ : int
    feature_names_in_ : ndarray, if the rows came with names

    The intercept does not count. The rule is `selectron.selection.kept`. Rows without a label, and
    errors, are as the classifier has them.

    Source: Shen & Dietterich, "A Family of Large Margin Linear Classifiers" (SDM 2009), 3.4.

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
        """Forget everything, then learn from rows of shape (n, d) and their n labels."""
        kept([], self.sigma, self.norm)
        return self._take(clone(self._classifier()).fit(X, y))

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> "WeightSelector":
        """Go on learning; `classes` names them all if the first labels may not hold them."""
        kept([], self.sigma, self.norm)
        learning = getattr(self, "classifier_", None)
        if learning is None:
            learning = clone(self._classifier())
        return self._take(learning.partial_fit(X, y, classes=classes))

    def _classifier(self) -> Any:
        if self.classifier is None:
            return OnlineClassifier(PassiveAggressive())
        return self.classifier

    def _take(self, fitted: Any) -> "WeightSelector":
        self.classifier_ = fitted
        for name in SEEN:
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
