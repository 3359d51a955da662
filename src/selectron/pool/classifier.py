"""SelfDirectedClassifier: label a whole pool, in the order that needs the fewest corrections."""

import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..data.labels import appended, as_array, distinct, encode, missing, none_of
from ..engine.parameters import shown
from ..errors import SelectronError
from . import saved
from .confident import Confident
from .features import featured, kernels
from .known import classes_of
from .plan import OPEN, PASSED, Pool
from .record import PoolRun, named
from .session import Session
from .table import table

FITTED = ("classes_", "session_", "_table")
MODES = {"weak": 0.5, "strong": None, "perfect": 1.0}


class SelfDirectedClassifier(BaseEstimator):
    """A learner that sees all rows beforehand, and chooses which to propose a label for next.

    A person confirms each proposal, or corrects it; the order is such that few need correcting.

    Parameters
    ----------
    learner : from `selectron.pool`, default Confident()
        Which row comes next, and as what.
    classes : list of labels, default None
        The labels, if there are to be no others. None takes those that come.
    mode : {"perfect", "strong", "weak"}, default "perfect"
        How many rows are to be told: all, a share of 1 - delta, or half.
    delta : float, default 0.01
        The share that a strong learner may leave.
    features : {"auto", "standard", "raw", "rbf"} or a transformer, default "auto"
        What is made of the rows first. "standard": each feature to mean 0 and variance 1, or
        without an intercept to mean square 1, not centred (sparse rows stay as they are); "auto":
        that, and for Confident and InOrder three kernel maps and the nearest rows, up to 20,000
        dense rows of 1,000 features; "raw": nothing; "rbf": 500 random Fourier features; or what a
        transformer of scikit-learn makes of them.
    fit_intercept : bool, default True
        Put a constant in front of every row. The paper's learners are for halfspaces through 0.
    random_state : int, default 0
        Seed of all draws.

    Attributes
    ----------
    classes_ : ndarray
        The labels, those of later rows appended.
    n_told_, n_mistakes_ : int
        Rows told, and proposals corrected.
    goal_ : int
        Rows to be told in all.

    All input errors are `SelectronError`, a ValueError, and leave everything as it was. The rows
    are held twice, as given and as the learner takes them: 8 bytes a number.

    Examples
    --------
    >>> X = [[-2.0], [3.0], [-1.0], [1.5], [0.1]]
    >>> pool = SelfDirectedClassifier(classes=["ham", "spam"]).start(X)
    >>> row, label = pool.propose()
    >>> pool.tell(row, "spam" if X[row][0] > 0 else "ham")
    >>> pool.n_told_
    1

    With all labels at hand, `run` tells what a person would have gone through:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 10))
    >>> run = SelfDirectedClassifier().run(X, X @ rng.normal(size=10) > 0)
    >>> len(run.order), run.mistakes < 25
    (2000, True)
    """

    def __init__(
        self,
        learner: Any = None,
        *,
        classes: Any = None,
        mode: str = "perfect",
        delta: float = 0.01,
        features: Any = "auto",
        fit_intercept: bool = True,
        random_state: int = 0,
    ):
        self.learner = learner
        self.classes = classes
        self.mode = mode
        self.delta = delta
        self.features = features
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def start(self, X: Any, y: Any = None) -> "SelfDirectedClassifier":
        """Take up a pool, (n_rows, n_features), dense or sparse, and forget any other.

        `y`, (n_rows,), holds the labels that are known beforehand, NaN or None for all others.
        Raises SelectronError if X is no table of finite numbers, if a row is too large to be
        squared, if y does not fit it, or its labels seem to be measurements or ids, or if a
        parameter is bad.
        """
        X = table(X)
        y = np.full(X.shape[0], None) if y is None else as_array(y)
        if y.shape != (X.shape[0],):
            raise SelectronError(f"X has {X.shape[0]} rows, and y has shape {y.shape}.")
        classes = self._named() if self.classes is not None else classes_of(y[~missing(y)])
        self._begin(X, classes, encode(y, classes, many=True) - 1)
        return self

    # One row after the other

    def propose(self) -> tuple[int, Any] | None:
        """Return the next row and the label proposed for it, None once the goal is reached.

        The label is None as long as none has been told, and none was named. Asking again gives the
        same row.
        """
        session = self._session()
        found = session.next(len(self.classes_))
        return found and (found[0], self._name(found[1]))

    def tell(self, row: int, label: Any) -> None:
        """Take up the label of the row that was proposed; None if nobody can tell.

        Raises SelectronError if it is another row, or a label of no class where they were named.
        """
        session = self._session()
        found = session.next(len(self.classes_))
        if found is None or found[0] != row:
            what = (
                "every row that is wanted has been told" if found is None else f"{found[0]} is next"
            )
            raise SelectronError(f"Row {shown(row)} cannot be told now: {what}.")
        code = self._code(label)
        session.tell(code, len(self.classes_))

    def undo(self) -> int:
        """Take back the last answer, and return its row, which is the next one again.

        Raises SelectronError if there is none.
        """
        session = self._session()
        if not session.count:
            raise SelectronError("There is no answer to take back.")
        return session.undo()

    def run(self, X: Any, y: Any, look: Callable[[int], object] | None = None) -> PoolRun:
        """Simulate: take up the pool, and tell every row that is proposed from y, (n_rows,).

        `look` is called with the number of rows told so far, now and then. Raises SelectronError as
        `start` does, and if a label is missing or of no class.
        """
        X, y = table(X), as_array(y)
        if y.shape != (X.shape[0],):
            raise SelectronError(f"X has {X.shape[0]} rows, and y has shape {y.shape}.")
        if missing(y).any():
            raise SelectronError(f"Row {int(missing(y).argmax())} has no label: y must name all.")
        classes = self._named() if self.classes is not None else classes_of(y)
        codes = encode(y, classes, many=True) - 1
        before = {name: vars(self)[name] for name in FITTED if name in vars(self)}
        try:
            self._begin(X, classes, np.full(len(y), OPEN, np.int32))
            self.session_.play(codes, len(classes), look or (lambda told: None))
        except BaseException:
            for name in FITTED:
                self.__dict__.pop(name, None)
            self.__dict__.update(before)
            raise
        return self.told()

    def told(self) -> PoolRun:
        """Return what has been told so far."""
        answers = self._session().answers
        return PoolRun(
            answers.rows,
            named(answers.proposed, self.classes_),
            named(answers.codes, self.classes_),
            answers.wrong,
        )

    def labels(self) -> np.ndarray:
        """Return the label of every row, None for those that have not been told."""
        return named(self._session().codes, self.classes_)

    def mistakes_left(self) -> float:
        """Estimate how many proposals will need correcting up to the goal; NaN before the first.

        It is the learner's own doubt, scaled by how it has erred of late; NaN for the paper's.
        """
        return self._session().left()

    @property
    def n_told_(self) -> int:
        """Rows told, or passed over."""
        return self._session().count

    @property
    def n_mistakes_(self) -> int:
        """Proposals corrected."""
        return self._session().mistakes

    @property
    def goal_(self) -> int:
        """Rows to be told in all."""
        return self._session().goal

    # A file

    def save(self, path: str | os.PathLike) -> None:
        """Write the answers to a file, and what is needed to go on; the rows are not in it."""
        self._session()
        saved.write(path, self, self._table)

    @classmethod
    def load(
        cls, path: str | os.PathLike, X: Any, *, features: Any = None
    ) -> "SelfDirectedClassifier":
        """Return the classifier of a file, for the same rows; it goes on where the saved one was.

        The learner's plans are made again, which takes the time of a simulated run so far. A
        transformer is not in the file: pass it as `features`. Raises SelectronError if the file is
        damaged, or the rows are others.
        """
        return saved.read(cls, path, table(X), features)

    # Within

    def _session(self) -> Session:
        if "session_" not in vars(self):
            raise SelectronError("There is no pool yet: call start(X) first.")
        return self.session_

    def _begin(self, X: Any, classes: np.ndarray, given: np.ndarray) -> None:
        """Take up a pool of which some codes are given."""
        seed = self.random_state
        if not isinstance(seed, int | np.integer) or seed < 0:
            raise SelectronError(f"random_state must be a whole number from 0 on, got {seed!r}.")
        learner, goal = self._learner(), self._goal(int((given == OPEN).sum()))
        own = featured(X, self.features, bool(self.fit_intercept), int(seed))
        pool = Pool(own, int(seed), *kernels(X, self.features, int(seed)))
        self.session_ = Session(learner, pool, given.astype(np.int32), goal)
        self.classes_, self._table = classes, X  # kept for its digest, should it be saved

    def _named(self) -> np.ndarray:
        """Return the classes as they were named."""
        classes = as_array(list(self.classes))
        if len(classes) < 2 or len(distinct(classes)) < len(classes) or missing(classes).any():
            raise SelectronError(
                f"classes must be two or more different labels, got {self.classes!r}."
            )
        return classes

    def _learner(self) -> Any:
        learner = Confident() if self.learner is None else self.learner
        if not callable(getattr(learner, "plan", None)) or not hasattr(learner, "_fields"):
            raise SelectronError(
                "learner must be an object from selectron.pool, such as Confident(), "
                f"got {learner!r}."
            )
        return learner

    def _goal(self, n: int) -> int:
        if self.mode not in MODES:
            raise SelectronError(f'mode must be "perfect", "strong" or "weak", got {self.mode!r}.')
        delta = self.delta
        if not isinstance(delta, int | float | np.number) or not 0 <= delta < 1:
            raise SelectronError(f"delta must be a number from 0 on and below 1, got {delta!r}.")
        share = MODES[self.mode]
        return math.ceil(round(n * (1 - delta if share is None else share), 6))

    def _name(self, code: int) -> Any:
        return self.classes_.tolist()[code] if code >= 0 else None

    def _code(self, label: Any) -> int:
        """Return the code of a label, that of a new class among them."""
        fresh = as_array([label])
        if fresh.ndim != 1:
            raise SelectronError(f"A label must be one value, got {label!r}.")
        if missing(fresh).any():
            return PASSED
        if label not in self.classes_.tolist():
            if self.classes is not None:
                raise SelectronError(
                    f"There is no class {shown(label)}: it is {none_of(self.classes_)}."
                )
            self.classes_ = appended(self.classes_, fresh)
        return self.classes_.tolist().index(label)
