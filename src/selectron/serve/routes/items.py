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


def items_of(rows: Any, found: list[tuple[str | None, dict[str, Any]]]) -> list[Item]:
    """Return items with their rows."""
    made = rows([data for _, data in found]) if found else []
    pairs = zip(found, made, strict=True)
    return [Item(key, strict.dumps(data), row) for (key, data), row in pairs]


def lines_of(body: bytes) -> list[tuple[str | None, dict[str, Any]]]:
    """Return own ids and data of lines of JSON; a Problem names its line."""
    lines = [line for line in enumerate(body.split(b"\n"), 1) if line[1].strip()]
    if len(lines) > BATCH:
        raise Problem(413, "too_long", f"A batch has {BATCH} items at most, got {len(lines)}.")
    found = []
    for number, line in lines:
        try:
            found.append(item_of(strict.loads(line)))
        except Problem as problem:
            message = f"Line {number}: {problem}"
            raise Problem(problem.status, problem.code, message) from None
    return found


def item_of(value: Any) -> tuple[str | None, dict[str, Any]]:
    """Return own id and data of an item."""
    if not isinstance(value, dict) or not isinstance(value.get("data"), dict):
        raise invalid('An item is an object as {"id": "a1", "data": {...}}.')
    if odd := set(value) - {"id", "data"}:
        raise invalid(f"An item has id and data, and no {min(odd)!r}.")
    return checked_key(value.get("id")), value["data"]


@router.post("/items", **allowed("ingest"))
async def add_item(request: Request, stream: Name, body: NewItem, key: Key = None) -> Response:
    """Send an item: it is predicted, and perhaps asked for. The same id is the same item."""
    host_of(request).view(stream)
    items = items_of(host_of(request).rows[stream], [(body.id, body.data)])
    return await done(request, stream, key, lambda s, who, at: s.add(items, at, who)[0])


BATCHED: dict[str, Any] = allowed("ingest")
BATCHED["openapi_extra"] = BATCHED["openapi_extra"] | LINES


@router.post("/batch", **BATCHED)
async def add_batch(request: Request, stream: Name, key: Key = None) -> Response:
    """Send items as lines of JSON: all of them are taken, or none."""
    host_of(request).view(stream)
    rows, body = host_of(request).rows[stream], await request.body()
    read = bodies_of(request).parse
    items = await read(lambda: items_of(rows, lines_of(body)), len(body))
    return await done(request, stream, key, lambda s, who, at: {"items": s.add(items, at, who)})


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
    keys = [None if task.id is None else checked_key(f"ls-{task.id}") for task in body]
    pairs = list(zip(keys, (task.data for task in body), strict=True))
    rows = host_of(request).rows[stream]
    size = len(await request.body())
    items = await bodies_of(request).parse(lambda: items_of(rows, pairs), size)
    said = [chosen(task.annotations) for task in body]
    return await done(request, stream, None, lambda s, who, at: taken(s, items, said, who, at))


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
