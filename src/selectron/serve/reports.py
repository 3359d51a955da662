"""The routes that read: states, histories, exports, server-sent events; and those of tokens."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import Field

from . import reading, strict
from .host import Host
from .problem import Problem
from .reading import MEDIA, exported
from .requests import Body, Name, Number, StrictRoute, allowed, host_of, person_of
from .tokens import DAYS, NAME

router = APIRouter(prefix="/v1", route_class=StrictRoute, tags=["reports"])

READERS = 100  # of events, at a time
PAUSE, BEAT = 0.25, 15.0  # least seconds between two events, and seconds between comments


class NewToken(Body):
    """The name, role and days of a new token."""

    name: Annotated[str, Field(pattern=NAME)]
    role: Literal["ingest", "annotate", "read", "admin"]
    days: Annotated[float | None, Field(gt=0, le=DAYS)] = None


@router.get("/me", **allowed("ingest", "annotate", "read"))
async def me(request: Request) -> dict[str, Any]:
    """Return the name and role of this token."""
    return {"name": person_of(request).name, "role": person_of(request).role}


@router.post("/tokens", **allowed())
def add_token(request: Request, body: NewToken) -> dict[str, Any]:
    """Create a token, shown only in this reply. 409 if the name is in use."""
    token = host_of(request).make_token(body.name, body.role, body.days, new=True)
    return {"name": body.name, "role": body.role, "token": token}


@router.get("/tokens", **allowed())
def list_tokens(request: Request) -> dict[str, Any]:
    """List names, roles and expiry of all tokens, not the tokens themselves."""
    people = sorted(host_of(request).people.values())
    return {"tokens": [person._asdict() for person in people]}


@router.delete("/tokens/{name}", **allowed())
def revoke_token(
    request: Request, name: Annotated[str, Path(min_length=1, max_length=200)]
) -> dict[str, Any]:
    """Revoke a token by its name, at once."""
    host_of(request).revoke_token(name)
    return {"name": name, "revoked": True}


@router.get("/streams", **allowed("annotate", "read"))
async def streams(request: Request) -> dict[str, Any]:
    """List the streams, each with its state."""
    views = host_of(request).views.values()
    return {"streams": [brief(view) for view in views]}


@router.get("/streams/{stream}", **allowed("annotate", "read", "ingest"))
async def state(request: Request, stream: Name) -> dict[str, Any]:
    """Return the state of a stream: counts, budget, honest accuracy, points of its charts."""
    return host_of(request).view(stream)


def brief(view: dict[str, Any]) -> dict[str, Any]:
    """Return a state without the points of its charts."""
    return {name: value for name, value in view.items() if name != "points"}


@router.get("/streams/{stream}/items", **allowed("annotate", "read", "ingest"))
def item_by_id(
    request: Request, stream: Name, id: Annotated[str, Query(min_length=1, max_length=200)]
) -> dict[str, Any]:
    """Return an item by its own id."""
    number = _read(request, stream, lambda db, s, *_: reading.by_key(db, s, id))
    return _read(request, stream, lambda db, s, n, hide: reading.item(db, s, number, n, hide))


@router.get("/streams/{stream}/items/{item}", **allowed("annotate", "read", "ingest"))
def item(request: Request, stream: Name, item: Number) -> dict[str, Any]:
    """Return an item by its number."""
    return _read(request, stream, lambda db, s, n, hide: reading.item(db, s, item, n, hide))


@router.get("/streams/{stream}/answers", **allowed("annotate", "read"))
def answers(
    request: Request,
    stream: Name,
    before: Annotated[int, Query(ge=1, lt=2**53)] = 2**53 - 1,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> dict[str, Any]:
    """List answers, latest first; for the next page set `before` to the last entry."""
    person = person_of(request)
    found = _read(
        request, stream, lambda db, s, n, hide: reading.history(db, s, n, before, limit, hide)
    )
    for row in found:
        mine = person.role == "admin" or row["who"] == person.name
        row["correctable"] = row["stands"] and row["verdict"] != "skip" and mine
    return {
        "answers": found,
        "classes": host_of(request).view(stream)["classes"],
    }


def _read(request: Request, stream: str, function: Any) -> Any:
    """Return the result of a function of connection, stream, annotators needed and `hide`.

    `hide` is as declared for the role annotate, and "never" for all others.
    """
    host = host_of(request)
    view = host.view(stream)
    hide = view["hide"] if person_of(request).role == "annotate" else "never"
    return host.read(lambda db: function(db, host.ids[stream], view["annotators"], hide))


@router.get("/streams/{stream}/export", **allowed("read"))
def export(
    request: Request,
    stream: Name,
    format: Annotated[Literal["jsonl", "csv", "parquet"], Query()] = "jsonl",
) -> StreamingResponse:
    """Export the whole log: who, when shown and answered, prediction, probability, reason, data."""
    host = host_of(request)
    host.view(stream)

    def content() -> Any:
        with host.reading() as db:
            yield from exported(reading.audit(db, host.ids[stream]), format)

    name = f'attachment; filename="{stream}.{format}"'
    headers = {"content-disposition": name}
    return StreamingResponse(content(), media_type=MEDIA[format], headers=headers)


@router.get("/streams/{stream}/label-studio", **allowed("read"))
def export_tasks(request: Request, stream: Name) -> StreamingResponse:
    """Export the queried or answered items as tasks of Label Studio, with annotations."""
    host = host_of(request)
    needed = host.view(stream)["annotators"]

    def content() -> Any:
        with host.reading() as db:
            before = "["
            for task in reading.tasks(db, host.ids[stream], needed):
                yield before + strict.dumps(task, sort=False)
                before = ",\n"
            yield "[]" if before == "[" else "]"

    return StreamingResponse(content(), media_type="application/json")


@router.get("/streams/{stream}/events", **allowed("annotate", "read"))
async def news(request: Request, stream: Name) -> StreamingResponse:
    """Send the state of a stream whenever it changes, as server-sent events."""
    host = host_of(request)
    host.view(stream)
    if request.app.state.readers >= READERS:
        raise Problem(503, "busy", f"There are {READERS} readers of events already.")
    return StreamingResponse(
        events(request.app.state, host, stream), media_type="text/event-stream"
    )


async def events(state: Any, host: Host, stream: str) -> AsyncIterator[str]:
    """Yield events with the latest state, at most one every `PAUSE` seconds."""
    state.readers += 1
    try:
        last = None
        while not state.ending:
            pulse, view = host.pulse, host.view(stream)
            if view is not last:
                last = view
                yield f"event: state\nid: {view['entry']}\ndata: {strict.dumps(view)}\n\n"
                await asyncio.sleep(PAUSE)
            try:
                await asyncio.wait_for(pulse.wait(), BEAT)
            except TimeoutError:
                yield ": still here\n\n"
    finally:
        state.readers -= 1
