"""Columns of a table: the kind of each, recognised from its type or its first values."""

import math
import re
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa

from .kinds import Category, Ignored, Kind, Text, Vector
from .measured import Date, Number
from .values import is_blank, number_of, text_of

KINDS: dict[str, type[Kind]] = {
    "number": Number,
    "category": Category,
    "date": Date,
    "text": Text,
    "vector": Vector,
    "ignored": Ignored,
}
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}.*)?")
FIRST_ROWS = 100  # from the first value on, in which the kind is recognised


class Column:
    """A column: its kind, which the first values settle unless it is given."""

    def __init__(self, name: str, given: str | None = None) -> None:
        self.name, self.settled = name, given is not None
        self.encoder: Any = None  # of the kind; None if it is not known yet
        self.made: dict[str, Kind] = {}
        self.choose(given)
        self.rows = self.values = self.numbers = self.dates = self.vectors = 0
        self.words = self.letters = 0
        self.distinct: set[str] = set()

    def choose(self, kind: str | None) -> None:
        """Take values for this kind; what was learned for other kinds is kept."""
        self.kind = kind
        if kind is not None:
            self.encoder = self.made.setdefault(kind, KINDS[kind](self.name))

    def recognise(self, x: Any) -> None:
        """Update the kind by a value of the first rows."""
        if not isinstance(x, list | tuple | np.ndarray) and is_blank(x):
            self.rows += self.values > 0
        else:
            self.rows += 1
            self.values += 1
            self._count(x)
            self.choose(self._likely())
        if self.rows >= FIRST_ROWS:
            self.settled = True
            if self.kind == "category" and self._is_id():
                self.choose("ignored")
            self.distinct = set()

    def _count(self, x: Any) -> None:
        if isinstance(x, list | tuple | np.ndarray):
            self.vectors += 1
        elif isinstance(x, date) or (isinstance(x, str) and DATE.fullmatch(x.strip())):
            self.dates += 1
        elif not isinstance(x, bool | np.bool_) and not math.isnan(number_of(x)):
            self.numbers += 1
        text = text_of(x)
        self.words += len(text.split())
        self.letters += len(text)
        self.distinct.add(text)

    def _likely(self) -> str:
        """Return the most likely kind, given the values so far."""
        n = self.values
        for kind, count in zip(("number", "date", "vector"), self._counts(), strict=True):
            if count >= 0.75 * n:
                return kind
        wordy = self.words >= (4 if n < 5 else 2.5) * n and len(self.distinct) > n / 2
        return "text" if wordy or self.letters > 40 * n else "category"

    def _counts(self) -> tuple[int, int, int]:
        return self.numbers, self.dates, self.vectors

    def _is_id(self) -> bool:
        """Return whether values are single words that hardly ever repeat."""
        return self.values >= 50 and len(self.distinct) > 0.95 * self.values >= self.words * 0.9

    def copy(self) -> "Column":
        """Return an independent copy."""
        twin = object.__new__(Column)
        twin.__dict__.update(self.__dict__)
        twin.made = {name: kind.copy() for name, kind in self.made.items()}
        twin.distinct = self.distinct.copy()
        twin.choose(self.kind)
        return twin

    def pack(self) -> dict[str, Any]:
        """Return everything as values for JSON."""
        made = {name: vars(kind) for name, kind in self.made.items()}
        values = {**vars(self), "distinct": sorted(self.distinct), "made": made}
        del values["encoder"]
        return values

    @classmethod
    def unpack(cls, values: dict[str, Any]) -> "Column":
        """Return the column that was packed."""
        column = cls(values["name"])
        made = {name: KINDS[name](values["name"]) for name in values["made"]}
        for name, kind in made.items():
            vars(kind).update(values["made"][name])
        vars(column).update(values, made=made, distinct=set(values["distinct"]))
        column.choose(column.kind)
        return column

    def report(self, rows: int) -> str:
        """Return a line about the column."""
        if self.encoder is None:
            return f"{self.name}: blank so far"
        if self.kind == "ignored":
            why = ", every value differs" if self.values else ""
            return f"{self.name}: ignored{why}"
        return self.encoder.report(rows)


def kind_of(dtype: pa.DataType) -> str | None:
    """Return the kind of column that an Arrow type settles, None if values have to."""
    t = pa.types
    if t.is_integer(dtype) or t.is_floating(dtype) or t.is_decimal(dtype) or t.is_duration(dtype):
        return "number"
    if t.is_dictionary(dtype) or t.is_boolean(dtype):
        return "category"
    if t.is_timestamp(dtype) or t.is_date(dtype):
        return "date"
    return "vector" if t.is_list(dtype) or t.is_fixed_size_list(dtype) else None
