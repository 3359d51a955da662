"""The routes of a stream: those that change it, those that read it; and those of tokens."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import ConfigDict, Field

from . import answering, reading, strict
from .answering import Answer, Correction, Token
from .requests import NUMBERS, Call, Number, Reading, Writing, allowed, mime, strict_routes
from .service import Work
from .stream import Item, Stream
from .strict import Body, Problem
from .tokens import NewToken

items = strict_routes("/v1/streams/{stream}", "items")
labelling = strict_routes("/v1/streams/{stream}", "labelling")
reports = strict_routes("/v1", "reports")

BATCH = 5000  # items
LINES = {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}
MODEL = "application/octet-stream"
PAUSE, BEAT = 0.25, 15.0  # seconds between two looks at the state, and between comments
FOLLOWED = 20  # streams of events of one person; another one ends the oldest
ALL = ("annotate", "read", "ingest")
Id = Annotated[str, Field(min_length=1, max_length=200)]

# Items


class NewItem(Body):
    """An item; `data` is shown on the page, and the features are extracted from it."""

    id: Id | None = None
    data: dict[str, Any]


def item_of(line: bytes, call: Call) -> Item | Problem:
    """Return the item of a line of JSON, or the reason why it is refused."""
    try:
        new = NewItem.of(strict.loads(line))
        return call.stream.item(new.id, new.data)
    except Problem as problem:
        return problem


@items.post("/items", **allowed("ingest"))
async def add_item(call: Writing, body: NewItem) -> Response:
    """Add an item: it is predicted, and perhaps queried. The same id is the same item."""
    return await call.write(Stream.add_one, call.stream.item(body.id, body.data))


@items.post("/batch", **allowed("ingest", requestBody=LINES))
async def add_batch(call: Writing) -> Response:
    """Add items as JSON lines; each line is accepted or refused by itself."""
    lines = [x for x in enumerate(call.request.content.split(b"\n"), 1) if x[1].strip()]
    if len(lines) > BATCH:
        raise Problem(413, "too_long", f"A batch has {BATCH} items at most, got {len(lines)}.")
    found = await call.request.parse(
        lambda: [(number, item_of(line, call)) for number, line in lines]
    )
    unfit = {i: item.body() for i, (_, item) in enumerate(found) if isinstance(item, Problem)}

    def named(_: Stream, kept: dict[str, Any], *request: Any) -> dict[str, Any]:
        replies = [reply | unfit.get(i, {}) for i, reply in enumerate(kept["items"])]
        return {**kept, "items": replies}

    return await call.write(add_items, found, then=named if unfit else None)


def add_items(stream: Stream, found: list, who: str, at: float) -> dict[str, Any]:
    """Add the items of a batch; each refused line has its error in its place.

    That of a line that cannot be an item quotes it, and is left to be named each time.
    """
    replies = []
    for number, item in found:
        try:
            if isinstance(item, Problem):
                raise Problem(item.status, item.code, "The line is refused.")
            replies.append(stream.add_one(item, who, at))
        except Problem as problem:
            replies.append({"line": number, **problem.body()})
    return {"items": replies, "refused": sum("error" in reply for reply in replies)}


@items.delete("/items/{item}", **allowed())
async def erase(call: Writing, item: Number) -> Response:
    """Erase the content of an item by its number, and close its question.

    The log keeps its id, what was decided on it, and the answers.
    """
    return await call.write(Stream.erase, item)


@items.delete("/items", **allowed())
async def erase_by_id(call: Writing, id: Id) -> Response:
    """Erase the content of an item by its own id."""
    return await call.write(by_id(Stream.erase, id))


def by_id(do: Callable[..., Any], id: str) -> Callable[..., Any]:
    """Return a function of an item that takes the item of this id."""
    return lambda stream, *rest: do(stream, reading.item_number(stream.db, stream, id), *rest)


class Task(Body):
    """A task of Label Studio; other fields are ignored."""

    model_config = ConfigDict(extra="ignore", strict=True)

    id: int | str | None = None
    data: dict[str, Any]
    meta: dict[str, Any] | None = None
    annotations: Annotated[list[dict[str, Any]], Field(default_factory=list)]

    def annotated(self, number: int, call: Call) -> tuple[Item, Answer | None]:
        """Return the item of a task, and its answer; a Problem names the task."""
        key = None if self.id is None else f"ls-{self.id}"
        with naming_task(number, key):
            new = NewItem.of({"id": key, "data": self.data})
            item, origin = call.stream.item(new.id, new.data), (self.meta or {}).get("item")
            known = type(origin) is int and 0 < origin < NUMBERS
            item = item._replace(number=origin if known else None)
            return item, reading.answer_of(self.annotations)


@items.post("/label-studio", **allowed("ingest"))
async def import_tasks(
    call: Writing, body: Annotated[list[Task], Field(max_length=BATCH)]
) -> Response:
    """Import tasks of Label Studio: items, and the labels of annotated ones.

    A task that was exported from this stream is the item that it was, and answers its question.
    """
    found = await call.request.parse(
        lambda: [task.annotated(i, call) for i, task in enumerate(body, 1)]
    )
    return await call.write(add_tasks, found)


@contextmanager
def naming_task(number: int, key: str | None) -> Iterator[None]:
    """Raise a Problem again that names the task, by its number and id."""
    try:
        yield
    except Problem as why:
        name = f"Task {number}" + ("" if key is None else f" (id {key.removeprefix('ls-')})")
        raise Problem(why.status, why.code, f"{name}: {why}") from None


def add_tasks(stream: Stream, found: list, who: str, at: float) -> dict[str, Any]:
    """Add items, and the answers to those that have none yet."""
    more: set[str] = set()
    for number, (item, given) in enumerate(found, 1):
        if given is not None:
            with naming_task(number, item.key):
                answering.check(stream, given, more)
            more |= {given.label} - {None}
    added, learned = stream.add([item for item, _ in found], who, at), 0
    for reply, (_, given) in zip(added, found, strict=True):
        if given is None:
            continue
        question = stream.question(reply["item"])
        if not question.votes and who not in question.skipped:
            learned += answering.answer(stream, reply["item"], given, who, at)["learned"]
    return {"items": added, "learned": learned}


# Labelling


class Leased(Body):
    """A lease, by its token."""

    lease: Token


class AnswerById(Answer):
    """An answer about an item by its own id."""

    id: Id


@labelling.post("/next", **allowed("annotate"))
async def next_question(call: Writing) -> Response:
    """Lease the question that has waited longest; `question` is null if there is none.

    A repeated Idempotency-Key leases the same question again, or 409 if it is not yours any more.
    """
    return await call.write(answering.oldest, then=answering.ask)


@labelling.post("/items/{item}/renew", **allowed("annotate"))
async def renew(call: Writing, item: Number, body: Leased) -> Response:
    """Renew a lease."""

    def with_token(_: Stream, kept: dict[str, Any], *request: Any) -> dict[str, Any]:
        return {**kept, "lease": {"token": body.lease, **kept["lease"]}}

    return await call.write(answering.renew, item, body.lease, then=with_token)


@labelling.post("/items/{item}/release", **allowed("annotate"))
async def release(call: Writing, item: Number, body: Leased) -> Response:
    """Release a question before its lease expires."""
    return await call.write(answering.release, item, body.lease)


@labelling.post("/items/{item}/answers", **allowed("annotate", "ingest"))
async def answer(call: Writing, item: Number, body: Answer) -> Response:
    """Answer about an item by its number or ticket, whether it was queried or not."""
    return await call.write(answering.answer, item, body)


@labelling.post("/answers", **allowed("annotate", "ingest"))
async def answer_by_id(call: Writing, body: AnswerById) -> Response:
    """Answer about an item by its own id."""
    return await call.write(by_id(answering.answer, body.id), body)


@labelling.post("/answers/{answer}/correct", **allowed("annotate"))
async def correct(call: Writing, answer: Number, body: Correction) -> Response:
    """Replace your own answer; the old one stays in the log.

    An admin may correct any answer, which is then the admin's.
    """
    change = partial(answering.correct, anybody=call.person.role == "admin")
    return await call.write(change, answer, body)


@labelling.post("/answers/{answer}/undo", **allowed("annotate"))
async def undo(call: Writing, answer: Number) -> Response:
    """Withdraw your own answer: its question waits again. An admin may withdraw any."""
    change = partial(answering.undo, anybody=call.person.role == "admin")
    return await call.write(change, answer)


# Reports, and tokens


@reports.get("/me", **allowed(*ALL))
async def me(request: Request) -> dict[str, Any]:
    """Return the name and role of this token."""
    return {"name": request.state.person.name, "role": request.state.person.role}


@reports.post("/tokens", **allowed())
def add_token(request: Request, body: NewToken) -> dict[str, Any]:
    """Create a token, shown only in this reply. 409 if the name is in use."""
    token = request.app.state.host.make_token(body.name, body.role, body.days, new=True)
    return {"name": body.name, "role": body.role, "token": token}


@reports.get("/tokens", **allowed())
def list_tokens(request: Request) -> dict[str, Any]:
    """List names, roles and expiry of all tokens, not the tokens themselves."""
    shown = ("name", "role", "expires")
    people = sorted(request.app.state.host.people.values())
    return {"tokens": [{name: getattr(one, name) for name in shown} for one in people]}


@reports.delete("/tokens/{name}", **allowed())
def revoke_token(request: Request, name: Id) -> dict[str, Any]:
    """Revoke a token by its name, at once."""
    request.app.state.host.revoke_token(name)
    return {"name": name, "revoked": True}


@reports.get("/streams", **allowed("annotate", "read"))
async def streams(request: Request) -> dict[str, Any]:
    """List the streams, each with its state, without the points of its charts."""
    views = request.app.state.host.views.values()
    return {"streams": [{k: v for k, v in view.items() if k != "points"} for view in views]}


@reports.get("/streams/{stream}", **allowed(*ALL))
async def state(call: Reading) -> dict[str, Any]:
    """Return the state of a stream: counts, budget, honest accuracy, points of its charts."""
    return call.view


@reports.get("/streams/{stream}/items", **allowed(*ALL))
def item_by_id(call: Reading, id: Id) -> dict[str, Any]:
    """Return an item by its own id."""
    return item(call, call.host.read(lambda db: reading.item_number(db, call.stream, id)))


@reports.get("/streams/{stream}/items/{item}", **allowed(*ALL))
def item(call: Reading, item: Number) -> dict[str, Any]:
    """Return an item by its number."""
    return call.read(reading.item, item)


@reports.get("/streams/{stream}/answers", **allowed("annotate", "read"))
def answers(
    call: Reading,
    before: Annotated[int, Query(ge=1, lt=NUMBERS)] = NUMBERS - 1,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> dict[str, Any]:
    """List answers, latest first; for the next page set `before` to the last entry."""
    found = call.read(reading.history, before, limit)
    for row in found:
        mine = call.person.role == "admin" or row["who"] == call.person.name
        row["correctable"] = row["stands"] and row["verdict"] != "skip" and mine
    return {"answers": found, "classes": call.view["classes"]}


@reports.get("/streams/{stream}/export", **allowed("read"), **mime(*reading.MEDIA.values()))
def export(
    call: Reading,
    format: Annotated[Literal["jsonl", "csv", "parquet"], Query()] = "jsonl",
    rows: Annotated[Literal["log", "items"], Query()] = "log",
) -> StreamingResponse:
    """Export the whole log: decisions, who saw and answered what and when, and the items.

    With `rows=items`, export one row for each item instead: number, id, settled label, and fields.
    """

    def content() -> Any:
        with call.host.reading() as db:
            yield from reading.exported(db, call.stream, rows, format)

    name = call.stream.name + "-items" * (rows == "items")
    headers = {"content-disposition": f'attachment; filename="{name}.{format}"'}
    return StreamingResponse(content(), media_type=reading.MEDIA[format], headers=headers)


@reports.get("/streams/{stream}/model", **allowed("read"), **mime(MODEL))
async def model(call: Reading) -> Response:
    """Return the model as it is now, as a file for `OnlineClassifier.load` and the command line."""
    content = await call.host.do(Work(lambda service, at: call.stream.model.file()))
    headers = {"content-disposition": f'attachment; filename="{call.stream.name}.model"'}
    return Response(content, media_type=MODEL, headers=headers)


@reports.get("/streams/{stream}/label-studio", **allowed("read"))
def export_tasks(call: Reading) -> StreamingResponse:
    """Export the queried or answered items as tasks of Label Studio, with annotations."""

    def content() -> Any:
        with call.host.reading() as db:
            before = "["
            for task in reading.tasks(db, call.stream):
                yield before + strict.dumps(task, sort=False)
                before = ",\n"
            yield "[]" if before == "[" else "]"

    return StreamingResponse(content(), media_type="application/json")


@reports.get("/streams/{stream}/events", **allowed("annotate", "read"), **mime("text/event-stream"))
async def news(call: Reading) -> StreamingResponse:
    """Send the state of a stream whenever it changes, as server-sent events."""
    return StreamingResponse(events(call), media_type="text/event-stream")


async def events(call: Call) -> AsyncIterator[str]:
    """Yield the latest state, at most every `PAUSE` s, until the server or the token ends.

    It also ends if the same person has `FOLLOWED` later ones.
    """
    last, sent, own = None, 0.0, object()
    followed = call.host.followed[call.person.name]
    followed.append(own)
    try:
        while own in followed[-FOLLOWED:] and not call.host.ending and call.host.knows(call.person):
            view, now = call.host.view(call.stream.name), time.monotonic()
            if view is not last:
                last, sent = view, now
                yield f"event: state\nid: {view['entry']}\ndata: {strict.dumps(view)}\n\n"
            elif now - sent > BEAT:
                sent = now
                yield ": still here\n\n"
            await asyncio.sleep(PAUSE)
    finally:
        followed.remove(own)
