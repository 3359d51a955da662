"""OnlineRanker: several classes may be relevant to a row."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse

from ..data.labels import distinct, given_classes
from ..engine.rows import Dense, Sparse
from ..errors import NotThere, SelectronError
from ..model.run import Run
from . import checks
from .classifier import OnlineClassifier
from .labelling import sample_weights
from .live import Decision
from .parameters import one_at_a_time


class RankedRun(Run):
    """The outcome of rounds on rows of several classes; `label` is their table of 0 and 1.

    A prediction is right if every relevant class has a better score than every irrelevant one.
    """

    @property
    def prediction(self) -> np.ndarray:
        """The predicted classes, (n, K): the best, and all with a score above 0."""
        return chosen(self.scores)

    @property
    def correct(self) -> np.ndarray:
        """Whether the ranking was right; False where there is no label."""
        relevant = np.nan_to_num(self.label).astype(bool)
        lowest = np.where(relevant, self.scores, np.inf).min(axis=1)
        highest = np.where(relevant, -np.inf, self.scores).max(axis=1)
        return self.labelled & (lowest > highest)


def chosen(scores: np.ndarray) -> np.ndarray:
    """Return a table of 0 and 1, with 1 for the best class and all with a score above 0.

    >>> chosen(np.array([[0.5, -1.0, 0.1], [-2.0, -1.0, -3.0]]))
    array([[1, 0, 1],
           [0, 1, 0]])
    """
    best = scores == scores.max(axis=1, keepdims=True)
    return ((scores > 0) | best).astype(int)


class OnlineRanker(OnlineClassifier):
    """A linear ranker of classes, of which several may be relevant to a row.

    Every class has a score. A step separates the relevant class with the lowest score from the
    irrelevant one with the highest; equal scores are a mistake. Labels are tables of 0 and 1, one
    column per class; a row of NaN has no label. `classes` names the classes, by default as the
    columns of a data frame. `run` always records margins and scores, and takes no `delay`. The
    default learner is LASEC(). Parameters are those of `OnlineClassifier`, without `class_weight`
    and `correctable`, and with

    many : {"joint", "exact"}, default None
        How second-order learners keep P, with K classes and d features (including the constant).
        "joint": a matrix for every class, of which a step changes two: 4 bytes times K d^2, for
        sparse rows 8. "exact": one matrix over all K d weights, as in the talk, so that a step on
        two classes moves all that are correlated with them: 8 bytes times (K d)^2, twice that while
        rows are learned, and as many operations per step. More than the machine's memory is
        refused: with 16 GiB, K d may be 32,000 at most. `kernel="linear"` keeps the rows of the
        steps instead. In first order both are the same. None is "joint".

    Source: Yang, Jin & Ye, "Online Learning by Ellipsoid Method" (ICML 2009), multi-label form.

    >>> from selectron.learners import PassiveAggressive
    >>> X = np.random.default_rng(0).normal(size=(500, 5))
    >>> Y = (X[:, :3] > 0.3).astype(int)
    >>> ranker = OnlineRanker(PassiveAggressive(C=0.1), classes=["news", "sport", "art"])
    >>> run = ranker.run(X, Y)
    >>> run.mistakes, int(run.correct[-100:].sum())
    (11, 98)
    >>> ranker.predict(X[:1])
    array([[0, 0, 1]])
    """

    ranks, record = True, RankedRun

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label, tags.classifier_tags.multi_class = True, False
        tags.target_tags.multi_output, tags.target_tags.single_output = True, False
        return tags

    # A stream

    @one_at_a_time
    def decide(self, x: Any, time: Any = None, *, ticket: str | None = None) -> Decision:
        """Predict one row, as a list of classes, and decide whether to ask.

        The decision has no probabilities: `proba` is empty. Raises SelectronError before the first
        labelled row, unless `classes` names the classes.
        """
        if "model_" not in vars(self) and self.classes is None:
            raise SelectronError("OnlineRanker must know its classes: name them with classes=.")
        decision = super().decide(x, time, ticket=ticket)
        known = self.classes_[chosen(self.model_.one_round.out[3])[0] > 0]
        return decision._replace(label=known.tolist(), proba=())

    @one_at_a_time
    def tell(
        self,
        ticket: int | str,
        label: Any = None,
        sample_weight: float = 1.0,
        *,
        correct: bool | None = None,
    ) -> bool:
        """Learn a list of the relevant classes; return whether the learner took a step.

        Raises SelectronError if one is not a class or is named twice, as in a row of 0 and 1.
        """
        self._check_fitted()
        if correct is not None:
            raise SelectronError(
                "correct must be left out with OnlineRanker: give a list of classes."
            )
        alone = isinstance(label, str) or not isinstance(label, Iterable)
        wanted = [label] if alone else list(label)
        unknown = [name for name in wanted if np.ndim(name) or name not in self.classes_.tolist()]
        if unknown:
            raise SelectronError(f"There is no class {unknown[0]!r}.")
        if len(set(wanted)) < len(wanted):
            raise SelectronError(f"{wanted} names a class twice: give a list of the relevant ones.")
        table = np.isin(self.classes_, wanted).astype(np.uint8)[None]
        with self._relating(table):
            return self.model_.tell(ticket, 1, sample_weights(sample_weight, None).item())

    # A table

    def predict(self, X: Any) -> np.ndarray:
        """Return a table of 0 and 1, with 1 for the best class and all with a score above 0."""
        return chosen(self.decision_function(X))

    @property
    def predict_proba(self) -> Any:
        """Missing: the probabilities of several classes for a row are not calibrated."""
        raise NotThere("OnlineRanker has no probabilities: take decision_function.")

    def explain(self, X: Any, label: Any = None) -> Any:
        """Missing, as probabilities are."""
        self.predict_proba()

    # Internals

    def _known_classes(self) -> tuple[np.ndarray, bool]:
        known, named = super()._known_classes()
        first = "classes_" not in vars(self)  # they keep their order, as that of columns
        return (given_classes(self.classes) if first else known), named

    def _labelled(
        self, X: Any, y: Any, classes: Any, least: int = 2
    ) -> tuple[Dense | Sparse, Any, np.ndarray]:
        block, n = self._rows(X)
        table, without = indicators(y, n)
        self._ready(block, class_names(self, y, table.shape[1], classes), True)
        codes = np.where(without, 0, np.arange(1, n + 1)).astype(np.int32)
        return block, table, codes

    @contextmanager
    def _relating(self, table: Any) -> Iterator[None]:
        """Return a context in which row i of a table of 0 and 1 is the label of row i of a call."""
        model, none = self.model_, self.model_.state.relevant
        model.state = model.state._replace(relevant=table)
        try:
            yield
        finally:
            model.state = model.state._replace(relevant=none)


def indicators(y: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels of n rows as a table of 0 and 1, and which rows are missing (all NaN)."""
    with checks.in_one_sentence("y is not a table of 0 and 1"):
        if hasattr(y, "iloc"):  # a data frame, with one of pandas' kinds of blanks
            y = y.to_numpy(float, na_value=np.nan)
        table = np.asarray(y.toarray() if scipy.sparse.issparse(y) else y, dtype=float)
    if table.ndim != 2 or table.shape[1] < 2:
        raise SelectronError(f"y must be a table of two columns or more, got shape {table.shape}.")
    if len(table) != n:
        raise SelectronError(f"X has {n} rows, and y has {len(table)}.")
    without = np.isnan(table).all(axis=1)
    odd = ~(np.isin(table, (0, 1)).all(axis=1) | without)
    if odd.any():
        row = int(odd.argmax())
        raise SelectronError(f"Row {row} of y must hold 0 and 1 only, got {table[row].tolist()}.")
    return np.nan_to_num(table).astype(np.uint8, order="C"), without  # as the loop reads it


def class_names(estimator: Any, y: Any, number: int, given: Any) -> np.ndarray:
    """Return the names of the classes, one for each column: those of a data frame by default."""
    wanted: Any = estimator.classes if given is None else given
    known: Any = getattr(estimator, "classes_", None)
    if wanted is None:
        wanted, found = np.arange(number) if known is None else known, column_names(y)
        other = [] if known is None else [name for name in found if name not in known.tolist()]
        if other and len(other) < len(found):
            what = f"y has a column {other[0]!r}, and the classes are {known.tolist()}"
            raise SelectronError(f"{what}: rename it back.")
        wanted = wanted if other else found or wanted
    if isinstance(wanted, str) or np.ndim(wanted) != 1:
        raise SelectronError(f"classes must be a list of labels, got {wanted!r}.")
    names = given_classes(wanted)
    if len(distinct(names)) != number:
        raise SelectronError(f"y has {number} columns, and classes are {names.tolist()}.")
    if known is not None and known.tolist() != names.tolist():
        raise SelectronError(f"The classes are {known.tolist()} already, got {names.tolist()}.")
    return names


def column_names(y: Any) -> list[str]:
    """Return the names of the columns of a data frame, if they are text and differ."""
    names = list(getattr(y, "column_names", getattr(y, "columns", ())))
    text = all(isinstance(name, str) for name in names)
    return names if text and len(set(names)) == len(names) else []
