"""A stream: its log and the state derived from it, for one thread within a transaction."""

import logging
import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple

from ..engine.rows import Dense, Sparse
from ..errors import SelectronError
from . import strict
from .declaration import Declaration
from .event import Damaged, Event
from .learning import Decided, Learning, extractor
from .problem import Problem
from .question import COUNTS, Question, Tally, derived
from .store import Store

NOBODY = ""  # `who` of retired questions in the log
LOG = logging.getLogger("selectron.serve")
TOGETHER = 500  # entries replayed at a time


class Item(NamedTuple):
    """An item as sent: its own id, its data as JSON, a hash of that, and its row.

    Fields keep the order in which they were sent; the hash does not depend on it.
    """

    key: str | None
    raw: str
    digest: str
    row: Dense | Sparse

    @classmethod
    def of(cls, key: str | None, data: dict[str, Any], row: Dense | Sparse) -> "Item":
        """Return the item with these fields.

        >>> import numpy as np
        >>> row = Dense(np.zeros((1, 1)))
        >>> a, b = Item.of("k", {"b": 1, "a": 2}, row), Item.of("k", {"a": 2, "b": 1}, row)
        >>> a.raw, a.digest == b.digest
        ('{"b":1,"a":2}', True)
        """
        digest = sha256(strict.dumps(data).encode()).hexdigest()[:32]
        return cls(key, strict.dumps(data, sort=False), digest, row)


class Stream:
    """A stream of a store: `model`, `tally` and `open` are derived from the log."""

    def __init__(self, declaration: Declaration, store: Store):
        self.declaration, self.store = declaration, store
        self.name, self.needed = declaration.name, declaration.annotators
        self.id = store.stream_id(declaration.name, strict.dumps(declaration.model_dump()))
        self.rows = extractor(declaration.features)
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first entry."""
        self.model = Learning(self.declaration)
        self.tally = Tally()
        self.open: dict[int, Question] = {}  # waiting questions, oldest first
        self.named: dict[str, None] = dict.fromkeys(self.declaration.classes)
        self.seq = 0

    # Items

    def add(self, items: Sequence[Item], at: float, who: str) -> list[dict[str, Any]]:
        """Add items, and decide on each that is new: all of them or none.

        Raises Problem (409) if one has the id of a different item.
        """
        known: dict[str, Event | str] = {}
        for item in items:
            self._look_up(item, known)
        return [self._add(item, known, at, who) for item in items]

    def add_each(
        self, items: Sequence[Item | Problem], at: float, who: str
    ) -> list[dict[str, Any] | Problem]:
        """Add items independently; return a Problem in the place of each that is refused."""
        known: dict[str, Event | str] = {}
        replies: list[dict[str, Any] | Problem] = []
        for item in items:
            try:
                if isinstance(item, Problem):
                    raise item
                self._look_up(item, known)
                replies.append(self._add(item, known, at, who))
            except Problem as problem:
                replies.append(problem)
        return replies

    def _look_up(self, item: Item, known: dict) -> None:
        """Look up an item by its id. Raises Problem (409) if the known item is different."""
        if item.key is None:
            return
        found = known.get(item.key) or self.store.item_of(self.id, item.key)
        digest = found.body["digest"] if isinstance(found, Event) else found
        if digest not in (None, item.digest):
            raise Problem(409, "conflict", f"There is another item with the id {item.key!r}.")
        known[item.key] = found or item.digest

    def _add(self, item: Item, known: dict, at: float, who: str) -> dict[str, Any]:
        found = known.get(item.key) if item.key is not None else None
        if isinstance(found, Event):
            return {**shown(found), "known": True}
        decided = self.model.decide(item.row, at)
        body = {**recorded(decided), "digest": item.digest, "version": self.model.learned}
        event = self.emit("item", at, who, body, key=item.key)
        self.keep(event, item, decided.ticket is not None)
        if item.key is not None:
            known[item.key] = event
        self._make_room(at)
        return {**shown(event), "known": False}

    def keep(self, event: Event, item: Item, asked: bool) -> None:
        """Store as much of an item as the stream's privacy allows."""
        raw = self.declaration.privacy.keep == "raw"
        row = None if raw else item.row
        self.store.put_content(event, item.raw if raw or asked else None, row)

    def _make_room(self, at: float) -> None:
        while len(self.open) > self.declaration.queue:
            oldest = next((q for q in self.open.values() if not q.active(at)), None)
            question = oldest or next(iter(self.open.values()))
            self.emit("retired", at, NOBODY, {"why": "too many wait"}, item=question.item)

    # The log

    def emit(
        self, kind: str, at: float, who: str, body: dict, *, item: int = 0, key: str | None = None
    ) -> Event:
        """Append an entry to the log, and update the state."""
        event = self.store.append(Event(0, self.id, kind, item, key, at, who, body))
        self.take(event)
        return event

    def take(self, event: Event) -> None:
        """Update the questions and statistics with an entry; the model is already updated."""
        if event.kind == "item":
            self.tally.add_item(event)
            if event.body["asked"]:
                self.open[event.seq] = Question(event, self.needed)
        else:
            # the entry itself may be in the store already: read those before it
            question = self.question(event.item, event.seq - 1)
            before = question.mistake()
            question.apply(event)
            self.tally.add(event, before, question)
            self._sort_in(question)
            if event.body.get("label") is not None:
                self.named[event.body["label"]] = None
        self.tally.draw(event.at, len(self.open))
        self.seq = event.seq

    def _sort_in(self, question: Question) -> None:
        if not question.waiting:
            self.open.pop(question.item, None)
            if question.asked and self.declaration.privacy.keep == "hash":
                self.store.drop_raw(question.item)
        elif question.item not in self.open:
            self.open[question.item] = question
            self.open = dict(sorted(self.open.items()))

    def question(self, item: int, until: int | None = None) -> Question:
        """Return the question of an item, queried or not. Raises Problem (404) if there is none."""
        if item in self.open:
            return self.open[item]
        found = derived(self.store.about(item, until), self.needed)
        if found is None or found.stream != self.id:
            raise Problem(404, "not_found", f"Stream {self.name!r} has no item {item}.")
        return found

    def set_aside(self, item: int, at: float) -> None:
        """Set aside an item whose content is damaged, once."""
        if not self.question(item).damaged:
            LOG.error("Stream %r: item %d is damaged, and set aside.", self.name, item)
            self.emit("damaged", at, NOBODY, {"why": "its checksum does not match"}, item=item)

    def row(self, item: int) -> Dense | Sparse | None:
        """Return the row of an item, None if its content is deleted. Raises Damaged."""
        return self._rows([item]).get(item)

    def replay(self, events: Iterable[Event]) -> None:
        """Replay log entries, including the model's rounds.

        Raises SelectronError if a decision differs, and Damaged if the model needs a damaged item;
        the entries before it have then been replayed.
        """
        events = iter(events)
        while part := list(islice(events, TOGETHER)):
            items = [event.item for event in part if event.kind == "item"]
            rows = self._rows(items, damaged=True)
            for event in part:
                if event.kind == "item":
                    self._decide_again(event, rows.get(event.item))
                elif learn := event.body.get("learn"):
                    self._learn_again(event, learn)
                self.take(event)

    def forgo(self) -> tuple[str, int]:
        """Apply the rest of the log without the model; return the name and where it begins."""
        start = self.seq
        for event in self.store.after(self.id, start):
            self.take(event)
        self.model.void = self.seq
        return self.name, start

    def _rows(self, items: Sequence[int], damaged: bool = False) -> dict[int, Dense | Sparse]:
        """Return the rows of those items whose contents are stored.

        Raises Damaged if a content is damaged, unless `damaged` ones are to be left out.
        """
        contents: dict[int, Any] = {}
        for item in items:
            with suppress(*([Damaged] if damaged else [])):
                contents[item] = self.store.content(item) or (None, None)
        raw = {item: raw for item, (raw, row) in contents.items() if row is None and raw}
        made = dict(zip(raw, self.rows(list(raw.values())), strict=True)) if raw else {}
        return made | {item: row for item, (_, row) in contents.items() if row is not None}

    def _decide_again(self, event: Event, row: Dense | Sparse | None) -> None:
        if row is None and (row := self.row(event.item)) is None:  # or raises Damaged
            raise self._gone(event)
        again = {**recorded(self.model.decide(row, event.at)), "version": self.model.learned}
        if any(event.body[name] != value for name, value in again.items()):
            raise SelectronError(
                f"Stream {self.name!r}: item {event.item} of the log comes out differently from "
                "before: serve it with the packages that it was served with."
            )

    def _learn_again(self, event: Event, learn: str) -> None:
        if learn == "tell":
            self.model.tell(event.body["ticket"], event.body["learned"])
            return
        row = self.row(event.item)
        if row is None:
            raise self._gone(event)
        self.model.teach(row, event.body["learned"])

    def _gone(self, event: Event) -> SelectronError:
        return SelectronError(
            f"Stream {self.name!r}: item {event.item} was deleted, and the model's snapshots, "
            "which were to take its place, are gone: bring them back."
        )


def recorded(decided: Decided) -> dict[str, Any]:
    """Return a decision as stored in the log."""
    values = decided._asdict()
    return {**values, "asked": decided.ticket is not None}


def shown(event: Event) -> dict[str, Any]:
    """Return a decision as replies contain it."""
    body = event.body
    return {
        "item": event.seq,
        "id": event.key,
        **{name: body[name] for name in ("label", "margin", "probability", "asked")},
        "ticket": event.seq if body["asked"] else None,
        **{name: body[name] for name in ("reason", "version")},
    }


def view(stream: Stream) -> dict[str, Any]:
    """Return an immutable view of a stream's state for readers."""
    tally, declaration = stream.tally, stream.declaration
    estimates = {"overall": tally.accuracy(), "recent": tally.accuracy(recent=True)}
    return {
        "name": stream.name,
        "title": declaration.title or stream.name,
        "classes": list(stream.named),
        "new_classes": declaration.new_classes,
        "annotators": declaration.annotators,
        "lease": declaration.lease,
        "learner": declaration.learner,
        **{name: getattr(tally, name) for name in COUNTS},
        "hide": declaration.hide,
        "queue": len(stream.open),
        "version": stream.model.learned,
        "entry": stream.seq,
        "share": tally.share(),
        "budget": budget(stream),
        "accuracy": {name: plain(*estimate) for name, estimate in estimates.items()},
        "drifts": tally.drifts,
        "points": list(tally.points),
    }


def plain(accuracy: float, low: float, high: float) -> dict[str, float | None]:
    """Return an estimate for JSON, with null for NaN."""
    return {"estimate": None if math.isnan(accuracy) else accuracy, "low": low, "high": high}


def budget(stream: Stream) -> dict[str, Any]:
    """Return the budget left, and the expected items and seconds until the next question."""
    asker, pace, share = stream.model.asker, stream.tally.pace(), stream.tally.share()
    items = 1 / share if share else None
    found: dict[str, Any] = {"written": stream.declaration.budget}
    found["items_a_minute"] = 60 * pace if pace else None
    rate = asker.rate
    if rate is None:
        past = stream.model.clf.model_.past if stream.model.begun else asker.past()
        found["left"] = max(0.0, (asker.labels or 0) - float(past[1]))
    else:
        found["left"] = max(0.0, rate * stream.tally.items - stream.tally.asked)
    found["next_ask_items"] = items
    found["next_ask_seconds"] = items / pace if items and pace else None
    return found
