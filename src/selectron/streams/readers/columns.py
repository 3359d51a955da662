"""Columns: which are features, label and time; and from Arrow's columns to rows."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...data.cells import label, number, second
from ...engine.rows import Dense, Sparse
from ...errors import SelectronError

USUAL = ("label", "target", "class", "y")  # names of the label, the likeliest first
PANDAS_INDEX = re.compile(r"__index_level_\d+__")  # row names that pandas puts into Parquet files


class Choice(NamedTuple):
    """The user's choice of columns."""

    label: str | int | None = None  # name or position; None: the usual one; "": there is none
    drop: tuple[str | int, ...] = ()  # names or positions
    time: str | int | None = None  # name or position; None: there is none


class Columns(NamedTuple):
    """Positions of the features, and of the label and the time if there is one."""

    features: list[int]
    label: int | None
    time: int | None = None


def choose(names: Sequence[str], choice: Choice) -> Columns:
    """Return the positions of features, label and time.

    >>> choose(["id", "a", "b", "Target"], Choice(drop=("id",)))
    Columns(features=[1, 2], label=3, time=None)
    >>> choose(["a", "b", "c"], Choice(label=0, time="c"))
    Columns(features=[1], label=0, time=2)
    >>> choose(["a", "b", "c"], Choice(label="d"))
    Traceback (most recent call last):
    selectron.errors.SelectronError: there is no column 'd'; the columns are 'a', 'b', 'c'
    """
    used = {place: "to be dropped" for which in choice.drop for place in _places(names, which)}
    time = None if choice.time is None else _one(names, used, choice.time, "time")
    if time is not None:
        used[time] = "the time"
    label = _label(names, used, choice.label)
    features = [place for place in range(len(names)) if place not in used and place != label]
    if not features:
        raise SelectronError(
            f"no feature is left of the columns {listed(names)}; name another label or drop less"
        )
    return Columns(features, label, time)


def usual_label(names: Sequence[str]) -> int | None:
    """Return the position of the name that labels usually have; None if there is none.

    >>> usual_label(["y", "x", "Class"])
    2
    """
    low = [name.lower() for name in names]
    return next((low.index(name) for name in USUAL if name in low), None)


def listed(names: Sequence[str], most: int = 20) -> str:
    """Return names for an error message."""
    text = ", ".join(map(repr, names[:most]))
    return text if len(names) <= most else f"{text} and {len(names) - most} more"


def _label(names: Sequence[str], used: Mapping[int, str], which: str | int | None) -> int | None:
    if which == "":
        return None
    if which is None:
        left = [place for place in range(len(names)) if place not in used]
        usual = usual_label([names[place] for place in left])
        last = left[-1] if len(left) > 1 else None
        return last if usual is None else left[usual]
    return _one(names, used, which, "label")


def _one(names: Sequence[str], used: Mapping[int, str], which: str | int, role: str) -> int:
    """Return the position of the only column of that name, which has no other use."""
    places = _places(names, which)
    if len(places) > 1:
        raise SelectronError(f"{len(places)} columns are named {which!r}; give the position")
    if places[0] in used:
        raise SelectronError(f"the {role} column {which!r} is also {used[places[0]]}")
    return places[0]


def _places(names: Sequence[str], which: str | int) -> list[int]:
    """Return the positions of the columns of that name, or else the position given."""
    found = [place for place, name in enumerate(names) if name == which]
    if isinstance(which, str) and not found and re.fullmatch(r"-?\d+", which):
        which = int(which)
    if isinstance(which, int):
        found = [range(len(names))[which]] if -len(names) <= which < len(names) else []
    if not found:
        what = repr(which) if isinstance(which, str) else f"number {which}"
        raise SelectronError(f"there is no column {what}; the columns are {listed(names)}")
    return found


class Part(NamedTuple):
    """Some rows of a file, up to a fault if there is one."""

    rows: Dense | Sparse
    labels: np.ndarray  # (n,)
    times: np.ndarray  # (n,) in seconds since 1970, or (0,)
    fault: str = ""


Fault = tuple[int, str]  # row, and what is wrong with it


def part(
    values: np.ndarray,
    labels: Any,
    times: Any,
    time: str,
    faults: list[Fault],
    where: Callable[[int], str],
) -> Part:
    """Return the rows before the first fault.

    `labels` and `times` are Arrow arrays or None, `time` is the name of the column of times, and
    `where` returns the place of a row in the file.
    """
    count = len(values)
    cells: list[float] = []
    try:
        for cell in [] if times is None else times.to_pylist():
            cells.append(second(cell, time))  # noqa: PERF401 (those before a fault are kept)
    except SelectronError as error:
        faults = [*faults, (len(cells), str(error))]
    row, fault = min(faults, key=lambda fault: fault[0], default=(count, ""))
    return Part(
        Dense(values[:row]),
        _labels(labels, count)[:row],
        np.array(cells[:row], dtype=float),
        f"{where(row)}: {fault}" if fault else "",
    )


def _labels(array: Any, count: int) -> np.ndarray:
    if array is None:
        return np.full(count, None)
    encoded = array.dictionary_encode()  # few of them differ
    texts = np.array([*map(label, encoded.dictionary.to_pylist()), None], dtype=object)
    return texts[plain(_filled(encoded.indices, len(texts) - 1), np.int32)]


def table(columns: Sequence[Any], names: Sequence[str]) -> tuple[np.ndarray, list[Fault]]:
    """Return the values of Arrow columns as a table, and the first value that is not finite."""
    values = np.empty((len(columns[0]), len(columns)))
    for place, column in enumerate(columns):
        values[:, place] = floats(column)
    good = np.isfinite(values)
    if good.all():
        return values, []
    row = int(np.argmin(good.all(axis=1)))
    place = int(np.argmin(good[row]))
    return values, [(row, _why_not(columns[place][row].as_py(), names[place]))]


def floats(array: Any) -> np.ndarray:
    """Return an Arrow array of numbers, or of text, as float64; NaN for what is no number."""
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    try:
        array = array.cast(pa.float64(), safe=False)
    except pa.ArrowInvalid:
        array = pa.array(map(number, array.to_pylist()), pa.float64())
    return plain(_filled(array, math.nan), np.float64)


def _filled(array: Any, value: float) -> Any:
    return array.fill_null(value) if array.null_count else array  # it imports pandas


def plain(array: Any, kind: type) -> np.ndarray:
    """Return a view of numbers without nulls; Arrow's `to_numpy` would import pandas."""
    buffer, kept = array.buffers()[1], np.dtype(kind)
    if not len(array) or buffer is None:
        return np.empty(0, kept)
    return np.frombuffer(buffer, kept, len(array), array.offset * kept.itemsize)


def _why_not(cell: object, name: str) -> str:
    """Return what is wrong with a cell that is no finite number."""
    if cell is None:
        return f"column {name!r} is empty (null)"
    text = str(cell).strip()
    if not text:
        return f"column {name!r} is empty; fill it in or leave it out: --drop {name}"
    if number(text) is None:
        return (
            f"column {name!r}: {text[:40]!r} is not a number; "
            f"leave the column out (--drop {name}) or name it as the label"
        )
    return f"column {name!r} is not finite ({text})"
