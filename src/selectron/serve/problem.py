"""What is answered where a request will not do: one shape for all of them."""

from typing import Any

from ..errors import SelectronError


class Problem(SelectronError):
    """A request that cannot be served: an HTTP status, a code for programs, a sentence for people.

    Raise a new one each time: an exception that is raised again keeps all frames that it has left.

    >>> Problem(409, "conflict", "Item 'a' is there already.").body()
    {'error': {'code': 'conflict', 'message': "Item 'a' is there already."}}
    """

    def __init__(self, status: int, code: str, message: str):
        super().__init__(message)
        self.status, self.code = status, code

    def __reduce__(self):
        return Problem, (self.status, self.code, str(self))

    def body(self) -> dict[str, Any]:
        """Return what is sent."""
        return {"error": {"code": self.code, "message": str(self)}}


def missing(what: str) -> Problem:
    """Return the problem that something is not there."""
    return Problem(404, "not_found", f"There is no {what}.")


def invalid(message: str) -> Problem:
    """Return the problem that a request is understood, and asks for what cannot be."""
    return Problem(422, "invalid", message)
