"""OnlineClassifier: the scikit-learn estimator around a model."""

import os
from contextlib import nullcontext
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_consistent_length

from .. import storage
from ..data import times as clock
from ..data.labels import as_array, encode, missing
from ..errors import NotThere, SelectronError
from ..model.model import Block
from ..model.run import Run, decode
from ..spaces.state import HELD
from . import checks, labelling, packing
from .explaining import Explains
from .labelling import check_any, class_weights, row_weights, warn_if_unused
from .live import DecidesAndTells
from .parameters import all_or_nothing, forget, one_at_a_time


class OnlineClassifier(ClassifierMixin, Explains, DecidesAndTells):
    """A linear classifier that learns from a stream and asks for few labels.

    Parameters
    ----------
    learner : from `selectron.learners`, default None
        Decides how far to step. None is LeadingHistory(), or LASEC() with a kernel or a sketch; it
        takes dense rows of more than 2,048 features as sparse ones.
    asker : from `selectron.askers`, default None
        Decides when to ask for a label. None is Always().
    classes : list of labels, default None
        The classes, if no others are allowed; `set_params` may add to them. With None, new classes
        may appear at any time; with `LeadingHistory` they start as rare ones, else without weights.
    many : {"joint", "exact", "rest"}, default None
        How more than two classes are learned. "joint": a step separates the label's class from its
        closest rival; in second order with a matrix for every class (4 bytes times K d^2 for K
        classes and d features; 8 for sparse rows). "exact": the same, in second order with one
        matrix over all classes (8 bytes times (K d)^2, refused beyond the machine's memory).
        "rest": a learner for every class against all others; memory as for "joint". None is
        "joint", or "rest" for learners that have no other form: `LeadingHistory` and
        `L1Constrained`.
    fit_intercept : bool, default True
        Put a constant 1 in front of every row, before any scaling.
    normalize : bool or None, default None
        Scale every row to unit length; None follows the learner's paper.
    kernel : {"linear", "poly", "rbf"}, object from `selectron.kernels`, or function, default None
        Learn a function of k(x, y) instead of weights of features, and keep the examples on which
        the learner stepped. "linear" gives the same results as None, and lets second-order learners
        run on any number of features. A function takes two 1-D arrays; dense rows only.
    encoder : "auto", TableEncoder or None, default None
        How tables of mixed columns become rows of numbers: data frames (pandas, Polars, Arrow) and
        dicts with numbers, blanks, categories, dates and text. The encoder learns with the stream,
        and is saved with the classifier. "auto" is `TableEncoder()`. Arrays of numbers are used as
        they are; with None, tables and dicts must hold numbers.
    class_weight : dict, "balanced" or None, default None
        Weights of the classes; a dict gives those that are not 1. "balanced" is the number of
        labels learned of the most frequent class over that of the class, at most 100. They multiply
        `sample_weight`; with `LeadingHistory`, probabilities in predictions, and nothing else.
    correctable : int, default 0
        Number of the latest answers that `correct` can replace. Their rows are kept, and for every
        16 of them a copy of what has been learned.
    max_support : int, default None
        Number of examples kept in first order, for each of many classes: beyond it, the oldest is
        evicted. None keeps all.
    sketch : int, default None
        Number of directions in which a second-order learner keeps its matrix P; the rest of P is
        a multiple of the identity. Memory and time of a step are linear in it and in the number of
        features (for sparse rows, of non-zeros), instead of d^2. As many directions as features
        give the same results as None, which keeps all of P. 32 is a good start.
    max_open : int, default 10_000
        Limit of open tickets; then the oldest expires. Each keeps 8 bytes a feature, 12 a non-zero.
    random_state : int, None, or anything that `numpy.random.default_rng` takes
        Seed of the random draws, one per round; draw made-up data with another seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes: those of the first labels sorted, later ones in order of appearance; those
        that are named first stay sorted, as scikit-learn's metrics of probabilities need them. Of
        two, `classes_[1]` is +1, and is predicted at margin 0.
    coef_, intercept_ : ndarrays of shapes (1, n_features) and (1,)
        The weights; for many classes, a row for each. Missing with a kernel that is not linear.
        `LeadingHistory` predicts with all its experts, some of which have Fourier features: these
        are the weights of the leading expert on the features as given, and may classify worse.
    n_features_in_ : int
    feature_names_in_ : ndarray, if the rows came with names
    encoder_ : TableEncoder, if the rows are encoded
    class_weight_ : dict, the weights of classes that are given; empty if "balanced"

    Notes
    -----
    The first rows decide whether rows are dense or sparse; later ones are converted. A list of
    dicts makes sparse rows: features may appear at any time, and are 0 where they are not named;
    predictions leave out features that no round has seen. Parameters that are set later take effect
    with the next `fit`. All input errors are `SelectronError`, a ValueError, and change nothing.
    Threads may share a classifier: while one is in a method, the others wait.

    Examples
    --------
    >>> from selectron import askers, learners, streams
    >>> X, y = streams.switching_gaussian(2000, d=10, seed=0)
    >>> clf = OnlineClassifier(learners.LASEC(c=1000.0), asker=askers.Margin(0.1), random_state=0)
    >>> run = clf.run(X, y)
    >>> run.mistakes, int(run.asked.sum())
    (330, 688)
    >>> d = clf.decide(X[0])
    >>> int(d.label), d.ask
    (-1, False)
    """

    ranks: ClassVar[bool] = False  # whether a row may be of several classes
    record: ClassVar[type[Run]] = Run
    _relating: ClassVar[Any] = staticmethod(nullcontext)  # in which labels without codes are known

    def __init__(
        self,
        learner: Any = None,
        asker: Any = None,
        *,
        classes: Any = None,
        many: str | None = None,
        fit_intercept: bool = True,
        normalize: bool | None = None,
        kernel: Any = None,
        encoder: Any = None,
        class_weight: Any = None,
        correctable: int = 0,
        max_support: int | None = None,
        sketch: int | None = None,
        max_open: int = 10_000,
        random_state: Any = None,
    ):
        self.learner = learner
        self.asker = asker
        self.classes = classes
        self.many = many
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.kernel = kernel
        self.encoder = encoder
        self.class_weight = class_weight
        self.correctable = correctable
        self.max_support = max_support
        self.sketch = sketch
        self.max_open = max_open
        self.random_state = random_state

    @property
    def coef_(self) -> np.ndarray:
        """Weights of the features, (1, n_features) or (n_classes, n_features).

        For `LeadingHistory` those of one expert, which few rows contradict: others predict, too.
        """
        self._check_fitted()
        features = len(self.feature_names_) if hasattr(self, "encoder_") else self.n_features_in_
        w = self._weights()[:, int(self.model_.constant) :][:, :features]
        return np.pad(w, ((0, 0), (0, features - w.shape[1])))  # those that no row had

    @property
    def feature_names_(self) -> list[str]:
        """Names of the features in the order of `coef_`, if rows are dicts or encoded."""
        if hasattr(self, "encoder_"):
            return list(self.encoder_.get_feature_names_out())
        if not hasattr(self, "names_"):
            raise NotThere("Features have no names: the rows were not dicts.")
        return list(self.names_)

    @property
    def intercept_(self) -> np.ndarray:
        """Weights of the constant, (1,) or (n_classes,); 0 without one."""
        self._check_fitted()
        w = self._weights()
        return w[:, 0] if self.model_.constant else np.zeros(len(w))

    @property
    def n_support_(self) -> Any:
        """Number of examples kept; an array for many classes, unless `many="exact"` shares P."""
        self._check_fitted()
        if not self.model_.dual:
            raise NotThere("No examples are kept: kernel is None.")
        held = self.model_.state.scalars[..., HELD].astype(int)
        return held if held.size > 1 else held.item()

    @property
    def n_rounds_(self) -> int:
        """Number of rounds played."""
        self._check_fitted()
        return self.model_.rounds

    @property
    def n_strained_(self) -> int:
        """Number of rounds in which no step met all of the learner's conditions."""
        self._check_fitted()
        return self.model_.strained

    # A stream

    @one_at_a_time
    def run(
        self,
        X: Any,
        y: Any,
        *,
        margins: bool = True,
        classes: Any = None,
        times: Any = None,
        sample_weight: Any = None,
        delay: Any = None,
    ) -> Run:
        """Simulate a stream: play one round per row, and use its label only if it is asked for.

        X has shape (n_rows, n_features), y (n_rows,). Rows whose label is NaN, NaT or None are
        predicted, and their label is never asked for. `margins=False` records no margins or
        probabilities, and skips products of a second-order learner that no decision needs: the
        decisions are the same. `classes` names the classes, if y may not hold them all; those in y
        are known from the start, unlike in a stream of `decide` and `tell`. `times` (n_rows,),
        dates or seconds since 1970, are for a `Budget(per=...)` only, which uses the latest so far.
        `sample_weight` (n_rows,), from 0 to 1000, are the weights of the labels, if asked for: a
        label of weight w is learned w times in a row. The fractional part is the probability of one
        more time, by a separate draw; a label of weight 0 is asked for, but not learned.

        `delay`, a whole number or one for each row (n_rows,), is the number of rounds by which
        labels are late: the decisions are those of `decide`, and the label of row t is learned
        after the decision on row t + delay. Labels that have not come by the end stay open tickets:
        `tell` answers them, or the next run with a delay delivers them. Margins are computed, too.

        Raises SelectronError, and learns nothing, if a value is not finite, the number of features
        differs from that of the first rows, or a label is none of the named classes.

        >>> X, y = [[1.0], [-2.0], [3.0]], ["up", "down", None]
        >>> OnlineClassifier().run(X, y)
        <Run: 3 rounds, 50.0% right, 66.7% of the labels asked for, 2 steps>
        """
        margins = margins or self.ranks  # its predictions follow from the scores
        with all_or_nothing(self):
            block, y, codes = self._labelled(X, y, classes)
            found = clock.times(times, len(codes), self.model_.timed)
            weighed = row_weights(sample_weight, len(codes))
            late = None if delay is None else checks.delays(delay, len(codes), self.ranks)
            with self._relating(y):
                out = self.model_.run(block, codes, margins, found, weighed, late)
        warn_if_unused(self)
        return self.record(
            margin=out.margin if margins else None,
            ask_probability=out.ask_probability if margins else None,
            replay=out.replay,
            earlier=out.earlier,
            scores=out.scores if self.ranks else None,
            flags=out.flags,
            age=out.age if len(out.age) else None,
            evidence=out.evidence if len(out.evidence) else None,
            drifts=list(out.drifts),
            label=y,
            code=codes,
            classes=self.classes_,
            many=self.model_.stacked,
            max_support=self.model_.max_support,
        )

    # A table

    @one_at_a_time
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows whose labels are given, without asking.

        A row without a label is a round, too: `LeadingHistory` learns from its features. Parameters
        and errors are as in `run`. A row of any weight is one round, with its draw.
        """
        with all_or_nothing(self):
            self._learn(X, y, sample_weight, classes, least=1)
        return self

    @one_at_a_time
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Start again: learn from the rows in one pass, in their order.

        Rows without a label are learned as by `partial_fit`. Warns if rows are sorted by class, or
        if many at the end are all of one, for the last ones count most. Raises SelectronError as
        `partial_fit` does, and for weights that are all 0, or of no class.
        """
        with all_or_nothing(self):
            forget(self)
            check_any(sample_weight)
            codes = self._learn(X, y, sample_weight)
            class_weights(self.class_weight, self.classes_)
        labelling.warn_of_order(codes, self.classes_, self.model_.stacked)
        return self

    @one_at_a_time
    def decision_function(self, X: Any) -> np.ndarray:
        """Return the margin score of every row, (n_rows,): `classes_[1]` if it is 0 or more.

        For many classes, return the scores of all, (n_rows, n_classes).
        """
        self._check_fitted()
        block, n = self._rows(X, new=False)
        if self.model_.stacked:
            scores = np.asarray(self.model_.look(block, n, scores=True).scores)
            return scores[:, 1] - scores[:, 0] if self._is_pair() else scores
        return np.asarray(self.model_.look(block, n, full=True).margin)

    @one_at_a_time
    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted class of every row."""
        self._check_fitted()
        block, n = self._rows(X, new=False)
        return decode(self.model_.look(block, n).index, self.classes_)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy on the rows that have a label; others are left out, as by `run`.

        Raises SelectronError if no row has one, or labels and classes are not of one kind.
        """
        checks.check_collected(y, "y")
        labels = as_array(y)
        if labels.ndim != 1 or not missing(labels).any():
            with checks.in_one_sentence(checks.LABELS):
                return float(super().score(X, y, sample_weight))
        check_consistent_length(predicted := self.predict(X), labels, sample_weight)
        if not (known := ~missing(labels)).any():
            raise SelectronError("No row has a label.")
        given = labels[known] if labels.dtype != object else np.array(labels[known].tolist())
        weight = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(accuracy_score(given, predicted[known], sample_weight=weight))

    @one_at_a_time
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of every class for every row, (n_rows, n_classes).

        The predicted class has the largest. Probabilities are calibrated online with each label
        that arrives, asked for or given (not by `run(margins=False)`), and follow drift; class
        weights tilt them towards the classes with large ones. Before the first label they are the
        learner's own, if it has probabilities, as `BayesianPerceptron` and `LeadingHistory` do for
        two classes; else they are equal. They rise with the margin <w, x>, which for LASEC and
        SecondOrderPerceptron is not the margin score.

        >>> clf = OnlineClassifier().fit([[1.0], [-1.0]] * 50, ["up", "down"] * 50)
        >>> clf.predict_proba([[2.0]]).round(1)
        array([[0., 1.]])
        """
        self._check_fitted()
        block, n = self._rows(X, new=False)
        known = len(self.classes_)
        return self.model_.proba(block, n) if known > 1 else np.ones((n, known))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the logarithms of `predict_proba`, (n_rows, n_classes)."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    # A file

    @one_at_a_time
    def save(self, path: str | os.PathLike) -> None:
        """Write everything to a file: weights, draws, open tickets. It holds data, never code.

        Raises NotFittedError before the first row, and SelectronError if a label or the file cannot
        be written (for the file, it is also an OSError); an older file is left as it was.
        """
        self._check_fitted()
        storage.write(path, *packing.pack(self))

    @classmethod
    def load(cls, path: str | os.PathLike, *, parts: tuple[Any, ...] = ()) -> Self:
        """Return the classifier from a file; it continues bit for bit where the saved one stopped.

        `parts` lists the classes of learners, askers and kernels that are not Selectron's. Raises
        SelectronError if one of these is missing, or the file is damaged, not a model file, or of
        another version, and OSError if it cannot be read. A `random_state` that was not an int is
        then None: the file has the state of the draws.
        """
        return packing.unpack(cls, path, *storage.read(path), parts)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # Internals

    def _weights(self) -> np.ndarray:
        """Return the weights, a row for every class, or one row for two."""
        w = np.atleast_2d(self.model_.weights())
        return w[1:] - w[:1] if self.model_.stacked and self._is_pair() else w

    def _is_pair(self) -> bool:
        """Return whether there are at most two classes: scikit-learn wants one score for them."""
        return len(self.classes_) <= 2 and not self.model_.ranks

    def _labelled(self, X: Any, y: Any, classes: Any, least: int = 2) -> tuple[Block, Any, Any]:
        """Return rows, labels and codes, after making or extending the model."""
        block, n = self._rows(X)
        y, without = labelling.labels(y, n)
        present = y[~without] if without.any() else y
        self._ready(block, *labelling.classes(self, present, classes, least=least))
        return block, y, encode(y, self.classes_, without, self.model_.stacked)

    def _learn(self, X: Any, y: Any, weights: Any, classes: Any = None, least: int = 2) -> Any:
        block, y, codes = self._labelled(X, y, classes, least)
        with self._relating(y):
            self.model_.learn(block, codes, row_weights(weights, len(codes)))
        return codes
