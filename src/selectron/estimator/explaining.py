"""What the parts of a row contribute to its prediction.

The contribution of part j of n is the mean of what it changes if it comes first and if it comes
last, the two extremes of the orders over which the Shapley value is the mean:

    (f({j}) - f({}) + f({1..n}) - f({1..n} without j)) / 2,

where f is the log-odds of the predicted class if only these parts are known. Where f is
additive, it is the Shapley value.

Source: Strumbelj & Kononenko, "Explaining prediction models and individual predictions with feature
contributions" (2014).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import scipy.sparse

from ..data.encoder import TableEncoder
from ..data.kinds import Layout
from ..data.labels import none_of
from ..data.tables import arrow
from ..data.values import records
from ..data.words import Text
from ..engine.parameters import shown
from ..engine.rows import Dense, Sparse, as_matrix, narrowed
from ..errors import SelectronError
from . import labelling
from .parameters import one_at_a_time
from .rows import TakesRows, encoder_input

LEAST = 1e-15  # of a probability, where its logarithm is taken
AT_ONCE = 256  # parts that are left out in one pass
Parts = dict[str, dict[int, float]]  # the features of a row, by their places, and by their name


class Explains(TakesRows):
    """A classifier that explains its predictions."""

    @one_at_a_time
    def explain(self, X: Any, label: Any = None) -> list[dict[str, float]]:
        """Return how much each part of a row contributes to its prediction: for every row a dict.

        Parts are the columns of an encoded table, and the words of its texts, or else the features
        that are not 0. Contributions are in log-odds of the class `label`, by default the predicted
        one, so that rows with other predictions have other signs. The largest come first: 0.7
        doubles the odds, and negative ones speak against the class. Each is the mean of what the
        part changes in a row of which nothing else is known, and in one of which all else is known:
        a number that is not is the mean so far, a category or word is not there, a feature is 0.
        The class may be likely even if nothing is known, as after few labels, so that all may be
        negative; those of words do not add up to what the text contributes as a whole. Raises
        SelectronError as `predict` does, or if there is no such class.

        >>> from selectron import OnlineClassifier
        >>> from selectron.learners import LASEC
        >>> rows = [{"links": 9, "attached": 0}, {"links": 1, "attached": 1}] * 50
        >>> clf = OnlineClassifier(LASEC(), encoder="auto").fit(rows, ["spam", "ham"] * 50)
        >>> [found] = clf.explain([{"links": 7, "attached": 0}])
        >>> {name: round(by, 1) for name, by in found.items()}
        {'attached': 2.7, 'links': 1.3}
        """
        self._check_fitted()
        at = None if label is None else labelling.code(label, self.classes_, many=True) - 1
        if at == -1:
            known = none_of(self.classes_)
            raise SelectronError(f"There is no class {shown(label)}: it is {known}.")
        block, _ = self._rows(X, new=False)
        if hasattr(self, "encoder_"):
            rows = parts_of_table(self.encoder_, encoder_input(self, X, False)[0])
        else:
            rows = parts_of_features(as_matrix(block, self.model_.width), self._names())
        width = block.values.shape[1] if isinstance(block, Dense) else 0
        return [self._contributions(parts, width, at) for parts in rows]

    def _names(self) -> list[str]:
        """Return the names of features, which may have none."""
        if hasattr(self, "names_"):
            return list(self.names_)
        default = [f"x{j}" for j in range(self.n_features_in_)]
        return list(map(str, getattr(self, "feature_names_in_", default)))

    def _contributions(self, parts: Parts, width: int, at: int | None) -> dict[str, float]:
        """Return the contributions of the parts of a row; `width` is that of dense rows.

        They are to class number `at`, or else to the predicted one.
        """
        found: list[float] = []
        for first in range(0, len(parts), AT_ONCE):
            rows = with_and_without(parts, range(first, min(first + AT_ONCE, len(parts))), width)
            n = len(rows.values) if isinstance(rows, Dense) else len(rows.indptr) - 1
            proba = self.model_.proba(narrowed(rows, self.model_.width), n)
            best = proba[0].argmax() if at is None else at
            against = np.delete(proba, best, axis=1).sum(axis=1)
            odds = np.log(proba[:, best].clip(LEAST)) - np.log(against.clip(LEAST))
            without, alone = odds[2:].reshape(2, -1)
            found += ((alone - odds[1] + odds[0] - without) / 2).tolist()
        order = sorted(zip(parts, found, strict=True), key=lambda entry: -abs(entry[1]))
        return dict(order)


def parts_of_table(encoder: TableEncoder, X: Any) -> Iterator[Parts]:
    """Yield the features of every row by column; those of a text by word."""
    table, layout = X if isinstance(X, list | tuple) else arrow(X, encoder.whole()), encoder.layout_
    for row in map(encoder.flat, records(table) if isinstance(table, pa.Table) else table[:]):
        parts: Parts = {}
        for name, column in encoder.columns_.items():
            if column.encoder is None:
                continue
            value, found = row.get(name), dict[int, float]()
            column.encoder.encode_one(value, layout, False, found)
            words = words_by_place(column.encoder, value, layout) if column.kind == "text" else {}
            for place, feature in found.items():
                part = f'{name}: "{words[place]}"' if words else name
                parts.setdefault(part, {})[place] = feature
        yield parts


def words_by_place(text: Text, value: Any, layout: Layout) -> dict[int, str]:
    """Return the words of a text by the places of their features, which several may share."""
    found = dict[int, dict[str, None]]()
    for place, word in text.terms(value, layout):
        found.setdefault(place, {})[word] = None
    return {place: " ".join(words) for place, words in found.items()}


def parts_of_features(rows: Any, names: list[str]) -> Iterator[Parts]:
    """Yield the features of every row of a matrix that are not 0, by name."""
    for row in scipy.sparse.csr_array(rows):
        entries = zip(row.indices.tolist(), row.data.tolist(), strict=True)
        yield {names[place]: {place: value} for place, value in entries if value}


def with_and_without(parts: Parts, some: range, width: int) -> Dense | Sparse:
    """Return rows as a block: of all parts, and of none; of all but each of some, and of it alone.

    They are dense of a `width`, or sparse if it is 0.
    """
    entries = [(k, *entry) for k, part in enumerate(parts.values()) for entry in part.items()]
    owners, places, values = np.array(entries).T
    distinct, at = np.unique(places.astype(np.int32), return_inverse=True)
    whole = np.bincount(at, values)  # parts may share a place
    own = (owners >= some.start) & (owners < some.stop)
    alone = np.zeros((len(some), len(distinct)))
    alone[owners[own].astype(int) - some.start, at[own]] = values[own]
    found = np.concatenate([[whole, 0 * whole], whole - alone, alone])
    if width:
        dense = np.zeros((len(found), width))
        dense[:, distinct] = found
        return Dense(dense)
    indptr = np.arange(len(found) + 1) * len(distinct)
    return Sparse(indptr, np.tile(distinct, len(found)), found.ravel())
