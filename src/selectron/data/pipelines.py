"""Pipelines of scikit-learn that decide and tell."""

from collections.abc import Collection
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.feature_extraction import DictVectorizer, FeatureHasher
from sklearn.utils.validation import check_is_fitted

from ..engine.parameters import shown
from ..errors import SelectronError
from .dicts import is_dict


class live:
    """The rounds of a fitted pipeline whose last step is an `OnlineClassifier`.

    The transformers stay as they were fitted; the classifier continues to learn. Raises
    SelectronError unless it is a pipeline whose last step can decide, NotFittedError before `fit`.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from selectron import OnlineClassifier
    >>> X, y = np.array([[1.0, 2.0], [-3.0, 1.0], [2.0, 0.0], [-1.0, -1.0]]), [1, 0, 1, 0]
    >>> pipeline = make_pipeline(StandardScaler(), OnlineClassifier(random_state=0)).fit(X, y)
    >>> stream = live(pipeline)
    >>> decision = stream.decide([1.5, 1.0])
    >>> int(decision.label), stream.tell(decision.ticket, 1)
    (1, True)
    """

    def __init__(self, pipeline: Any) -> None:
        steps = getattr(pipeline, "steps", None)
        if not steps or not hasattr(steps[-1][1], "decide"):
            raise SelectronError(
                f"live takes a pipeline whose last step is an OnlineClassifier, got "
                f"{shown(pipeline)}."
            )
        check_is_fitted(pipeline)
        self.pipeline, self.classifier = pipeline, steps[-1][1]

    def decide(self, x: Any, time: Any = None, *, ticket: str | None = None) -> Any:
        """Transform one row and decide, as `OnlineClassifier.decide` does.

        `x` is a 1-D array, a list, a text, a dict or a pandas Series (for transformers that take
        data frames or dicts), or a table of one row. Raises SelectronError for a dict that lacks
        a fitted feature.
        """
        if len(self.pipeline) > 1:
            names = getattr(self.pipeline, "feature_names_in_", ())
            x = self.pipeline[:-1].transform(_table(x, names, self.pipeline[0]))
        return self.classifier.decide(x, time, ticket=ticket)

    def tell(
        self, ticket: int | str, label: Any = None, sample_weight: float = 1.0, **more: Any
    ) -> bool:
        """Learn a label that was asked for, as `OnlineClassifier.tell` does."""
        return bool(self.classifier.tell(ticket, label, sample_weight, **more))

    def correct(self, ticket: int | str, label: Any) -> None:
        """Learn that the label of an answered ticket was wrong, as if this had been given."""
        self.classifier.correct(ticket, label)


def _table(x: Any, names: Collection[str], first: Any) -> Any:
    """Return a row as the `first` step takes rows: a dict has the order of these names."""
    if hasattr(x, "to_frame") and hasattr(x, "to_dict"):  # a row of a data frame
        x = x.to_dict()
    if isinstance(x, str) or (is_dict(x) and isinstance(first, DictVectorizer | FeatureHasher)):
        return [x]
    if is_dict(x):
        import pandas as pd

        if missing := [name for name in names if name not in x]:
            raise SelectronError(
                f"The row has no {shown(missing[0])}, which the fitted rows had: a blank is nan."
            )
        return pd.DataFrame([x], columns=[*names, *(name for name in x if name not in names)])
    if scipy.sparse.issparse(x) or hasattr(x, "iloc") or hasattr(x, "__dataframe__"):
        return x
    return np.atleast_2d(np.asarray(x))
