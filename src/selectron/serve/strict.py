"""JSON, taken strictly: what two readers could understand differently is refused."""

import json
import math
from typing import Any, NoReturn

from .problem import Problem

DEPTH = 32
BRACKETS = 200_000  # that open, those within strings included


def loads(text: bytes) -> Any:
    """Return the value of a JSON text.

    Raises Problem (400) for what is no JSON in UTF-8, NaN and Infinity, numbers beyond floats,
    names that come twice in an object, halves of surrogate pairs, nesting beyond `DEPTH`, and more
    than `BRACKETS` lists and objects. The time it takes is linear in the length.

    >>> loads(b'{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> loads(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    selectron.serve.problem.Problem: The body is no strict JSON: 'a' comes twice in an object.
    """
    if text.count(b"[") + text.count(b"{") > BRACKETS:
        raise refusal(f"it has more than {BRACKETS} brackets")
    try:
        decoded = text.decode("utf-8")
        value = json.loads(
            decoded,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=_int,
        )
        if deeper(value, DEPTH):
            raise RecursionError
        if "\\u" in decoded:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise refusal(f"it is nested deeper than {DEPTH}") from None
    except UnicodeEncodeError:
        raise refusal("it holds half of a surrogate pair") from None
    except UnicodeDecodeError:
        raise refusal("it is not in UTF-8") from None
    except json.JSONDecodeError as error:
        raise refusal(f"{error.msg.lower()} at character {error.pos}") from None
    return value


def dumps(value: Any, sort: bool = True) -> str:
    """Return a value as JSON: compact; sorted, it is the same text for the same value.

    >>> dumps({"b": 1, "a": "é"}), dumps({"b": 1, "a": "é"}, sort=False)
    ('{"a":"é","b":1}', '{"b":1,"a":"é"}')
    """
    return json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=sort, separators=(",", ":")
    )


def deeper(value: Any, levels: int) -> bool:
    """Return whether lists and objects are nested deeper than `levels`.

    >>> deeper({"a": [1]}, 2), deeper({"a": [1]}, 1)
    (False, True)
    """
    found = [value] if isinstance(value, list | dict) else []
    for _ in range(levels):
        found = [
            child
            for parent in found
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, list | dict)
        ]
    return bool(found)


def refusal(why: str) -> Problem:
    """Return the problem that a body is no strict JSON."""
    return Problem(400, "bad_json", f"The body is no strict JSON: {why}.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                break
            seen.add(name)
        raise refusal(f"{name[:50]!r} comes twice in an object")
    return found


def _constant(name: str) -> NoReturn:
    raise refusal(f"{name} is no number")


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise refusal(f"{text[:20]} is beyond all numbers")
    return value


def _int(text: str) -> int:
    if len(text) > 18:
        raise refusal(f"{text[:20]} has too many digits")
    return int(text)
