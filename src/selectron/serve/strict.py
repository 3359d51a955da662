"""Strict JSON and bodies, which two parsers cannot read differently; the errors of requests."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import SelectronError

DEPTH = 32
LONGEST = 20  # digits of a whole number, or 19 and a sign
BRACKETS = 200_000  # opening ones, including those within strings
Found = TypeVar("Found")


class Problem(SelectronError):
    """A request that cannot be served: an HTTP status, a code for programs, a sentence for people.

    Raise a new one each time: an exception raised twice keeps the frames of both.

    >>> Problem(409, "conflict", "Item 'a' is there already.").body()
    {'error': {'code': 'conflict', 'message': "Item 'a' is there already."}}
    """

    def __init__(self, status: int, code: str, message: str):
        super().__init__(message)
        self.status, self.code = status, code

    def body(self) -> dict[str, Any]:
        """Return the body of the reply."""
        return {"error": {"code": self.code, "message": str(self)}}


def missing(what: str) -> Problem:
    """Return the Problem (404) that something does not exist."""
    return Problem(404, "not_found", f"There is no {what}.")


SHAPES = {  # pydantic's sentences about these are of classes and dictionaries
    "list_type": "a JSON list",
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "a JSON object"),
}


def unfit(error: Any) -> Problem:
    """Return the Problem (422) of pydantic's error."""
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    shape = SHAPES.get(first["type"])
    if where == "body" and (shape or first["type"] == "missing"):
        header = "Content-Type: application/json"
        return invalid(f"The body must be {shape or 'JSON'}, sent with the header {header}.")
    what = f"Input should be {shape}" if shape else first["msg"]
    if first["type"] == "missing" and first["loc"][-1] == "data":
        what = 'put the fields of an item into this object, as in {"data": {"text": "win"}}'
    return invalid(f"{where + ': ' if where else ''}{what}.")


def invalid(message: str) -> Problem:
    """Return the Problem (422) that a request is well-formed but invalid."""
    return Problem(422, "invalid", message)


class Body(BaseModel):
    """A body: unknown names are refused, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @classmethod
    def of(cls, value: Any) -> Self:
        """Return the body that a value of JSON is. Raises Problem (422) if it is none."""
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            raise unfit(error) from None


def loads(text: bytes) -> Any:
    """Return the value of a JSON text.

    Raises Problem (400) for text that is not JSON in UTF-8, NaN, Infinity, numbers beyond floats,
    duplicate names in an object, unpaired surrogates, nesting beyond `DEPTH`, and more than
    `BRACKETS` lists and objects. Takes time linear in the length.

    >>> loads(b'{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> loads(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    selectron.serve.strict.Problem: The body is not strict JSON: 'a' comes twice in an object.
    """
    if text.count(b"[") + text.count(b"{") > BRACKETS:
        raise refusal(f"it has more than {BRACKETS} brackets")
    try:
        value = json.loads(
            text.decode("utf-8-sig"),
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=_int,
        )
        if deeper(value, DEPTH):
            raise RecursionError
        if b"\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise refusal(f"it is nested deeper than {DEPTH}") from None
    except UnicodeDecodeError:
        raise refusal("it is not in UTF-8") from None
    except UnicodeEncodeError:
        raise refusal("it holds half of a surrogate pair") from None
    except json.JSONDecodeError as error:
        raise refusal(f"{error.msg.lower()} at character {error.pos}") from None
    return value


def dumps(value: Any, sort: bool = True) -> str:
    """Return a value as compact JSON; with `sort`, equal values give equal texts.

    >>> dumps({"b": 1, "a": "é"}), dumps({"b": 1, "a": "é"}, sort=False)
    ('{"a":"é","b":1}', '{"b":1,"a":"é"}')
    """
    return json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=sort, separators=(",", ":")
    )


def deeper(value: Any, levels: int) -> bool:
    """Return whether lists and objects are nested deeper than `levels`."""
    if not isinstance(value, list | dict):
        return False
    parts = value.values() if isinstance(value, dict) else value
    inner = (part for part in parts if isinstance(part, list | dict))
    return levels == 0 or any(deeper(part, levels - 1) for part in inner)


def refusal(why: str) -> Problem:
    """Return the Problem (400) that a body is not strict JSON."""
    return Problem(400, "bad_json", f"The body is not strict JSON: {why}.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        name = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise refusal(f"{name[:50]!r} comes twice in an object")
    return found


def _constant(name: str) -> NoReturn:
    raise refusal(f"{name} is not a number")


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise refusal(f"{text[:20]} is too large for a number")
    return value


def _int(text: str) -> int:
    if len(text) > LONGEST or not -(2**63) <= int(text) < 2**64:
        written = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
        raise refusal(f"{written} is beyond the whole numbers of 64 bits")
    return int(text)


def grouped(
    rows: Iterable[Found], size: Callable[[Found], int], most: int, count: int | None = None
) -> Iterator[list[Found]]:
    """Yield lists of rows, each of up to `count` rows and until their sizes reach `most`."""
    part: list[Found] = []
    total = 0
    try:
        for row in rows:
            part.append(row)
            total += size(row)
            if len(part) == count or total >= most:
                yield part
                part, total = [], 0
    except SelectronError:  # the rows before it come first
        if part:
            yield part
        raise
    if part:
        yield part
