"""Find the small weights; predict without them, but learn with all.

Source: Shen & Dietterich, "A Family of Large Margin Linear Classifiers" (SDM 2009), 3.4 and 4.3.
"""

import copy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.extmath import row_norms
from sklearn.utils.validation import check_is_fitted

from ..engine.parameters import shown
from ..engine.round import CLASS, SHORTEST
from ..engine.rows import Dense, Sparse, as_matrix, rows_of
from ..errors import Refused, SelectronError
from ..estimator.checks import finite
from ..estimator.classifier import OnlineClassifier
from ..estimator.parameters import all_or_nothing
from ..model.model import Model
from ..model.run import Run, decode
from ..model.support import TOO_LARGE

COSTS = {"abs": np.abs, "square": np.square}


def kept(w: Any, sigma: float, norm: str = "abs") -> np.ndarray:
    """Return a mask (d,) of the features that keep their weights.

    Weights are dropped from the smallest magnitude on while their sum stays below `sigma`: the sum
    of squares with norm "square", as in Theorems 3.3 and 3.4, or of absolute values with norm
    "abs", as in the paper's experiments. Of equal magnitudes, the first is dropped first. With
    sigma = 0 all weights are kept; with any other, weights of zero are dropped.

    `w` has shape (d,), or (K, d) for K classes, over which these are summed too. Raises
    SelectronError if sigma is negative, the norm unknown, or w not of this shape.

    >>> kept([0.5, -0.1, 2.0, 0.2], sigma=0.4)
    array([ True, False,  True, False])
    >>> kept([0.5, -0.1, 2.0, 0.2], sigma=0.4, norm="square")
    array([False, False,  True, False])
    """
    costs = _costs(w, norm)
    if not isinstance(sigma, int | float | np.integer | np.floating) or not sigma >= 0:
        raise SelectronError(f"sigma must be a number from 0 on, got {shown(sigma)}.")
    mask, order = np.ones(len(costs), bool), np.argsort(costs, kind="stable")
    mask[order[: np.searchsorted(np.cumsum(costs[order]), sigma)]] = False
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


@dataclass(frozen=True, eq=False)
class Lean:
    """A predictor with a snapshot of a classifier's weights, without the small ones.

    >>> from selectron.learners import Perceptron
    >>> from selectron.selection import lean
    >>> X, y = np.array([[1.0, 0.1], [-1.0, 0.1]] * 5), [1, -1] * 5
    >>> lean(OnlineClassifier(Perceptron()).fit(X, y), sigma=0.5).predict(X[:2]).tolist()
    [1, -1]
    """

    classifier: OnlineClassifier  # the one whose weights they are; rows are scaled as in it
    coef_: np.ndarray  # (1, d)
    intercept_: np.ndarray  # (1,)
    classes_: np.ndarray  # (2,)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return <w, x> plus the intercept, (n,), for rows X, (n, d), scaled as in the learner.

        This holds for second-order learners too, whose own margins are m / (1 + q). Those of
        `LeadingHistory` are averaged over its experts, where it averages their beliefs. Raises
        SelectronError if X does not fit the classifier, or if a row overflows.
        """
        model = self.classifier.model_
        X = finite(self.classifier, X, first=False, sparse=model.sparse)
        margins = _margins(X, self.coef_[0], self.intercept_[0], model)
        if not np.isfinite(margins).all():
            raise Refused(int(np.isfinite(margins).argmin()), TOO_LARGE)
        return margins

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted class of every row, (n,)."""
        return decode(self.decision_function(X) >= 0, self.classes_)


class LeanRun(NamedTuple):
    """The results of a pass: with all weights, and with the lean predictions.

    >>> from selectron.learners import Perceptron
    >>> X, y = np.array([[1.0, 0.1], [-1.0, 0.1]] * 5), [1, -1] * 5
    >>> full, lean, used = lean_run(OnlineClassifier(Perceptron()), X, y, sigma=0.5)
    >>> int(used.max())
    1
    """

    full: Run  # the pass with all weights
    lean: Run  # asked and updated as in `full`; no margins and probabilities
    used: np.ndarray  # (n,), number of nonzero weights in each prediction, without the intercept


def lean(classifier: OnlineClassifier, sigma: float, norm: str = "abs") -> Lean:
    """Return a predictor with the large weights of a fitted classifier.

    `kept` decides which weights are dropped; the intercept is always kept. If the classifier
    continues to learn, the result does not change. Raises SelectronError as `kept` does, if the
    rows were encoded, and for `LeadingHistory` with Fourier features, whose weights predict as
    well; and NotFittedError before the first row.

    >>> from selectron import learners, streams
    >>> X, y = streams.digits(passes=1)
    >>> clf = OnlineClassifier(learners.PassiveAggressive()).fit(X[:500], y[:500])
    >>> for sigma in (0, 2, 5, 10):
    ...     few = lean(clf, sigma)
    ...     right = (few.predict(X[:500]) == y[:500]).mean()
    ...     print(f"{np.count_nonzero(few.coef_)} weights: {right:.1%} right")
    56 weights: 94.6% right
    27 weights: 95.2% right
    17 weights: 93.2% right
    7 weights: 81.8% right
    """
    check_is_fitted(_linear(classifier))
    _two_classes(classifier)
    coef = classifier.coef_
    mask = kept(coef, sigma, norm)
    return Lean(classifier, np.where(mask, coef, 0.0), classifier.intercept_, classifier.classes_)


def lean_run(
    classifier: OnlineClassifier, X: Any, y: Any, sigma: float, norm: str = "abs"
) -> LeanRun:
    """Run `classifier.run(X, y)`, and predict every round without the small weights.

    `kept` is applied in every round, and affects the predictions only: queries, updates and the
    final classifier are those of the plain run. Where only zeros are dropped, the prediction is the
    learner's, bit for bit; otherwise the margin may differ from the loop's by rounding.

    Raises SelectronError as `run` and `lean` do, and then learns nothing.

    >>> from selectron import learners, streams
    >>> clf = OnlineClassifier(learners.PassiveAggressive(C=0.1))
    >>> played = lean_run(clf, *streams.digits(), sigma=2.0)
    >>> print(f"{played.full.accuracy:.1%} with all weights")
    79.4% with all weights
    >>> print(f"{played.lean.accuracy:.1%} with {played.used.mean():.1f} of 64")
    79.0% with 33.9 of 64
    """
    kept([], sigma, norm)
    with all_or_nothing(_linear(classifier)):
        block: Any = classifier._labelled(X, y, None)[0]  # creates the model without a round
        _two_classes(classifier)
        model = copy.deepcopy(classifier.model_)
        full = classifier.run(X, y)
    positive, used = _replayed(model, block, full, sigma, norm)
    flags = full.flags & (1 << CLASS) - 1 | positive.astype(np.int32) << CLASS
    return LeanRun(full, replace(full, margin=None, ask_probability=None, flags=flags), used)


def _linear(classifier: Any) -> OnlineClassifier:
    if not isinstance(classifier, OnlineClassifier):
        raise SelectronError(f"classifier must be an OnlineClassifier, got {shown(classifier)}.")
    return classifier


def _two_classes(classifier: OnlineClassifier) -> None:
    model = classifier.model_
    if hasattr(classifier, "encoder_") or hasattr(classifier, "names_"):
        raise SelectronError(
            "Small weights can be dropped for tables of numbers only: encode the rows before."
        )
    if model.weighting.shifts:
        raise SelectronError("Small weights can be dropped only if classes have no weights.")
    if model.stacked or model.dual:
        raise SelectronError(
            "Small weights can be dropped for two classes only, learned without a kernel."
        )
    if len(getattr(model.state, "phases", ())):
        raise SelectronError(
            "Small weights can be dropped only if nothing else predicts, as Fourier features do: "
            "LeadingHistory(fourier=0) has none."
        )


def _replayed(
    model: Model, block: Dense | Sparse, full: Run, sigma: float, norm: str
) -> tuple[np.ndarray, np.ndarray]:
    """Repeat a run; return the lean predictions and their numbers of weights.

    The rounds between two updates are predicted at once, and those between two renewals.
    """
    n = len(full)
    rows = as_matrix(block, model.width)
    positive, used = full.positive.copy(), np.empty(n, np.intp)
    codes = np.where(full.asked, full.code, 0).astype(full.code.dtype)
    start = 0
    for end in [*(np.flatnonzero(full.updated) + 1), n]:
        while start < end:
            stop = min(end, start + model.renew(model.rounds + 1))
            part = slice(start, stop)
            w = model.weights()
            bias, w = (w[0], w[1:]) if model.constant else (0.0, w)
            mask = kept(w, sigma, norm)
            used[part] = np.count_nonzero(w[mask])
            if w[~mask].any():
                positive[part] = _margins(rows[part], np.where(mask, w, 0.0), bias, model) >= 0
            model.learn(rows_of(block, start, stop), codes[part])
            start = stop
    return positive, used


def _margins(rows: Any, w: np.ndarray, bias: float, model: Model) -> np.ndarray:
    """Return <w, x> plus the bias for every row, at unit norm if the model normalises rows.

    As in the loop, a row too short to have a direction has margin 0, and one that overflows NaN.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        m = rows @ w + bias
        if not model.normalize:
            return m
        lengths = row_norms(rows.astype(float, copy=False), squared=True) + model.constant
        lengths[np.isinf(lengths)] = np.nan
        return m / np.where(lengths < SHORTEST, np.inf, np.sqrt(lengths))
