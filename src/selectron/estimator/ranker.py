"""OnlineRanker: rows that are of several classes at once."""

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..data import times as clock
from ..engine.rows import Dense, Sparse
from ..errors import SelectronError
from ..model.run import Run
from . import single_row
from .classifier import Decision, OnlineClassifier
from .relevance import columns, indicators


class RankedRun(Run):
    """The outcome of rounds on rows of several classes; `label` is their table of 0 and 1.

    A prediction is right if every relevant class has a better score than every irrelevant one.
    """

    @property
    def prediction(self) -> np.ndarray:
        """The predicted classes, (n, K): those with a score above 0, and the best in any case."""
        return chosen(self.scores)

    @property
    def correct(self) -> np.ndarray:
        """Was the ranking right? False also where there is no label."""
        relevant = np.nan_to_num(self.label).astype(bool)
        lowest = np.where(relevant, self.scores, np.inf).min(axis=1)
        highest = np.where(relevant, -np.inf, self.scores).max(axis=1)
        return self.labelled & (lowest > highest)


def chosen(scores: np.ndarray) -> np.ndarray:
    """Return 1 for classes with a score above 0, and for the best one.

    >>> chosen(np.array([[0.5, -1.0, 0.1], [-2.0, -1.0, -3.0]]))
    array([[1, 0, 1],
           [0, 1, 0]])
    """
    best = scores == scores.max(axis=1, keepdims=True)
    return ((scores > 0) | best).astype(int)


class OnlineRanker(OnlineClassifier):
    """A linear ranker of classes, of which several may be relevant to a row.

    Every class has a score. A step is taken on the relevant class with the lowest score and the
    irrelevant one with the highest, so that the first gets ahead. Labels are tables of 0 and 1, one
    column a class; a row of NaN has none. Parameters are those of `OnlineClassifier`, whose
    `classes` name the columns here, and without `many`: there is one way.

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

    ranks: ClassVar[bool] = True

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label, tags.classifier_tags.multi_class = True, False
        tags.target_tags.multi_output, tags.target_tags.single_output = True, False
        return tags

    # A stream

    def run(
        self, X: Any, y: Any, *, margins: bool = True, classes: Any = None, times: Any = None
    ) -> RankedRun:
        """Simulate as `OnlineClassifier.run` does; margins and scores are recorded in any case."""
        with self._all_or_nothing():
            block, table, codes = self._labelled(X, y, classes)
            with self.model_.relating(table):
                found = clock.times(times, len(codes), self.model_.timed)
                out = self.model_.run(block, codes, times=found)
        fields = {name: getattr(out, name) for name in ("margin", "probability", "flags", "scores")}
        return RankedRun(**fields, label=table, code=codes, classes=self.classes_, many=True)

    def decide(self, x: Any, time: Any = None) -> Decision:
        """Predict one row, as a list of classes, and decide whether to ask.

        Raises SelectronError if there has been no labelled row, which would tell the classes.
        """
        if "model_" not in vars(self) and self.classes is None:
            raise SelectronError("OnlineRanker must know its classes: name them with classes=.")
        decision = super().decide(x, time)
        known = self.classes_[chosen(self.decision_function(single_row.table(x)))[0] > 0]
        return decision._replace(label=known.tolist())

    def tell(self, ticket: int, label: Any) -> bool:
        """Learn which classes are relevant: a list of them."""
        check_is_fitted(self)
        wanted = list(label) if isinstance(label, list | tuple | set | np.ndarray) else [label]
        unknown = [name for name in wanted if name not in self.classes_.tolist()]
        if unknown:
            raise SelectronError(f"There is no class {unknown[0]!r}.")
        table = np.isin(self.classes_, wanted).astype(np.uint8)[None]
        with self.model_.relating(table):
            return self.model_.tell(ticket, 1)

    # A table

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> "OnlineRanker":
        """Learn from rows whose labels are given."""
        with self._all_or_nothing():
            block, table, codes = self._labelled(X, y, classes)
            with self.model_.relating(table):
                self.model_.learn(block, codes)
        return self

    def fit(self, X: Any, y: Any) -> "OnlineRanker":
        """Forget everything, then learn from the rows in one pass, in their order."""
        with self._all_or_nothing():
            self._forget()
            self.partial_fit(X, y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return a table of 0 and 1: classes with a score above 0, and the best in any case."""
        return chosen(self.decision_function(X))

    # Within

    def _how_many(self) -> str:
        if self.many is not None:
            raise SelectronError(
                f"many must be left out with OnlineRanker, which has one way, got {self.many!r}."
            )
        return "ranking"

    def _labelled(
        self, X: Any, y: Any, classes: Any, alone: bool = False
    ) -> tuple[Dense | Sparse, Any, np.ndarray]:
        """Return rows, the table of labels and codes, with a model ready for them."""
        block, n = self._rows(X)
        table, without = indicators(y, n)
        self._ready(block, columns(self, table.shape[1], classes), True)
        codes = np.where(without, 0, np.arange(1, n + 1)).astype(np.int32)
        return block, table, codes
