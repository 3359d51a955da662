"""The error of requests that cannot be served, in one shape."""

from typing import Any

from ..errors import SelectronError


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
    return invalid(f"{where + ': ' if where else ''}{what}.")


def invalid(message: str) -> Problem:
    """Return the Problem (422) that a request is well-formed but invalid."""
    return Problem(422, "invalid", message)
