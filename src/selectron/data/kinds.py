"""The kinds of a table's columns: how each turns its values into features.

Every kind encodes one value at a time (`encode_one`) and an array (`prepare`, then `emit`), to the
same bytes: sums run in the order of the rows, and circular features come from tables. A feature is
given its place in the row when it first appears; `prepare` returns these events, so that places can
be given in the order of the rows, however rows are cut into arrays.
"""

from collections.abc import Callable, Iterable
from copy import copy
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sklearn.utils import murmurhash3_32

from ..engine.parameters import counted
from .values import LARGEST, category_of, dictionary_encoded, is_blank, is_list, vector_of

MOST = 256  # places of dense rows, beyond which values of categories share
OWN = 48  # values of a category that may take the last of these places
OWN_SPARSE = 10_000  # values of a category that have places of their own in sparse rows
SHARED = 8  # places that its other values share, in dense rows
STEP, STEP_SPARSE = 8, 1024  # features by which rows grow
SAME = {"1": "True", "0": "False", "True": "1", "False": "0"}  # databases return either

Event = tuple[int, Callable[["Layout"], None]]  # a row, and what then gets its place


class Cells(NamedTuple):
    """Features of an array of values: entries of a table, in any order."""

    rows: np.ndarray | slice
    places: np.ndarray | int
    values: np.ndarray

    def after(self, first: int) -> "Cells":
        """Return the same features of rows after `first` others."""
        rows = self.rows
        later = slice(first, None) if isinstance(rows, slice) else first + rows
        return self._replace(rows=later) if first else self


class Layout:
    """The places of a row: one for each name, and in sparse rows `hashed` ones for hashed features.

    Those begin at `first`, once they are needed, so that rows stay narrow where nothing is hashed.
    """

    def __init__(
        self, hashed: int, names: Iterable[str] = (), first: int = -1, vectors: int = 0
    ) -> None:
        self.hashed, self.names, self.first = hashed, list(names), first
        self.vectors = vectors  # places of lists
        self.step = STEP_SPARSE if hashed else STEP
        self.width = 0  # of rows: some features more than there are
        self.add(())

    def __len__(self) -> int:
        return len(self.names) + (self.hashed if self.first >= 0 else 0)

    def pack(self) -> tuple[int, list[str], int, int]:
        """Return what makes an equal layout."""
        return self.hashed, self.names, self.first, self.vectors

    def add(self, names: Iterable[str]) -> int:
        """Give places to features; return the first."""
        place = len(self)
        self.names += names
        steps = max(1, -(-len(self.names) // self.step))
        self.width = steps * self.step + len(self) - len(self.names)
        return place

    def hashed_place(self) -> int:
        """Return the first place of hashed features, which get theirs now if they have none."""
        if self.first < 0:
            self.first = len(self)
            self.add(())
        return self.first

    def rename(self, place: int, name: str) -> None:
        """Rename a feature that is not a hashed one."""
        self.names[place - (self.hashed if 0 <= self.first <= place else 0)] = name

    def all_names(self) -> list[str]:
        """Return the names of all features, in the order of their places."""
        if self.first < 0:
            return self.names
        hashed = [f"hashed {j}" for j in range(self.hashed)]
        return [*self.names[: self.first], *hashed, *self.names[self.first :]]


class Kind:
    """A kind of column."""

    kind: ClassVar[str]

    def __init__(self, name: str) -> None:
        self.name = name
        self.place = -1  # of the first feature; -1 before it has appeared
        self.blanks = self.odd = 0  # missing values, and values of another kind
        self.given = False  # whether the kind is declared

    def copy(self) -> Any:
        """Return an independent copy."""
        twin = copy(self)
        kept = (item for item in vars(self).items() if isinstance(item[1], dict | np.ndarray))
        vars(twin).update({name: value.copy() for name, value in kept})
        return twin

    def pack(self) -> dict[str, Any]:
        """Return everything as values for JSON."""
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }

    def unpack(self, values: dict[str, Any]) -> None:
        """Take what was packed."""
        own = vars(self)
        for name, value in values.items():
            array = isinstance(own[name], np.ndarray)
            own[name] = np.array(value, own[name].dtype) if array else value

    def count_missing(self, x: Any) -> None:
        """Count a blank, or a value of another kind."""
        blank = is_blank(x)
        self.blanks += blank
        self.odd += not blank

    def report(self, rows: int, before: int = 0) -> str:
        """Describe the column in a few words; `before` are the rows before its first value."""
        notes = [self.kind, *self.details()]
        if blanks := before + self.blanks:
            notes.append(f"{blanks / rows:.1%} blank")
        if self.odd:
            notes.append(f"{counted(self.odd, 'odd value')} taken as blank")
        return f"{self.name}: {', '.join(notes)}"

    def details(self) -> list[str]:
        """Return what is special about the column."""
        return []

    def constant(self, before: int) -> list[int]:
        """Return the places of features that are the same in all rows; `before` as in `report`."""
        return []

    def odd_in(self, array: pa.Array, layout: Layout) -> tuple[int, int, int]:
        """Return how many values have no influence unless they are learned; by default none.

        Also return how many of how many numbers are far off those learned.
        """
        return 0, 0, 0

    def encode_one(self, x: Any, layout: Layout, learn: bool, out: dict[int, float]) -> None:
        """Put the features of a value into a row; by default there are none."""

    def prepare(self, array: pa.Array, layout: Layout, learn: bool) -> tuple[Any, list[Event]]:
        """Learn from an array; return what `emit` takes, and which features are new."""
        return None, []

    def emit(self, ready: Any, layout: Layout) -> list[Cells]:
        """Return the features of the values that were prepared."""
        return []


def kind_of(dtype: pa.DataType) -> str | None:
    """Return the kind of column that an Arrow type determines, None if its values have to.

    Lists of whole numbers may be ids, unless they are of one length.
    """
    t = pa.types
    if t.is_integer(dtype) or t.is_floating(dtype) or t.is_decimal(dtype) or t.is_duration(dtype):
        return "number"
    if t.is_dictionary(dtype) or t.is_boolean(dtype):
        return "category"
    if t.is_timestamp(dtype) or t.is_date(dtype):
        return "date"
    if is_list(dtype):
        inner = dtype.value_type
        ids = t.is_integer(inner) and not t.is_fixed_size_list(dtype)
        while is_list(inner):
            inner = inner.value_type
        return "vector" if not ids and (kind_of(inner) == "number" or t.is_boolean(inner)) else None
    return None


class Ignored(Kind):
    """A column that is left out."""

    kind = "ignored"


class Category(Kind):
    """Categories: a feature for every value, in the order of appearance; blank is a value, too.

    The first values have places of their own, and later ones share places by their hash.
    """

    kind = "category"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.places: dict[str, int] = {}
        self.shared = -1  # the first place of values that share

    def details(self) -> list[str]:
        """Return the number of values that have features of their own."""
        n = len(self.places) - ("" in self.places)
        if self.shared < 0:
            return [counted(n, "value")]
        return [counted(n, "value"), "others hashed"] if n else ["values hashed"]

    def own_places(self, layout: Layout) -> list[int]:
        """Return the places that no other column has."""
        shares = self.shared >= 0 and not layout.hashed
        shared = range(self.shared, self.shared + SHARED) if shares else ()
        return [*self.places.values(), *shared]

    def constant(self, before: int) -> list[int]:
        """Return the place of the only value, if all rows have it."""
        alone = len(self.places) == 1 and before == 0 and self.shared < 0
        return [*self.places.values()] if alone else []

    def find(self, key: str, layout: Layout) -> int:
        """Return the place of a value, -1 if it has none yet."""
        place = self.places.get(key, self.places.get(SAME.get(key, key), -1))
        if place < 0 <= self.shared:
            size = layout.hashed or SHARED
            return self.shared + murmurhash3_32(f"{self.name}={key}", positive=True) % size
        return place

    def begin(self, key: str, layout: Layout) -> None:
        """Give a place to a value."""
        if self.find(key, layout) >= 0:
            return
        values = len(self.places)
        if layout.hashed:
            room = values < OWN_SPARSE
        else:  # many values of one column leave places to those of others that come late
            most = MOST + layout.vectors  # of lists, all numbers have places
            room = len(layout) < (most if values < OWN else most - OWN)
        if room:
            name = f"{self.name}={key}" if key else f"{self.name} is blank"
            self.places[key] = layout.add([name])
        elif layout.hashed:
            self.shared = layout.hashed_place()
        else:
            self.shared = layout.add(f"{self.name}: others {j}" for j in range(SHARED))

    def odd_in(self, array: pa.Array, layout: Layout) -> tuple[int, int, int]:
        """Return the number of values that are new, and zeros."""
        (codes, keys), _ = self.prepare(array, layout, learn=False)
        new = [key != "" and self.find(key, layout) < 0 for key in keys]
        return int(np.array(new, bool)[codes].sum()), 0, 0

    def encode_one(self, x: Any, layout: Layout, learn: bool, out: dict[int, float]) -> None:
        """Put the feature of a value into a row."""
        x = str(x) if type(x) is bool else x
        if type(x) is str and x and (place := self.places.get(x)) is not None:
            out[place] = 1.0
            return
        key = category_of(x)
        if learn:
            self.blanks += not key
            self.begin(key, layout)
        place = self.find(key, layout)
        if place >= 0:  # values of several columns may share it
            out[place] = out.get(place, 0.0) + 1.0

    def prepare(self, array: pa.Array, layout: Layout, learn: bool) -> tuple[Any, list[Event]]:
        """Return what `emit` takes, and the new values."""
        codes, distinct = dictionary_encoded(array)
        keys = [category_of(x) for x in distinct]
        if not learn:
            return (codes, keys), []
        counts = np.bincount(codes, minlength=len(keys))
        self.blanks += sum(int(n) for key, n in zip(keys, counts, strict=True) if not key)
        new = [k for k, key in enumerate(keys) if self.find(key, layout) < 0]
        if not new:
            return (codes, keys), []
        _, first = np.unique(codes, return_index=True)
        return (codes, keys), [(int(first[k]), partial(self.begin, keys[k])) for k in new]

    def emit(self, ready: Any, layout: Layout) -> list[Cells]:
        """Return the features of the values that were prepared."""
        codes, keys = ready
        places = np.array([self.find(key, layout) for key in keys], int)[codes]
        rows = np.flatnonzero(places >= 0)
        return [Cells(rows, places[rows], np.ones(len(rows)))]


class Vector(Kind):
    """Lists of numbers of one length, such as embeddings, as they are; a blank entry is the mean.

    That is the mean of the entries at its place so far, without this one.
    """

    kind = "vector"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.start(0)

    def start(self, length: int) -> None:
        """Start the means of lists of this length."""
        self.length, self.lists = length, 0
        self.totals = np.zeros(length)  # of the entries at each place
        self.missing = np.zeros(length, int)  # entries at each place that were blank

    def filled(self, values: np.ndarray, learn: bool) -> np.ndarray:
        """Return a list without blank entries, and learn its entries."""
        blank = np.isnan(values)
        some, known = blank.any(), values
        if some:
            known = np.where(blank, 0.0, values)
            values = np.where(blank, self.totals / np.maximum(self.lists - self.missing, 1), values)
        if learn:
            self.lists, self.totals = self.lists + 1, self.totals + known
            self.missing = self.missing + blank if some else self.missing
        return values

    def all_filled(self, lists: Any, learn: bool) -> Any:
        """Return lists as `filled` does; those of another length are left as they are."""
        if isinstance(lists, np.ndarray) and not np.isnan(lists).any():
            if learn and lists.shape[1] == self.length:
                self.lists, totals = self.lists + len(lists), self.totals.copy()
                for values in lists:  # the sum of a column would add in another order
                    totals += values
                self.totals = totals
            return lists
        fits = (x is not None and len(x) == self.length for x in lists)
        return [self.filled(x, learn) if fit else x for x, fit in zip(lists, fits, strict=True)]

    def details(self) -> list[str]:
        """Return the length."""
        return [f"{self.length} numbers"]

    def begin(self, length: int, layout: Layout) -> None:
        """Give places to the numbers of a list."""
        self.place = layout.add(f"{self.name}[{j}]" for j in range(length))
        layout.vectors += length

    def odd_in(self, array: pa.Array, layout: Layout) -> tuple[int, int, int]:
        """Return the number of values of another kind, or length, and zeros."""
        twin = self.copy()
        twin.emit(twin.prepare(array, layout, learn=True)[0], layout)
        return twin.odd - self.odd, 0, 0

    def encode_one(self, x: Any, layout: Layout, learn: bool, out: dict[int, float]) -> None:
        """Put a list of numbers into a row."""
        values = vector_of(x)
        if learn and self.place < 0 and values is not None:
            self.start(len(values))
            self.begin(len(values), layout)
        if values is not None and len(values) == self.length:
            places = range(self.place, self.place + self.length)
            out.update(zip(places, self.filled(values, learn).tolist(), strict=True))
        elif learn:
            self.count_missing(x)

    def prepare(self, array: pa.Array, layout: Layout, learn: bool) -> tuple[Any, list[Event]]:
        """Return what `emit` takes, and whether the column is new."""
        values = vectors_of(array)
        given = values if isinstance(values, np.ndarray) else array.to_pylist()
        lengths = ((i, len(x)) for i, x in enumerate(values) if x is not None)
        row, length = next(lengths, (-1, 0))
        new = learn and self.place < 0 and row >= 0
        if new:
            self.start(length)
        events: list[Event] = [(row, partial(self.begin, length))] if new else []
        return (given if learn else [], self.all_filled(values, learn)), events

    def emit(self, ready: Any, layout: Layout) -> list[Cells]:
        """Return the entries of the lists."""
        given, values = ready
        good = [i for i, x in enumerate(values) if x is not None and len(x) == self.length]
        for i in set(range(len(given))).difference(good):
            self.count_missing(given[i])
        if not good:
            return []
        places = np.arange(self.place, self.place + self.length)
        entries = np.concatenate([values[i] for i in good])
        return [Cells(np.repeat(good, self.length), np.tile(places, len(good)), entries)]


def vectors_of(array: pa.Array) -> list[np.ndarray | None] | np.ndarray:
    """Return lists as `vector_of` does, as one matrix if they are of one length and all sound."""
    flat = array
    while is_list(flat.type) and len(flat) and not flat.null_count:
        lengths = pc.min_max(pc.list_value_length(flat)).as_py()
        if lengths["max"] > lengths["min"] or not lengths["max"]:
            break
        flat = flat.flatten()
    if flat is not array and pa.types.is_floating(flat.type):
        values = flat.to_numpy(zero_copy_only=False).astype(float)
        if not (np.abs(values) >= LARGEST).any():
            return values.reshape(len(array), -1) + 0.0
    return [vector_of(x) for x in array.to_pylist()]
