"""Labels: from values of any kind to codes and back, and missing labels."""

from decimal import Decimal
from enum import Enum
from numbers import Number
from typing import Any

import numpy as np

from ..engine.parameters import as_python, first_few, shown
from ..errors import SelectronError

NARROW = 10_000
OF_TWO = np.array([0, -1, 1], np.int8)  # codes of two classes, by their numbers
SORTED_ROWS = 10  # for each class, from which a sorted stream is not due to chance
SORTED = (
    "The rows are sorted by class, and look as if the concept changed with each class: unless this "
    "is their order in time, shuffle them"
)
EXACT = 2**53  # up to which floats hold whole numbers
KINDS = {"U": "text", "b": "truth values"} | dict.fromkeys("iuf", "numbers")
PLAIN = "text, a number or a date"
CLEAN = "text that does not end with a null character"
UNEQUAL = (float, np.floating, np.datetime64, np.timedelta64)  # to themselves, where missing


def as_array(labels: Any) -> np.ndarray:
    """Return labels as an array of their own types: NumPy turns all into strings if one is.

    Large whole numbers stay exact, which NumPy rounds where labels are missing.

    >>> as_array(["spam", float("nan")]), as_array([2**53 + 1, float("nan")])
    (array(['spam', nan], dtype=object), array([9007199254740993, nan], dtype=object))
    """
    array = np.asarray(labels)
    if array.dtype.kind == "f":
        if isinstance(getattr(labels, "dtype", None), np.dtype):
            return array
        objects = np.asarray(values(labels), dtype=object)
        least = EXACT if isinstance(labels, list | tuple) else -1  # a column's type is its own
        whole = (isinstance(label, int) and abs(label) > least for label in objects.flat)
        return objects if any(whole) else array
    if array.dtype.kind == "T":  # NumPy's strings of any length
        return array.astype(object)
    if isinstance(labels, np.ndarray) or array.dtype.kind not in "US":
        return array
    objects = np.asarray(labels, dtype=object)
    if not all(isinstance(label, str | bytes) for label in objects.flat):
        return objects
    changed = array != objects
    if any(isinstance(label, Enum) for label in objects[changed]):  # that is text: its values
        return as_array([one.value if isinstance(one, Enum) else one for one in objects.flat])
    if changed.any():
        label = objects[changed][0]
        raise no_class(label, CLEAN if isinstance(label, str) else "text, as the others are")
    return array


class Order:
    """The order of classes in a stream.

    >>> order = Order()
    >>> order.add(np.array([1] * 12 + [0]))  # 0 is a missing label
    >>> order.add(np.array([1] + [2] * 12))
    >>> order.sorted
    True
    """

    def __init__(self) -> None:
        self.rows = self.blocks = self.last = 0
        self.seen: set[int] = set()

    def add(self, codes: np.ndarray) -> None:
        """Add the codes of the next rows, (n,)."""
        known = codes[codes != 0].astype(int)
        if len(known) and self.blocks == len(self.seen):  # if more, the stream is not sorted
            self.rows += len(known)
            self.blocks += int(np.count_nonzero(np.diff(known, prepend=self.last)))
            self.last = int(known[-1])
            self.seen.update(np.unique(known).tolist())

    @property
    def sorted(self) -> bool:
        """Whether the rows of each class follow one another: two classes or more, of many rows."""
        return 1 < self.blocks == len(self.seen) <= self.rows / SORTED_ROWS


def values(column: Any) -> Any:
    """Return a column of pandas, Polars or Arrow as a list of Python's values, others as given.

    >>> import pyarrow as pa
    >>> values(pa.array([2**53 + 1, None]))
    [9007199254740993, None]
    """
    if isinstance(column, np.ndarray):
        return column
    names = "to_pylist", "to_list", "tolist"  # of Arrow; of Polars; of pandas and its arrays
    found = next((getattr(column, name) for name in names if hasattr(column, name)), None)
    return column if found is None else found()


def given_classes(classes: Any) -> np.ndarray:
    """Return classes in their order, given in a list, a set, or a column of a table.

    >>> import pyarrow as pa
    >>> given_classes(pa.array(["spam", "ham"]))
    array(['spam', 'ham'], dtype='<U4')
    """
    return as_array(list(values(classes)))


def missing(y: np.ndarray) -> np.ndarray:
    """Return which labels are missing (NaN, None, NaT, or pandas' NA), a mask of shape (n,).

    >>> missing(np.array([1.0, np.nan])), missing(np.array(["spam", None], dtype=object))
    (array([False,  True]), array([False,  True]))
    """
    if y.dtype.kind == "f":
        return np.isnan(y)
    if y.dtype.kind in "mM":
        return np.isnat(y)
    if y.dtype.kind != "O":
        return np.zeros(len(y), bool)
    return np.array([is_missing(label) for label in y], bool)


def is_missing(x: Any) -> bool:
    """Return whether a value is None, NaN, NaT, or pandas' NA."""
    if isinstance(x, UNEQUAL):
        return bool(x != x)
    if isinstance(x, Decimal):
        return x.is_nan()
    return x is None or type(x).__name__ in ("NAType", "NaTType")  # pandas'


def check_fit(labels: np.ndarray) -> None:
    """Refuse labels that cannot be classes: infinite or complex numbers, and unsortable values.

    >>> check_fit(np.array(["spam", np.inf], dtype=object))
    Traceback (most recent call last):
    selectron.errors.SelectronError: There is no class inf: a label must be finite and real.
    >>> check_fit(np.array(["spam", {}], dtype=object))
    Traceback (most recent call last):
    selectron.errors.SelectronError: There is no class {}: a label must be text, a number or a date.
    """
    kind = labels.dtype.kind
    doubtful = labels[np.isinf(labels)] if kind == "f" else labels if kind in "cO" else []
    for label in doubtful:
        if wanted := _wanted(label):
            raise no_class(label, wanted)


def no_class(label: Any, wanted: str = PLAIN) -> SelectronError:
    """Return the error for a label that cannot be a class."""
    return SelectronError(f"There is no class {shown(label)}: a label must be {wanted}.")


def _wanted(label: Any) -> str:
    """Return what a label must be; empty if it is valid or missing."""
    if isinstance(label, str | int):
        return ""
    if isinstance(label, complex | np.complexfloating):
        return "finite and real"
    if isinstance(label, float | np.floating):
        return "finite and real" if np.isinf(label) else ""
    try:  # classes are sorted, and keys of a dict
        hash(label)
        return "" if is_missing(label) or not label < label else PLAIN
    except TypeError:
        return "" if is_missing(label) else PLAIN


def distinct(labels: Any) -> np.ndarray:
    """Return the classes of these labels, sorted.

    >>> distinct(["spam", "ham", "spam"])
    array(['ham', 'spam'], dtype='<U4')
    """
    array = as_array(labels)
    if _narrow(array):  # counting takes a hundredth of the time that sorting does
        low, counted = int(array.min()), array.astype(np.int64, copy=False)
        return (np.flatnonzero(np.bincount(counted - low)) + low).astype(array.dtype)
    try:
        found = np.unique(array)
        if found.dtype.kind != "O":
            return found
        plain = list(map(as_python, found))
        narrow = np.array(plain) if {*map(type, plain)} in ({int}, {bool}) else found
        return narrow if narrow.dtype.kind in "biu" else found
    except TypeError as error:
        first = array[0]
        other = next((one for one in array if type(one) is not type(first)), first)
        raise SelectronError(
            f"The labels {shown(first)} and {shown(other)} cannot be sorted together: give all as "
            "text, or all as numbers."
        ) from error


def as_objects(classes: np.ndarray) -> list[Any]:
    """Return classes as a list of plain values; dates stay as they are, as numbers would name none.

    >>> as_objects(np.array([1, 2])), as_objects(np.array(["2026"], "M8[Y]"))
    ([1, 2], [np.datetime64('2026')])
    """
    return list(classes) if classes.dtype.kind in "mM" else classes.tolist()


def appended(known: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the known classes, followed by the new classes of these labels.

    >>> appended(np.array(["ham", "spam"]), np.array(["news", "ham"]))
    array(['ham', 'spam', 'news'], dtype='<U4')
    """
    if not len(known):
        return distinct(labels)
    if len(known) < 3 and (_equal(labels, known[0]) | _equal(labels, known[-1])).all():
        return known
    fresh = [label for label in distinct(labels) if not _equal(known, label).any()]
    if not fresh:
        return known
    if known.dtype.kind in "mM" and known.dtype.kind == labels.dtype.kind:  # lists are numbers
        return np.concatenate([known, np.array(fresh)])
    kind = KINDS.get(known.dtype.kind)
    others = Number | np.bool_ if kind == "text" else str
    if kind and isinstance(fresh[0], others):
        how = kind + ", such as y.astype(str)" * (kind == "text")
        raise SelectronError(
            f"The classes so far are {kind}, such as {shown(known[0])}, and the label "
            f"{shown(fresh[0])} is none: give labels as {how}."
        )
    distinct(as_array([*as_objects(known), *fresh]))  # refuses kinds that cannot be sorted together
    return as_array([*as_objects(known), *as_objects(as_array(fresh))])


def encode(
    y: np.ndarray, classes: np.ndarray, without: np.ndarray | None = None, many: bool = False
) -> np.ndarray:
    """Return the code of every label: -1, +1 of two classes, 1 to K of many, 0 if it is missing.

    >>> encode(np.array(["spam", None, "ham"], dtype=object), np.array(["ham", "spam"]))
    array([ 1,  0, -1], dtype=int8)
    >>> encode(np.array([7, 5, 9]), np.array([5, 7, 9]), many=True)
    array([2, 1, 3], dtype=int32)
    """
    if without is None:
        without = missing(y)
    found = _many_codes(y, classes)
    found = found if many else OF_TWO[found]
    unknown = (found == 0) & ~without
    if unknown.any():
        row = int(unknown.argmax())
        label = shown(y[row])
        raise SelectronError(f"Row {row} has the label {label}, which is {none_of(classes)}.")
    return found


def none_of(classes: np.ndarray) -> str:
    """Return the text for a label that is none of these classes.

    >>> none_of(np.array([0, 1]))
    'neither 0 nor 1'
    """
    if not len(classes):
        return "none, as no class is known yet"
    if len(classes) == 2:
        return f"neither {shown(classes[0])} nor {shown(classes[1])}"
    return f"none of the {len(classes)} classes {first_few(classes)}"


def _many_codes(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the number of every class from 1 on, 0 for all else."""
    kinds = {y.dtype.kind, classes.dtype.kind}
    if "O" in kinds or (len(kinds) > 1 and kinds & {*"USMm"}):  # they cannot be compared at once
        numbers = {label: i + 1 for i, label in enumerate(as_objects(classes))}
        found = (0 if is_missing(label) else _number_of(label, numbers) for label in as_objects(y))
        return np.fromiter(found, np.int32, len(y))
    if _narrow(y) and _narrow(classes):
        y, classes = y.astype(np.int64), classes.astype(np.int64)
        low = min(y.min(), classes.min())
        table = np.zeros(max(y.max(), classes.max()) - low + 1, np.int32)
        table[classes - low] = np.arange(1, len(classes) + 1)
        return table[y - low]
    order = np.argsort(classes)
    if not len(classes):
        return np.zeros(len(y), np.int32)
    at = np.minimum(np.searchsorted(classes[order], y), len(classes) - 1)
    return np.where(classes[order][at] == y, order[at] + 1, 0).astype(np.int32)


def _number_of(label: Any, numbers: dict[Any, int]) -> int:
    try:
        return numbers.get(label, 0)
    except TypeError:  # it cannot be hashed
        return 0


def _narrow(labels: np.ndarray) -> bool:
    """Return whether these are whole numbers within a short range."""
    if labels.dtype.kind != "i" or not labels.size:
        return False
    return abs(int(labels.min())) < NARROW and abs(int(labels.max())) < NARROW


def _equal(y: np.ndarray, label: Any) -> np.ndarray:
    """Return where y equals a label; labels of another kind are never equal, nor is NA."""
    if y.dtype.kind == "O":
        return np.array([not is_missing(value) and value == as_python(label) for value in y], bool)
    kind = "U" if isinstance(label, str) else "S" if isinstance(label, bytes) else ""
    if (y.dtype.kind if y.dtype.kind in "US" else "") != kind:
        return np.zeros(len(y), bool)
    return y == (float(label) if isinstance(label, Decimal) else label)
