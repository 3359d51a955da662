"""OnlineClassifier: the scikit-learn face of a model."""

import os
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from .. import storage
from ..askers import Always
from ..data import times as clock
from ..learners import LASEC
from ..model.run import Run, named
from . import checks, packing, single_row
from .fitted import Fitted


class Decision(NamedTuple):
    """What was decided about one row."""

    label: Any  # None as long as no label has been told
    margin: float  # the margin quantity of the learner's paper; of many classes, of the best two
    probability: float  # of asking
    ask: bool
    ticket: int | None  # to tell the label by, if it is asked for


class OnlineClassifier(ClassifierMixin, Fitted):
    """A linear classifier that learns from a stream, and asks for few labels.

    Parameters
    ----------
    learner : from `selectron.learners`, default LASEC()
        How far to step.
    asker : from `selectron.askers`, default Always()
        When to ask for a label.
    classes : list of labels, default None
        The classes, if there are to be no others. None takes those that come: new ones may appear
        at any time, with no weights to begin with.
    many : {"joint", "exact", "rest"}, default None
        How more than two classes are learned. "joint": a step tells the label's class and its
        closest rival apart; in second order with a matrix for every class (4 bytes times K d^2, for
        sparse rows 8). "exact": the same, in second order with one matrix over all classes (8 bytes
        times (K d)^2). "rest": a learner for every class, against all others; memory as "joint".
        None is "joint".
    fit_intercept : bool, default True
        Put a constant 1 in front of every row, before any scaling.
    normalize : bool or None, default None
        Scale every row to unit length; None does as the learner's paper does.
    kernel : {"linear", "poly", "rbf"}, object from `selectron.kernels`, or function, default None
        Learn a function of k(x, y) instead of weights of features: the examples that the learner
        steps on are kept. "linear" gives what None gives, and lets second-order learners run on
        rows of any number of features. A function takes two 1-D arrays; dense rows only.
    max_support : int, default None
        How many examples may be kept, of many classes by each of them, in first order: the oldest
        leaves. None is all of them.
    max_open : int, default 10_000
        How many asked labels may be outstanding. The row of each is kept, 8 bytes a feature or 12 a
        non-zero; beyond that number the oldest expires.
    random_state : int, None, or whatever `numpy.random.default_rng` takes
        Seed of the draws, one a round.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes: those of the first labels sorted, later ones as they came. Of two,
        `classes_[1]` is +1, and wins on margin 0.
    coef_, intercept_ : ndarrays of shapes (1, n_features) and (1,)
        The weights; of many classes a row each. There are none with a kernel that is not linear.
    n_support_ : int, or ndarray of shape (n_classes,) of many classes
        With a kernel: how many examples are kept. With `many="exact"`, in second order, all classes
        keep the same ones, and it is an int.
    n_features_in_ : int
    feature_names_in_ : ndarray, if the rows came with names
    feature_names_ : list, if the rows came as dicts
    n_rounds_ : int
        Rounds played.
    n_strained_ : int
        Rounds in which no step could do all that the learner asks of it; it did its best.

    Rows are dense or sparse for good, as the first ones were; later ones are converted. A list of
    dicts makes sparse rows: features may appear at any time, and are 0 where they are not named;
    those that no round has seen are left out where rows are only predicted. Parameters
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
    ranks: ClassVar[bool] = False  # may a row be of several classes?

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
        max_support: int | None = None,
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
        self.max_support = max_support
        self.max_open = max_open
        self.random_state = random_state

    # A stream

    def run(
        self, X: Any, y: Any, *, margins: bool = True, classes: Any = None, times: Any = None
    ) -> Run:
        """Simulate: play a round a row, and look at y only where its label is asked for.

        X has shape (n_rows, n_features), y (n_rows,). Rows whose label is NaN, NaT or None
        are predicted, and never asked for. With `margins=False` no margins and probabilities are
        recorded, which spares a second-order learner the products that no decision needs: the
        decisions are the same. `classes` names the classes, if y may not hold them all; those in y
        are known beforehand, unlike in a stream of `decide` and `tell`. `times` (n_rows,), dates or
        seconds since 1970, are wanted by a `Budget(per=...)` alone, one after the other: it goes by
        the latest so far.

        Raises SelectronError, and learns nothing, if a value is not finite, a row has another
        number of features than the first, or a label is of no class where classes were named.

        >>> X, y = [[1.0], [-2.0], [3.0]], ["up", "down", None]
        >>> OnlineClassifier().run(X, y)
        <Run: 3 rounds, 50.0% right, 66.7% of the labels asked for, 1 steps>
        """
        with self._all_or_nothing():
            block, y, codes = self._labelled(X, y, classes)
            found = clock.times(times, len(codes), self.model_.timed)
            out = self.model_.run(block, codes, full=margins, times=found)
        return Run(
            margin=out.margin if margins else None,
            probability=out.probability if margins else None,
            flags=out.flags,
            age=out.age if len(out.age) else None,
            label=y,
            code=codes,
            classes=self.classes_,
            many=self.model_.stacked,
            max_support=self.model_.max_support,
        )

    def decide(self, x: Any, time: Any = None) -> Decision:
        """Predict one row and decide whether to ask; `tell` may bring its label later, or never.

        `x` is a 1-D array, a list, a dict, or one row of a matrix. If the label is asked for, the
        decision has a ticket, valid until it is answered or `max_open` younger ones are open. To
        learn a label that was not asked for, call `partial_fit`. `time`, a date or seconds since
        1970, is wanted by a `Budget(per=...)` alone, and now by default. Raises SelectronError, and
        counts no round, as `run` does.

        >>> clf = OnlineClassifier(classes=["ham", "spam"])
        >>> clf.decide([0.5, 2.0])
        Decision(label='spam', margin=0.0, probability=1.0, ask=True, ticket=1)
        """
        model = self.__dict__.get("model_")
        names = self.__dict__.get("names_")
        block = None if model is None else single_row.plain(x, model, names)
        if model is not None and block is not None:
            index, *rest = model.decide(block, clock.moment(time, model.timed))
        else:
            with self._all_or_nothing():
                block, _ = self._rows(single_row.table(x))
                self._ready(block, *checks.classes_so_far(self))
                now = clock.moment(time, self.model_.timed)
                index, *rest = self.model_.decide(block, now)
        margin, probability, ticket = rest
        known = len(self.classes_)
        label = self.classes_.item(min(index, known - 1)) if known else None
        return Decision(label, margin, probability, ticket is not None, ticket)

    def tell(self, ticket: int, label: Any) -> bool:
        """Learn a label that was asked for; return whether the learner stepped.

        Labels may come in any order, and be of new classes. The step starts from the model as it
        is now. Raises SelectronError if the ticket is not open, or the label of no class where
        classes were named: then it stays open.

        >>> clf = OnlineClassifier(classes=["ham", "spam"])
        >>> clf.tell(clf.decide([0.5, 2.0]).ticket, "ham")
        True
        """
        if "model_" not in self.__dict__:
            check_is_fitted(self)  # slow, hence not in every call
        code = checks.code(label, self.classes_, self.model_.stacked)
        if code:
            return self.model_.tell(ticket, code)
        with self._all_or_nothing():
            self._extend(checks.with_label(self, label))
            code = checks.code(label, self.classes_, self.model_.stacked)
            return self.model_.tell(ticket, code)

    # A table

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> "OnlineClassifier":
        """Learn from rows whose labels are given: nothing is asked. Rows without one are skipped.

        X, y, classes and errors are as in `run`. The rows count as rounds, and each takes its draw.
        """
        with self._all_or_nothing():
            block, _, codes = self._labelled(X, y, classes, alone=True)
            self.model_.learn(block, codes)
        return self

    def fit(self, X: Any, y: Any) -> "OnlineClassifier":
        """Forget everything, then learn from the rows in one pass, in their order."""
        with self._all_or_nothing():
            self._forget()
            block, _, codes = self._labelled(X, y, None)
            self.model_.learn(block, codes)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the margin quantity of every row, not below 0 for `classes_[1]`.

        Of many classes, return the scores of all, (n_rows, n_classes).
        """
        check_is_fitted(self)
        block, n = self._rows(X, new=False)
        if self.model_.stacked:
            scores = np.asarray(self.model_.look(block, n, scores=True).scores)
            return scores[:, 1] - scores[:, 0] if self._is_pair() else scores
        return np.asarray(self.model_.look(block, n, full=True).margin)

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted class of every row."""
        check_is_fitted(self)
        block, n = self._rows(X, new=False)
        return named(self.model_.look(block, n).index, self.classes_)

    # A file

    def save(self, path: str | os.PathLike) -> None:
        """Write everything to a file: weights, draws, open tickets. It holds data, never code.

        Raises NotFittedError before the first row, SelectronError if a label cannot be written
        down, or the file cannot (which is an OSError too); one that was there is left as it was.
        """
        check_is_fitted(self)
        storage.write(path, *packing.described(self))

    @classmethod
    def load(cls, path: str | os.PathLike, *, parts: tuple[Any, ...] = ()) -> "OnlineClassifier":
        """Return the classifier of a file; it goes on bit for bit where the saved one was.

        `parts` are the classes of learners, askers and kernels that are not Selectron's own. Raises
        SelectronError if the file is damaged, or no model file, or of another version. The
        parameters `classes` and `random_state` come back as None: what came of them is in the file.
        """
        return packing.restored(cls, path, *storage.read(path), parts)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
