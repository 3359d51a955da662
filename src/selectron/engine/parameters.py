"""Checks of parameters, and how messages write values and numbers of things."""

import math
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeVar
from unicodedata import normalize

import numpy as np

from ..errors import SelectronError

Part = TypeVar("Part")


class Range(NamedTuple):
    """The values that a number may have."""

    fits: Callable[[float], bool]  # False for NaN
    words: str  # as messages write it, after "a number"
    whole: bool = False  # which infinity is not


POSITIVE = Range(lambda value: 0 < value < math.inf, "above 0 and finite")
NOT_NEGATIVE = Range(lambda value: 0 <= value < math.inf, "from 0 on and finite")
ABOVE_0 = Range(lambda value: value > 0, "above 0")
SHARE = Range(lambda value: 0 <= value <= 1, "from 0 to 1")
PROPER_SHARE = Range(lambda value: 0 < value < 1, "between 0 and 1")


def ranges(**wanted: Range | dict[str, float]) -> Callable[[type[Part]], type[Part]]:
    """Return a decorator of a part that adds `numbers`, given the range of each parameter.

    >>> @ranges(b=POSITIVE, variant={"I": 1, "II": 2})
    ... class Learner(NamedTuple):
    ...     b: float
    ...     variant: str
    >>> Learner(b=3, variant="II").numbers()
    (3.0, 2.0)
    """

    def numbers(self: Any) -> tuple[float, ...]:
        """Return the parameters as numbers; raise SelectronError if one is out of range."""
        return tuple(number(self, name, wanted[name]) for name in self._fields)

    def decorated(part: type[Part]) -> type[Part]:
        part.numbers = numbers  # type: ignore[attr-defined]
        return part

    return decorated


def number(owner: Any, name: str, wanted: Range | dict[str, float]) -> float:
    """Return parameter `name` of `owner` as a number; raise SelectronError unless it is in range.

    A text must be one of those in `wanted`; compiled code has its number in its place.

    >>> from selectron.askers import Margin
    >>> number(Margin(b=-1), "b", ABOVE_0)
    Traceback (most recent call last):
    selectron.errors.SelectronError: Margin: b must be a number above 0, got -1.
    """
    given = getattr(owner, name)
    if isinstance(wanted, dict):
        if isinstance(given, str) and given in wanted:
            return float(wanted[given])
        *others, last = (f'"{text}"' for text in wanted)
        texts = f"{', '.join(others)} or {last}"
        raise SelectronError(f"{type(owner).__name__}: {name} must be {texts}, got {given!r}.")
    try:
        value = math.nan if isinstance(given, str | bytes) else float(given)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not wanted.fits(value) or (wanted.whole and not value.is_integer()):
        kind = "a whole number" if wanted.whole else "a number"
        raise SelectronError(
            f"{type(owner).__name__}: {name} must be {kind} {wanted.words}, got {shown(given)}."
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
    if isinstance(value, tuple) and hasattr(value, "_make"):
        value = value._make(map(as_python, value))
    text = repr(as_python(value))
    return " ".join(text.split()) if "\n" in text else text


def as_python(value: Any) -> Any:
    """Return a number of NumPy as one of Python; dates stay, whose nanoseconds would be numbers."""
    is_number = isinstance(value, np.generic) and value.dtype.kind not in "mM"
    return value.item() if is_number else value


def similar(name: str, names: Iterable[str]) -> str:
    r"""Return the end of a message that asks whether another name was meant; "" if none is similar.

    >>> similar("ph", ["pH", "time"]), similar("size", ["pH", "time"])
    ("; is it 'pH'?", '')
    """
    plain = {normalize("NFKC", one).casefold(): one for one in names}
    found = get_close_matches(normalize("NFKC", name).casefold(), plain, n=1, cutoff=0.8)
    if not found:
        return ""
    like = plain[found[0]]
    same = normalize("NFKC", name) == normalize("NFKC", like)  # they look the same
    return f"; is it {like!r}{', which has other characters' * same}?"


def first_few(values: Sequence[Any] | np.ndarray, most: int = 5) -> str:
    """Return the first values as messages show them, and how many more there are.

    >>> first_few(["ham", "spam", "news"], most=2)
    "'ham', 'spam' and 1 more"
    """
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(map(shown, values[:most])) + more


def no_columns(missing: Sequence[str], which: str) -> str:
    """Return that columns are missing, and what would do, as the rest of a message.

    >>> no_columns(["a", "b"], "earlier rows had")
    "are no columns 'a', 'b', which earlier rows had: rename them back, or add blank ones"
    """
    names = f"{first_few(missing, most=20)}, which {which}"
    if len(missing) == 1:
        return f"is no column {names}: rename it back, or add a blank one"
    return f"are no columns {names}: rename them back, or add blank ones"


def counted(n: int, noun: str) -> str:
    """Return a number of things.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{n:,} {noun}{'s' * (n != 1)}"
