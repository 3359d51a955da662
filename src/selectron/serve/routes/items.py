"""What is taken in: items one by one, in batches, and as tasks of Label Studio."""

from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import ConfigDict, Field

from .. import answering, strict
from ..answering import Said
from ..problem import Problem, invalid
from ..reading import chosen
from ..stream import Item, Stream
from .common import Body, Key, Name, StrictRoute, allowed, bodies_of, checked_key, done, host_of

router = APIRouter(prefix="/v1/streams/{stream}", route_class=StrictRoute, tags=["items"])
BATCH = 5000  # items
LINES = {"requestBody": {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}}


class NewItem(Body):
    """An item: `data` is what the page shows, and what the features are made of."""

    id: Annotated[str | None, Field(min_length=1, max_length=200)] = None
    data: dict[str, Any]


def made(rows: Any, key: str | None, data: dict[str, Any]) -> Item:
    """Return an item with its row."""
    return Item.of(key, data, rows([data])[0])


def lines_of(body: bytes, rows: Any) -> list[tuple[int, Item | Problem]]:
    """Return the items of lines of JSON, with their numbers; a Problem where one will not do."""
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


@router.post("/items", **allowed("ingest"))
async def add_item(request: Request, stream: Name, body: NewItem, key: Key = None) -> Response:
    """Send an item: it is predicted, and perhaps asked for. The same id is the same item."""
    host_of(request).view(stream)
    item = made(host_of(request).rows[stream], body.id, body.data)
    return await done(request, stream, key, lambda s, who, at: s.add([item], at, who)[0])


BATCHED: dict[str, Any] = allowed("ingest")
BATCHED["openapi_extra"] = BATCHED["openapi_extra"] | LINES


@router.post("/batch", **BATCHED)
async def add_batch(request: Request, stream: Name, key: Key = None) -> Response:
    """Send items as lines of JSON: each is taken for itself, or refused with its line."""
    host_of(request).view(stream)
    rows, body = host_of(request).rows[stream], await request.body()
    found = await bodies_of(request).parse(lambda: lines_of(body, rows), len(body))
    return await done(request, stream, key, lambda s, who, at: each(s, found, who, at))


def each(stream: Stream, found: list, who: str, at: float) -> dict[str, Any]:
    """Add the items of a batch; what is refused stands in its place, with its line."""
    replies = stream.add_each([item for _, item in found], at, who)
    items = [
        {"line": number, **reply.body()} if isinstance(reply, Problem) else reply
        for (number, _), reply in zip(found, replies, strict=True)
    ]
    return {"items": items, "refused": sum("error" in item for item in items)}


class Task(Body):
    """A task of Label Studio; what is not named here is left alone."""

    model_config = ConfigDict(extra="ignore", strict=True)

    id: int | str | None = None
    data: dict[str, Any]
    annotations: Annotated[list[dict[str, Any]], Field(default_factory=list)]


@router.post("/label-studio", **allowed("ingest"))
async def import_tasks(
    request: Request, stream: Name, body: Annotated[list[Task], Field(max_length=BATCH)]
) -> Response:
    """Take tasks of Label Studio: items, and the labels of those that are annotated."""
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
    """Add items, and the answers that came with those that are new."""
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
