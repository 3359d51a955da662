"""SelfDirectedClassifier: label a whole pool in an order that needs few corrections."""

import hashlib
import math
import os
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.utils.extmath import row_norms

from .. import storage
from ..data.labels import as_array, as_objects, distinct, encode, given_classes, missing
from ..engine.parameters import Range, number, shown
from ..errors import Refused, SelectronError
from ..estimator import checks, labelling
from ..estimator.parameters import flag
from ..model.support import TOO_LARGE
from .confident import Confident, InOrder
from .features import featured, kernels
from .perceptron import Boosted, Greedy, Sphere
from .session import OPEN, PASSED, Answers, Pool, PoolRun, Session, decode

KIND = "pool"  # of the file
LEARNERS = {kind.__name__: kind for kind in (Confident, InOrder, Greedy, Sphere, Boosted)}
PARAMETERS = "mode", "delta", "fit_intercept", "random_state"
APART = 4.0  # |x - x'|^2 is at most this multiple of the larger squared norm
FEW_CLASSES = 20  # which any pool may have, whatever its number of rows


class OtherRows(SelectronError):
    """A file whose answers are for other rows than those given."""


class SelfDirectedClassifier(BaseEstimator):
    """Label a pool of rows: propose labels row by row, in an order that needs few corrections.

    A person confirms or corrects each proposal. All rows are known from the start. It labels these
    rows, and makes no model of others: let a classifier learn the labels.

    Parameters
    ----------
    learner : from `selectron.pool`, default Confident()
        Chooses the next row and its proposal.
    classes : list of labels, default None
        All labels that may occur; `set_params` may add to them later. With None, they are learned
        from the answers.
    mode : {"perfect", "strong", "weak"}, default "perfect"
        How many rows to label: all, a share of 1 - delta, or half.
    delta : float, default 0.01
        The share of rows that mode "strong" may leave unlabelled.
    features : {"auto", "standard", "raw"} or a transformer of scikit-learn, default "auto"
        How the rows are transformed first. "standard": each feature to mean 0 and variance 1, or
        without an intercept to mean square 1, not centred (sparse rows are not changed). "auto":
        "standard"; for Confident and InOrder also three kernel maps and the nearest rows, for up to
        20,000 rows and 1,000 dense features; of sparse rows they are made from 20 directions.
        "raw": no transformation.
    fit_intercept : bool, default True
        Whether to add a constant feature: 1, or without kernel maps as large as rows need it.
        The paper's learners are for halfspaces through 0.
    random_state : int, default 0
        Seed of all random draws.

    Attributes
    ----------
    classes_ : ndarray
        The labels; new ones are appended.

    Notes
    -----
    All input errors are `SelectronError`, a ValueError, and leave the state unchanged.

    Examples
    --------
    >>> X = [[-2.0], [3.0], [-1.0], [1.5], [0.1]]
    >>> pool = SelfDirectedClassifier(classes=["ham", "spam"]).start(X)
    >>> row, label = pool.propose()
    >>> pool.tell(row, "spam" if X[row][0] > 0 else "ham")
    >>> pool.n_labels_
    1

    If all labels are known, `run` simulates the person:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 10))
    >>> run = SelfDirectedClassifier().run(X, X @ rng.normal(size=10) > 0)
    >>> len(run.order), run.mistakes < 25
    (2000, True)
    """

    classes_: np.ndarray
    named_: bool

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

    def start(self, X: Any, y: Any = None) -> Self:
        """Start labelling a pool X of shape (n_rows, n_features), dense or sparse; return self.

        `y`, (n_rows,), holds the labels known in advance, NaN or None for all other rows. Raises
        SelectronError if X is not a table of finite numbers, if the square of a row overflows, if y
        does not fit X, if its labels look like measurements or ids, or if a parameter is invalid.
        """
        X, classes, codes = self._checked(X, y)
        self._begin(self._session_of(X, codes), classes, X)
        return self

    # One row at a time

    def propose(self) -> tuple[int, Any] | None:
        """Return the next row and the label proposed for it, or None once the goal is reached.

        The label is None while no class is known. Repeated calls return the same row.
        """
        session = self._session()
        found = session.next(len(self.classes_))
        return found and (found[0], as_objects(self.classes_)[found[1]] if found[1] >= 0 else None)

    def tell(self, row: int, label: Any) -> None:
        """Record the label of the row that was proposed; None skips it.

        Raises SelectronError for another row, or if the label is not among the named classes.
        """
        session = self._session()
        found = session.next(len(self.classes_))
        if found is None or np.ndim(row) or found[0] != row:
            what = "all rows are labelled" if found is None else f"row {found[0]} is next"
            raise SelectronError(f"Row {shown(row)} cannot be labelled now: {what}.")
        known = max(1, len(self.classes_))  # a new class was not proposed
        session.tell(self._code(label), known)

    def undo(self) -> int:
        """Undo the last answer; return its row. Raises SelectronError if there is no answer."""
        session = self._session()
        if not session.count:
            raise SelectronError("There is no answer to undo.")
        row = session.undo()
        if not self.named_:  # a class that only the answer had is forgotten
            self.classes_ = self.classes_[: session.codes.max(initial=-1) + 1]
        return row

    def reopen(self) -> int:
        """Propose skipped rows again; return their number. The order of other rows may change."""
        before = self._session()
        self.session_ = before.without_skips()
        return before.count - self.session_.count

    def run(self, X: Any, y: Any, look: Callable[[int], object] | None = None) -> PoolRun:
        """Simulate a session: label every proposed row by y, (n_rows,); return the record.

        `look` gets the number of rows labelled. Raises as `start` does, and if a label is missing.
        """
        X, classes, codes = self._checked(X, y, full=True)
        session = self._session_of(X, np.full(len(codes), OPEN, np.int32))
        session.play(codes, len(classes), look or (lambda count: None))
        self._begin(session, classes, X)
        return self.labelled()

    def labelled(self) -> PoolRun:
        """Return the record of the rows labelled or skipped so far."""
        answers = self._session().answers
        proposed, labels = (decode(c, self.classes_) for c in (answers.proposed, answers.codes))
        return PoolRun(answers.rows, proposed, labels, answers.wrong)

    def labels(self) -> np.ndarray:
        """Return the label of every row, (n_rows,), None for rows without one."""
        return decode(self._session().codes, self.classes_)

    def mistakes_left(self) -> float:
        """Estimate how many corrections are still to come; NaN before the first proposal.

        The estimate is rather too high: it is the sum of the learner's error probabilities, or the
        part of it that proved true so far, and does not foresee what answers will teach. The
        learners of the paper have no such probabilities: NaN.
        """
        return self._session().left()

    @property
    def n_labels_(self) -> int:
        """Number of rows labelled or skipped."""
        return self._session().count

    @property
    def n_skipped_(self) -> int:
        """Number of rows skipped."""
        return self.labelled().skipped

    @property
    def n_mistakes_(self) -> int:
        """Number of proposals corrected."""
        return self._session().mistakes

    @property
    def goal_(self) -> int:
        """Number of rows to label or to skip in all."""
        return self._session().goal

    # Files

    def save(self, path: str | os.PathLike) -> None:
        """Write the answers and everything else needed to resume to a file, except the rows."""
        session = self._session()
        header = {
            "kind": KIND,
            "learner": [type(session.learner).__name__, list(session.learner)],
            "parameters": {name: getattr(self, name) for name in PARAMETERS},
            "features": self.features if isinstance(self.features, str) else None,
            "named": self.classes is not None,
            "classes": self.classes_.tolist(),
            "plans": [[begun.answered, begun.known] for begun in session.begun],
            "rows": digest(self._table),
        }
        storage.write(path, header, {**session.answers._asdict(), "given": session.given})

    @classmethod
    def load(
        cls,
        path: str | os.PathLike,
        X: Any,
        *,
        features: Any = None,
        look: Callable[[int], object] | None = None,
    ) -> Self:
        """Return the classifier saved in a file, to resume labelling the same rows.

        Plans are computed again, which takes as long as simulating the answers: `look` receives the
        number of answers so far. Transformers are not in the file: pass `features`. Raises
        SelectronError if it is damaged, or rows differ.
        """
        X = as_table(X)
        header, arrays = storage.read(path)
        if header.get("kind") != KIND:
            raise SelectronError(f"{path} holds a model, not the answers for a pool.")
        if header["rows"] != digest(X):
            raise OtherRows(f"{path} holds the answers for other rows or columns.")
        own = header["features"] or features
        if own is None:
            raise SelectronError(f"{path} needs its transformer: pass it as features=.")
        name, values = header["learner"]
        if name not in LEARNERS:
            raise SelectronError(f"{path} needs the learner {name}, which is not in Selectron.")
        classes = header["classes"] if header["named"] else None
        pool = cls(LEARNERS[name](*values), classes=classes, features=own, **header["parameters"])
        pool._begin(pool._session_of(X, arrays.pop("given")), as_array(header["classes"]), X)
        answers, plans = Answers(**arrays), header["plans"]
        pool.session_.restore(answers, plans, look or (lambda count: None))
        return pool

    # Internals

    def _session(self) -> Session:
        if "session_" not in vars(self):
            raise SelectronError("There is no pool yet: call start(X) first.")
        return self.session_

    def _checked(self, X: Any, y: Any, full: bool = False) -> tuple[Any, np.ndarray, np.ndarray]:
        """Return the table, the classes, and the class code of every row."""
        X = as_table(X)
        n = X.shape[0]
        y, without = labelling.labels(np.full(n, None) if y is None and not full else y, n)
        if full and without.any():
            row = int(without.argmax())
            raise SelectronError(f"Row {row} has no label: y must label all rows.")
        if self.classes is None:
            classes = sorted_classes(y[~without])
        else:
            labelling.classes(SelfDirectedClassifier(), y, self.classes)
            classes = given_classes(self.classes)  # in their order
        return X, classes, encode(y, classes, without, many=True) - 1

    def _session_of(self, X: Any, given: np.ndarray) -> Session:
        """Return a session on a pool with the class codes `given`."""
        of_seeds = Range(lambda seed: 0 <= seed < 2**32, "below 2**32", whole=True)
        seed = int(number(self, "random_state", of_seeds))
        learner = Confident() if self.learner is None else self.learner
        plans = callable(getattr(learner, "plan", None)) and hasattr(learner, "_fields")
        if not plans or isinstance(learner, type):
            raise SelectronError(
                "learner must be an object from selectron.pool, such as Confident(), "
                f"got {learner!r}."
            )
        getattr(learner, "numbers", tuple)()
        goal = self._goal(int((given == OPEN).sum()))
        features = self.features, flag("fit_intercept", self.fit_intercept)
        maps, around = kernels(X, *features, seed)
        pool = Pool(featured(X, *features, not maps), seed, maps, around)
        return Session(learner, pool, given.astype(np.int32), goal)

    def _begin(self, session: Session, classes: np.ndarray, X: Any) -> None:
        self.session_, self.classes_, self.named_ = session, classes, self.classes is not None
        self._table = X  # for the digest in the file

    def _goal(self, n: int) -> int:
        delta = number(self, "delta", Range(lambda delta: 0 <= delta < 1, "from 0 on and below 1"))
        share = number(self, "mode", {"perfect": 1.0, "strong": 1 - delta, "weak": 0.5})
        return math.ceil(round(n * share, 6))

    def _code(self, label: Any) -> int:
        """Return the class code of a label, with a new class appended if none were named."""
        fresh = as_array([label])
        if fresh.ndim == 1 and missing(fresh).any():
            return PASSED
        if not labelling.code(label, self.classes_, many=True):
            self.classes_ = labelling.with_label(self, label)
        return labelling.code(label, self.classes_, many=True) - 1


def as_table(X: Any) -> Any:
    """Return X as an array of floats, dense or CSR, with one row or more.

    Raises SelectronError if a value is not finite, or where the sum of all squares overflows.
    """
    X = checks.finite(SelfDirectedClassifier(), X).astype(float, copy=False)
    if scipy.sparse.issparse(X):
        kind = np.int32 if X.nnz <= checks.WIDEST else np.int64  # of the digests in files
        X.indptr, X.indices = X.indptr.astype(kind), X.indices.astype(kind)
    with np.errstate(over="ignore"):
        found = row_norms(X, squared=True)
        small = np.isfinite(APART * found.sum())
    if not small:
        raise Refused(int(found.argmax()), TOO_LARGE)
    return X


def digest(X: Any) -> str:
    """Return the BLAKE2b digest of a table, in hex."""
    total = hashlib.blake2b(repr(X.shape).encode(), digest_size=16)
    for array in (X.indptr, X.indices, X.data) if scipy.sparse.issparse(X) else (X,):
        total.update(np.ascontiguousarray(array).data)
    return total.hexdigest()


def sorted_classes(labels: np.ndarray) -> np.ndarray:
    """Return the sorted classes of labels; raise SelectronError if they look like ids."""
    found = distinct(labelling.classifiable(labels))
    if scarce(len(found), len(labels)):
        raise SelectronError(
            f"{len(labels):,} labels have {len(found):,} classes, too many to learn: if they "
            "are not ids, name them all with classes=."
        )
    return found


def scarce(classes: int, labels: int) -> bool:
    """Return whether classes have two labels or fewer on average, as ids and measurements do.

    Each class costs a mistake, and each pair of classes a fit after every mistake.
    """
    return classes > FEW_CLASSES and 2 * classes >= labels
