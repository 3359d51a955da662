"""The routes that change a stream: items, batches, leases, answers, corrections."""

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Response
from pydantic import ConfigDict, Field, ValidationError

from . import answering, strict
from .answering import Said
from .learning import Extractor
from .problem import Problem, missing, unfit
from .reading import chosen
from .requests import Body, Call, Number, Writing, allowed, strict_routes
from .stream import Item, Stream

items = strict_routes("/v1/streams/{stream}", "items")
answers = strict_routes("/v1/streams/{stream}", "labelling")
BATCH = 5000  # items
LINES = {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}


class NewItem(Body):
    """An item; `data` is shown on the page, and the features are extracted from it."""

    id: Annotated[str | None, Field(min_length=1, max_length=200)] = None
    data: dict[str, Any]

    def made(self, row_of: Extractor) -> Item:
        """Return the item with its row, given the function that extracts it."""
        return Item.of(self.id, self.data, row_of(self.data))


def item_of(line: bytes, call: Call) -> Item | Problem:
    """Return the item of a line of JSON, or the reason why it is refused."""
    try:
        return NewItem.model_validate(strict.loads(line)).made(call.row_of)
    except ValidationError as error:
        return unfit(error)
    except Problem as problem:
        return problem


@items.post("/items", **allowed("ingest"))
async def add_item(call: Writing, body: NewItem) -> Response:
    """Add an item: it is predicted, and perhaps queried. The same id is the same item."""
    return await call.write(Stream.add_one, body.made(call.row_of))


@items.post("/batch", **allowed("ingest", requestBody=LINES))
async def add_batch(call: Writing) -> Response:
    """Add items as JSON lines; each line is accepted or refused by itself."""
    text = await call.request.body()
    lines = [line for line in enumerate(text.split(b"\n"), 1) if line[1].strip()]
    if len(lines) > BATCH:
        raise Problem(413, "too_long", f"A batch has {BATCH} items at most, got {len(lines)}.")
    found = await call.parse(lambda: [(number, item_of(line, call)) for number, line in lines])
    return await call.write(each, found)


def each(stream: Stream, found: list, who: str, at: float) -> dict[str, Any]:
    """Add the items of a batch; each refused line has its error in its place."""
    replies = []
    for number, item in found:
        try:
            if isinstance(item, Problem):
                raise item
            replies.append(stream.add_one(item, who, at))
        except Problem as problem:
            replies.append({"line": number, **problem.body()})
    return {"items": replies, "refused": sum("error" in reply for reply in replies)}


class Task(Body):
    """A task of Label Studio; other fields are ignored."""

    model_config = ConfigDict(extra="ignore", strict=True)

    id: int | str | None = None
    data: dict[str, Any]
    annotations: Annotated[list[dict[str, Any]], Field(default_factory=list)]

    def annotated(self, number: int, call: Call) -> tuple[Item, Said | None]:
        """Return the item of a task, and its answer; a Problem names the task."""
        try:
            key = None if self.id is None else f"ls-{self.id}"
            return NewItem(id=key, data=self.data).made(call.row_of), chosen(self.annotations)
        except (Problem, ValidationError) as error:
            why = unfit(error) if isinstance(error, ValidationError) else error
            name = f"Task {number}" + ("" if self.id is None else f" (id {self.id})")
            raise Problem(why.status, why.code, f"{name}: {why}") from None


@items.post("/label-studio", **allowed("ingest"))
async def import_tasks(
    call: Writing, body: Annotated[list[Task], Field(max_length=BATCH)]
) -> Response:
    """Import tasks of Label Studio: items, and the labels of annotated ones."""
    found = await call.parse(lambda: [task.annotated(i, call) for i, task in enumerate(body, 1)])
    return await call.write(taken, found)


def taken(stream: Stream, found: list, who: str, at: float) -> dict[str, Any]:
    """Add items, and the answers to those that are new."""
    for _, said in found:
        if said is not None:
            answering.check(stream, said)
    added, learned = stream.add([item for item, _ in found], who, at), 0
    for reply, (_, said) in zip(added, found, strict=True):
        if said is not None and not reply["known"]:
            learned += answering.answer(stream, reply["item"], said, who, at)["learned"]
    return {"items": added, "learned": learned}


Label = Annotated[str | None, Field(min_length=1, max_length=100)]
Token = Annotated[str, Field(min_length=1, max_length=100)]


class Leased(Body):
    """A lease, by its token."""

    lease: Token


class Correction(Body):
    """The answer that replaces another."""

    verdict: Literal["label", "none"] = "label"
    label: Label = None


class Answer(Body):
    """An answer: a label, none of the classes, or a skip; with the lease, if there is one."""

    verdict: Literal["label", "none", "skip"] = "label"
    label: Label = None
    lease: Token | None = None

    def said(self) -> Said:
        """Return the answer as the stream takes it."""
        return Said(self.verdict, self.label, self.lease)


class AnswerById(Answer):
    """An answer about an item by its own id."""

    id: Annotated[str, Field(min_length=1, max_length=200)]


@answers.post("/next", **allowed("annotate"))
async def next_question(call: Writing) -> Response:
    """Lease the question that has waited longest; `question` is null if there is none."""

    def ask(stream: Stream, who: str, at: float) -> dict[str, Any]:
        return {"question": answering.ask(stream, who, at)}

    return await call.write(ask)


@answers.post("/items/{item}/renew", **allowed("annotate"))
async def renew(call: Writing, item: Number, body: Leased) -> Response:
    """Renew a lease."""
    return await call.write(answering.renew, item, body.lease)


@answers.post("/items/{item}/release", **allowed("annotate"))
async def release(call: Writing, item: Number, body: Leased) -> Response:
    """Release a question before its lease expires."""
    return await call.write(answering.release, item, body.lease)


@answers.post("/items/{item}/answers", **allowed("annotate", "ingest"))
async def answer(call: Writing, item: Number, body: Answer) -> Response:
    """Answer about an item by its number or ticket, whether it was queried or not."""
    return await call.write(answering.answer, item, body.said())


@answers.post("/answers", **allowed("annotate", "ingest"))
async def answer_by_id(call: Writing, body: AnswerById) -> Response:
    """Answer about an item by its own id."""

    def answered(stream: Stream, who: str, at: float) -> dict[str, Any]:
        event = stream.db.item_of(stream.id, body.id)
        if event is None:
            raise missing(f"item with the id {body.id!r}")
        return answering.answer(stream, event.item, body.said(), who, at)

    return await call.write(answered)


@answers.post("/answers/{answer}/correct", **allowed("annotate"))
async def correct(call: Writing, answer: Number, body: Correction) -> Response:
    """Replace your own answer; the old one stays in the log.

    An admin may correct any answer, which is then the admin's.
    """
    change = partial(answering.correct, anybody=call.person.role == "admin")
    return await call.write(change, answer, Said(body.verdict, body.label))


@answers.post("/answers/{answer}/undo", **allowed("annotate"))
async def undo(call: Writing, answer: Number) -> Response:
    """Withdraw your own answer: its question waits again. An admin may withdraw any."""
    change = partial(answering.undo, anybody=call.person.role == "admin")
    return await call.write(change, answer)
