"""JSON lines: one object a line, with an array of features or with a key for each.

The first row settles which: `{"x": [0.5, 2], "label": "spam"}` or `{"size": 0.5, "links": 2}`.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...data.cells import label, second
from ...engine.rows import Dense
from ...errors import SelectronError
from .columns import Choice, Part, listed, usual_label
from .text import Blocks, Piece, pieces

NUMBERS = frozenset({int, float, bool})


def parts(blocks: Blocks, size: int, choice: Choice) -> Iterator[Part]:
    """Yield the rows of the file."""
    if any(isinstance(which, int) for which in (choice.label, choice.time, *choice.drop)):
        raise SelectronError("JSON rows have no columns to count; give the key")
    return map(Reader(choice).part, pieces(blocks, size))


class Reader:
    """Turns lines into rows, by the layout of the first one."""

    def __init__(self, choice: Choice):
        self.choice = choice
        self.drop = [str(name) for name in choice.drop]
        self.label: str | None = None
        self.array: str | None = None  # the key of the array, if features are in one
        self.width = 0
        self.keys: tuple[str, ...] = ()  # else those of the features
        self.known: frozenset[str] = frozenset()

    def part(self, piece: Piece) -> Part:
        """Return the rows of a piece, up to the first that is faulty."""
        rows: list[Sequence[float]] = []
        labels: list[str | None] = []
        times: list[float] = []
        lines: list[int] = []
        fault = piece.fault
        for line, text in enumerate(piece.data.decode().split("\n"), piece.line):
            if not text.strip():
                continue
            try:
                row = _object(text)
                for name in self.drop:
                    row.pop(name, None)
                time = [] if self.choice.time is None else [_time(row, str(self.choice.time))]
                labels.append(self._label(row))
                rows.append(self._features(row))
            except SelectronError as error:
                fault = f"line {line}: {error}"
                break
            times += time
            lines.append(line)
        values, wrong = self._table(rows)
        if wrong:
            fault = f"line {lines[len(values)]}: {wrong}"
        n = len(values)
        return Part(Dense(values), np.array(labels[:n], object), np.array(times[:n], float), fault)

    def _label(self, row: dict[str, Any]) -> str | None:
        """Take the label out of a row; its key is settled by the first row that has one."""
        which = self.choice.label
        if self.label is None and which != "":
            usual = usual_label(names := list(row))
            if which is None:
                self.label = None if usual is None else names[usual]
            elif which not in row and usual is not None and not self.width:  # most likely a slip
                raise SelectronError(f"there is no label {which!r}; the keys are {listed(names)}")
            else:
                self.label = str(which)
        return None if self.label is None else label(row.pop(self.label, None))

    def _features(self, row: dict[str, Any]) -> Sequence[float]:
        if not self.width:
            self._settle(row)
        if self.array is None:
            return self._by_key(row)
        values = row.get(self.array)
        if not isinstance(values, list):
            raise SelectronError(f"there is no array of numbers {self.array!r}")
        if len(values) != self.width:
            raise SelectronError(
                f"{self.array!r} has {len(values)} numbers, and {self.width} were expected"
            )
        if not NUMBERS.issuperset(map(type, values)):
            odd = next(value for value in values if type(value) not in NUMBERS)
            raise SelectronError(f"{_shown(odd)} in {self.array!r} is not a number")
        if len(row) > 1:
            name = next(name for name in row if name != self.array)
            raise SelectronError(f"{name!r} is next to {self.array!r}; leave it out: --drop {name}")
        return values

    def _by_key(self, row: dict[str, Any]) -> Sequence[float]:
        """Return the values in the order of the first row; a key that is absent counts as 0."""
        if not self.known.issuperset(row):
            name = next(name for name in row if name not in self.known)
            raise SelectronError(f"{name!r} is a feature that the first row does not have")
        if not NUMBERS.issuperset(map(type, row.values())):
            name = next(name for name, value in row.items() if type(value) not in NUMBERS)
            raise SelectronError(
                f"{name!r}: {_shown(row[name])} is not a number; leave the key out (--drop {name}) "
                "or name it as the label"
            )
        if tuple(row) == self.keys:  # the usual case, and several times as fast
            return list(row.values())
        return [row.get(name, 0.0) for name in self.keys]

    def _settle(self, row: dict[str, Any]) -> None:
        if not row:
            raise SelectronError("there is no feature besides the label")
        name = "x" if isinstance(row.get("x"), list) else next(iter(row))
        if isinstance(row[name], list) and row[name] and (name == "x" or len(row) == 1):
            self.array, self.width = name, len(row[name])
        else:
            self.keys, self.known, self.width = tuple(row), frozenset(row), len(row)

    def _table(self, rows: list[Sequence[float]]) -> tuple[np.ndarray, str]:
        """Return the rows before the first with a value that is not finite, and what it is."""
        try:
            values = np.array(rows, dtype=float).reshape(len(rows), self.width)
        except OverflowError:
            values = np.full((len(rows), self.width), np.nan)
        if np.isfinite(values).all():
            return values, ""
        for i, row in enumerate(rows):
            try:
                values[i] = row
            except OverflowError:
                return values[:i], "a number is too large"
            if not np.isfinite(values[i]).all():
                j = int(np.argmin(np.isfinite(values[i])))
                name = repr(self.keys[j]) if self.keys else f"number {j + 1} in {self.array!r}"
                return values[:i], f"{name} is not finite ({values[i, j]})"
        return values, ""


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


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:37]}..."
