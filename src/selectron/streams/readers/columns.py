"""Columns of a file: their names, if it has any; features, label and time."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...data.cells import label_of, parse_number
from ...engine.parameters import first_few, similar
from ...errors import SelectronError

USUAL = ("label", "target", "class", "y")  # names of the label, the likeliest first
NAMES = tuple(name for name in USUAL if len(name) > 1)  # "y" is as likely to be a label
COUNTED = 3  # this many numbers that count up by one are numbers of columns
SHOWN = 20  # columns, or keys, in a message


class Choice(NamedTuple):
    """The user's choice of columns."""

    label: str | int | None = None  # name or position; None: the usual one; "": there is none
    ignore: tuple[str | int, ...] = ()  # names or positions
    time: str | int | None = None  # name or position; None: there is none
    lenient: bool = False  # whether columns to be ignored may be missing
    unlabelled: bool = False  # whether, then, that of the label may be, too
    known: tuple[str, ...] = ()  # names of columns that a model has learned from

    def names(self) -> set[str | int | None]:
        """Return all names, and positions."""
        return {self.label, self.time, *self.ignore, *self.known}


class Damage(NamedTuple):
    """Rows of a part that cannot be read, and are left out of it."""

    rows: int = 0
    before: int = 0  # rows of the part before the first of them
    why: str = ""  # the first cannot be read, with its line
    general: bool = False  # whether the cause may be one of all rows

    def and_also(self, other: "Damage") -> "Damage":
        """Return the damage with that of other rows of the part."""
        earlier = other.rows and (not self.rows or other.before < self.before)
        first = other if earlier else self
        return first._replace(rows=self.rows + other.rows)


UNDAMAGED = Damage()


class Part(NamedTuple):
    """Some rows of a file, up to a fault if there is one."""

    rows: Any  # an Arrow table, a list of dicts, or Sparse
    labels: np.ndarray  # (n,)
    times: np.ndarray = np.empty(0)  # (n,) in seconds since 1970, or none
    fault: str = ""
    choice: Choice = Choice()  # of columns, by their names
    damage: Damage = UNDAMAGED
    doubts: tuple[str, ...] = ()  # sentences about the file as it was taken


class Positions(NamedTuple):
    """Positions of the features, and of the label and the time if there is one."""

    features: list[int]
    label: int | None
    time: int | None = None

    def needed(self) -> list[int]:
        """Return the positions of all columns that are read."""
        return [place for place in (*self.features, self.label, self.time) if place is not None]

    def named(self, names: Sequence[str]) -> Choice:
        """Return the choice that leads to these columns, by their names."""
        label = "" if self.label is None else names[self.label]
        used = set(self.needed())
        ignored = tuple(name for place, name in enumerate(names) if place not in used)
        return Choice(label, ignored, None if self.time is None else names[self.time])


def choose(names: Sequence[str], choice: Choice) -> Positions:
    """Return the positions of features, label and time.

    >>> choose(["id", "a", "b", "Target"], Choice(ignore=("id",)))
    Positions(features=[1, 2], label=3, time=None)
    >>> choose(["a", "b", "c"], Choice(label=0, time="c"))
    Positions(features=[1], label=0, time=2)
    """
    used = {
        place: "to be ignored"
        for which in choice.ignore
        if which in names or not choice.lenient
        for place in _places(names, which, " to be ignored")
    }
    # as pandas and R write the numbers of rows, and Excel empty columns
    used |= {place: "without a name" for place, name in enumerate(names) if not name}
    time = None if choice.time is None else _one(names, used, choice.time, "time")
    if time is not None:
        used[time] = "the time"
    missing = isinstance(choice.label, str) and choice.label not in (*names, "")
    if choice.lenient and choice.unlabelled and missing:
        choice = choice._replace(label="")
    elif choice.lenient and missing:
        hint = similar(str(choice.label), names)
        raise SelectronError(
            f"there is no column {choice.label!r} with labels, as the model needs: "
            f"`selectron predict` and `selectron label` need none{hint}"
        )
    label = _label(names, used, choice.label)
    features = [place for place in range(len(names)) if place not in used and place != label]
    if not features:
        raise SelectronError(
            f"no feature is left of the columns {first_few(names, SHOWN)}; name another label or "
            "ignore less"
        )
    return Positions(features, label, time)


def usual_label(names: Sequence[str]) -> int | None:
    """Return the position of the name that labels usually have; None if there is none.

    >>> usual_label(["y", "x", "Class"])
    2
    """
    low = [name.lower() for name in names]
    return next((low.index(name) for name in USUAL if name in low), None)


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


def _places(names: Sequence[str], which: str | int, role: str = "") -> list[int]:
    """Return the positions of the columns of that name, or else the position given."""
    found = [place for place, name in enumerate(names) if name == which]
    if isinstance(which, str) and not found and re.fullmatch(r"-?\d+", which):
        which = int(which)
    if isinstance(which, int | np.integer):
        found = [range(len(names))[which]] if -len(names) <= which < len(names) else []
    if not found:
        what = repr(which) if isinstance(which, str) else f"number {which}"
        known = first_few(names, SHOWN)
        hint = similar(which, names) if isinstance(which, str) else ""
        raise SelectronError(f"there is no column {what}{role}; the columns are {known}{hint}")
    return found


def is_word(cell: str) -> bool:
    """Return whether a cell holds something that is not a number."""
    return label_of(cell) is not None and parse_number(cell) is None


def is_number(cell: str) -> bool:
    """Return whether a cell is a number."""
    return label_of(cell) is not None and parse_number(cell) is not None


def is_row(cells: Sequence[str], below: Sequence[str]) -> bool:
    """Return whether a mixed first record is a row, by the record below it.

    It is a header if a word, or an empty cell, is above a number, if it has the usual name of the
    label, or if its numbers count the columns.

    >>> is_row(["1", "2", "spam"], ["3", "4", "ham"]), is_row(["2019", "area"], ["3", "4"])
    (True, False)
    >>> is_row(["0", "1", "label"], ["3", "4", "ham"]), is_row(list("a123"), list("b337"))
    (False, False)
    """
    if below and len(below) != len(cells):
        return False
    above = [one for one, two in zip(cells, below, strict=False) if is_number(two)]
    unlike = any(is_word(cell) or not cell.strip() for cell in above)
    named = any(cell.strip().lower() in NAMES for cell in cells)
    counted = _counts_up(cells) and not _counts_up(below)
    return not (unlike or named or counted)


def _counts_up(cells: Sequence[str]) -> bool:
    found = [float(cell) for cell in cells if is_number(cell)]
    return len(found) >= COUNTED and all(b == a + 1 for a, b in pairwise(found))
