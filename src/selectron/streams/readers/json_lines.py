"""JSON lines: one object a line, with a key for each feature; the rows stay dicts.

Values may be numbers, text, truth values, null or lists of numbers, and keys may be missing.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...data.cells import label, second
from ...errors import SelectronError
from .columns import Choice, Part, listed, usual_label
from .text import Blocks, Piece, pieces

SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # one half of a pair, or both
ARRAY = re.compile(r"\s*\[\s*(\{|$)")  # of objects, which may be on lines of their own


def parts(blocks: Blocks, size: int, choice: Choice) -> Iterator[Part]:
    """Yield the rows of the file."""
    if any(isinstance(which, int) for which in (choice.label, choice.time, *choice.ignore)):
        raise SelectronError("JSON rows have no columns to count; give the key")
    return map(Reader(choice).part, pieces(blocks, size))


class Reader:
    """Takes labels and times out of rows; the first row that has a label settles its key."""

    def __init__(self, choice: Choice):
        self.choice = choice
        self.label: Any = None
        self.begun = False  # whether a row has been read

    def part(self, piece: Piece) -> Part:
        """Return the rows of a piece, up to the first that is faulty."""
        rows: list[dict[str, Any]] = []
        labels: list[str | None] = []
        times: list[float] = []
        fault = piece.fault
        for line, text in enumerate(piece.data.decode().split("\n"), piece.line):
            if not text.strip():
                continue
            try:
                row = _object(text)
                time = [] if self.choice.time is None else [_time(row, str(self.choice.time))]
                labels.append(self._label(row))
            except SelectronError as error:
                fault = f"line {line}: {error}"
                break
            for name in self.choice.ignore:
                _drop(row, str(name))
            rows.append(row)
            times += time
            self.begun = True
        choice = self.choice if self.label is None else self.choice._replace(label=self.label)
        return Part(rows, np.array(labels, object), np.array(times, float), fault, choice)

    def _label(self, row: dict[str, Any]) -> str | None:
        """Take the label out of a row."""
        which = self.choice.label
        if self.label is None and which != "":
            names = [name for name in row if name not in self.choice.ignore]
            usual = usual_label(names)
            if which is None:
                self.label = None if usual is None else names[usual]
            elif which not in row and usual is not None and not self.begun:  # most likely a slip
                raise SelectronError(f"there is no label {which!r}; the keys are {listed(names)}")
            else:
                self.label = which
        return None if self.label is None else label(row.pop(self.label, None))


def _object(line: str) -> dict[str, Any]:
    if ARRAY.match(line):
        raise SelectronError(
            "a JSON array begins; put each object on a line of its own, as `jq -c '.[]'` does"
        )
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise SelectronError(
            f"this is not JSON ({error.msg} at column {error.colno}); each line holds one object"
        ) from None
    except (ValueError, RecursionError):
        raise SelectronError("a number is too long or an array nested too deeply") from None
    if SURROGATE.search(line) and not _encodable(row):
        raise SelectronError("a text holds half of a surrogate pair")
    if not isinstance(row, dict):
        raise SelectronError(f"{line.strip()[:40]} is not an object; each line holds one")
    return row


def _drop(row: dict[str, Any], name: str) -> None:
    """Drop a key, or a field of an object, such as "user.age"."""
    key, _, inner = name.partition(".")
    if name in row:
        del row[name]
    elif inner and isinstance(row.get(key), dict):
        _drop(row[key], inner)


def _encodable(row: Any) -> bool:
    """Return whether all text can be written as UTF-8."""
    try:
        return bool(json.dumps(row, ensure_ascii=False).encode())
    except UnicodeEncodeError:
        return False


def _time(row: dict[str, Any], name: str) -> float:
    if name not in row:
        raise SelectronError(f"there is no time {name!r}; the keys are {listed(list(row))}")
    return second(row.pop(name), name)
