"""Rows as dicts: features by name, in the order of their first appearance; fields of objects."""

import math
from collections.abc import Container, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pyarrow as pa
import scipy.sparse

from ..engine.parameters import shown
from ..engine.rows import Sparse
from ..errors import SelectronError
from .cells import check_unique
from .values import HUGE, LISTS, is_blank, records, vector_of

HINT = 'give OnlineClassifier(encoder="auto") a data frame or dicts, with any values'
LEVELS = 32  # of dicts in dicts


class Names:
    """The names of features in order of appearance, and rows over them.

    Rows mostly have the same names in the same order: those of the last, and places, are cached.

    >>> names = Names()
    >>> block = names.block([{"links": 2, "size": 0.5}, {"size": 3}], new=True)
    >>> block.indices, block.values, list(names)
    (array([0, 1, 1], dtype=int32), array([2. , 0.5, 3. ]), ['links', 'size'])
    """

    def __init__(self, names: Sequence[str] = ()):
        self.places = {name: place for place, name in enumerate(names)}
        self.recent: tuple[tuple[str, ...], np.ndarray, np.ndarray] | None = None

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self):
        return iter(self.places)

    def cut(self, n: int) -> None:
        """Drop all names but the first n."""
        self.recent = None
        while len(self.places) > n:
            self.places.popitem()

    def row(self, x: Any) -> Sparse | None:
        """Return a dict as a block if its names are those of the last row, else None."""
        if self.recent is None or type(x) is not dict or tuple(x) != self.recent[0]:
            return None
        values = _values(x, 0)
        values.setflags(write=False)
        return Sparse(*self.recent[1:], values)

    def block(self, rows: Sequence[Mapping[str, Any]], new: bool) -> Sparse:
        """Return rows as a block; unknown names get a place if `new`, or are left out.

        Raises SelectronError unless rows are dicts, names are text, and values finite numbers.
        """
        if len(rows) == 1 and (found := self.row(rows[0])) is not None:
            return found
        for i, x in enumerate(rows):
            self._check(x, i, new)
        if len(rows) == 1 and new:
            self._cache(rows[0])
            found = self.row(dict(rows[0]))
            if found is not None:
                return found
        places, values = zip(*(self._row(x, i) for i, x in enumerate(rows)), strict=True)
        indptr = np.cumsum([0, *map(len, places)], dtype=np.int64)
        return Sparse(indptr, np.concatenate(places), np.concatenate(values))

    def _check(self, x: Any, i: int, new: bool) -> None:
        """Refuse an invalid row, and give its names places if `new`."""
        if not is_dict(x):
            kind = type(x).__name__
            raise SelectronError(
                f"Row {i} is not a dict, but a {kind}; all rows must be, as the first was."
            )
        for name in x:  # a difference of sets would take as long as there are places
            if name not in self.places and not isinstance(name, str):
                raise SelectronError(f"Row {i} has the key {name!r}: the names must be text.")
        if new:
            for name in x:
                self.places.setdefault(name, len(self.places))

    def _cache(self, x: Mapping[str, Any]) -> None:
        """Cache the names of this row, if they are in the order of their places."""
        places = np.fromiter(map(self.places.__getitem__, x), np.int32, len(x))
        if (places[1:] > places[:-1]).all():
            indptr = np.array([0, len(x)], np.int64)
            for array in (indptr, places):  # rows that wait for their labels share them
                array.setflags(write=False)
            self.recent = tuple(x), indptr, places

    def _row(self, x: Mapping[str, Any], i: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the places of a row, in increasing order, and its values."""
        values = _values(x, i)
        places = np.fromiter((self.places.get(name, -1) for name in x), np.int32, len(x))
        order = places.argsort()[np.count_nonzero(places < 0) :]
        return places[order], values[order]


def _values(x: Mapping[str, Any], i: int) -> np.ndarray:
    """Return the values of row i, checked to be finite numbers."""
    try:
        if math.isfinite(sum(x.values())):  # text, None and the like cannot be added
            return np.fromiter(x.values(), float, len(x))
    except (TypeError, ValueError, OverflowError):
        pass  # the faulty one is named below
    return np.array([_value(value, name, i) for name, value in x.items()], dtype=float)


def _value(value: Any, name: str, i: int) -> float:
    if not isinstance(value, Real | Decimal | np.bool_):
        hint = f"; {HINT}" if isinstance(value, str) else ""
        raise SelectronError(f"Row {i}, feature {name!r}: {shown(value)} is not a number{hint}.")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise SelectronError(f"Row {i}, feature {name!r} is {number}: every value must be finite.")
    return number


def are_dicts(X: Any) -> bool:
    """Return whether rows are dicts, by the first one; refuse a single dict.

    >>> are_dicts([{"a": 1.0}]), are_dicts([[1.0]])
    (True, False)
    """
    if is_dict(X):
        raise SelectronError("X is one dict, and a list of them is needed, one a row.")
    return isinstance(X, list | tuple) and len(X) > 0 and is_dict(X[0])


def is_dict(x: Any) -> bool:
    """Return whether this is a dict of features; SciPy's dok matrices are mappings too."""
    return type(x) is dict or (isinstance(x, Mapping) and not scipy.sparse.issparse(x))


def flattened(x: Mapping[str, Any], whole: Container[str] = (), level: int = 1) -> dict[str, Any]:
    """Return a row in which the fields of objects are columns, except objects that stay `whole`.

    Raises SelectronError if objects are nested more than `LEVELS` deep, or a name comes twice.

    >>> flattened({"user": {"age": 30, "home": {"zip": "75011"}}, "n": 1})
    {'user.age': 30, 'user.home.zip': '75011', 'n': 1}
    """
    found: dict[str, Any] = {}
    for name, value in x.items():
        inner = {name: value}
        if isinstance(value, Mapping) and name not in whole:
            if level == LEVELS:
                deep = f"The dicts in column {name.split('.')[0]!r}"
                raise SelectronError(f"{deep} are nested over {LEVELS} deep.")
            fields = {f"{name}.{key}": field for key, field in value.items()}
            inner = flattened(fields, whole, level + 1)
        if twice := found.keys() & inner.keys():
            raise SelectronError(f"Two fields are named {min(twice)!r}: rename one of them.")
        found |= inner
    return found


def has_huge(x: Mapping[str, Any]) -> bool:
    """Return whether a row has objects, or a list of numbers so large that a model may refuse it.

    >>> has_huge({"v": [1e9, 2.0]}), has_huge({"v": [1.0, 2.0], "n": 1e9})
    (True, False)
    """
    kinds = set(map(type, x.values()))
    if dict in kinds:
        return True
    if LISTS.isdisjoint(kinds):
        return False
    lists = [vector_of(value) for value in x.values() if type(value) in LISTS]
    return any(values is not None and (np.abs(values) > HUGE).any() for values in lists)


class Objects:
    """A table with columns of dicts or maps, whose fields come and go, as in rows of JSON.

    Slices are rows as dicts. `columns` has the dicts by name, and None for maps, which the table
    has; objects that stay `whole` are no such columns.
    """

    def __init__(
        self, table: pa.Table, columns: Mapping[str, list[Any] | None], whole: Container[str]
    ) -> None:
        check_unique(table.column_names)
        self.table, self.columns, self.whole = table, columns, whole
        self.others = [name for name in table.column_names if name not in columns]
        self.fields = tuple(f"{name}." for name in columns)  # with which their names begin

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, part: slice) -> list[dict[str, Any]]:
        found = records(self.table[part])
        for name, column in self.columns.items():
            maps = [row[name] for row in found] if column is None else column[part]
            values = [as_dict(x, object if column is None else str) for x in maps]
            for row, value in zip(found, values, strict=True):
                row[name] = value
                if is_blank(value):
                    del row[name]
        return [flattened(row, self.whole) for row in found]


def as_dict(x: Any, keys: type = str) -> Any:
    """Return a map, which Arrow and pandas give as pairs of a key and a value, as a dict.

    >>> as_dict([("cpu", 0.5), ("of", [("a", 1.0)])]), as_dict([(0.1, 0.2)])
    ({'cpu': 0.5, 'of': {'a': 1.0}}, [(0.1, 0.2)])
    """
    if isinstance(x, list) and x and all(is_pair(entry, keys) for entry in x):
        x = dict(x)
    found = isinstance(x, Mapping)
    return {str(key): as_dict(value, keys) for key, value in x.items()} if found else x


def is_pair(x: Any, keys: type) -> bool:
    """Return whether this is a pair of a key and a value, given the type of keys."""
    return isinstance(x, tuple) and len(x) == 2 and isinstance(x[0], keys)


def hold_dicts(values: Sequence[Any]) -> bool:
    """Return whether some values are dicts, or maps as pandas has them.

    >>> hold_dicts([None, {"a": 1}]), hold_dicts([[("a", 1)]]), hold_dicts([[1, 2]])
    (True, True, False)
    """
    kinds = {*map(type, values)}
    if any(issubclass(kind, Mapping) for kind in kinds):
        return True
    return list in kinds and any(isinstance(as_dict(x), dict) for x in values)
