"""The store of a folder, in SQLite.

One thread writes (`Store`), any number read (`reader`). A transaction is durable once `commit` has
returned. Entries of the log are sealed in a chain, and a file next to the database holds the last
sequence number: damaged or lost entries are found when the store is opened.
"""

import json
import logging
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ..engine.rows import Dense, Sparse
from .event import (
    Damaged,
    Event,
    checking,
    content_seal,
    packed,
    record_seal,
    sealed,
    unpacked,
    written,
)
from .opening import DATABASE, Lock, Witness, closed_to_others, damaged_contents, opened, verified

LOG = logging.getLogger("selectron.serve")
COLUMNS = "seq, stream, kind, item, key, at, who, body, seal"


class Store:
    """The store in a folder, for the one thread that writes.

    Raises SelectronError if it is in use, damaged, or of a later version. With `accept_loss`, it
    opens even if the end of the log is lost.
    """

    def __init__(self, folder: Path, accept_loss: bool = False):
        closed_to_others(folder, DATABASE)
        self.folder = folder
        with ExitStack() as undoing:
            undoing.callback(Lock(folder / "lock").release)
            self.witness = Witness(folder / "head")
            undoing.callback(self.witness.close)
            self.db = opened(folder / DATABASE)
            undoing.callback(self.db.close)
            self.head, self.last_at = verified(self.db, self.witness, accept_loss)
            self.found_damaged = damaged_contents(self.db)
            self.closing = undoing.pop_all()
        self.kept = self.head
        self.identity = self._identity()

    def _identity(self) -> str:
        (value,) = self.db.execute("SELECT value FROM about WHERE name = 'identity'").fetchone()
        return value

    # Transactions

    def begin(self) -> None:
        """Begin a transaction."""
        self.db.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Commit durably. Raises sqlite3.Error or OSError if that fails."""
        reached("before commit")
        self.db.execute("COMMIT")
        reached("after commit")
        self.witness.write(self.head)
        self.kept = self.head

    def rollback(self) -> None:
        """Roll back the transaction."""
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")
        self.head = self.kept

    def probe(self) -> None:
        """Write a dummy record, to test whether writing works."""
        self.begin()
        self.db.execute("INSERT OR REPLACE INTO about VALUES ('probe', ?)", ("." * 65_536,))
        self.db.execute("COMMIT")

    def close(self) -> None:
        """Close the store and release its lock."""
        self.closing.close()

    # The log

    def append(self, event: Event) -> Event:
        """Append an entry under the next number; `item` is 0 if the entry is an item itself."""
        seq = self.head[0] + 1
        event = event._replace(seq=seq, item=event.item or seq)
        text = written(event.body)
        seal = sealed((*event[:7], text), self.head[1])
        self.db.execute(
            f"INSERT INTO log ({COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)", (*event[:7], text, seal)
        )
        self.head, self.last_at = (seq, seal), event.at
        return event

    def item_of(self, stream: int, key: str) -> Event | None:
        """Return the entry of an item by its own id."""
        return _first(self.db, "stream = ? AND key = ?", (stream, key))

    def event(self, seq: int) -> Event | None:
        """Return an entry by its number."""
        return _first(self.db, "seq = ?", (seq,))

    def seal_of(self, seq: int) -> int | None:
        """Return the seal of an entry."""
        found = self.db.execute("SELECT seal FROM log WHERE seq = ?", (seq,)).fetchone()
        return found and found[0]

    def about(self, item: int, until: int | None = None) -> Iterator[Event]:
        """Yield the entry of an item and all entries about it up to a number, in log order."""
        return about(self.db, item, self.head[0] if until is None else until)

    def after(self, stream: int, seq: int) -> Iterator[Event]:
        """Yield the entries of a stream after a number."""
        return entries(self.db, "seq > ? AND stream = ? ORDER BY seq", (seq, stream))

    # Contents of items

    def put_content(self, event: Event, raw: str | None, row: Dense | Sparse | None) -> None:
        """Store the content of an item, apart from the log, so that it can be deleted."""
        blob = None if row is None else packed(row)
        seal = content_seal(event.item, event.stream, event.at, _bytes(raw), blob)
        values = (event.item, event.stream, event.at, raw, blob, seal)
        self.db.execute("INSERT INTO contents VALUES (?,?,?,?,?,?)", values)

    def content(self, item: int) -> tuple[dict[str, Any] | None, Dense | Sparse | None] | None:
        """Return an item and its row, each None if it is not stored."""
        return content(self.db, item)

    def drop_raw(self, item: int) -> None:
        """Delete an item and keep its row; a damaged content stays damaged."""
        query = (
            "SELECT item, stream, at, CAST(raw AS BLOB), features, seal FROM contents"
            " WHERE item = ? AND raw IS NOT NULL"
        )
        for *found, seal in self.db.execute(query, (item,)).fetchall():
            number, stream, at, raw, blob = found
            if seal == content_seal(number, stream, at, raw, blob):
                seal = content_seal(number, stream, at, None, blob)
            change = "UPDATE contents SET raw = NULL, seal = ? WHERE item = ?"
            self.db.execute(change, (seal, item))

    def damaged(self, stream: int) -> list[int]:
        """Return the items of a stream whose contents were damaged at the start."""
        return [item for item, of in self.found_damaged if of == stream]

    def forget(self, stream: int, seq: int, before: float) -> int:
        """Delete contents older than a time, unless an entry after `seq` refers to them."""
        query = (
            "DELETE FROM contents WHERE stream = ? AND item <= ? AND at < ? AND NOT EXISTS"
            " (SELECT 1 FROM log"
            " WHERE log.item = contents.item AND log.kind <> 'item' AND log.seq > ?)"
        )
        return self.db.execute(query, (stream, seq, before, seq)).rowcount

    # Replies, under the keys of requests

    def reply(self, key: str) -> tuple[str, str] | None:
        """Return the digest of a request and its reply, None if there is none."""
        query = "SELECT digest, reply, seal FROM replies WHERE key = ?"
        what = "the kept reply to this request"
        with checking(what):
            found = self.db.execute(query, (key,)).fetchone()
        if found is not None and found[2] != _reply_seal(key, *found[:2]):
            raise Damaged(what)
        return found and found[:2]

    def put_reply(self, key: str, digest: str, reply: str, at: float) -> None:
        """Store the reply to a request."""
        seal = _reply_seal(key, digest, reply)
        self.db.execute("INSERT INTO replies VALUES (?,?,?,?,?)", (key, digest, reply, at, seal))

    def forget_replies(self, before: float) -> None:
        """Delete replies older than a time."""
        self.db.execute("DELETE FROM replies WHERE at < ?", (before,))

    # Streams and tokens

    def stream_id(self, name: str, declared: str) -> int:
        """Return the number of a stream by its name, and store its declaration."""
        query = (
            "INSERT INTO streams (name, declared, seal) VALUES (?, ?, ?)"
            " ON CONFLICT (name) DO UPDATE SET declared = excluded.declared, seal = excluded.seal"
            " RETURNING id"
        )
        return self.db.execute(query, (name, declared, record_seal(name, declared))).fetchone()[0]

    def declared(self, name: str) -> str | None:
        """Return the last declaration of a stream as JSON, None for a new stream."""
        query, what = "SELECT declared, seal FROM streams WHERE name = ?", f"stream {name!r}"
        with checking(what):
            found = self.db.execute(query, (name,)).fetchone()
        if found is not None and found[1] != record_seal(name, found[0]):
            raise Damaged(what)
        return found and found[0]

    def put_token(self, name: str, role: str, digest: str, expires: float | None) -> None:
        """Store a token's digest, replacing one of the same name."""
        values = (name, role, digest, expires)
        query = "INSERT OR REPLACE INTO tokens VALUES (?,?,?,?,?)"
        self.db.execute(query, (*values, record_seal(*values)))

    def drop_token(self, name: str) -> bool:
        """Delete a token by its name; return whether there was one."""
        return self.db.execute("DELETE FROM tokens WHERE name = ?", (name,)).rowcount > 0


def other_streams(db: sqlite3.Connection, name: str) -> bool:
    """Return whether there is a stream of another name."""
    return db.execute("SELECT 1 FROM streams WHERE name <> ?", (name,)).fetchone() is not None


def tokens(db: sqlite3.Connection) -> list[tuple[str, str, str, float | None]]:
    """Return name, role, digest and expiry of every undamaged token."""
    query = "SELECT name, role, digest, expires, seal FROM tokens ORDER BY name"
    with checking("a token"):
        rows = db.execute(query).fetchall()
    for name, *rest in rows:
        if record_seal(name, *rest[:3]) != rest[3]:
            LOG.warning("The token of %r is damaged, and not accepted: make another.", name)
    return [row[:4] for row in rows if record_seal(*row[:4]) == row[4]]


def entries(db: sqlite3.Connection, where: str, values: tuple) -> Iterator[Event]:
    """Yield entries of the log. Raises Damaged if one does not match its seal."""
    query = (
        f"SELECT {COLUMNS}, (SELECT b.seal FROM log AS b WHERE b.seq = log.seq - 1)"
        f" FROM log WHERE {where}"
    )
    with checking("an entry of the log"):
        for *fields, body, seal, before in db.execute(query, values):
            if sealed((*fields, body), before or 0) != seal:
                raise Damaged(f"entry {fields[0]} of the log")
            yield Event._make([*fields, json.loads(body)])


def about(db: sqlite3.Connection, item: int, until: int) -> Iterator[Event]:
    """Yield the entry of an item and all entries about it up to a number, in log order."""
    where = "item = ? AND seq <= ? AND kind <> 'item' ORDER BY seq"
    if (first := _first(db, "seq = ? AND kind = 'item'", (item,))) is not None:
        yield first
        yield from entries(db, where, (item, until))


def content(
    db: sqlite3.Connection, item: int
) -> tuple[dict[str, Any] | None, Dense | Sparse | None] | None:
    """Return an item and its row, each None if it is not stored; None if neither is.

    Raises Damaged if the content does not match its checksum.
    """
    query = (
        "SELECT item, stream, at, CAST(raw AS BLOB), features, seal FROM contents WHERE item = ?"
    )
    what = f"the content of item {item}"
    with checking(what):
        found = db.execute(query, (item,)).fetchone()
    if found is None:
        return None
    *fields, seal = found
    if seal != content_seal(*fields):
        raise Damaged(what)
    raw, blob = fields[3:]
    return (None if raw is None else json.loads(raw), None if blob is None else unpacked(blob))


def _first(db: sqlite3.Connection, where: str, values: tuple) -> Event | None:
    return next(entries(db, where, values), None)


def _reply_seal(key: str, digest: str, reply: str) -> int:
    return zlib.crc32((key + digest + reply).encode())


def _bytes(raw: str | None) -> bytes | None:
    return None if raw is None else raw.encode()


def reached(name: str) -> None:
    """Mark a point where a crash matters most; tests kill the process here."""
