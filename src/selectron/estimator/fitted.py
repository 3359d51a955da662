"""What a fitted classifier has, and how it comes by it: its classes and its model."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..data.dicts import Names, are_dicts
from ..data.labels import encode
from ..engine.rows import Dense, Sparse
from ..errors import NotThere, SelectronError
from ..model.model import Model
from ..spaces.state import HELD
from . import checks
from .nested import NestedParameters

FITTED = ("classes_", "named_", "model_", "n_features_in_", "feature_names_in_", "names_")


class Fitted(NestedParameters):
    """An estimator around a model, which is made when the first rows come."""

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the features."""
        check_is_fitted(self)
        first = int(self.model_.constant)
        return self._weights()[:, first : first + self.n_features_in_]

    @property
    def feature_names_(self) -> list[str]:
        """The names of the features in the order of `coef_`, where rows are dicts."""
        if not hasattr(self, "names_"):
            raise NotThere("Features have no names: the rows were no dicts.")
        return list(self.names_)

    @property
    def intercept_(self) -> np.ndarray:
        """The weights of the constant, 0 without one."""
        check_is_fitted(self)
        w = self._weights()
        return w[:, 0] if self.model_.constant else np.zeros(len(w))

    @property
    def n_support_(self) -> Any:
        """How many examples are kept; of many classes, an array, unless they share P."""
        check_is_fitted(self)
        if not self.model_.dual:
            raise NotThere("No examples are kept: kernel is None.")
        held = self.model_.state.scalars[..., HELD].astype(int)
        return held if held.size > 1 else held.item()

    @property
    def n_rounds_(self) -> int:
        """Rounds played."""
        check_is_fitted(self)
        return self.model_.rounds

    @property
    def n_strained_(self) -> int:
        """Rounds in which no step could do all that the learner asks of it."""
        check_is_fitted(self)
        return self.model_.strained

    # Within

    def _weights(self) -> np.ndarray:
        """Return the weights of every class in a row, or of two in one row."""
        w = np.atleast_2d(self.model_.weights())
        return w[1:] - w[:1] if self.model_.stacked and self._is_pair() else w

    def _is_pair(self) -> bool:
        """Are there two classes at most, for which scikit-learn wants one score and not two?"""
        return len(self.classes_) <= 2 and self.model_.many != "ranking"

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Put what was fitted before back in place if anything goes wrong."""
        before = {name: vars(self)[name] for name in FITTED if name in vars(self)}
        known = len(before.get("names_", ()))
        try:
            yield
        except BaseException:
            self._forget()
            self.__dict__.update(before)
            if "names_" in before:
                self.names_.cut(known)
            raise

    def _forget(self) -> None:
        """Be as before the first row."""
        for name in FITTED:
            self.__dict__.pop(name, None)

    def _how_many(self) -> str:
        """Return how many classes are learned."""
        return checks.many(self.many)

    def _rows(self, X: Any, new: bool = True) -> tuple[Dense | Sparse, int]:
        """Return the rows as a block of the model's kind, and how many there are.

        Where they are dicts, features that are not known are taken up with `new`, or left out.
        """
        fitted = hasattr(self, "model_")
        if hasattr(self, "names_") or are_dicts(X):
            return self._keyed(X, fitted, new), len(X)
        return checks.rows(self, X, first=not fitted, sparse=fitted and self.model_.sparse)

    def _keyed(self, X: Any, fitted: bool, new: bool) -> Sparse:
        """Return rows that are dicts as a block."""
        if not are_dicts(X):
            raise SelectronError("The first rows were dicts: give a list of dicts, one a row.")
        if not hasattr(self, "names_"):
            if fitted:
                raise SelectronError("The first rows were no dicts: give a table, as they were.")
            self.names_ = Names()
        block = self.names_.block(X, new)
        self.n_features_in_ = width = len(self.names_)
        if fitted and width > self.model_.width:
            self.model_.widen(width + width // 4)  # more than needed, so that it is seldom
        return block

    def _labelled(
        self, X: Any, y: Any, classes: Any, alone: bool = False
    ) -> tuple[Dense | Sparse, Any, np.ndarray]:
        """Return rows, labels and codes, with a model ready for them."""
        block, n = self._rows(X)
        y, without = checks.labels(y, n)
        present = y[~without] if without.any() else y
        self._ready(block, *checks.classes(self, present, classes, alone=alone))
        return block, y, encode(y, self.classes_, without, self.model_.stacked)

    def _ready(self, block: Dense | Sparse, classes: np.ndarray, named: bool) -> None:
        """Make the model, if there is none, or room in it for new classes."""
        if hasattr(self, "model_"):
            self._extend(classes)
            self.named_ = named
            return
        self.classes_, self.named_ = classes, named
        self.model_ = Model(
            checks.part(self.part("learner"), "learner"),
            checks.part(self.part("asker"), "asker"),
            width=self.n_features_in_,
            sparse=isinstance(block, Sparse),
            classes=len(classes),
            many=self._how_many(),
            constant=checks.flag("fit_intercept", self.fit_intercept),
            normalize=None if self.normalize is None else checks.flag("normalize", self.normalize),
            seed=self.random_state,
            max_open=checks.above_zero("max_open", self.max_open),
            kernel=checks.kernel(self.kernel),
            max_support=checks.above_zero("max_support", self.max_support, none=True),
        )

    def _extend(self, classes: np.ndarray) -> None:
        """Take up new classes; the model before is left as it was, in case that this goes wrong."""
        if len(classes) > self.model_.classes:
            self.model_ = copy.copy(self.model_)
            self.model_.extend(len(classes))
        self.classes_ = classes
