"""The classes of a stream, found as it is read."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np

from ..data.cells import canonical
from ..engine.parameters import first_few
from ..errors import SelectronError
from .readers import Chunk

MOST_LABELS = 1000  # a column with more different labels is a column of something else
NUMBER = re.compile(r"[+-]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")  # 007 is a code
AHEAD = 65_536  # rows that are held back at most until both classes have been seen


class LabelNumbers:
    """Labels and their numbers: 1 to K, 0 where there is none.

    Whole numbers are the same label however they are written, unless with zeros in front, and so
    are truth values.
    Unless classes were named, new ones may appear: the first two are sorted (unless they are
    `ordered`), later ones follow in order of appearance. More than two labels with fractions among
    them are refused as measurements.

    >>> classes = LabelNumbers(["1", "0"])
    >>> classes.numbers(np.array(["1.0", "+1", None, "0", "2"], dtype=object))
    array([2, 2, 0, 1, 3], dtype=int32)
    >>> classes.names
    ['0', '1', '2']
    """

    def __init__(self, names: Iterable[Any], named: bool = False, ordered: bool = False):
        found = list(dict.fromkeys(map(canonical, names)))
        if not ordered:
            found.sort(key=_order)
        if len(found) < 2:
            raise SelectronError(
                f"there must be at least two classes, got {', '.join(found) or 'none'}"
            )
        self.names, self.named = found, named
        self._numbers: dict[Any, int] = {None: 0}

    def parts(
        self, labels: np.ndarray, first: int = 0
    ) -> Iterator[tuple[int, np.ndarray, list[str]]]:
        """Yield the numbers of labels from each row on that has a new class.

        That is (row, numbers, names of the classes so far), so that a model knows a class from its
        first row on, however the rows are cut into chunks. `first` counts the rows before.

        >>> list(LabelNumbers("ab").parts(np.array(["b", "c", "a"], dtype=object)))
        [(0, array([2], dtype=int32), ['a', 'b']), (1, array([3, 1], dtype=int32), ['a', 'b', 'c'])]
        """
        before, numbers = len(self.names), self.numbers(labels, first)
        known = np.maximum.accumulate(np.maximum(numbers, before))
        starts = [0, *(np.flatnonzero(np.diff(known)) + 1).tolist()]
        for start, stop in pairwise([*starts, len(numbers)]):
            yield start, numbers[start:stop], self.names[: known[start]]

    def numbers(self, labels: np.ndarray, first: int = 0) -> np.ndarray:
        """Return the numbers of labels from 1 on, 0 where there is none."""
        given = labels.tolist()
        for row, label in enumerate(given, first):
            if label not in self._numbers:
                name = canonical(label)
                if name not in self.names:
                    self._append(name, row)
                self._numbers[label] = self.names.index(name) + 1
        return np.array([*map(self._numbers.__getitem__, given)], np.int32)

    def _append(self, name: str, row: int) -> None:
        if self.named:
            known = first_few(self.names)
            raise SelectronError(f"row {row + 1} has the label {name!r}, which is none of {known}")
        odd = [n for n in (*self.names, name) if NUMBER.fullmatch(n) and not float(n).is_integer()]
        if odd:
            raise SelectronError(
                f"the labels are numbers such as {odd[0]!r}, more than two by row {row + 1}, and "
                "classes are predicted, not amounts: name the column of labels with --label, such "
                "as one of low and high, or all classes with --classes"
            )
        if len(self.names) == MOST_LABELS:
            raise SelectronError(
                f"there are more than {MOST_LABELS:,} different labels by row {row + 1}: is the "
                "column of labels the right one? Name it with --label"
            )
        self.names.append(name)


def _order(name: str) -> tuple[bool, float, str]:
    """Sort numbers by value, before words."""
    try:
        return False, float(name), name
    except ValueError:
        return True, 0.0, name


def settle(
    chunks: Iterable[Chunk], names: Sequence[str] | None = None, label: str | None = None
) -> tuple[LabelNumbers, Iterator[Chunk]]:
    """Return the classes of a stream and its chunks, reading ahead until both have been seen.

    Raises SelectronError if the first rows lack them; `label` is the column that the user named.
    """
    source = iter(chunks)
    if names is not None:
        return LabelNumbers(names, named=True), source
    held, seen, rows = list[Chunk](), list[str](), 0
    for chunk in source:
        held.append(chunk)
        rows += len(chunk.labels)
        seen = _distinct([*seen, *chunk.labels.tolist()])
        if len(seen) >= 2:
            return LabelNumbers(seen[:2]), chain(held, source)
        if rows >= AHEAD:
            break
    first = "row" if rows == 1 else f"{rows:,} rows"
    if seen:
        raise SelectronError(
            f"there is only the label {seen.pop()!r} in the first {first}: name all classes with "
            "--classes"
        )
    advice = f"{label!r} is blank there, name another column" if label else "name the column"
    raise SelectronError(
        f"there is no label in the first {first}: {advice} with --label; if there are no labels "
        "yet, use `selectron pool`, or --classes and --save to make a model for `selectron label`"
    )


def _distinct(labels: Sequence[Any]) -> list[str]:
    """Return the labels as text, each once, in order of appearance."""
    return list(dict.fromkeys(canonical(x) for x in dict.fromkeys(labels) if x is not None))


def names_of(labels: Sequence[Any], names: Sequence[str] | None = None) -> np.ndarray:
    """Return the class names of a complete list of labels, None where a label is missing.

    Raises SelectronError as `LabelNumbers` does, except that there may be one class or none.

    >>> names_of(["1.0", None, "+1", 0]), names_of(["ham", None])
    (array(['1', None, '1', '0'], dtype=object), array(['ham', None], dtype=object))
    """
    found = _distinct(labels)
    if names is None and len(found) < 2:
        return np.array([None if v is None else found[0] for v in labels], object)
    classes = LabelNumbers(found[:2] if names is None else names, named=names is not None)
    numbers = classes.numbers(np.array(labels, dtype=object))
    return np.array([None, *classes.names], dtype=object)[numbers]
