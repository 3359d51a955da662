"""JSON lines: one object a line, with an array of features or with a key for each.

The first row tells which: `{"x": [0.5, 2], "label": "spam"}` or `{"size": 0.5, "links": 2}`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.rows import Dense
from ...errors import SelectronError
from .columns import Choice, listed, usual_label
from .labels import as_text, column
from .lines import Piece, pieces
from .opening import Blocks
from .times import second

NUMBERS = frozenset({int, float, bool})

Object = Mapping[str, Any]


class Array(NamedTuple):
    """Rows that have their features in an array of fixed length."""

    name: str
    width: int

    def features(self, row: Object) -> Sequence[float]:
        """The array, if it is one of numbers and of that length."""
        values = row.get(self.name)
        if not isinstance(values, list):
            raise SelectronError(f"there is no array of numbers {self.name!r}")
        if len(values) != self.width:
            raise SelectronError(
                f"{self.name!r} has {len(values)} numbers, and {self.width} were expected"
            )
        if not NUMBERS.issuperset(map(type, values)):
            place = next(i for i, value in enumerate(values) if type(value) not in NUMBERS)
            raise SelectronError(f"{_shown(values[place])} in {self.name!r} is not a number")
        if len(row) > 1:
            name = next(name for name in row if name != self.name)
            raise SelectronError(f"{name!r} is beside {self.name!r}; leave it out: --drop {name}")
        return values

    def column(self, place: int) -> str:
        """What to call a feature."""
        return f"number {place + 1} in {self.name!r}"


class Keys(NamedTuple):
    """Rows that have a key for each feature, which counts as 0 where it is absent."""

    names: tuple[str, ...]
    known: frozenset[str]

    @property
    def width(self) -> int:
        """Number of features."""
        return len(self.names)

    def features(self, row: Object) -> Sequence[float]:
        """The values in the order of the first row."""
        if not self.known.issuperset(row):
            name = next(name for name in row if name not in self.known)
            raise SelectronError(f"{name!r} is a feature that the first row does not have")
        if not NUMBERS.issuperset(map(type, row.values())):
            name = next(name for name, value in row.items() if type(value) not in NUMBERS)
            raise SelectronError(
                f"{name!r}: {_shown(row[name])} is not a number; leave the key out (--drop {name}) "
                "or name it as the label"
            )
        if tuple(row) == self.names:  # the usual case, and several times as fast
            return list(row.values())
        return [row.get(name, 0.0) for name in self.names]

    def column(self, place: int) -> str:
        """What to call a feature."""
        return repr(self.names[place])


class Reader:
    """Turns lines into rows, with what the first row has settled."""

    def __init__(self, choice: Choice):
        self.choice = choice
        self.drop = [str(name) for name in choice.drop]
        self.label: str | None = None
        self.time = choice.time
        self.layout: Array | Keys | None = None

    def row(self, line: str) -> tuple[np.ndarray, str | None, float | None]:
        """Features, label and time of one line."""
        row = _object(line)
        for name in self.drop:
            row.pop(name, None)
        time = None if self.time is None else _time(row, str(self.time))
        if self.layout is None or (self.label is None and self.choice.label is None):
            self.label = _label(list(row), self.choice.label)  # the rows so far had none
        label = as_text(row.pop(self.label, None)) if self.label is not None else None
        layout = self.layout or _layout(row)
        values = _finite(layout.features(row), layout)
        self.layout = layout
        return values, label, time


def parts(
    blocks: Blocks, size: int, choice: Choice
) -> Iterator[tuple[Dense, int, np.ndarray, np.ndarray]]:
    """Rows, width, labels and times of at most `size` rows at a time."""
    if any(isinstance(which, int) for which in (choice.label, choice.time, *choice.drop)):
        raise SelectronError("JSON rows have no columns to count; give the key")
    reader = Reader(choice)
    for piece in pieces(blocks, size):
        rows: list[np.ndarray] = []
        labels: list[str | None] = []
        times: list[float] = []
        fault = _read(piece, reader, rows, labels, times)
        if rows:
            yield Dense(np.array(rows)), len(rows[0]), column(labels), np.array(times, dtype=float)
        if fault:
            raise fault


def _read(
    piece: Piece,
    reader: Reader,
    rows: list[np.ndarray],
    labels: list[str | None],
    times: list[float],
) -> SelectronError | None:
    """Append rows up to the first error, which is returned."""
    for number, line in enumerate(piece.data.decode().split("\n"), piece.line):
        if not line.strip():
            continue
        try:
            values, label, time = reader.row(line)
        except SelectronError as error:
            return SelectronError(f"line {number}: {error}")
        rows.append(values)
        labels.append(label)
        times += [] if time is None else [time]
    return None


def _object(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise SelectronError(
            f"this is not JSON ({error.msg} at column {error.colno}); each line holds one object"
        ) from None
    except (ValueError, RecursionError):
        raise SelectronError("a number is too long or an array nested too deeply") from None
    if not isinstance(row, dict):
        raise SelectronError(f"{_shown(row)} is not an object; each line holds one")
    return row


def _time(row: dict[str, Any], name: str) -> float:
    if name not in row:
        raise SelectronError(f"there is no time {name!r}; the keys are {listed(list(row))}")
    return second(row.pop(name), name)


def _label(names: Sequence[str], which: str | int | None) -> str | None:
    usual = usual_label(names)
    if which is None:
        return None if usual is None else names[usual]
    if which != "" and which not in names and usual is not None:  # most likely a slip
        raise SelectronError(f"there is no label {which!r}; the keys are {listed(names)}")
    return str(which) or None


def _layout(row: Object) -> Array | Keys:
    if not row:
        raise SelectronError("there is no feature beside the label")
    if len(row) == 1 or isinstance(row.get("x"), list):
        name = "x" if "x" in row else next(iter(row))
        if isinstance(row[name], list) and row[name]:
            return Array(name, len(row[name]))
    return Keys(tuple(row), frozenset(row))


def _finite(features: Sequence[float], layout: Array | Keys) -> np.ndarray:
    try:
        values = np.array(features, dtype=float)
    except OverflowError:
        raise SelectronError("a number is too large") from None
    if not np.isfinite(values).all():
        place = int(np.argmin(np.isfinite(values)))
        raise SelectronError(f"{layout.column(place)} is not finite ({values[place]})")
    return values


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:37]}..."
