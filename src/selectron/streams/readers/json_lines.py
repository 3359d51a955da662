"""JSON lines: one object a line, with a key for each feature; the rows stay dicts.

Values may be numbers, text, truth values, null or lists of numbers, and keys may be missing.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...data.cells import label_of, time_of
from ...data.dicts import flattened
from ...engine.parameters import counted, first_few, similar
from ...errors import SelectronError
from .columns import SHOWN, UNDAMAGED, Choice, Damage, Part, usual_label
from .text import Blocks, pieces

SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # one half of a pair, or both
ARRAY = re.compile(r"\s*\[\s*(\{|$)")  # of objects, which may be on lines of their own
MISSING = object()  # in place of the value of a key that a row lacks
ADVICE = "a JSON array begins; put each object on a line of its own, as `jq -c '.[]'` does"


def parts(blocks: Blocks, size: int, choice: Choice) -> Iterator[Part]:
    """Yield the rows of the file; the first that has a label settles its key."""
    if any(isinstance(which, int) for which in (choice.label, choice.time, *choice.ignore)):
        raise SelectronError("JSON rows have no columns to count; give the key")
    key, begun = None, False
    missing = dict.fromkeys(map(str, choice.ignore))
    sought = None if choice.lenient else choice.label or None  # until a row has it
    for piece in pieces(blocks, size):
        rows, labels, times = list[Any](), list[str | None](), list[float]()
        damage, is_first = UNDAMAGED, not begun
        for line, text in enumerate(piece.data.decode().split("\n"), piece.line):
            if not text.strip():
                continue
            try:
                row = _object(text)
                time = [] if choice.time is None else [_time(row, str(choice.time))]
                wanted = _label_key(row, choice, begun) if key is None else key
                given = MISSING if wanted is None else _taken(row, wanted)
                sought = sought if given is MISSING else None
                value = None if given is MISSING else label_of(given)
                for name in map(str, choice.ignore):
                    if _taken(row, name) is not MISSING:
                        missing.pop(name, None)
                if any(isinstance(x, dict) for x in row.values()):
                    flattened(row)  # refuses what the encoder would, with all rows of its block
            except SelectronError as error:
                why = f"line {line}: {error}".removesuffix(".")
                damage = damage.and_also(Damage(1, len(rows), why))
                continue
            key = wanted
            rows.append(row)
            labels.append(value)
            times += time
            begun = True
        found = choice if key is None else choice._replace(label=key)
        doubts = tuple(_doubts(rows, missing, sought, choice) if is_first and begun else ())
        columns = np.array(labels, object), np.array(times, float)
        yield Part(rows, *columns, piece.fault, found, damage, doubts)


def _label_key(row: dict[str, Any], choice: Choice, begun: bool) -> Any:
    """Return the key of the label, None if a row has none; `begun` after the first row."""
    if choice.label == "":
        return None
    names = [name for name in row if name not in choice.ignore]
    usual = usual_label(names)
    if choice.label is None:
        return None if usual is None else names[usual]
    wanted = str(choice.label)
    if usual is not None and not begun and not _holder(row, wanted):  # most likely a slip
        raise SelectronError(f"there is no label {wanted!r}; {_keys([row], wanted)}")
    return wanted


def _doubts(
    rows: list[dict[str, Any]], missing: Iterable[str], sought: Any, choice: Choice
) -> Iterator[str]:
    """Yield which keys none of the first rows has: the first to be ignored, and the label."""
    none = f"none of the first {counted(len(rows), 'row')} has"
    for name in [] if choice.lenient else [*missing][:1]:
        yield f"{none} {name!r} to be ignored"
    if sought is not None and not choice.unlabelled:
        yield f"{none} the label {sought!r}; {_keys(rows, sought)}"


def _object(line: str) -> dict[str, Any]:
    if ARRAY.match(line):
        raise SelectronError(ADVICE)
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        why = f"{error.msg.removesuffix(' at')} at column {error.colno}"
        raise SelectronError(f"this is not JSON ({why}); each line holds one object") from None
    except (ValueError, RecursionError):
        raise SelectronError("a number is too long or an array nested too deeply") from None
    if SURROGATE.search(line):
        try:
            json.dumps(row, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise SelectronError("a text holds half of a surrogate pair") from None
    if not isinstance(row, dict):
        raise SelectronError(f"{line.strip()[:40]} is not an object; each line holds one")
    return row


def _taken(row: dict[str, Any], name: str) -> Any:
    """Remove a key, or a field of an object, "user.age"; return its value, or MISSING."""
    holder, key = _holder(row, name) or (row, name)
    return holder.pop(key, MISSING)


def _holder(row: dict[str, Any], name: str) -> tuple[dict[str, Any], str] | None:
    """Return the object that holds a key or a field, and its key there; None if there is none."""
    if name in row:
        return row, name
    for key, value in row.items():
        inner = isinstance(value, dict) and name.startswith(f"{key}.")
        if inner and (found := _holder(value, name[len(key) + 1 :])):
            return found
    return None


def _keys(rows: list[dict[str, Any]], name: str) -> str:
    """Return the keys of rows, and which of them is like this name, for a message."""
    keys = list(dict.fromkeys(key for row in rows for key in flattened(row)))
    return f"the keys are {first_few(keys, SHOWN)}{similar(name, keys)}"


def _time(row: dict[str, Any], name: str) -> float:
    if (found := _taken(row, name)) is MISSING:
        raise SelectronError(f"there is no time {name!r}; {_keys([row], name)}")
    return time_of(found, name)
