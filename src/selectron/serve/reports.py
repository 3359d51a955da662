"""The routes that read: states, histories, exports, server-sent events; and those of tokens."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import Path, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import Field

from . import reading, strict
from .problem import Problem
from .requests import Body, Call, Number, Reading, allowed, strict_routes
from .tokens import DAYS, NAME

router = strict_routes("/v1", "reports")

READERS = 100  # of events, at a time
PAUSE, BEAT = 0.25, 15.0  # least seconds between two events, and seconds between comments
ALL = ("annotate", "read", "ingest")


class NewToken(Body):
    """The name, role and days of a new token."""

    name: Annotated[str, Field(pattern=NAME)]
    role: Literal["ingest", "annotate", "read", "admin"]
    days: Annotated[float | None, Field(gt=0, le=DAYS)] = None


@router.get("/me", **allowed(*ALL))
async def me(request: Request) -> dict[str, Any]:
    """Return the name and role of this token."""
    return {"name": request.state.person.name, "role": request.state.person.role}


@router.post("/tokens", **allowed())
def add_token(request: Request, body: NewToken) -> dict[str, Any]:
    """Create a token, shown only in this reply. 409 if the name is in use."""
    token = request.app.state.host.make_token(body.name, body.role, body.days, new=True)
    return {"name": body.name, "role": body.role, "token": token}


@router.get("/tokens", **allowed())
def list_tokens(request: Request) -> dict[str, Any]:
    """List names, roles and expiry of all tokens, not the tokens themselves."""
    people = sorted(request.app.state.host.people.values())
    return {"tokens": [person._asdict() for person in people]}


@router.delete("/tokens/{name}", **allowed())
def revoke_token(
    request: Request, name: Annotated[str, Path(min_length=1, max_length=200)]
) -> dict[str, Any]:
    """Revoke a token by its name, at once."""
    request.app.state.host.revoke_token(name)
    return {"name": name, "revoked": True}


@router.get("/streams", **allowed("annotate", "read"))
async def streams(request: Request) -> dict[str, Any]:
    """List the streams, each with its state, without the points of its charts."""
    views = request.app.state.host.views.values()
    return {"streams": [{k: v for k, v in view.items() if k != "points"} for view in views]}


@router.get("/streams/{stream}", **allowed(*ALL))
async def state(call: Reading) -> dict[str, Any]:
    """Return the state of a stream: counts, budget, honest accuracy, points of its charts."""
    return call.view


@router.get("/streams/{stream}/items", **allowed(*ALL))
def item_by_id(
    call: Reading, id: Annotated[str, Query(min_length=1, max_length=200)]
) -> dict[str, Any]:
    """Return an item by its own id."""
    return call.read(reading.item_by_key, id)


@router.get("/streams/{stream}/items/{item}", **allowed(*ALL))
def item(call: Reading, item: Number) -> dict[str, Any]:
    """Return an item by its number."""
    return call.read(reading.item, item)


@router.get("/streams/{stream}/answers", **allowed("annotate", "read"))
def answers(
    call: Reading,
    before: Annotated[int, Query(ge=1, lt=2**53)] = 2**53 - 1,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> dict[str, Any]:
    """List answers, latest first; for the next page set `before` to the last entry."""
    found = call.read(reading.history, before, limit)
    for row in found:
        mine = call.person.role == "admin" or row["who"] == call.person.name
        row["correctable"] = row["stands"] and row["verdict"] != "skip" and mine
    return {"answers": found, "classes": call.view["classes"]}


@router.get("/streams/{stream}/export", **allowed("read"))
def export(
    call: Reading, format: Annotated[Literal["jsonl", "csv", "parquet"], Query()] = "jsonl"
) -> StreamingResponse:
    """Export the whole log: who, when shown and answered, prediction, probability, reason, data."""

    def content() -> Any:
        with call.host.reading() as db:
            yield from reading.exported(reading.audit(db, call.id), format)

    headers = {"content-disposition": f'attachment; filename="{call.stream}.{format}"'}
    return StreamingResponse(content(), media_type=reading.MEDIA[format], headers=headers)


@router.get("/streams/{stream}/label-studio", **allowed("read"))
def export_tasks(call: Reading) -> StreamingResponse:
    """Export the queried or answered items as tasks of Label Studio, with annotations."""

    def content() -> Any:
        with call.host.reading() as db:
            before = "["
            for task in reading.tasks(db, call.id, call.view["annotators"]):
                yield before + strict.dumps(task, sort=False)
                before = ",\n"
            yield "[]" if before == "[" else "]"

    return StreamingResponse(content(), media_type="application/json")


@router.get("/streams/{stream}/events", **allowed("annotate", "read"))
async def news(call: Reading) -> StreamingResponse:
    """Send the state of a stream whenever it changes, as server-sent events."""
    if call.request.app.state.readers >= READERS:
        raise Problem(503, "busy", f"There are {READERS} readers of events already.")
    return StreamingResponse(events(call), media_type="text/event-stream")


async def events(call: Call) -> AsyncIterator[str]:
    """Yield events with the latest state, at most one every `PAUSE` seconds."""
    state, last = call.request.app.state, None
    state.readers += 1
    try:
        while not state.ending:
            pulse, view = call.host.pulse, call.host.view(call.stream)
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
