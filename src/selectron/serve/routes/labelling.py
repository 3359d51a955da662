"""What is asked and answered: leases, labels, skips, corrections, and taking them back."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from .. import answering
from ..answering import Said
from ..problem import missing
from ..stream import Stream
from .common import Body, Key, Name, Number, StrictRoute, allowed, done, person_of

router = APIRouter(prefix="/v1/streams/{stream}", route_class=StrictRoute, tags=["labelling"])

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
        """Return it as the stream takes it."""
        return Said(self.verdict, self.label, self.lease)


class AnswerById(Answer):
    """An answer about an item by its own id."""

    id: Annotated[str, Field(min_length=1, max_length=200)]


class Correction(Body):
    """What takes the place of an answer."""

    verdict: Literal["label", "none"] = "label"
    label: Label = None


@router.post("/next", **allowed("annotate"))
async def next_question(request: Request, stream: Name, key: Key = None) -> Response:
    """Lease the question that has waited longest; `question` is null if there is none."""

    def ask(s: Stream, who: str, at: float) -> dict[str, Any]:
        return {"question": answering.ask(s, who, at)}

    return await done(request, stream, key, ask)


@router.post("/items/{item}/renew", **allowed("annotate"))
async def renew(request: Request, stream: Name, item: Number, body: Leased) -> Response:
    """Let a lease begin anew."""
    return await done(
        request, stream, None, lambda s, who, at: answering.renew(s, item, body.lease, who, at)
    )


@router.post("/items/{item}/release", **allowed("annotate"))
async def release(request: Request, stream: Name, item: Number, body: Leased) -> Response:
    """Give a question back before its lease is over."""
    return await done(
        request, stream, None, lambda s, who, at: answering.release(s, item, body.lease, who, at)
    )


@router.post("/items/{item}/answers", **allowed("annotate", "ingest"))
async def answer(
    request: Request, stream: Name, item: Number, body: Answer, key: Key = None
) -> Response:
    """Answer about an item by its number or ticket, whether it is asked for or not."""
    return await done(
        request, stream, key, lambda s, who, at: answering.answer(s, item, body.said(), who, at)
    )


@router.post("/answers", **allowed("annotate", "ingest"))
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


@router.post("/answers/{answer}/correct", **allowed("annotate"))
async def correct(
    request: Request, stream: Name, answer: Number, body: Correction, key: Key = None
) -> Response:
    """Put another answer in the place of your own; the old one stays in the log.

    An admin may correct any: it is then the admin's answer.
    """
    said, anybody = Said(body.verdict, body.label), person_of(request).role == "admin"
    return await done(
        request,
        stream,
        key,
        lambda s, who, at: answering.correct(s, answer, said, who, at, anybody),
    )


@router.post("/answers/{answer}/undo", **allowed("annotate"))
async def undo(request: Request, stream: Name, answer: Number, key: Key = None) -> Response:
    """Take your own answer back: its question waits again. An admin may take back any."""
    anybody = person_of(request).role == "admin"
    return await done(
        request, stream, key, lambda s, who, at: answering.undo(s, answer, who, at, anybody)
    )
