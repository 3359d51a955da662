"""The routes that change a stream: items, batches, leases, answers, corrections."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import ConfigDict, Field

from . import answering, strict
from .answering import Said
from .problem import Problem, invalid, missing
from .reading import chosen
from .requests import (
    Body,
    Key,
    Name,
    Number,
    StrictRoute,
    allowed,
    bodies_of,
    checked_key,
    done,
    host_of,
    person_of,
)
from .stream import Item, Stream

items = APIRouter(prefix="/v1/streams/{stream}", route_class=StrictRoute, tags=["items"])
answers = APIRouter(prefix="/v1/streams/{stream}", route_class=StrictRoute, tags=["labelling"])
BATCH = 5000  # items
LINES = {"requestBody": {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}}


class NewItem(Body):
    """An item; `data` is shown on the page, and the features are extracted from it."""

    id: Annotated[str | None, Field(min_length=1, max_length=200)] = None
    data: dict[str, Any]


def made(rows: Any, key: str | None, data: dict[str, Any]) -> Item:
    """Return an item with its row."""
    return Item.of(key, data, rows([data])[0])


def lines_of(body: bytes, rows: Any) -> list[tuple[int, Item | Problem]]:
    """Return the items of JSON lines with their line numbers; a Problem for each invalid line."""
    lines = [line for line in enumerate(body.split(b"\n"), 1) if line[1].strip()]
    if len(lines) > BATCH:
        raise Problem(413, "too_long", f"A batch has {BATCH} items at most, got {len(lines)}.")
    found: list[tuple[int, Item | Problem]] = []
    for number, line in lines:
        try:
            found.append((number, item_of(strict.loads(line), rows)))
        except Problem as problem:
            found.append((number, problem))
    return found


def item_of(value: Any, rows: Any) -> Item:
    """Return the item of a line."""
    if not isinstance(value, dict) or not isinstance(value.get("data"), dict):
        raise invalid('An item is an object as {"id": "a1", "data": {...}}.')
    if odd := set(value) - {"id", "data"}:
        raise invalid(f"An item has id and data, and no {min(odd)!r}.")
    return made(rows, checked_key(value.get("id")), value["data"])


@items.post("/items", **allowed("ingest"))
async def add_item(request: Request, stream: Name, body: NewItem, key: Key = None) -> Response:
    """Add an item: it is predicted, and perhaps queried. The same id is the same item."""
    host_of(request).view(stream)
    item = made(host_of(request).rows[stream], body.id, body.data)
    return await done(request, stream, key, lambda s, who, at: s.add([item], at, who)[0])


BATCHED: dict[str, Any] = allowed("ingest")
BATCHED["openapi_extra"] = BATCHED["openapi_extra"] | LINES


@items.post("/batch", **BATCHED)
async def add_batch(request: Request, stream: Name, key: Key = None) -> Response:
    """Add items as JSON lines; each line is accepted or refused by itself."""
    host_of(request).view(stream)
    rows, body = host_of(request).rows[stream], await request.body()
    found = await bodies_of(request).parse(lambda: lines_of(body, rows), len(body))
    return await done(request, stream, key, lambda s, who, at: each(s, found, who, at))


def each(stream: Stream, found: list, who: str, at: float) -> dict[str, Any]:
    """Add the items of a batch; each refused line has its error in its place."""
    replies = stream.add_each([item for _, item in found], at, who)
    items = [
        {"line": number, **reply.body()} if isinstance(reply, Problem) else reply
        for (number, _), reply in zip(found, replies, strict=True)
    ]
    return {"items": items, "refused": sum("error" in item for item in items)}


class Task(Body):
    """A task of Label Studio; other fields are ignored."""

    model_config = ConfigDict(extra="ignore", strict=True)

    id: int | str | None = None
    data: dict[str, Any]
    annotations: Annotated[list[dict[str, Any]], Field(default_factory=list)]


@items.post("/label-studio", **allowed("ingest"))
async def import_tasks(
    request: Request, stream: Name, body: Annotated[list[Task], Field(max_length=BATCH)]
) -> Response:
    """Import tasks of Label Studio: items, and the labels of annotated ones."""
    host_of(request).view(stream)
    rows = host_of(request).rows[stream]
    size = len(await request.body())
    pairs = await bodies_of(request).parse(
        lambda: [annotated(*task, rows) for task in enumerate(body, 1)], size
    )
    items, said = [item for item, _ in pairs], [answer for _, answer in pairs]
    return await done(request, stream, None, lambda s, who, at: taken(s, items, said, who, at))


def annotated(number: int, task: Task, rows: Any) -> tuple[Item, tuple[str, str | None] | None]:
    """Return the item of a task, and its answer; a Problem names the task."""
    try:
        key = None if task.id is None else checked_key(f"ls-{task.id}")
        return made(rows, key, task.data), chosen(task.annotations)
    except Problem as problem:
        name = f"Task {number}" + ("" if task.id is None else f" (id {task.id})")
        raise Problem(problem.status, problem.code, f"{name}: {problem}") from None


def taken(stream: Stream, items: list[Item], said: list, who: str, at: float) -> dict[str, Any]:
    """Add items, and the answers to those that are new."""
    answers = [Said(*pair) if pair else None for pair in said]
    for answer in answers:
        if answer is not None:
            answering.check(stream, answer)
    added = stream.add(items, at, who)
    learned = 0
    for reply, answer in zip(added, answers, strict=True):
        if answer is not None and not reply["known"]:
            learned += answering.answer(stream, reply["item"], answer, who, at)["learned"]
    return {"items": added, "learned": learned}


Label = Annotated[str | None, Field(min_length=1, max_length=100)]
Token = Annotated[str, Field(min_length=1, max_length=100)]


class Leased(Body):
    """A lease, by its token."""

    lease: Token


class Answer(Body):
    """An answer: a label, none of the classes, or a skip; with the lease, if there is one."""

    verdict: Literal["label", "none", "skip"] = "label"
    label: Label = None
    lease: Annotated[str | None, Field(min_length=1, max_length=100)] = None

    def said(self) -> Said:
        """Return the answer as the stream takes it."""
        return Said(self.verdict, self.label, self.lease)


class AnswerById(Answer):
    """An answer about an item by its own id."""

    id: Annotated[str, Field(min_length=1, max_length=200)]


class Correction(Body):
    """The answer that replaces another."""

    verdict: Literal["label", "none"] = "label"
    label: Label = None


@answers.post("/next", **allowed("annotate"))
async def next_question(request: Request, stream: Name, key: Key = None) -> Response:
    """Lease the question that has waited longest; `question` is null if there is none."""

    def ask(s: Stream, who: str, at: float) -> dict[str, Any]:
        return {"question": answering.ask(s, who, at)}

    return await done(request, stream, key, ask)


@answers.post("/items/{item}/renew", **allowed("annotate"))
async def renew(request: Request, stream: Name, item: Number, body: Leased) -> Response:
    """Renew a lease."""
    return await done(
        request, stream, None, lambda s, who, at: answering.renew(s, item, body.lease, who, at)
    )


@answers.post("/items/{item}/release", **allowed("annotate"))
async def release(request: Request, stream: Name, item: Number, body: Leased) -> Response:
    """Release a question before its lease expires."""
    return await done(
        request, stream, None, lambda s, who, at: answering.release(s, item, body.lease, who, at)
    )


@answers.post("/items/{item}/answers", **allowed("annotate", "ingest"))
async def answer(
    request: Request, stream: Name, item: Number, body: Answer, key: Key = None
) -> Response:
    """Answer about an item by its number or ticket, whether it was queried or not."""
    return await done(
        request, stream, key, lambda s, who, at: answering.answer(s, item, body.said(), who, at)
    )


@answers.post("/answers", **allowed("annotate", "ingest"))
async def answer_by_id(
    request: Request, stream: Name, body: AnswerById, key: Key = None
) -> Response:
    """Answer about an item by its own id."""

    def say(s: Stream, who: str, at: float) -> dict[str, Any]:
        event = s.store.item_of(s.id, body.id)
        if event is None:
            raise missing(f"item with the id {body.id!r}")
        return answering.answer(s, event.item, body.said(), who, at)

    return await done(request, stream, key, say)


@answers.post("/answers/{answer}/correct", **allowed("annotate"))
async def correct(
    request: Request, stream: Name, answer: Number, body: Correction, key: Key = None
) -> Response:
    """Replace your own answer; the old one stays in the log.

    An admin may correct any answer, which is then the admin's.
    """
    said, anybody = Said(body.verdict, body.label), person_of(request).role == "admin"
    return await done(
        request,
        stream,
        key,
        lambda s, who, at: answering.correct(s, answer, said, who, at, anybody),
    )


@answers.post("/answers/{answer}/undo", **allowed("annotate"))
async def undo(request: Request, stream: Name, answer: Number, key: Key = None) -> Response:
    """Withdraw your own answer: its question waits again. An admin may withdraw any."""
    anybody = person_of(request).role == "admin"
    return await done(
        request, stream, key, lambda s, who, at: answering.undo(s, answer, who, at, anybody)
    )
