"""OnlineClassifier: the scikit-learn face of a model."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from . import checks, packing, storage
from .askers import Always
from .engine.rows import Dense, Sparse
from .labels import encode
from .learners import LASEC
from .model import Model
from .nested import NestedParameters
from .run import Run, named

PAPERS = np.array([-1, 1])  # the classes of a stream that begins without any
FITTED = ("classes_", "model_", "n_features_in_", "feature_names_in_")


class Decision(NamedTuple):
    """What was decided about one row."""

    label: Any
    margin: float  # the margin quantity of the learner's paper
    probability: float  # of asking
    ask: bool
    ticket: int | None  # to tell the label by, if it is asked for


class OnlineClassifier(ClassifierMixin, NestedParameters):
    """A linear classifier of two classes that learns from a stream, and asks for few labels.

    Parameters
    ----------
    learner : from `selectron.learners`, default LASEC()
        How far to step.
    asker : from `selectron.askers`, default Always()
        When to ask for a label.
    classes : pair of labels, default None
        The two classes, for when the first labels do not hold both. None takes them from the first
        labels; a stream that begins with `decide` then has -1 and +1.
    fit_intercept : bool, default True
        Put a constant 1 in front of every row, before any scaling.
    normalize : bool or None, default None
        Scale every row to unit length; None does as the learner's paper does.
    max_open : int, default 10_000
        How many asked labels may be outstanding. The row of each is kept, 8 bytes a feature or 12 a
        non-zero; beyond that number the oldest expires.
    random_state : int, None, or whatever `numpy.random.default_rng` takes
        Seed of the draws, one a round.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The classes, sorted; `classes_[1]` is +1, and wins on margin 0.
    coef_, intercept_ : ndarrays of shapes (1, n_features) and (1,)
        The weights.
    n_features_in_ : int
    feature_names_in_ : ndarray, if the rows came with names
    n_rounds_ : int
        Rounds played.

    Rows are dense or sparse for good, as the first ones were; later ones are converted. Parameters
    that are set later take effect with the next `fit`. All input errors are `SelectronError`, a
    ValueError, and leave everything as it was.

    Examples
    --------
    >>> from selectron.askers import Margin
    >>> from selectron.learners import LASEC
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, d=10, seed=0)
    >>> clf = OnlineClassifier(LASEC(b=1.0, c=1000.0), asker=Margin(0.1), random_state=0)
    >>> run = clf.run(X, y)
    >>> run.mistakes, int(run.asked.sum())
    (330, 688)
    >>> d = clf.decide(X[0])
    >>> int(d.label), d.ask
    (-1, False)
    """

    defaults: ClassVar = {"learner": LASEC(), "asker": Always()}

    def __init__(
        self,
        learner: Any = None,
        asker: Any = None,
        *,
        classes: Any = None,
        fit_intercept: bool = True,
        normalize: bool | None = None,
        max_open: int = 10_000,
        random_state: Any = None,
    ):
        self.learner = learner
        self.asker = asker
        self.classes = classes
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.max_open = max_open
        self.random_state = random_state

    # A stream

    def run(self, X: Any, y: Any, *, margins: bool = True, classes: Any = None) -> Run:
        """Simulate: play a round a row, and look at y only where its label is asked for.

        X has shape (n_rows, n_features), y (n_rows,). Rows whose label is NaN or None are
        predicted, and never asked for. With `margins=False` no margins and probabilities are
        recorded, which spares a second-order learner the products that no decision needs: the
        decisions are the same. `classes` names both classes if y may not hold them.

        Raises SelectronError, and learns nothing, if a value is not finite, a row has another
        number of features than the first, or a label is of a third class.

        >>> X, y = [[1.0], [-2.0], [3.0]], ["up", "down", None]
        >>> OnlineClassifier().run(X, y)
        <Run: 3 rounds, 50.0% right, 66.7% of the labels asked for, 1 steps>
        """
        with self._all_or_nothing():
            block, y, codes = self._labelled(X, y, classes)
            out = self.model_.run(block, codes, full=margins)
        return Run(
            margin=out.margin if margins else None,
            probability=out.probability if margins else None,
            flags=out.flags,
            label=y,
            code=codes,
            classes=self.classes_,
        )

    def decide(self, x: Any) -> Decision:
        """Predict one row and decide whether to ask; `tell` may bring its label later, or never.

        `x` is a 1-D array, a list, or one row of a matrix. If the label is asked for, the decision
        has a ticket, valid until it is answered or `max_open` younger ones are open. To learn a
        label that was not asked for, call `partial_fit`. Raises SelectronError, and counts no
        round, as `run` does.

        >>> clf = OnlineClassifier(classes=["ham", "spam"])
        >>> clf.decide([0.5, 2.0])
        Decision(label='spam', margin=0.0, probability=1.0, ask=True, ticket=1)
        """
        model = self.__dict__.get("model_")
        if model is not None and checks.plain_row(x, model):
            positive, margin, probability, ticket = model.decide(Dense(np.array(x, float, ndmin=2)))
        else:
            with self._all_or_nothing():
                block, _ = self._rows(checks.one_row(x))
                self._ready(block, checks.classes(self, PAPERS, None))
                positive, margin, probability, ticket = self.model_.decide(block)
        label = self.classes_.item(int(positive))
        return Decision(label, margin, probability, ticket is not None, ticket)

    def tell(self, ticket: int, label: Any) -> bool:
        """Learn a label that was asked for; return whether the learner stepped.

        Labels may come in any order. The step starts from the model as it is now. Raises
        SelectronError if the ticket is not open, or the label of neither class: then it stays open.

        >>> clf = OnlineClassifier(classes=["ham", "spam"])
        >>> clf.tell(clf.decide([0.5, 2.0]).ticket, "ham")
        True
        """
        if "model_" not in self.__dict__:
            check_is_fitted(self)  # slow, hence not in every call
        return self.model_.tell(ticket, checks.code(label, self.classes_))

    # A table

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> "OnlineClassifier":
        """Learn from rows whose labels are given: nothing is asked. Rows without one are skipped.

        X, y, classes and errors are as in `run`. The rows count as rounds, and each takes its draw.
        """
        with self._all_or_nothing():
            block, _, codes = self._labelled(X, y, classes)
            self.model_.learn(block, codes)
        return self

    def fit(self, X: Any, y: Any) -> "OnlineClassifier":
        """Forget everything, then learn from the rows in one pass, in their order."""
        with self._all_or_nothing():
            for name in FITTED:
                self.__dict__.pop(name, None)
            self.partial_fit(X, y)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the margin quantity of every row, not below 0 for `classes_[1]`."""
        check_is_fitted(self)
        block, n = self._rows(X)
        return np.asarray(self.model_.look(block, n, full=True).margin)

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted class of every row."""
        check_is_fitted(self)
        block, n = self._rows(X)
        return named(self.model_.look(block, n).positive, self.classes_)

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the features."""
        check_is_fitted(self)
        return self.model_.weights()[None, int(self.model_.constant) :]

    @property
    def intercept_(self) -> np.ndarray:
        """The weight of the constant, 0 without one."""
        check_is_fitted(self)
        return self.model_.weights()[:1] if self.model_.constant else np.zeros(1)

    @property
    def n_rounds_(self) -> int:
        """Rounds played."""
        check_is_fitted(self)
        return self.model_.rounds

    # A file

    def save(self, path: str | os.PathLike) -> None:
        """Write everything to a file: weights, draws, open tickets. It holds data, never code.

        Raises NotFittedError before the first row, SelectronError if `path` is no file or a label
        cannot be written down, and OSError as the system does.
        """
        check_is_fitted(self)
        storage.write(path, *packing.described(self))

    @classmethod
    def load(cls, path: str | os.PathLike, *, parts: tuple[type, ...] = ()) -> "OnlineClassifier":
        """Return the classifier of a file; it goes on bit for bit where the saved one was.

        `parts` are the classes of learners and askers that are not Selectron's own. Raises
        SelectronError if the file is damaged, or no model file, or of another version. The
        parameters `classes` and `random_state` come back as None: what came of them is in the file.
        """
        return packing.restored(cls, path, *storage.read(path), parts)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags

    # Within

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Put what was fitted before back in place if anything goes wrong."""
        before = {name: vars(self)[name] for name in FITTED if name in vars(self)}
        try:
            yield
        except BaseException:
            for name in FITTED:
                self.__dict__.pop(name, None)
            self.__dict__.update(before)
            raise

    def _rows(self, X: Any) -> tuple[Dense | Sparse, int]:
        """Return the rows as a block of the model's kind, and how many there are."""
        fitted = hasattr(self, "model_")
        return checks.rows(self, X, first=not fitted, sparse=fitted and self.model_.sparse)

    def _labelled(self, X: Any, y: Any, classes: Any) -> tuple[Dense | Sparse, Any, np.ndarray]:
        """Return rows, labels and codes, with a model ready for them."""
        block, n = self._rows(X)
        y, without = checks.labels(y, n)
        classes = checks.classes(self, y[~without] if without.any() else y, classes)
        codes = encode(y, classes, without)
        self._ready(block, classes)
        return block, y, codes

    def _ready(self, block: Dense | Sparse, classes: np.ndarray) -> None:
        """Make the model, if there is none."""
        if hasattr(self, "model_"):
            return
        self.classes_ = classes
        self.model_ = Model(
            checks.part(self.part("learner"), "learner"),
            checks.part(self.part("asker"), "asker"),
            width=self.n_features_in_,
            sparse=isinstance(block, Sparse),
            constant=checks.flag("fit_intercept", self.fit_intercept),
            normalize=None if self.normalize is None else checks.flag("normalize", self.normalize),
            seed=self.random_state,
            max_open=checks.above_zero("max_open", self.max_open),
        )
