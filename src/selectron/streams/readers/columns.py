"""Columns: which are features, and which is the label."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...errors import SelectronError

USUAL = ("label", "target", "class", "y")  # names of the label, the likeliest first
PANDAS_INDEX = re.compile(r"__index_level_\d+__")  # row names that pandas puts into Parquet files


class Choice(NamedTuple):
    """What the caller said of the columns."""

    label: str | int | None = None  # name or position; None: the usual one; "": there is none
    drop: tuple[str | int, ...] = ()  # names or positions


class Columns(NamedTuple):
    """Positions of the features, and of the label if there is one."""

    features: list[int]
    label: int | None


def choose(names: Sequence[str], choice: Choice) -> Columns:
    """Tell features and label apart.

    >>> choose(["id", "a", "b", "Target"], Choice(drop=("id",)))
    Columns(features=[1, 2], label=3)
    >>> choose(["a", "b", "c"], Choice(label=0))
    Columns(features=[1, 2], label=0)
    >>> choose(["a", "b", "c"], Choice(label="d"))
    Traceback (most recent call last):
    selectron.errors.SelectronError: there is no column 'd'; the columns are 'a', 'b', 'c'
    """
    dropped = {place for which in choice.drop for place in _places(names, which)}
    left = [place for place in range(len(names)) if place not in dropped]
    label = _label(names, left, choice.label)
    features = [place for place in left if place != label]
    if not features:
        raise SelectronError(
            f"no feature is left of the columns {listed(names)}; name another label or drop less"
        )
    return Columns(features, label)


def usual_label(names: Sequence[str]) -> int | None:
    """Position of the name that labels usually have; None if there is no such name.

    >>> usual_label(["y", "x", "Class"])
    2
    """
    low = [name.lower() for name in names]
    return next((low.index(name) for name in USUAL if name in low), None)


def listed(names: Sequence[str], most: int = 20) -> str:
    """Names for an error message."""
    text = ", ".join(map(repr, names[:most]))
    return text if len(names) <= most else f"{text} and {len(names) - most} more"


def _label(names: Sequence[str], left: list[int], which: str | int | None) -> int | None:
    if which == "":
        return None
    if which is None:
        usual = usual_label([names[place] for place in left])
        last = left[-1] if len(left) > 1 else None
        return last if usual is None else left[usual]
    places = _places(names, which)
    if len(places) > 1:
        raise SelectronError(f"{len(places)} columns are named {which!r}; give the position")
    if places[0] not in left:
        raise SelectronError(f"the label column {which!r} is also to be dropped")
    return places[0]


def _places(names: Sequence[str], which: str | int) -> list[int]:
    """Positions of the columns of that name, or else the one position, counted from the front."""
    found = [place for place, name in enumerate(names) if name == which]
    if isinstance(which, str) and not found and re.fullmatch(r"-?\d+", which):
        which = int(which)
    if isinstance(which, int):
        found = [range(len(names))[which]] if -len(names) <= which < len(names) else []
    if not found:
        what = repr(which) if isinstance(which, str) else f"number {which}"
        raise SelectronError(f"there is no column {what}; the columns are {listed(names)}")
    return found
