"""Labels: which words mean that there is none, and how a typed value is written."""

import math
from collections.abc import Iterable
from decimal import Decimal

import numpy as np

from ...errors import SelectronError

ABSENT = frozenset({"", "?", "na", "nan", "null"})


def given(text: str) -> str | None:
    """The label without spaces around it; None for an empty cell, "?", "NA", "nan" and "null".

    >>> given(" spam "), given("?"), given("NaN")
    ('spam', None, None)
    """
    text = text.strip()
    return None if text.lower() in ABSENT else text


def as_text(value: object) -> str | None:
    """A typed label as text: whole numbers without a point, truth values as "True" and "False".

    >>> as_text(1), as_text(1.0), as_text(0.5), as_text(True), as_text(None)
    ('1', '1', '0.5', 'True', None)
    """
    if value is None or isinstance(value, str):
        return given(value or "")
    if isinstance(value, float | Decimal):
        return _number(value)
    if isinstance(value, int):
        return str(value)
    raise SelectronError("the label is neither text nor a number")


def _number(value: float | Decimal) -> str | None:
    if not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return str(int(value)) if value == int(value) else str(value)


def column(labels: Iterable[str | None]) -> np.ndarray:
    """An array of objects, whatever the labels are."""
    return np.array(list(labels), dtype=object)
