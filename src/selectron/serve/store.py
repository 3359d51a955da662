"""The store of a folder, in SQLite.

One thread writes (`Store`), any number read (`event.Log`). A transaction is durable once `commit`
has returned. Entries of the log are sealed in a chain, and a file next to the database holds the
last sequence number: damaged or lost entries are found when the store is opened.
"""

import zlib
from contextlib import ExitStack, closing
from pathlib import Path

from ..engine.rows import Dense, Sparse
from . import opening, strict
from .event import COLUMNS, Event, content_seal, packed, record_seal, sealed
from .problem import missing


class Store:
    """The store in a folder, for the one thread that writes.

    Raises SelectronError if it is in use, damaged, or of a later version. With `accept_loss`, it
    opens even if the end of the log is lost.
    """

    def __init__(self, folder: Path, accept_loss: bool = False):
        opening.closed_to_others(folder)
        self.folder = folder
        with ExitStack() as undoing:
            undoing.enter_context(opening.locked(folder / "lock"))
            self.witness = undoing.enter_context(closing(opening.Witness(folder / "head")))
            self.db = undoing.enter_context(closing(opening.opened(folder / opening.DATABASE)))
            self.head, self.last_at = opening.verified(self.db, self.witness, accept_loss)
            odd = "seal <> content_seal(item, stream, at, CAST(raw AS BLOB), features)"
            query = f"SELECT stream, item FROM contents WHERE {odd}"
            self.found_damaged = self.db.execute(query).fetchall()
            self.closing = undoing.pop_all()
        self.kept = self.head
        query = "SELECT value FROM about WHERE name = 'identity'"
        (self.identity,) = self.db.execute(query).fetchone()

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

    # The log, and the contents of items, which are apart from it so that they can be deleted

    def append(self, event: Event) -> Event:
        """Append an entry under the next number; `item` is 0 if the entry is an item itself."""
        seq = self.head[0] + 1
        event = event._replace(seq=seq, item=event.item or seq)
        values = (*event[:7], strict.dumps(event.body))
        seal = sealed(values, self.head[1])
        self.db.execute(f"INSERT INTO log ({COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)", (*values, seal))
        self.head, self.last_at = (seq, seal), event.at
        return event

    def put_content(self, event: Event, raw: str | None, row: Dense | Sparse | None) -> None:
        """Store the content of an item."""
        blob = None if row is None else packed(row)
        start = (event.item, event.stream, event.at)
        seal = content_seal(*start, None if raw is None else raw.encode(), blob)
        self.db.execute("INSERT INTO contents VALUES (?,?,?,?,?,?)", (*start, raw, blob, seal))

    def drop_raw(self, item: int) -> None:
        """Delete an item and keep its row; a damaged content stays damaged."""
        query = (
            "UPDATE contents SET raw = NULL, seal = CASE seal"
            " WHEN content_seal(item, stream, at, CAST(raw AS BLOB), features)"
            " THEN content_seal(item, stream, at, NULL, features) ELSE seal END"
            " WHERE item = ? AND raw IS NOT NULL"
        )
        self.db.execute(query, (item,))

    def forget(self, stream: int, seq: int, before: float) -> None:
        """Delete contents older than a time, unless an entry after `seq` refers to them."""
        query = (
            "DELETE FROM contents WHERE stream = ? AND item <= ? AND at < ? AND NOT EXISTS"
            " (SELECT 1 FROM log"
            " WHERE log.item = contents.item AND log.kind <> 'item' AND log.seq > ?)"
        )
        self.db.execute(query, (stream, seq, before, seq))

    # Replies under the keys of requests, declarations of streams, and tokens

    def reply(self, key: str) -> tuple[str, str] | None:
        """Return the digest of a request and its reply, None if there is none."""
        query = "SELECT key, digest, reply, seal FROM replies WHERE key = ?"
        found = self.db.record("the kept reply to this request", query, key, _reply_seal)
        return found and found[1:]

    def put_reply(self, key: str, digest: str, reply: str, at: float) -> None:
        """Store the reply to a request."""
        seal = _reply_seal(key, digest, reply)
        self.db.execute("INSERT INTO replies VALUES (?,?,?,?,?)", (key, digest, reply, at, seal))

    def forget_replies(self, before: float) -> None:
        """Delete replies older than a time."""
        self.db.execute("DELETE FROM replies WHERE at < ?", (before,))

    def declared(self, name: str) -> str | None:
        """Return the last declaration of a stream as JSON, None for a new stream."""
        query = "SELECT name, declared, seal FROM streams WHERE name = ?"
        found = self.db.record(f"stream {name!r}", query, name, record_seal)
        return found and found[1]

    def stream_id(self, name: str, declared: str) -> int:
        """Return the number of a stream by its name, and store its declaration."""
        query = (
            "INSERT INTO streams (name, declared, seal) VALUES (?, ?, ?)"
            " ON CONFLICT (name) DO UPDATE SET declared = excluded.declared, seal = excluded.seal"
            " RETURNING id"
        )
        return self.db.execute(query, (name, declared, record_seal(name, declared))).fetchone()[0]

    def put_place(self, name: str, value: int) -> None:
        """Keep a number under a name."""
        sealed_value = f"{value} {record_seal(name, str(value))}"
        self.db.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, sealed_value))

    def put_token(self, name: str, role: str, digest: str, expires: float | None) -> None:
        """Store a token's digest, replacing one of the same name."""
        values = (name, role, digest, expires)
        query = "INSERT OR REPLACE INTO tokens VALUES (?,?,?,?,?)"
        self.db.execute(query, (*values, record_seal(*values)))

    def drop_token(self, name: str) -> None:
        """Delete a token by its name. Raises Problem (404) if there is none."""
        if not self.db.execute("DELETE FROM tokens WHERE name = ?", (name,)).rowcount:
            raise missing(f"token named {name!r}")


def _reply_seal(*fields: str) -> int:
    return zlib.crc32("".join(fields).encode())


def reached(name: str) -> None:
    """Mark a point where a crash matters most; tests kill the process here."""
