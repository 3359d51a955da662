"""Columns: which are features, which is the label, and which the time."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...errors import SelectronError

USUAL = ("label", "target", "class", "y")  # names of the label, the likeliest first
PANDAS_INDEX = re.compile(r"__index_level_\d+__")  # row names that pandas puts into Parquet files


class Choice(NamedTuple):
    """What the caller said of the columns."""

    label: str | int | None = None  # name or position; None: the usual one; "": there is none
    drop: tuple[str | int, ...] = ()  # names or positions
    time: str | int | None = None  # name or position; None: there is none


class Columns(NamedTuple):
    """Positions of the features, and of the label and the time if there is one."""

    features: list[int]
    label: int | None
    time: int | None = None


def choose(names: Sequence[str], choice: Choice) -> Columns:
    """Tell features, label and time apart.

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
    """Position of the one column of that name, which has no other use."""
    places = _places(names, which)
    if len(places) > 1:
        raise SelectronError(f"{len(places)} columns are named {which!r}; give the position")
    if places[0] in used:
        raise SelectronError(f"the {role} column {which!r} is also {used[places[0]]}")
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
