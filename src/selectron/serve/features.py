"""What the model sees of an item: a row of numbers, by functions that remember nothing."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.feature_extraction import FeatureHasher
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.utils import murmurhash3_32

from ..engine.rows import Dense, Sparse
from .declaration import Features
from .problem import invalid

HUGE = 1e6  # a number beyond this is a mistake, or has to be scaled

Row = Dense | Sparse
Rows = Callable[[Sequence[dict[str, Any]]], list[Row]]


def extractor(features: Features) -> Rows:
    """Return the function that makes rows of items.

    It raises Problem (422) where an item lacks a field, or one is of the wrong kind.

    >>> rows = extractor(Features(size=8))
    >>> rows([{"text": "win money money"}])[0].values.round(2)
    array([0.89, 0.45])
    """
    kinds = {"text": texts, "fields": fields, "vector": vectors}
    return kinds[features.kind](features)


def width(features: Features) -> int:
    """Return how many columns a row has."""
    return features.size + (len(features.numeric) if features.kind == "fields" else 0)


def table(row: Row, columns: int) -> Any:
    """Return a row as a table that OnlineClassifier takes."""
    if isinstance(row, Dense):
        return row.values
    return scipy.sparse.csr_array((row.values, row.indices, row.indptr), shape=(1, columns))


def texts(features: Features) -> Rows:
    """Rows of words, as HashingVectorizer makes them without signs: counts, of unit length.

    Row by row, its `transform` would take ten times as long.
    """
    words_of = HashingVectorizer(ngram_range=(1, features.ngrams)).build_analyzer()

    def row(item: dict[str, Any]) -> Row:
        found = words_of(joined(item, features.text))
        counts = Counter(abs(murmurhash3_32(word)) % features.size for word in found)
        columns = sorted(counts)
        values = np.array([counts[column] for column in columns], float)
        length = math.sqrt(float(values @ values))
        ends = np.array([0, len(columns)])
        return Sparse(ends, np.array(columns, np.int32), values / length if length else values)

    return lambda items: [row(item) for item in items]


def fields(features: Features) -> Rows:
    """Rows of named fields: hashed ones first, then the numeric ones."""
    hasher = FeatureHasher(features.size, input_type="string", alternate_sign=False)
    scales = list(features.numeric.items())

    def rows(items: Sequence[dict[str, Any]]) -> list[Row]:
        hashed = hasher.transform([words(item, features.categorical) for item in items])
        numbers = [[(number(i, n) - c) / s for n, (c, s) in scales] for i in items]
        plain = np.array(numbers).reshape(len(items), len(scales))
        return cut(scipy.sparse.hstack([hashed, scipy.sparse.csr_array(plain)], format="csr"))

    return rows


def vectors(features: Features) -> Rows:
    """Dense rows, as they are."""

    def row(item: dict[str, Any]) -> Row:
        value = item.get(features.vector)
        if not isinstance(value, list) or len(value) != features.size:
            raise invalid(f"{features.vector!r} must be a list of {features.size} numbers.")
        return Dense(np.array([[fit(features.vector, x) for x in value]]))

    return lambda items: [row(item) for item in items]


def cut(matrix: Any) -> list[Row]:
    """Return the rows of a sparse matrix, each on its own."""
    matrix = scipy.sparse.csr_array(matrix)
    matrix.sum_duplicates()
    matrix.sort_indices()
    ends = matrix.indptr.astype(np.int64)
    indices, values = matrix.indices.astype(np.int32), matrix.data.astype(np.float64)
    spans = zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    return [Sparse(np.array([0, b - a]), indices[a:b].copy(), values[a:b].copy()) for a, b in spans]


def joined(item: dict[str, Any], names: Sequence[str]) -> str:
    """Return the text of these fields; one that is not there is empty, but not all of them."""
    found = [item[name] for name in names if item.get(name) is not None]
    if not found or not all(isinstance(text, str) for text in found):
        raise invalid(f"An item must have text in {' or '.join(map(repr, names))}.")
    return "\n".join(found)


def words(item: dict[str, Any], names: Sequence[str]) -> list[str]:
    """Return name=value of categorical fields; one that is not there is left out."""
    found = {name: item[name] for name in names if item.get(name) is not None}
    if not all(isinstance(value, str | int | bool) for value in found.values()):
        raise invalid("A categorical field must be a string, a whole number or a boolean.")
    return [f"{name}={value}" for name, value in found.items()]


def number(item: dict[str, Any], name: str) -> float:
    """Return a numeric field."""
    if item.get(name) is None:
        raise invalid(f"An item must have a number in {name!r}.")
    return fit(name, item[name])


def fit(name: str, value: Any) -> float:
    """Return a number that a row may have."""
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > HUGE:
        raise invalid(f"{name!r} must hold numbers up to {HUGE:.0f}.")
    return float(value)
