"""Labels: two values of any kind to -1 and +1 and back, and rows without one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import SelectronError
from .parameters import shown


def as_array(labels: Any) -> np.ndarray:
    """Return labels as an array of what they are: NumPy makes strings of all if one is a string.

    >>> as_array(["spam", float("nan")])
    array(['spam', nan], dtype=object)
    """
    array = np.asarray(labels)
    if array.dtype.kind == "T":  # NumPy's strings of any length
        return array.astype(object)
    if isinstance(labels, np.ndarray) or array.dtype.kind not in "US":
        return array
    objects = np.asarray(labels, dtype=object)
    strings = all(isinstance(label, str | bytes) for label in objects.flat)
    return array if strings else objects


def missing(y: np.ndarray) -> np.ndarray:
    """Tell which labels are missing: NaN, None, or pandas' NA.

    >>> missing(np.array([1.0, np.nan]))
    array([False,  True])
    >>> missing(np.array(["spam", None], dtype=object))
    array([False,  True])
    """
    if y.dtype.kind == "f":
        return np.isnan(y)
    if y.dtype.kind != "O":
        return np.zeros(len(y), bool)
    return np.array([_is_missing(label) for label in y], bool)


def _is_missing(label: Any) -> bool:
    if label is None or type(label).__name__ == "NAType":
        return True
    return isinstance(label, float | np.floating) and bool(label != label)


def two_classes(labels: Any) -> np.ndarray:
    """Return the two classes of these labels, sorted; the second stands for +1.

    >>> two_classes(["spam", "ham", "spam"])
    array(['ham', 'spam'], dtype='<U4')
    """
    try:
        classes = np.unique(as_array(labels))
    except TypeError as error:
        raise SelectronError("The labels are of kinds that cannot be sorted together.") from error
    if len(classes) == 2:
        return classes
    names = ", ".join(map(shown, classes[:5])) + (", ..." if len(classes) > 5 else "")
    if len(classes) > 2:
        raise SelectronError(
            f"Only binary classification is supported, not {len(classes)} classes ({names})."
        )
    found = f"There is only one class ({names})" if len(classes) else "Every label is missing"
    raise SelectronError(f"{found}: name both classes with classes=.")


def encode(y: np.ndarray, classes: Sequence, without: np.ndarray | None = None) -> np.ndarray:
    """Return -1 or +1 for every label, and 0 for those that are missing.

    >>> encode(np.array(["spam", None, "ham"], dtype=object), ["ham", "spam"])
    array([ 1,  0, -1], dtype=int8)
    """
    if without is None:
        without = missing(y)
    positive, negative = _equal(y, classes[1]), _equal(y, classes[0])
    unknown = ~(positive | negative | without)
    if unknown.any():
        row = int(unknown.argmax())
        raise SelectronError(
            f"Row {row} has the label {shown(y[row])}, which is neither {shown(classes[0])} "
            f"nor {shown(classes[1])}."
        )
    return positive.astype(np.int8) - negative.astype(np.int8)


def _equal(y: np.ndarray, label: Any) -> np.ndarray:
    """Return where y equals a label; labels of another kind are never equal, nor is NA."""
    if y.dtype.kind == "O":
        return np.array([not _is_missing(value) and value == label for value in y], bool)
    kind = "U" if isinstance(label, str) else "S" if isinstance(label, bytes) else ""
    if (y.dtype.kind if y.dtype.kind in "US" else "") != kind:
        return np.zeros(len(y), bool)
    return y == label
