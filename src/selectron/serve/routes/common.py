"""What all routes share: strict bodies, tokens, and keys of requests."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Header, HTTPException, Path, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict

from .. import strict
from ..bodies import Bodies
from ..host import Host
from ..problem import Problem, invalid
from ..service import Kept, Service, Work, fingerprint
from ..stream import Stream
from ..tokens import Person, admitted

Name = Annotated[str, Path(min_length=1, max_length=64, description="A stream's name.")]
Number = Annotated[int, Path(ge=1, lt=2**53, description="The number of an entry.")]
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="The same key has one effect, and the same reply, however often it comes.",
    ),
]


class Body(BaseModel):
    """A body: names that it does not know are refused, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


class StrictRequest(Request):
    """A request whose JSON is taken strictly."""

    async def json(self) -> Any:
        """Return the value of the body; what is no strict JSON is a Problem."""
        try:
            return await bodies_of(self).json(await self.body())
        except Problem as problem:
            raise HTTPException(problem.status, problem.body()) from None


class StrictRoute(APIRoute):
    """A route for some roles (`allowed`): no body is read before the token is known to be right."""

    def get_route_handler(self) -> Callable:
        """Return the handler."""
        handle, roles = super().get_route_handler(), (self.openapi_extra or {})["x-roles"]

        async def strictly(request: Request) -> Response:
            admitted(request.state.person, roles)
            async with bodies_of(request).read(request.scope, request.receive) as receive:
                return await handle(StrictRequest(request.scope, receive))

        return strictly


def allowed(*roles: str) -> dict[str, Any]:
    """Return what makes a `StrictRoute` one for these roles, and for admin."""
    return {"openapi_extra": {"x-roles": list(roles), "security": [{"token": []}]}}


def bodies_of(request: Request) -> Bodies:
    """Return what reads the bodies of a request's app."""
    return request.app.state.bodies


def host_of(request: Request) -> Host:
    """Return the host of a request's app."""
    return request.app.state.host


def person_of(request: Request) -> Person:
    """Return whose request this is."""
    return request.state.person


async def done(
    request: Request, stream: str, key: str | None, do: Callable[[Stream, str, float], Any]
) -> Response:
    """Have a function of stream, person and time done, once for each key; return its reply."""
    host, who = host_of(request), person_of(request).name

    def work(service: Service, at: float) -> Any:
        return do(service.stream(stream), who, at)

    host.view(stream)
    if key is None:
        reply = await host.do(Work(work))
    else:
        digest = fingerprint(request.method, request.url.path, await request.body())
        reply = await host.do(Work(work, f"{who}\n{key}", digest))
    text = reply if isinstance(reply, Kept) else strict.dumps(reply, sort=False)
    return Response(text, media_type="application/json")


def checked_key(value: Any) -> str | None:
    """Return an item's own id, None if it has none."""
    if value is None:
        return None
    if not isinstance(value, str) or not 0 < len(value) <= 200:
        raise invalid("An item's id must be a string of 1 to 200 characters.")
    return value
