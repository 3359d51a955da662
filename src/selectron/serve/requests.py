"""Requests: bodies read within limits, roles checked first, one effect for each key."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from hashlib import sha256
from typing import Annotated, Any, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Header, HTTPException, Path, Request, Response
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from starlette.requests import ClientDisconnect

from . import strict
from .guard import length
from .host import Host
from .service import Work
from .strict import Problem
from .tokens import Person, check_role

SMALL = 1 << 14  # bytes of a body; of larger ones there are few at a time
LARGE = {"items": 1 << 20, "batch": 8 << 20, "label-studio": 8 << 20}  # by the end of the path
PATIENCE = 20.0  # seconds for a body to arrive, and for one to wait until it is read
AT_ONCE, WAITING = 8, 32  # large bodies in memory, and requests that wait with one
PARSED = 2  # large bodies that are parsed at a time, in threads
BUSY = "Too many large requests: wait a moment."
BEARER = HTTPBearer(
    scheme_name="token", description="A token of the right role.", auto_error=False
)  # for the schema: `Guard` identifies the owner of the token
Found = TypeVar("Found")


class Bodies:
    """The bodies in memory."""

    def __init__(self) -> None:
        self.room, self.parsing = CapacityLimiter(AT_ONCE), CapacityLimiter(PARSED)

    @asynccontextmanager
    async def read(self, request: Request) -> AsyncIterator[bytes]:
        """Read a body; the block holds its place.

        Raises Problem if the body is too long, too slow or cut short, or if there is no room.
        """
        if request.method == "GET":
            yield b""
            return
        limit = LARGE.get(request.scope["path"].rpartition("/")[2], SMALL)
        if (size := length(request.scope, limit)) > limit:
            raise too_long(limit)
        async with self._place() if size > SMALL else nullcontext():
            yield await read_body(request, limit)

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        """Wait for one of the places of large bodies, and hold it until the block ends."""
        if self.room.statistics().tasks_waiting >= WAITING:
            raise Problem(503, "busy", BUSY)
        try:
            async with asyncio.timeout(PATIENCE):
                await self.room.acquire()
        except TimeoutError:
            raise Problem(503, "busy", BUSY) from None
        try:
            yield
        finally:
            self.room.release()


def too_long(limit: int) -> Problem:
    """Return the Problem (413) that a body is too long."""
    return Problem(413, "too_long", f"The body is longer than {limit} bytes.")


async def read_body(request: Request, limit: int) -> bytes:
    """Return the whole body."""
    body = bytearray()
    try:
        async with asyncio.timeout(PATIENCE):
            async for piece in request.stream():
                body += piece
                if len(body) > limit:
                    raise too_long(limit)
    except ClientDisconnect:
        raise Problem(400, "cut_short", "The body was cut short.") from None
    except TimeoutError:
        raise Problem(408, "too_slow", f"The body did not come within {PATIENCE:.0f} s.") from None
    return bytes(body)


Name = Annotated[str, Path(min_length=1, max_length=64, description="A stream's name.")]
NUMBERS = 2**53  # those of entries are smaller: JSON and SQLite have them exactly
Number = Annotated[int, Path(ge=1, lt=NUMBERS, description="The number of an entry.")]
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="The same key has one effect, and the same reply, however often it is sent.",
    ),
]


class StrictRequest(Request):
    """A request whose body has been read; JSON is parsed strictly."""

    def __init__(self, request: Request, content: bytes):
        super().__init__(request.scope, request.receive)
        self.content = content

    async def body(self) -> bytes:
        """Return the body."""
        return self.content

    async def parse(self, function: Callable[[], Found]) -> Found:
        """Return the result of a function that parses the body, in a thread if that is large."""
        if len(self.content) <= SMALL:
            return function()
        return await run_sync(function, limiter=self.app.state.bodies.parsing)

    async def json(self) -> Any:
        """Return the value of the body."""
        try:
            return await self.parse(lambda: strict.loads(self.content))
        except Problem as problem:
            refused = HTTPException(problem.status, problem.body())
        raise refused  # here, without the problem, whose frames hold the body and its values


class StrictRoute(APIRoute):
    """A route for some roles (`allowed`), checked before the body is read."""

    def get_route_handler(self) -> Callable:
        """Return the handler."""
        handle, roles = super().get_route_handler(), (self.openapi_extra or {})["x-roles"]

        async def strictly(request: Request) -> Response:
            check_role(request.state.person, roles)
            async with request.app.state.bodies.read(request) as body:
                return await handle(StrictRequest(request, body))

        return strictly


def strict_routes(prefix: str, tag: str) -> APIRouter:
    """Return a router whose routes are `StrictRoute`s."""
    needed = [Depends(BEARER)]
    return APIRouter(prefix=prefix, route_class=StrictRoute, tags=[tag], dependencies=needed)


def allowed(*roles: str, **extra: Any) -> dict[str, Any]:
    """Return the options that make a `StrictRoute` one for these roles, and for admin."""
    return {"openapi_extra": {"x-roles": list(roles), **extra}}


def mime(*media: str) -> dict[str, Any]:
    """Return the options of a route whose reply is no JSON, for the schema."""
    content = {kind.partition(";")[0]: {"schema": {"type": "string"}} for kind in media}
    return {"response_class": Response, "responses": {200: {"content": content}}}


class Call:
    """A request about a stream. Raises Problem (404) if there is no such stream."""

    def __init__(self, request: StrictRequest, name: str, key: str | None = None):
        self.request, self.key = request, key
        self.host: Host = request.app.state.host
        self.person: Person = request.state.person
        self.view = self.host.view(name)
        self.stream = self.host.service.streams[name]

    def read(self, function: Callable, *values: Any) -> Any:
        """Return the result of a function of connection, stream and `hide`."""
        hide = self.view["hide"] if self.person.role == "annotate" else "never"
        return self.host.read(lambda db: function(db, self.stream, hide, *values))

    async def write(
        self, do: Callable[..., Any], *values: Any, then: Callable[..., Any] | None = None
    ) -> Response:
        """Run a function of stream, person and time in the writer, once per key.

        After it, each time, run `then` with the stream, what it returned, person and time.
        """
        key, digest, who = None, "", self.person.name
        if self.key is not None:
            key, url = f"{who}\n{self.key}", self.request.url.path
            if query := self.request.url.query:  # which names an item to erase
                url += f"?{query}"
            parts = self.request.method.encode(), url.encode(), self.request.content
            digest = sha256(b"\0".join(sha256(part).digest() for part in parts)).hexdigest()
        after = then and (lambda at, kept: then(self.stream, kept, who, at))
        work = Work(lambda service, at: do(self.stream, *values, who, at), key, digest, after)
        reply = await self.host.do(work)
        text = reply if isinstance(reply, str) else strict.dumps(reply, sort=False)
        return Response(text, media_type="application/json")


async def read_call(request: StrictRequest, stream: Name) -> Call:
    """Return a request that reads a stream."""
    return Call(request, stream)


async def write_call(request: StrictRequest, stream: Name, key: Key = None) -> Call:
    """Return a request that changes a stream."""
    return Call(request, stream, key)


Reading = Annotated[Call, Depends(read_call)]
Writing = Annotated[Call, Depends(write_call)]
