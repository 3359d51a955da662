"""The store: everything that is kept, in SQLite. Nothing else in the project speaks SQL to it.

One thread writes (`Store`), any number read (`reader`). A transaction is durable once `commit` has
returned. Entries of the log are sealed in a chain, and a witness beside the database tells how far
the log went: what was damaged, or lost at its end, is found when the store is opened.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ..engine.rows import Dense, Sparse
from ..errors import SelectronError
from . import points
from .event import Event, packed, sealed, unpacked, written
from .opening import DATABASE, opened, verified
from .witness import Lock, Witness

COLUMNS = "seq, stream, kind, item, key, at, who, body, seal"


class Store:
    """The store in a folder, for the one thread that writes.

    Raises SelectronError if it is in use, damaged, or of a later version. `accept_loss` goes on
    where the end of the log is lost.
    """

    def __init__(self, folder: Path, accept_loss: bool = False):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        with ExitStack() as undoing:
            undoing.callback(Lock(folder / "lock").release)
            self.witness = Witness(folder / "head")
            undoing.callback(self.witness.close)
            self.db = opened(folder / DATABASE)
            undoing.callback(self.db.close)
            self.head, self.last_at = verified(self.db, self.witness, accept_loss)
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
        """Make it durable; raises sqlite3.Error or OSError if that cannot be."""
        points.reached("before commit")
        self.db.execute("COMMIT")
        points.reached("after commit")
        self.witness.write(self.head)
        self.kept = self.head

    def rollback(self) -> None:
        """Be as before the transaction."""
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")
        self.head = self.kept

    def probe(self) -> None:
        """Write something that means nothing, to see whether writing works."""
        self.begin()
        self.db.execute("INSERT OR REPLACE INTO about VALUES ('probe', ?)", ("." * 65_536,))
        self.db.execute("COMMIT")

    def close(self) -> None:
        """Close it; nobody else may have it before."""
        self.closing.close()

    # The log

    def append(self, event: Event) -> Event:
        """Append an entry, under the next number; its `item` is 0 if it is an item itself."""
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
        """Yield the entry of an item, and all about it, in their order, up to a number."""
        until = self.head[0] if until is None else until
        where = "item = ? AND seq <= ? AND kind <> 'item' ORDER BY seq"
        if (first := self.event(item)) is not None and first.kind == "item":
            yield first
            yield from entries(self.db, where, (item, until))

    def after(self, stream: int, seq: int) -> Iterator[Event]:
        """Yield the entries of a stream that come after a number."""
        return entries(self.db, "seq > ? AND stream = ? ORDER BY seq", (seq, stream))

    # Contents of items

    def put_content(self, event: Event, raw: str | None, row: Dense | Sparse | None) -> None:
        """Keep what an item is, apart from the log: it may be deleted."""
        blob = None if row is None else packed(row)
        values = (event.item, event.stream, event.at, raw, blob, _seal(raw, blob))
        self.db.execute("INSERT INTO contents VALUES (?,?,?,?,?,?)", values)

    def content(self, item: int) -> tuple[dict[str, Any] | None, Dense | Sparse | None] | None:
        """Return the item as it came, and its row, as far as they are kept."""
        return content(self.db, item)

    def drop_raw(self, item: int) -> None:
        """Delete an item as it came, and keep its row."""
        query = "SELECT features FROM contents WHERE item = ?"
        for (blob,) in self.db.execute(query, (item,)).fetchall():
            values = (_seal(None, blob), item)
            self.db.execute("UPDATE contents SET raw = NULL, seal = ? WHERE item = ?", values)

    def forget(self, stream: int, seq: int, before: float) -> int:
        """Delete contents older than a time, unless an entry after `seq` is about them."""
        query = (
            "DELETE FROM contents WHERE stream = ? AND item <= ? AND at < ? AND NOT EXISTS"
            " (SELECT 1 FROM log"
            " WHERE log.item = contents.item AND log.kind <> 'item' AND log.seq > ?)"
        )
        return self.db.execute(query, (stream, seq, before, seq)).rowcount

    # Replies, under the keys of requests

    def reply(self, key: str) -> tuple[str, str] | None:
        """Return the digest of a request and its reply."""
        query = "SELECT digest, reply, seal FROM replies WHERE key = ?"
        for digest, reply, seal in self.db.execute(query, (key,)):
            if seal != zlib.crc32((key + digest + reply).encode()):
                raise SelectronError(f"The store is damaged: the reply {key!r} does not fit.")
            return digest, reply
        return None

    def put_reply(self, key: str, digest: str, reply: str, at: float) -> None:
        """Keep the reply to a request."""
        seal = zlib.crc32((key + digest + reply).encode())
        self.db.execute("INSERT INTO replies VALUES (?,?,?,?,?)", (key, digest, reply, at, seal))

    def forget_replies(self, before: float) -> None:
        """Delete replies that are older."""
        self.db.execute("DELETE FROM replies WHERE at < ?", (before,))

    # Streams and tokens

    def stream_id(self, name: str, declared: str) -> int:
        """Return the number of a stream by its name, and keep how it is declared now."""
        query = (
            "INSERT INTO streams (name, declared) VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET declared = excluded.declared RETURNING id"
        )
        return self.db.execute(query, (name, declared)).fetchone()[0]

    def declared(self, name: str) -> str | None:
        """Return how a stream was declared when it was served last."""
        query = "SELECT declared FROM streams WHERE name = ?"
        found = self.db.execute(query, (name,)).fetchone()
        return found and found[0]

    def tokens(self) -> list[tuple[str, str, str, float | None]]:
        """Return name, role, digest and expiry of every token."""
        return self.db.execute("SELECT name, role, digest, expires FROM tokens").fetchall()

    def put_token(self, name: str, role: str, digest: str, expires: float | None) -> None:
        """Keep a token's digest; one of the same name is replaced."""
        query = "INSERT OR REPLACE INTO tokens VALUES (?,?,?,?)"
        self.db.execute(query, (name, role, digest, expires))


def entries(db: sqlite3.Connection, where: str, values: tuple) -> Iterator[Event]:
    """Yield entries of the log."""
    for *fields, body, _ in db.execute(f"SELECT {COLUMNS} FROM log WHERE {where}", values):
        yield Event._make([*fields, json.loads(body)])


def content(
    db: sqlite3.Connection, item: int
) -> tuple[dict[str, Any] | None, Dense | Sparse | None] | None:
    """Return an item as it came, and its row, as far as they are kept; None if nothing is."""
    query = "SELECT raw, features, seal FROM contents WHERE item = ?"
    found = db.execute(query, (item,)).fetchone()
    if found is None:
        return None
    raw, blob, seal = found
    if seal != _seal(raw, blob):
        raise SelectronError(f"The store is damaged: the content of item {item} does not fit.")
    return (None if raw is None else json.loads(raw), None if blob is None else unpacked(blob))


def _first(db: sqlite3.Connection, where: str, values: tuple) -> Event | None:
    return next(entries(db, where, values), None)


def _seal(raw: str | None, blob: bytes | None) -> int:
    return zlib.crc32((raw or "").encode(), zlib.crc32(blob or b""))
