"""Checks of parameters, and how messages write values and numbers of things."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import SelectronError


def number(owner: Any, name: str, fits: Callable[[float], bool], wanted: str) -> float:
    """Return parameter `name` of `owner` as a float; raise SelectronError unless it `fits`.

    >>> from selectron.askers import Margin
    >>> number(Margin(b=0.5), "b", lambda b: b > 0, "above 0")
    0.5
    >>> number(Margin(b=-1), "b", lambda b: b > 0, "above 0")
    Traceback (most recent call last):
    selectron.errors.SelectronError: Margin: b must be a number above 0, got -1.
    """
    given = getattr(owner, name)
    try:
        value = math.nan if isinstance(given, str | bytes) else float(given)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not fits(value):  # NaN fits nothing
        raise SelectronError(
            f"{type(owner).__name__}: {name} must be a number {wanted}, got {shown(given)}."
        )
    return value


def shown(value: Any) -> str:
    """Return a value as written in a call, on one line, with NumPy's scalars as Python's.

    >>> shown(np.float64(-1))
    '-1.0'
    """
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return " ".join(text.split()) if "\n" in text else text


def counted(n: int, noun: str) -> str:
    """Return a number of things.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{n:,} {noun}{'s' * (n != 1)}"
