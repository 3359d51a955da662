"""JSON, taken strictly: what two readers could understand differently is refused."""

import json
import math
from typing import Any, NoReturn

from .problem import Problem

DEPTH = 32


def loads(text: bytes) -> Any:
    """Return the value of a JSON text.

    Raises Problem (400) for what is no JSON in UTF-8, NaN and Infinity, numbers beyond floats,
    names that come twice in an object, halves of surrogate pairs, and nesting beyond `DEPTH`.

    >>> loads(b'{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> loads(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    selectron.serve.problem.Problem: The body is no strict JSON: 'a' comes twice in an object.
    """
    if text.count(b"[") + text.count(b"{") > DEPTH and depth(text) > DEPTH:
        raise refusal(f"it is nested deeper than {DEPTH}")
    try:
        decoded = text.decode("utf-8")
        value = json.loads(
            decoded,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=_int,
        )
        if "\\u" in decoded:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
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


def depth(text: bytes) -> int:
    """Return how deep brackets are nested, those within strings left out.

    >>> depth(b'{"a[[[": [1]}')
    2
    """
    deepest = level = 0
    inside = escaped = False
    for byte in text:
        if inside:
            inside = escaped or byte != 34
            escaped = byte == 92 and not escaped
        elif byte == 34:
            inside = True
        elif byte in b"[{":
            level += 1
            deepest = max(deepest, level)
        elif byte in b"]}":
            level -= 1
    return deepest


def refusal(why: str) -> Problem:
    """Return the problem that a body is no strict JSON."""
    return Problem(400, "bad_json", f"The body is no strict JSON: {why}.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise refusal(f"{next(n for n in names if names.count(n) > 1)!r} comes twice in an object")
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
