"""A stream: its log and the state derived from it, for one thread within a transaction.

A snapshot holds that state up to an entry, so that a start need not replay the whole log. It is a
model file with the rest of the state in its header.
"""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from .. import storage
from ..errors import SelectronError
from ..estimator import packing
from ..estimator.classifier import OnlineClassifier
from . import strict
from .declaration import Declaration
from .event import LAST, LOG, Damaged, Event, Log
from .learning import Learning, Row, extractor
from .question import Question, Statistics, predicted
from .store import FILE, FOLDER, Store
from .strict import Problem, missing

KEPT = 3  # snapshots
NOBODY = ""  # `who` of retired questions in the log


class Item(NamedTuple):
    """An item as sent: its own id, its data as JSON, a hash of that, and its row, or its fields.

    Fields keep the order in which they were sent; the hash does not depend on it. `number` is that
    of the item that it was exported from, if it was.
    """

    key: str | None
    raw: str
    digest: str
    row: Row
    number: int | None = None


class Stream:
    """A stream of a store: `model`, `statistics` and `open` are derived from the log."""

    def __init__(self, declaration: Declaration, store: Store):
        self.declaration, self.store, self.db = declaration, store, store.db
        self.name, self.needed = declaration.name, declaration.annotators
        self.folder = store.folder / "snapshots" / self.name
        before = json.loads(store.declared(declaration.name) or "{}")
        first = {name: before.get(name, x) for name, x in declaration.changeable.items()}
        self.first = declaration.model_copy(update=first)  # as declared before the first entry
        declared = self.first.model_dump(exclude={"kafka"})  # whose settings may hold a password
        self.id = store.stream_id(declaration.name, strict.dumps(declared))
        self.row_of = extractor(declaration.features)
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first entry."""
        self.model, self.settings = Learning(self.first), self.first.changeable
        self.statistics = Statistics()
        self.open: dict[int, Question] = {}  # waiting questions, oldest first
        self.disputed: set[int] = set()  # those of them about which people disagree
        self.to_delete: set[int] = set()  # erased items whose content is still stored
        self.named: dict[str, None] = dict.fromkeys(self.first.classes)
        self.seq = self.saved = 0  # the last entry, and that of the last snapshot

    # Items

    def item(self, key: str | None, data: dict[str, Any]) -> Item:
        """Return the item with these fields. Raises Problem (422) if it has no row."""
        digest = sha256(strict.dumps(data).encode()).hexdigest()[:32]
        return Item(key, strict.dumps(data, sort=False), digest, self.row_of(data))

    def add(self, items: Sequence[Item], who: str, at: float) -> list[dict[str, Any]]:
        """Add items, and decide on each that is new: all of them or none.

        Raises Problem (409) if one has the id of a different item.
        """
        digests: dict[str | None, str] = {}
        for item in items:
            self._known(item)
            if item.key is not None and digests.setdefault(item.key, item.digest) != item.digest:
                raise _conflict(item)
        return [self.add_one(item, who, at) for item in items]

    def add_one(self, item: Item, who: str, at: float) -> dict[str, Any]:
        """Add an item; raise Problem (409) if there is another one with its id."""
        if (found := self._known(item)) is not None:
            return {**decision(found), "known": True}
        body = self.model.decide(item.row, at) | {"digest": item.digest}
        event = self.emit("item", at, who, body, key=item.key)
        raw = self.declaration.privacy.keep == "raw"
        kept = item.raw if raw or body["asked"] else None
        self.store.put_content(event, kept, None if raw or isinstance(item.row, dict) else item.row)
        self._make_room(at)
        return {**decision(event), "known": False}

    def _known(self, item: Item) -> Event | None:
        found = None if item.number is None else self.db.event(item.number)
        if found is not None and (found.stream, found.body.get("digest")) == (self.id, item.digest):
            return found
        found = None if item.key is None else self.db.item_of(self.id, item.key)
        if found is not None and found.body["digest"] != item.digest:
            raise _conflict(item)
        return found

    def _make_room(self, at: float) -> None:
        while len(self.open) > self.declaration.queue:
            oldest = next((q for q in self.open.values() if not q.active(at)), None)
            question = oldest or next(iter(self.open.values()))
            if not self.statistics.retired:
                LOG.warning(
                    "Stream %r: too many questions wait; the oldest are dropped.", self.name
                )
            self.emit("retired", at, NOBODY, {"why": "too many wait"}, item=question.item)

    def change_settings(self, at: float) -> None:
        """Apply the settings that are declared, if they are others than before.

        Raises SelectronError if a class is missing.
        """
        now = self.declaration.changeable
        if gone := [name for name in self.settings["classes"] if name not in now["classes"]]:
            raise SelectronError(
                f"Stream {self.name!r} was served with the class {gone[0]!r}: put it back, or give "
                "the stream a new name; classes may be added."
            )
        if now != self.settings:
            self.emit("settings", at, NOBODY, now)

    # The log

    def emit(
        self, kind: str, at: float, who: str, body: dict, *, item: int = 0, key: str | None = None
    ) -> Event:
        """Append an entry to the log, and update the state."""
        event = self.store.append(Event(0, self.id, kind, item, key, at, who, body))
        self.apply(event)
        return event

    def apply(self, event: Event) -> None:
        """Update the state with an entry; the model is updated already, but for its settings."""
        if event.kind == "item":
            self.statistics.add_item(event)
            if event.body["asked"]:
                self.open[event.seq] = Question(event, self.needed)
        elif event.kind == "settings":
            self.settings = event.body
            self.model.change(self.declaration.model_copy(update=event.body))
            self.named |= dict.fromkeys(event.body["classes"])
        else:
            # the entry itself may be in the store already: read those before it
            question = self.question(event.item, event.seq - 1)
            before = question.outcome
            question.apply(event)
            self.statistics.add(event, before, question)
            self._sort_in(question)
            if event.kind == "erased":
                self.to_delete.add(event.item)
            if event.body.get("label") is not None:
                self.named[event.body["label"]] = None
        if event.kind != "settings":  # which may come before the first item
            self.statistics.draw(event.at, len(self.open))
        self.seq = event.seq

    def _sort_in(self, question: Question) -> None:
        self.disputed -= {question.item}
        self.disputed |= {question.item} if question.disputed else set()
        if not question.waiting:
            self.open.pop(question.item, None)
            if question.asked and self.declaration.privacy.keep == "hash":
                self.store.drop_raw(question.item)
        elif question.item not in self.open:
            self.open[question.item] = question
            self.open = dict(sorted(self.open.items()))

    def question(self, item: int, until: int = LAST) -> Question:
        """Return the question of an item, queried or not. Raises Problem (404) if there is none."""
        return self.open[item] if item in self.open else self.derived(self.db, item, until)

    def derived(self, db: Log, item: int, until: int = LAST) -> Question:
        """Return the question of an item, derived from the entries about it up to a number.

        Readers of committed data call it, too. Raises Problem (404) if there is no such item.
        """
        first = db.event(item)
        if first is None or (first.kind, first.stream) != ("item", self.id):
            raise missing(f"item {item} in this stream")
        question = Question(first, self.needed)
        where = "item = ? AND seq <= ? AND kind <> 'item' ORDER BY seq"
        for event in db.entries(where, item, until):
            question.apply(event)
        return question

    def set_aside(self, item: int, at: float) -> None:
        """Set aside an item whose content is damaged, once."""
        if not self.question(item).damaged:
            LOG.error("Stream %r: item %d is damaged, and set aside.", self.name, item)
            self.emit("damaged", at, NOBODY, {"why": "its checksum does not match"}, item=item)

    def is_open(self, question: Question) -> bool:
        """Return whether the model still awaits the label of an item."""
        own = question.item > self.model.void  # or its ticket may be that of another item
        return own and question.decided["ticket"] in self.model.clf.model_.open

    def erase(self, item: int, who: str, at: float) -> dict[str, Any]:
        """Close the question of an item, and have its content deleted after the commit.

        The log keeps its id, the decision and the answers. Raises Problem (404) if there is none.
        """
        question = self.question(item)
        if not question.erased:
            ticket = question.decided["ticket"] if self.is_open(question) else None
            if ticket is not None:
                self.model.clf.expire(ticket)
            self.emit("erased", at, who, {"expired": ticket}, item=item)
        return {"item": item, "id": question.key, "erased": True}

    def row(self, item: int) -> Row | None:
        """Return the row of an item, None if its content is deleted. Raises Damaged."""
        raw, row = self.db.content(item)
        return self.row_of(raw) if row is None and raw is not None else row

    # A start, and snapshots

    def restore(self, accept_loss: bool = False) -> None:
        """Restore the state at the end of the log, from the latest valid snapshot if there is one.

        Damaged snapshots are skipped, with a warning. If the model needs a damaged item,
        SelectronError is raised; with `accept_loss` the model stays as it was before that item.
        """
        self.reset()
        for path in self.snapshots:
            if int(path.stem) > self.store.last[0]:  # of a lost end: it would outlive new ones
                LOG.warning("The snapshot %s is of another log, and deleted.", path)
                path.unlink(missing_ok=True)
                continue
            try:
                self.load(path)
                break
            except (SelectronError, OSError, ValueError, KeyError, TypeError) as error:
                LOG.warning("The snapshot %s is not used: %s", path, error)
                self.reset()
        try:
            self._replay()
        except Damaged as error:
            if not accept_loss:
                raise SelectronError(
                    f"Stream {self.name!r}: {error.what} is damaged, and the model has to learn it "
                    "again: bring back a copy of the folder, or start with --accept-loss to go on "
                    "with the model as it was before."
                ) from None
            lost = "Stream %r: the model has lost what came after entry %d."
            LOG.warning(lost, self.name, self.seq)
            self._replay(learning=False)
            self.model.void = self.seq
            self.take_snapshot()

    def _replay(self, learning: bool = True) -> None:
        """Replay the rest of the log; with `learning`, the model's rounds, too.

        Raises SelectronError if a decision differs, and Damaged if the model needs a damaged item;
        the entries before it have then been replayed.
        """
        where = "seq > ? AND stream = ? ORDER BY seq"
        for event in self.db.entries(where, self.seq, self.id):
            if learning:
                self._learn_again(event)
            self.apply(event)

    def _learn_again(self, event: Event) -> None:
        """Play the round of an item again, or learn a label again."""
        body = event.body
        if event.kind == "item":
            again = self.model.decide(self._row_again(event), event.at)
            if any(body[name] != value for name, value in again.items() if name in body):
                raise SelectronError(
                    f"Stream {self.name!r}: item {event.item} of the log comes out differently "
                    "from before: serve it with the packages that it was served with, and end that "
                    "server before you change them."
                )
        elif body.get("learn") == "tell":
            self.model.tell(body["ticket"], body["learned"])
        elif body.get("learn"):
            self.model.teach(self._row_again(event), body["learned"])
        elif body.get("expired") is not None:
            self.model.clf.expire(body["expired"])

    def _row_again(self, event: Event) -> Row:
        if (row := self.row(event.item)) is not None:
            return row
        raise Damaged(f"item {event.item} was deleted, and the snapshot in its place")

    @property
    def snapshots(self) -> list[Path]:
        """The files of the snapshots, latest first."""
        found = self.folder.glob("[0-9]*.model")  # a process that was killed may leave drafts
        return sorted(found, key=lambda path: -int(path.stem))

    def take_snapshot(self, kept: int = KEPT) -> None:
        """Take a snapshot once all entries are committed, and delete all but the last ones."""
        self.saved = self.seq  # even if it fails: the next attempt is as far away
        if not self.model.begun:
            return
        for folder in (self.folder.parent, self.folder):
            folder.mkdir(mode=FOLDER, exist_ok=True)
        header, arrays = packing.pack(self.model.clf)
        header["stream"] = {
            "store": self.store.identity,
            "seq": self.seq,
            "log": self.db.seal_of(self.seq),
            "learned": self.model.learned,
            "void": self.model.void,
            "settings": self.settings,
            "clock": [self.model.latest, self.model.lead],
            "tally": self.statistics.pack(),
            "open": list(self.open),
            "named": list(self.named),
            "erased": list(self.to_delete),
        }
        path = self.folder / f"{self.seq}.model"
        storage.write(path, header, arrays)
        path.chmod(FILE)
        try:  # before it takes the place of others
            packing.unpack(OnlineClassifier, path, *storage.read(path), ())
        except (OSError, SelectronError):
            path.unlink(missing_ok=True)
            raise
        for old in {*self.folder.iterdir()} - {*self.snapshots[:kept]}:
            old.unlink(missing_ok=True)

    def load(self, path: Path) -> None:
        """Load a snapshot; raise SelectronError if it is damaged, or of another store."""
        header, arrays = storage.read(path)
        state = header["stream"]
        seq = state["seq"]
        if (state["store"], state["log"]) != (self.store.identity, self.db.seal_of(seq)):
            raise SelectronError("it belongs to another log.")
        self.model.clf = packing.unpack(OnlineClassifier, path, header, arrays, ())
        self.model.learned, self.model.void = state["learned"], state["void"]
        self.model.latest, self.model.lead = state["clock"]
        self.settings = state["settings"]
        self.statistics = Statistics.unpack(state["tally"])
        self.open = {item: self.question(item, seq) for item in state["open"]}
        self.disputed = {item for item, question in self.open.items() if question.disputed}
        self.named = dict.fromkeys(state["named"])
        self.to_delete = {*state["erased"]}
        self.seq = self.saved = seq


def _conflict(item: Item) -> Problem:
    return Problem(409, "conflict", f"There is another item with the id {item.key!r}.")


def decision(event: Event) -> dict[str, Any]:
    """Return a decision as replies contain it."""
    body = event.body
    return {
        "item": event.seq,
        "id": event.key,
        "label": predicted(body),
        "proba": body.get("proba"),  # None: decided on by an earlier version
        "margin": body["margin"],
        "ask_probability": body["probability"],
        "asked": body["asked"],
        "ticket": event.seq if body["asked"] else None,
        "reason": body["reason"],
        "version": body["version"],
    }
