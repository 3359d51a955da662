"""Tables of pandas, Polars, NumPy and Arrow as Arrow tables, and the kinds of their columns.

The kind of a column is recognised from its type, or from its first values.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from copy import copy
from datetime import date, time
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from ..engine.parameters import shown
from ..errors import SelectronError
from .dates import Date
from .dicts import Objects, as_dict, hold_dicts
from .kinds import Category, Ignored, Kind, Layout, Vector, kind_of
from .numbers import Number
from .times import iso, seconds
from .values import (
    CODE,
    LIMITS,
    PANDAS_INDEX,
    are_whole,
    array_of,
    blanks_of,
    holds_objects,
    is_blank,
    number_of,
    text_of,
    unit_of,
    values_of,
    vector_of,
)
from .words import UNSPACED, WORD, Text

Kinds = Mapping[str, str | None]  # that types of columns determine, by name
KINDS: dict[str, type[Kind]] = {
    kind.kind: kind for kind in (Number, Category, Date, Text, Vector, Ignored)
}
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}.*)?|[0-9]{8}T[0-9]{4,6}Z?")
ORDERS = "ymd", "dmy", "mdy", "time"  # of year, month and day, and times of day alone
OBJECTS = {b"selectron": b"objects"}  # metadata of columns whose types Arrow guesses
GROUPED = 3  # numbers with three digits after a point, from which these are thousands
GROUPS = 5  # different values up to which those like "<18" are groups
LISTS = list | tuple | np.ndarray
UNSPACED_WORD = 3  # characters of a script without spaces that count as a word
SHARED, MANY = 3, 30  # values that share a word, and values needed, for composed ones
UNTYPED: Kinds = {}  # of dicts
FIRST_ROWS = 100  # of a column, from its first value on, in which the kind is recognised


def arrow(X: Any, whole: Container[str], kept: Container[str] = ()) -> Any:
    """Return a data frame, or a dict of columns, as an Arrow table, or `Objects` if it has some.

    Fields of Arrow's structs are columns, as "user.age"; what stays `whole` is text, except what is
    `kept`, too. Objects are Arrow's maps and Python's dicts.
    """
    objects = dict[str, Any]()
    table = _table(X, whole, objects)
    nested = {name: table.column(i) for i, name in enumerate(table.column_names) if name in kept}
    while True:
        for place, field in enumerate(table.schema):
            column, is_map = table.column(place), pa.types.is_map(field.type)
            if field.name in whole and (is_map or pa.types.is_struct(field.type)):
                texts = pa.array(
                    (text_of(as_dict(x, object)) for x in values_of(column)), pa.string()
                )
                table = table.set_column(place, field.name, texts)
            elif is_map:
                objects[field.name] = None
        if not any(map(pa.types.is_struct, table.schema.types)):
            for place, name in enumerate(table.column_names):
                if name in nested:
                    table = table.set_column(place, name, nested[name])
            return Objects(table, objects, whole) if objects else table
        table = table.flatten()


def _table(X: Any, whole: Container[str], objects: dict[str, Any]) -> pa.Table:
    """Return an Arrow table, without the dicts, which are put into `objects`."""
    if isinstance(X, pa.Table):
        return _usual(X)
    if isinstance(X, np.ndarray) and X.ndim == 2:
        X = {f"x{j}": column for j, column in enumerate(X.T)}
    try:
        if hasattr(X, "iloc") and hasattr(X, "columns"):  # not a single column
            columns = zip(X.columns, (X.iloc[:, j] for j in range(X.shape[1])), strict=True)
            return _joined(columns, whole, objects)
        if isinstance(X, Mapping):
            return _joined(X.items(), whole, objects)
        table = pa.table(X)
        for place, kind in enumerate(getattr(X, "dtypes", ())):
            if str(kind) == "Object":  # of Polars, for which Arrow has addresses
                name = X.columns[place]
                column = _joined([(name, list(X[name]))], whole, objects)
                table = table.set_column(place, column.schema.field(0), column.column(0))
        return _usual(table)
    except (TypeError, ValueError, pa.ArrowException) as error:
        if hasattr(type(X), "columns"):
            reason = str(error)[:200].rstrip(".")
            bad = next((x for x in X.columns if not _is_taken(X[[x]])), None)
            which, how = ("this table", "") if bad is None else (f"column {bad!r}", "; cast it")
            raise SelectronError(f"Arrow cannot take {which}: {reason}{how}.") from error
        raise SelectronError(
            "X must be a data frame, a dict of columns of one length, or a list of dicts, got "
            f"{type(X).__name__}."
        ) from error


def _is_taken(column: Any) -> bool:
    """Return whether Arrow takes a table of one column."""
    try:
        pa.table(column)
    except (TypeError, ValueError, pa.ArrowException):
        return False
    return True


def _joined(
    columns: Iterable[tuple[Any, Any]], whole: Container[str], objects: dict[str, Any]
) -> pa.Table:
    """Return columns as a table whose schema marks those of objects, with blanks for dicts."""
    arrays, fields = [], []
    for name, column in columns:
        untyped = holds_objects(column)
        if untyped and str(name) not in whole and hold_dicts(column):
            objects[str(name)] = list(column)
            arrays.append(pa.nulls(len(column)))
        else:
            arrays.append(array_of(column))
        metadata = OBJECTS if untyped else None
        fields.append(pa.field(str(name), arrays[-1].type, metadata=metadata))
    return pa.table(arrays, schema=pa.schema(fields))


def _usual(table: pa.Table) -> pa.Table:
    """Return a table without pandas' names of rows, and with text as Arrow computes with it."""
    table = table.drop_columns(list(filter(PANDAS_INDEX.fullmatch, table.column_names)))
    types = {pa.string_view(): pa.string()}  # Polars has views
    for field in table.schema:
        if pa.types.is_dictionary(field.type) and field.type.value_type == pa.string_view():
            types[field.type] = pa.dictionary(pa.int64(), pa.string())
    wanted = [field.with_type(types.get(field.type, field.type)) for field in table.schema]
    return table.cast(pa.schema(wanted))


class Column:
    """A column: its kind and how its text is read, as given, or by its type or first values."""

    def __init__(self, name: str, given: str | None = None) -> None:
        self.name, self.given = name, given
        self.settled = given not in (None, "number", "date")
        self.encoder: Any = None  # of the kind; None if it is not known yet
        self.made: dict[str, Kind] = {}
        self.before = 0  # rows before its first value
        self.composed = False  # whether it is text as its values share words
        self.different: list[int] = []  # of how many values, if it is ignored as they are ids
        self.unused: list[int] = []  # places of features for values, if they are no categories
        self.choose(given)
        self._restart_counts()

    def _restart_counts(self) -> None:
        """Start the counts from which the kind follows."""
        self.rows = self.values = self.letters = 0
        self.words = 0.0
        self.vectors = self.lists = self.length = 0  # lists of numbers and others; of the first
        self.numbers = self.commas = 0  # by the decimal mark
        self.same = self.with_point = self.with_comma = 0  # that fit both: 12, 1.234 and 1,234
        self.limited = 0  # such as "<0.5": of numbers, or groups of ages
        self.codes = 0  # such as "0815"
        self.others: Counter[str] = Counter()  # words that are no numbers
        self.dates = 0  # as ISO 8601 has them
        self.orders = dict.fromkeys(ORDERS, 0)  # other dates that each order fits
        self.unit = ""  # behind the first number that has one
        self.distinct: set[str] = set()

    def choose(self, kind: str | None) -> None:
        """Take values for this kind; what was learned for other kinds is kept."""
        self.kind = kind
        if kind is not None:
            self.encoder = self.made.setdefault(kind, KINDS[kind](self.name))
            self.encoder.given = self.given is not None

    def settled_by(self, kinds: Kinds) -> bool:
        """Return whether the kind is known, also by the type of a column without values so far."""
        typed = kinds.get(self.name)
        return self.settled or (
            self.values == 0 and typed is not None and self.given in (None, typed)
        )

    def begin(self, array: pa.Array, kinds: Kinds, rows: int) -> int:
        """Settle the kind if there is a value; return the row from which the column has features.

        Before there are `rows` others.
        """
        blank, whole = blanks_of(array), self.encoder is not None
        first = len(array) if blank.all() else int(blank.argmin())
        for x in values_of(array[first : first + 1]):
            self.recognise(x, kinds)
        if whole:
            return 0
        self.before = rows + first
        return first

    def recognise(self, x: Any, kinds: Kinds = UNTYPED) -> None:
        """Update the kind by a value of the first rows; a type settles it at the first value."""
        if is_blank(x):
            self.rows += self.values > 0
        elif self.settled_by(kinds):
            self.choose(kinds[self.name])
            self.settled = True
            if self.kind == "number":
                self.encoder.unit = unit_of(x)
        else:
            self.rows += 1
            self.values += 1
            self._count(x)
            self.choose(self.given or self._likely())
            if self.kind in ("number", "date"):
                style = self._decimal() if self.kind == "number" else self._order()
                if style != self.encoder.style:  # what was read in another is forgotten
                    self.encoder.style = style
                    self.encoder.start()
                self.encoder.unit, self.encoder.open = self.unit, self._open()
        if self.rows >= FIRST_ROWS:
            self.settled = True
            if self.kind == "category" and not self.given and self._is_composed():
                self.composed = True
                self.choose("text")
            elif self.kind == "category" and self._is_id():
                self.different = [len(self.distinct), self.values]
                self.choose("ignored")
            self._restart_counts()

    def _count(self, x: Any) -> None:
        text = text_of(x)
        if isinstance(x, LISTS):
            entries = x.flat if isinstance(x, np.ndarray) else x
            words = any(isinstance(entry, str | dict) for entry in entries)
            if are_whole(x):  # embeddings are of one length, but ids are not
                self.length = self.length or len(x)
                words = len(x) != self.length
            self.lists += words
            self.vectors += not words
        elif isinstance(x, str) and self._is_vector(text):
            self.vectors += 1
        elif isinstance(x, date) or (DATE.fullmatch(text) and seconds(text) == seconds(text)):
            self.dates += 1
        elif isinstance(x, str | time) and any(iso(text, order) for order in ORDERS):
            for order in ORDERS:
                self.orders[order] += seconds(x, order) == seconds(x, order)
        elif text.startswith(LIMITS):
            self.limited += 1
        elif isinstance(x, str) and CODE.fullmatch(text):
            self.codes += 1
        elif not isinstance(x, bool | np.bool_):
            self.unit = self.unit or unit_of(x)
            point, comma = number_of(x, unit=self.unit), number_of(text, ",", self.unit)
            self.numbers += point == point
            self.commas += comma == comma
            if point != point and comma != comma:
                self.others[text.lower()] += 1
            self.same += isinstance(x, str) and point == comma
            self.with_point += isinstance(x, str) and abs(point) < abs(comma)
            self.with_comma += isinstance(x, str) and abs(point) > abs(comma)
        self.words += len(text.split()) + len(UNSPACED.findall(text)) / UNSPACED_WORD
        self.letters += len(text)
        self.distinct.add(text)

    def _is_vector(self, text: str) -> bool:
        """Return whether text is a list of several numbers, as many as in the first such list."""
        values = vector_of(text) if text[:1] in ("[", "{") else None
        if values is None or len(values) < 2 or self.length not in (0, len(values)):
            return False
        self.length = len(values)
        return True

    def _decimal(self) -> str:
        """Return "," if that is the decimal mark of most values so far.

        If a point and a comma fit alike, some numbers like 1.234 among whole ones are thousands.
        """
        if self.commas != self.numbers:
            return "," if self.commas > self.numbers else ""
        return "," if self.same and self.with_point >= GROUPED else ""

    def _open(self) -> bool:
        """Return whether two styles fit all values so far: a later one may show which it is."""
        if self.kind == "number":
            return self.values == self.same + self.with_point + self.with_comma
        return self._order() == "dmy" and self.orders["dmy"] == self.orders["mdy"]

    def _order(self) -> str:
        """Return the order, one of `ORDERS`, that most values fit; on a tie, the day first."""
        return max(ORDERS, key=self.orders.__getitem__) if any(self.orders.values()) else ""

    def _likely(self) -> str:
        """Return the most likely kind, given the values so far."""
        n = self.values
        numbers = 0 if self.codes > 0.05 * n else max(self.numbers, self.commas)
        neither = self.limited + self._absent() if len(self.distinct) > GROUPS else 0
        if numbers >= 0.75 * (n - neither) > 0:
            return "number"
        dates = self.dates + max(self.orders.values())
        lists = self.lists + self.vectors if self.lists else 0
        for kind, count in {"date": dates, "vector": self.vectors, "text": lists}.items():
            if count >= 0.75 * n:
                return kind
        wordy = self.words >= (4 if n < 5 else 2.5) * n and len(self.distinct) > n / 2
        return "text" if wordy or self.letters > 40 * n else "category"

    def _absent(self) -> int:
        """Return how many values are one word that recurs among measurements, as "n.d." does.

        Numbers that mostly repeat may be codes or sizes, next to which a word is another one.
        """
        n, numbers = max(self.others.values(), default=0), max(self.numbers, self.commas)
        alone = n > 1 and self.others.total() - n <= 0.05 * self.values
        return n if alone and 2 * (len(self.distinct) - len(self.others)) > numbers else 0

    def _is_composed(self) -> bool:
        """Return whether most values differ, but share words, as lists of tags and addresses do."""
        words = [{*WORD.findall(text.lower())} for text in self.distinct]
        counts = Counter(chain.from_iterable(words))
        shared = {word for word, n in counts.items() if SHARED <= n <= 0.9 * len(words)}
        several = sum(map(len, words)) >= 1.5 * len(words)
        some = sum(not shared.isdisjoint(one) for one in words)
        return several and 2 * some >= len(words) > max(MANY, self.values / 2)

    def _is_id(self) -> bool:
        """Return whether values are single words that hardly ever repeat."""
        return self.values >= 50 and len(self.distinct) > 0.95 * self.values >= self.words * 0.9

    def forget_values(self, layout: Layout) -> None:
        """Forget values that were taken for categories, if they are not; their features stay 0."""
        category: Any = None if self.kind == "category" else self.made.pop("category", None)
        if category is None:
            return
        self.unused = category.own_places(layout)
        for j, place in enumerate(self.unused):
            layout.rename(place, f"{self.name}: unused {j}")

    def copy(self) -> "Column":
        """Return an independent copy."""
        twin = copy(self)
        twin.made = {name: kind.copy() for name, kind in self.made.items()}
        for name in ("distinct", "orders", "others"):
            setattr(twin, name, getattr(self, name).copy())
        twin.choose(self.kind)
        return twin

    def pack(self) -> dict[str, Any]:
        """Return everything as values for JSON."""
        made = {name: kind.pack() for name, kind in self.made.items()}
        values = {**vars(self), "distinct": sorted(self.distinct), "made": made}
        del values["encoder"]
        return values

    @classmethod
    def unpack(cls, values: dict[str, Any]) -> "Column":
        """Return the column that was packed."""
        column = cls(values["name"])
        made = {name: KINDS[name](values["name"]) for name in values["made"]}
        for name, kind in made.items():
            kind.unpack(values["made"][name])
        more = {"distinct": set(values["distinct"]), "others": Counter(values["others"])}
        vars(column).update({**values, **more}, made=made)
        column.choose(column.kind)
        return column

    def learned(self) -> str:
        """Return the kind of the column and its details, such as the length of vectors."""
        return ", ".join([self.kind or "", *self.encoder.details()])

    def report(self, rows: int) -> str:
        """Return a line about the column."""
        if self.encoder is None:
            return f"{self.name}: blank so far"
        if self.kind != "ignored":
            return self.encoder.report(rows, self.before)
        if not self.different:
            return f"{self.name}: ignored"
        why = "ignored, as {} of its first {} values differ".format(*self.different)
        return f"{self.name}: {why}, unless declared a category or text"


def odd_values(columns: dict[str, Column], layout: Layout, rows: Any) -> dict[str, np.ndarray]:
    """Return how many values of each column have no influence: odd ones, and new categories.

    They are followed by how many of how many numbers are far off, and by the number of rows if the
    column is blank in all.
    """
    listed = isinstance(rows, list)
    names = columns if listed else rows.column_names
    found = {}
    for name in names:
        if name in columns and (kind := columns[name].encoder) is not None:
            values = [row.get(name) for row in rows] if listed else rows[name].combine_chunks()
            array = array_of(values)
            blank = all(map(is_blank, values_of(array[:1]))) and blanks_of(array).all()
            found[name] = np.array([*kind.odd_in(array, layout), len(array) * blank])
    return found


def check_kinds(given: Any) -> None:
    """Raise SelectronError unless these are kinds of columns by name."""
    if not isinstance(given, Mapping):
        raise SelectronError(f"columns must be a dict of kinds by name, got {shown(given)}.")
    for name, kind in given.items():
        if not isinstance(kind, str) or kind not in KINDS:
            some = ", ".join(KINDS)
            raise SelectronError(f"Column {name!r} must be one of {some}, got {shown(kind)}.")


def schema(rows: Any) -> Kinds:
    """Return the kinds that the types of columns determine; later objects may have other types."""
    if isinstance(rows, list | tuple):
        return UNTYPED
    table = rows.table if isinstance(rows, Objects) else rows
    return {f.name: None if f.metadata == OBJECTS else kind_of(f.type) for f in table.schema}
