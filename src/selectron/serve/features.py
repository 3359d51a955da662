"""What the model sees of an item: a row of numbers, by functions that remember nothing."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.utils import murmurhash3_32

from ..engine.rows import Dense, Sparse
from .declaration import Features
from .problem import invalid

HUGE = 1e6  # a number beyond this, once scaled, is a mistake

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
    """Return how many columns a row has.

    >>> width(Features(kind="fields", size=8, numeric={"age": (40, 20)}))
    10
    """
    if features.kind != "fields":
        return features.size
    return features.size + (1 if features.version == 1 else 2) * len(features.numeric)


def table(row: Row, columns: int) -> Any:
    """Return a row as a table that OnlineClassifier takes."""
    if isinstance(row, Dense):
        return row.values
    return scipy.sparse.csr_array((row.values, row.indices, row.indptr), shape=(1, columns))


def texts(features: Features) -> Rows:
    """Rows of words, as HashingVectorizer makes them without signs: counts, of unit length.

    Row by row, its `transform` would take ten times as long.
    """
    counts = counter(features)

    def row(item: dict[str, Any]) -> Row:
        columns, values = counts(joined(item, features.text))
        return Sparse(np.array([0, len(columns)]), np.array(columns, np.int32), values)

    return lambda items: [row(item) for item in items]


def counter(features: Features) -> Callable[[str], tuple[list[int], np.ndarray]]:
    """Return the function that counts the words of a text: columns, and counts of unit length."""
    words_of = HashingVectorizer(ngram_range=(1, features.ngrams)).build_analyzer()
    size = features.size

    def counts(text: str) -> tuple[list[int], np.ndarray]:
        found = Counter(abs(murmurhash3_32(word)) % size for word in words_of(text))
        columns = sorted(found)
        values = np.array([found[column] for column in columns], float)
        length = math.sqrt(float(values @ values))
        return columns, values / length if length else values

    return counts


def fields(features: Features) -> Rows:
    """Rows of named fields: hashed ones, then the numeric ones, then which of these are missing.

    Streams that began with version 1 have neither texts nor the columns of missing numbers.
    """
    counts = counter(features)
    scales = list(features.numeric.items())
    first = features.version == 1

    def row(item: dict[str, Any]) -> Row:
        hashed = map(murmurhash3_32, words(item, features.categorical))
        found = Counter(abs(place) % features.size for place in hashed)
        values: dict[int, float] = {**found}
        if not first and (text := joined(item, features.text, needed=False)):
            for place, count in zip(*counts(text), strict=True):
                values[place] = values.get(place, 0) + float(count)
        for place, (name, (centre, scale)) in enumerate(scales, features.size):
            value = number(item, name, centre, scale, first)
            if value is None:
                values[place + len(scales)] = 1.0
            else:
                values[place] = value
        return sparse(values)

    return lambda items: [row(item) for item in items]


def sparse(values: Mapping[int, float]) -> Sparse:
    """Return the row that has these values at these columns; zeros are not kept."""
    columns = sorted(place for place, value in values.items() if value)
    data = np.array([values[place] for place in columns], float)
    return Sparse(np.array([0, len(columns)]), np.array(columns, np.int32), data)


def vectors(features: Features) -> Rows:
    """Dense rows, as they are."""

    def row(item: dict[str, Any]) -> Row:
        value = item.get(features.vector)
        if not isinstance(value, list) or len(value) != features.size:
            raise invalid(f"{features.vector!r} must be a list of {features.size} numbers.")
        return Dense(np.array([[fit(features.vector, x) for x in value]]))

    return lambda items: [row(item) for item in items]


def joined(item: dict[str, Any], names: Sequence[str], needed: bool = True) -> str:
    """Return the text of these fields; missing ones are empty, but not all if one is `needed`."""
    found = [item[name] for name in names if item.get(name) is not None]
    if (needed and not found) or not all(isinstance(text, str) for text in found):
        must = "must have text in" if needed else "has text, or nothing, in"
        raise invalid(f"An item {must} {' or '.join(map(repr, names))}.")
    return "\n".join(found)


def words(item: dict[str, Any], names: Sequence[str]) -> list[str]:
    """Return name=value of categorical fields; one that is not there is left out."""
    found = {name: item[name] for name in names if item.get(name) is not None}
    if not all(isinstance(value, str | int | bool) for value in found.values()):
        raise invalid("A categorical field must be a string, a whole number or a boolean.")
    return [f"{name}={value}" for name, value in found.items()]


def number(
    item: dict[str, Any], name: str, centre: float, scale: float, first: bool
) -> float | None:
    """Return a numeric field, scaled; None if it is missing, which version 1 refuses.

    What version 1 took in before its limits regarded the scale is taken again when it is replayed.
    """
    value = item.get(name)
    if value is None or value == "":
        if first:
            raise invalid(f"An item of this stream must have a number in {name!r}.")
        return None
    scaled = (plain(name, value) - centre) / scale
    if abs(scaled) > HUGE and not (first and abs(value) <= HUGE):
        raise invalid(
            f"{name!r} is {value:g}, and as (x - {centre:g}) / {scale:g} it is beyond "
            f"{HUGE:.0f}: send it in another unit, or declare another scale."
        )
    return scaled


def fit(name: str, value: Any) -> float:
    """Return a number that a row may have as it is."""
    if abs(plain(name, value)) > HUGE:
        raise invalid(f"{name!r} must hold numbers up to {HUGE:.0f}.")
    return float(value)


def plain(name: str, value: Any) -> float:
    """Return a value that is a number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise invalid(f"{name!r} must hold numbers, got {str(value)[:40]!r}.")
    return float(value)
