"""Questions and answers of a stream: leases, labels, skips, corrections, and their learning."""

import math
import secrets
from collections.abc import Collection
from copy import deepcopy
from hashlib import sha256
from typing import Annotated, Any, Literal
from unicodedata import category

from pydantic import Field

from .declaration import Class
from .event import Damaged, Event
from .question import LABEL, SKIP, Question
from .stream import Stream
from .strict import Body, Problem, invalid, missing

HELD = 5  # questions of a stream that one person holds at most
NAMING = "A class; the name of a new one has no control characters, and not only blanks."
Label = Annotated[Class | None, Field(description=NAMING)]
Token = Annotated[str, Field(min_length=1, max_length=100)]
GIVEN = "When it was given, in seconds; it must be after the other answers of this person to count."


class Correction(Body):
    """The answer that replaces another."""

    verdict: Literal["label", "none"] = "label"
    label: Label = None


class Answer(Body):
    """An answer: a label, none of the classes, or a skip; with the lease, if there is one."""

    verdict: Literal["label", "none", "skip"] = "label"
    label: Label = None
    lease: Token | None = None
    time: Annotated[float | None, Field(description=GIVEN)] = None


def oldest(stream: Stream, who: str, at: float) -> int | None:
    """Return the item of the oldest question that this person may answer, None if there is none."""
    for question in list(stream.open.values()):
        if turn(question, who, at) == "free" and stored(stream, question.item, at):
            return question.item
    return None


def stored(stream: Stream, item: int, at: float) -> tuple[Any, Any] | None:
    """Return the content and the row of an item; if it is damaged, set it aside: None."""
    try:
        return stream.db.content(item)
    except Damaged:
        stream.set_aside(item, at)
        return None


def turn(question: Question, who: str, at: float) -> Literal["held", "free", "taken"]:
    """Return 'held', 'free' or 'taken', as `Question.place` does.

    It is 'taken' for those who have answered or skipped.
    """
    answered = who in question.votes or who in question.skipped
    return "taken" if answered else question.place(who, at)


def ask(stream: Stream, item: int | None, who: str, at: float) -> dict[str, Any]:
    """Lease the question of an item to this person; it replaces the lease that they have on it.

    The question is returned as the page shows it, without the prediction if that is hidden.
    Raises Problem (409) if it is not this person's to answer any more, or with `HELD` others.
    """
    if item is None:
        return {"question": None}
    question = stream.question(item)
    taken = item not in stream.open or turn(question, who, at) == "taken"
    if taken or (found := stored(stream, item, at)) is None:
        raise Problem(409, "lease_over", f"Item {item} does not wait for you any more.")
    held = [one for one in stream.open.values() if one.leases and one.place(who, at) == "held"]
    if len([one for one in held if one is not question]) >= HELD:
        why = f"You hold {HELD} questions, the most at a time: answer or release one of them."
        raise Problem(409, "too_many_leases", why)
    decided, hidden = question.decided, question.hides(stream.declaration.hide)
    token = secrets.token_urlsafe(18)
    shown = {
        "item": item,
        "id": question.key,
        "at": question.at,
        "content": found[0],
        "reason": decided["reason"],
        "hidden": hidden,
        "label": None if hidden else question.prediction,
        "proba": None if hidden else question.proba,
        "margin": None if hidden or question.prediction is None else decided["margin"],
        "ask_probability": decided["probability"],
        "classes": list(stream.named),
        "new_classes": stream.declaration.new_classes,
        "lease": {"token": token, **grant(stream, "shown", item, token, who, at)},
    }
    return {"question": shown}


def grant(stream: Stream, kind: str, item: int, token: str, who: str, at: float) -> dict[str, Any]:
    """Record a lease ("shown") or its renewal ("renewed"); return it without its token."""
    until = at + stream.declaration.lease
    stream.emit(kind, at, who, {"lease": digest(token), "until": until}, item=item)
    return {"until": until, "now": at}


def renew(stream: Stream, item: int, token: str, who: str, at: float) -> dict[str, Any]:
    """Renew a lease; return it without its token. Raises Problem (409) if it has expired."""
    check_lease(stream, item, token, at)
    return {"item": item, "lease": grant(stream, "renewed", item, token, who, at)}


def release(stream: Stream, item: int, token: str, who: str, at: float) -> dict[str, Any]:
    """Release a question. Raises Problem (409) if the lease has expired."""
    check_lease(stream, item, token, at)
    stream.emit("released", at, who, {"lease": digest(token)}, item=item)
    return {"item": item, "released": True}


def check_lease(stream: Stream, item: int, token: str, at: float) -> None:
    """Raise Problem (409) unless the item is leased under this token."""
    question = stream.open.get(item)
    if question is None or question.leases.get(digest(token)) not in question.active(at):
        raise Problem(409, "lease_over", f"The lease of item {item} is over.")


def answer(stream: Stream, item: int, given: Answer, who: str, at: float) -> dict[str, Any]:
    """Record an answer; a person's second answer replaces the first.

    The answer is late if its lease has expired, if the question was dropped from the queue, if
    enough people have answered, if an admin has corrected this person's answer, or if its time is
    not after that of their other answers. In the last three cases, and if others hold all places
    that an expired lease has left, it does not count.
    Raises Problem (422) if the label is not a class.
    """
    check(stream, given)
    question = stream.question(item)
    before = question.votes.get(who)
    token = digest(given.lease) if given.lease else ""
    lease = question.leases.get(token)
    over = given.lease is not None and lease not in question.active(at)
    taken = question.settled or (over and question.place(who, at) == "taken")
    stale = given.time is not None and given.time <= question.times.get(who, -math.inf)
    free = not stale and (not taken if before is None else before.who == who)
    skipped = question.skipped.get(who) if given.verdict == SKIP else None
    counts = given.verdict != SKIP and free
    body = given.model_dump(exclude={"id"}) | {
        "voter": who,
        "counts": counts,
        "late": over or question.retired or not free,
        "lease": token,
        "shown": lease.since if lease else None,
        "supersedes": before.seq if before and counts else skipped,
    }
    return append(stream, question, "answer", who, at, body)


def correct(
    stream: Stream, seq: int, given: Correction, who: str, at: float, anybody: bool = True
) -> dict[str, Any]:
    """Replace an answer with another, recorded as the answer of the person who corrects it.

    Raises Problem: 409 if it is superseded, 403 if it is another's and `anybody` is false.
    """
    check(stream, given)
    question, entry = standing_answer(stream, seq, who, anybody)
    body = given.model_dump() | {"voter": entry.body["voter"], "counts": True, "supersedes": seq}
    body |= {"late": False, "lease": "", "shown": None}  # a correction has no lease
    return append(stream, question, "answer", who, at, body)


def undo(stream: Stream, seq: int, who: str, at: float, anybody: bool = True) -> dict[str, Any]:
    """Withdraw an answer: its question waits again. Raises as `correct` does."""
    question, _ = standing_answer(stream, seq, who, anybody)
    return append(stream, question, "undo", who, at, {"supersedes": seq})


def standing_answer(stream: Stream, seq: int, who: str, anybody: bool) -> tuple[Question, Event]:
    """Return the question of an answer that this person may replace, and its log entry."""
    entry = stream.db.event(seq)
    if entry is None or entry.kind != "answer" or entry.stream != stream.id:
        raise missing(f"answer {seq} in stream {stream.name!r}")
    question = stream.question(entry.item)
    if seq not in question.standing:
        stood = entry.body["counts"] or entry.body["verdict"] == SKIP
        why = "does not stand any more" if stood else "does not count"
        raise Problem(409, "superseded", f"Answer {seq} {why}.")
    if not anybody and entry.who != who:
        raise Problem(403, "forbidden", "Only an admin corrects or undoes the answers of others.")
    return question, entry


def append(
    stream: Stream, question: Question, kind: str, who: str, at: float, body: dict[str, Any]
) -> dict[str, Any]:
    """Append an answer or undo to the log, and update the model unless the item is damaged."""
    sound = True
    try:
        body |= learn(stream, question, kind, who, body)
    except Damaged:
        body["learn"], sound = None, False
    event = stream.emit(kind, at, who, body, item=question.item)
    if not sound:
        stream.set_aside(question.item, at)
    return {
        "answer": event.seq,
        "item": question.item,
        "verdict": body.get("verdict", "undo"),
        "label": body.get("label"),
        "late": body.get("late", False),
        "counts": body.get("counts", True),
        "learned": body["learn"] is not None,
        "disputed": body["disputed"],
        "supersedes": body["supersedes"],
    }


def learn(
    stream: Stream, question: Question, kind: str, who: str, body: dict[str, Any]
) -> dict[str, Any]:
    """Update the model if this entry settles a label; return how, for the log.

    The log also has whether people disagree after it.
    """
    ahead, seq = deepcopy(question), stream.store.last[0] + 1  # as it will be after this entry
    ahead.apply(Event(seq, stream.id, kind, question.item, None, 0.0, who, body))
    body["disputed"] = ahead.disputed
    label, ticket = ahead.truth, question.decided["ticket"]
    if label is None or label == question.learned:
        return {"learn": None}
    if question.learned is None and stream.is_open(question):
        stream.model.tell(ticket, label)
        return {"learn": "tell", "learned": label, "ticket": ticket}
    if (row := stream.row(question.item)) is None:
        return {"learn": None}
    stream.model.teach(row, label)
    return {"learn": "teach", "learned": label}


def check(stream: Stream, given: Answer | Correction, more: Collection[str] = ()) -> None:
    """Raise Problem (422) if the stream cannot accept this answer, once it has `more` classes."""
    if (given.label is None) == (given.verdict == LABEL):
        raise invalid("A verdict 'label' has a label, and no other has one.")
    named = {*stream.named, *more}
    if given.label is not None and given.label not in named:
        if not stream.declaration.new_classes:
            known = ", ".join(map(repr, stream.named))
            raise invalid(f"There is no class {given.label!r} in {stream.name!r}, but {known}.")
        if not nameable(given.label):
            raise invalid(
                f"label: {given.label!r} cannot name a new class of {stream.name!r}: give "
                "1 to 100 characters, without control characters, and not only blanks."
            )
        for name in named:
            if folded(name) == folded(given.label):
                raise invalid(
                    f"label: {given.label!r} differs from the class {name!r} in capitals or spaces "
                    f"alone: give {name!r}, or another name."
                )
        if len(named) >= 100:
            raise invalid(
                f"{stream.name!r} has 100 classes, the most there may be: give one of them."
            )


def folded(label: str) -> str:
    """Return the name of a class without capitals and spaces around it, or twice in it.

    >>> folded(" Not  spam")
    'not spam'
    """
    return " ".join(label.casefold().split())


def nameable(label: str) -> bool:
    """Return whether people can see and type this as the name of a class.

    >>> nameable("not spam"), nameable(" "), nameable("spam" + chr(0))
    (True, False, False)
    """
    kinds = set(map(category, label))
    return any(kind[0] not in "CZ" for kind in kinds) and not kinds & {"Cc", "Zl", "Zp"}


def digest(token: str) -> str:
    """Return the digest of a lease token that the log holds."""
    return sha256(token.encode()).hexdigest()[:32]
