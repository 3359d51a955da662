"""Checks of parameters, and how messages write values and numbers of things."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import SelectronError


def number(
    owner: Any, name: str, fits: Callable[[float], bool], wanted: str, whole: bool = False
) -> float:
    """Return parameter `name` of `owner` as a float; raise SelectronError unless it `fits`.

    It must be a whole number, which infinity is not, if `whole`.

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
    if not fits(value) or (whole and not value.is_integer()):  # NaN fits nothing
        kind = "a whole number" if whole else "a number"
        raise SelectronError(
            f"{type(owner).__name__}: {name} must be {kind} {wanted}, got {shown(given)}."
        )
    return value


def floats(part: Any) -> tuple[Any, ...]:
    """Return what `numbers` of a learner, an asker or a kernel returns as floats.

    A loop is compiled for the types of the first call, and reads ints as floats. Raises
    SelectronError unless there is one number for each parameter.

    >>> from selectron.learners import LASEC
    >>> floats(LASEC(b=1, c=10))
    (1.0, 10.0)
    """
    given = part.numbers()
    try:
        found = _floats(given)
    except (TypeError, ValueError):
        found = None
    if found is None or len(found) != len(part):
        raise SelectronError(
            f"{part!r}: numbers() must return a tuple of one number for each parameter, "
            f"got {shown(given)}."
        )
    return found


def _floats(given: Any) -> tuple[Any, ...]:
    return tuple(_floats(one) if isinstance(one, tuple) else float(one) for one in given)


def whole(name: str, value: Any, least: int = 1) -> int:
    """Return a parameter as an int; raise SelectronError unless it is one, from `least` on.

    >>> whole("bins", 2, least=3)
    Traceback (most recent call last):
    selectron.errors.SelectronError: bins must be a whole number from 3 on, got 2.
    """
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= least:
        return int(value)
    raise SelectronError(f"{name} must be a whole number from {least} on, got {shown(value)}.")


def shown(value: Any) -> str:
    """Return a value as written in a call, on one line, with NumPy's numbers as Python's.

    >>> shown(np.float64(-1)), shown(np.datetime64("2026-11"))
    ('-1.0', "np.datetime64('2026-11')")
    """
    scalar = isinstance(value, np.generic) and value.dtype.kind not in "mM"  # ns would be a number
    text = repr(value.item() if scalar else value)
    return " ".join(text.split()) if "\n" in text else text


def counted(n: int, noun: str) -> str:
    """Return a number of things.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{n:,} {noun}{'s' * (n != 1)}"
