"""The store of a folder, in SQLite: its files and tables, and the one connection that writes.

One thread writes (`Store`), any number read (`event.Log`). A transaction is durable once `commit`
has returned. Entries of the log are sealed in a chain, and `head`, a file next to the database,
holds the last sequence number: damaged or lost entries are found when the store is opened. `head`
survives a crash of the process. It is not synced: after a power cut it may be behind the log, and
is ahead of it only if entries are lost.
"""

import sqlite3
import struct
import zlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

from ..engine.rows import Dense, Sparse
from ..errors import SelectronError
from . import strict
from .event import COLUMNS, CONTENTS, Event, Log, content_seal, packed, record_seal, sealed
from .strict import missing

DATABASE = "selectron.sqlite3"
FOLDER, FILE = 0o700, 0o600
CACHE_KB = 65_536
BUSY = 10.0  # seconds for which another connection is waited for


FORM = struct.Struct("<QI")  # the last entry and its seal, in `head`; a seal of these two follows


def with_checksum(data: bytes) -> bytes:
    """Return bytes followed by their checksum."""
    return data + zlib.crc32(data).to_bytes(4, "little")


VERSION = 2
SCHEMA = f"""
    BEGIN IMMEDIATE;
    CREATE TABLE streams (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, declared TEXT NOT NULL,
        seal INTEGER NOT NULL
    );
    CREATE TABLE log (
        seq INTEGER PRIMARY KEY, stream INTEGER NOT NULL, kind TEXT NOT NULL,
        item INTEGER NOT NULL, key TEXT, at REAL NOT NULL, who TEXT NOT NULL,
        body TEXT NOT NULL, seal INTEGER NOT NULL
    );
    CREATE UNIQUE INDEX log_by_key ON log (stream, key) WHERE key IS NOT NULL;
    CREATE INDEX log_by_item ON log (item, seq) WHERE kind <> 'item';
    CREATE INDEX log_of_answers ON log (stream, seq) WHERE kind = 'answer';
    CREATE TRIGGER log_keeps_entries BEFORE UPDATE ON log
        BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
    CREATE TRIGGER log_loses_nothing BEFORE DELETE ON log
        BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
    CREATE TABLE contents (
        item INTEGER PRIMARY KEY, stream INTEGER NOT NULL, at REAL NOT NULL,
        raw TEXT, features BLOB, seal INTEGER NOT NULL
    );
    CREATE TABLE replies (
        key TEXT PRIMARY KEY, digest TEXT NOT NULL, reply TEXT NOT NULL, at REAL NOT NULL,
        seal INTEGER NOT NULL
    );
    CREATE INDEX replies_by_age ON replies (at);
    CREATE TABLE tokens (
        name TEXT PRIMARY KEY, role TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, expires REAL,
        seal INTEGER NOT NULL
    );
    CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    INSERT INTO about VALUES ('identity', lower(hex(randomblob(16))));
    PRAGMA user_version = {VERSION};
    COMMIT;
"""


def reader(folder: Path) -> Log:
    """Return a read-only connection, which sees committed data."""
    uri = f"{(folder / DATABASE).absolute().as_uri()}?mode=ro"
    return sqlite3.connect(uri, uri=True, check_same_thread=False, factory=Log)


def locked(folder: Path) -> sqlite3.Connection:
    """Lock a folder by SQLite, which does so on every system, until it is closed or killed."""
    path = folder / "lock"
    held = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        held.execute("PRAGMA journal_mode = OFF")  # which would be another file
        held.execute("BEGIN EXCLUSIVE")
    except sqlite3.DatabaseError as error:
        held.close()
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise SelectronError(f"{path} cannot be locked: {error}.") from None
        raise SelectronError(
            f"{folder} is in use by another server: stop it, or give another --data."
        ) from None
    return held


def open_database(path: Path) -> Log:
    """Return a connection to a database; a new one gets its tables."""
    db = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=BUSY, factory=Log
    )
    settings = ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON")
    try:
        for setting in (*settings, f"cache_size = -{CACHE_KB}"):
            db.execute(f"PRAGMA {setting}")
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version == 0:
            db.executescript(SCHEMA)
    except sqlite3.DatabaseError as error:
        db.close()
        raise corrupt(path, str(error)) from None
    if version not in (0, VERSION):
        db.close()
        raise SelectronError(
            f"{path} is of version {version}, and this Selectron knows {VERSION}: use the one that "
            "wrote it."
        )
    return db


def corrupt(path: Path, how: str) -> SelectronError:
    """Return the error that a store is damaged."""
    return SelectronError(f"{path} is damaged ({how}): bring back a copy.")


class Store:
    """The store in a folder, for the one thread that writes.

    Raises SelectronError if it is in use, damaged, or of another version. With `accept_loss`, it
    opens even if the end of the log is lost.
    """

    def __init__(self, folder: Path, accept_loss: bool = False):
        folder.mkdir(FOLDER, parents=True, exist_ok=True)
        for name in ("lock", "head", DATABASE):  # SQLite's other files follow the mode of its own
            if not (folder / name).exists():  # to close a file releases locks of this process
                (folder / name).touch(FILE)
        self.folder = folder
        self.stale = True  # whether the write-ahead log or the database may hold deleted content
        with ExitStack() as undoing:
            self.head = undoing.enter_context(open(folder / "head", "r+b", 0))
            undoing.enter_context(closing(locked(folder)))
            self.db = undoing.enter_context(closing(open_database(folder / DATABASE)))
            self._verify(accept_loss)
            self.found_damaged = [
                (stream, item)
                for item, stream, *rest, seal in self.db.execute(CONTENTS)
                if seal != content_seal(item, stream, *rest)
            ]
            self.closing = undoing.pop_all()
        about = dict(self.db.execute("SELECT name, value FROM about"))
        self.identity = about["identity"]
        self.swept = about.get("swept") == "yes"  # no page holds traces of what was deleted

    def _verify(self, accept_loss: bool) -> None:
        """Find the last entry. Raises SelectronError if one is damaged, or the last are lost."""
        path, found = self.folder, b"" if accept_loss else self.head.read(FORM.size + 4)
        if found and found != with_checksum(found[: FORM.size]):
            raise SelectronError(
                f"{path / 'head'} is damaged: start with --accept-loss to do without."
            )
        mark = FORM.unpack(found[: FORM.size]) if found else (0, 0)
        self.last, self.last_at, seen = (0, 0), 0.0, mark == (0, 0)
        try:
            with closing(reader(path)) as pages, ThreadPoolExecutor(1) as aside:
                # SQLite checks its pages while we check the entries
                checked = aside.submit(pages.execute, "PRAGMA integrity_check(1)")
                for *entry, seal in self.db.execute(f"SELECT {COLUMNS} FROM log ORDER BY seq"):
                    seq, before = self.last
                    self.last, self.last_at = (seq + 1, sealed(entry, before)), entry[5]
                    if (entry[0], seal) != self.last:
                        raise corrupt(path, f"entry {seq + 1} of the log is not what was written")
                    seen = seen or self.last == mark
                if (found := checked.result().fetchone()[0]) != "ok":
                    raise corrupt(path, found.splitlines()[0])
        except (sqlite3.DatabaseError, UnicodeDecodeError, OverflowError) as error:
            raise corrupt(path, str(error)) from None
        if not seen:
            raise SelectronError(
                f"{path} has lost the end of its log: it ends with entry {self.last[0]}, and "
                f"{mark[0]} were acknowledged; bring back a copy, or start with --accept-loss to "
                "go on without them."
            )
        self._mark()

    def _mark(self) -> None:
        """Write the last entry to `head`."""
        self.head.seek(0)
        self.head.write(with_checksum(FORM.pack(*self.last)))
        self.kept = self.last

    # Transactions

    def begin(self) -> None:
        """Begin a transaction."""
        self.db.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Commit durably. Raises sqlite3.Error or OSError if that fails."""
        reached("before commit")
        self.db.execute("COMMIT")
        reached("after commit")
        self._mark()

    def rollback(self) -> None:
        """Roll back the transaction."""
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")
        self.last = self.kept

    def probe(self) -> None:
        """Write a dummy record, to test whether writing works."""
        self.begin()
        self.db.execute("INSERT OR REPLACE INTO about VALUES ('probe', ?)", ("." * 65_536,))
        self.db.execute("COMMIT")

    def truncate(self) -> None:
        """Empty the write-ahead log, so that deleted content is overwritten in the database, too.

        `stale` remains true if readers need it; they are not waited for long.
        """
        self.db.execute("PRAGMA busy_timeout = 100")
        try:
            (busy, *_) = self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            self.stale = bool(busy)
        finally:
            self.db.execute(f"PRAGMA busy_timeout = {1000 * BUSY:.0f}")

    def sweep(self) -> None:
        """Rewrite a database that may hold traces of deleted rows in its pages.

        Raises sqlite3.Error if that fails, as without room for a copy.
        """
        if not self.swept:
            self.db.execute("VACUUM")
            self._note_swept("yes")
            self.swept = True

    def _note_swept(self, value: str) -> None:
        self.db.execute("INSERT OR REPLACE INTO about VALUES ('swept', ?)", (value,))

    def _deleted(self) -> None:
        """Note that something was deleted, in the same transaction: a crash may follow."""
        self.stale, self.swept = True, False
        self._note_swept("no")

    def close(self) -> None:
        """Close the store and release its lock."""
        self.closing.close()

    # The log, and the contents of items, which are apart from it so that they can be deleted

    def append(self, event: Event) -> Event:
        """Append an entry under the next number; `item` is 0 if the entry is an item itself."""
        seq = self.last[0] + 1
        event = event._replace(seq=seq, item=event.item or seq)
        values = (*event[:7], strict.dumps(event.body))
        seal = sealed(values, self.last[1])
        self.db.execute(f"INSERT INTO log ({COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)", (*values, seal))
        self.last, self.last_at = (seq, seal), event.at
        return event

    def put_content(self, event: Event, raw: str | None, row: Dense | Sparse | None) -> None:
        """Store the content of an item."""
        blob = None if row is None else packed(row)
        start = (event.item, event.stream, event.at)
        seal = content_seal(*start, None if raw is None else raw.encode(), blob)
        self.db.execute("INSERT INTO contents VALUES (?,?,?,?,?,?)", (*start, raw, blob, seal))

    def drop_raw(self, item: int) -> None:
        """Delete an item and keep its row; a damaged content stays damaged."""
        found = self.db.execute(f"{CONTENTS} WHERE item = ? AND raw IS NOT NULL", (item,))
        for _, stream, at, raw, row, seal in found.fetchall():
            if seal == content_seal(item, stream, at, raw, row):
                seal = content_seal(item, stream, at, None, row)
            self.db.execute("UPDATE contents SET raw = NULL, seal = ? WHERE item = ?", (seal, item))
            self._deleted()

    def erase(self, items: Iterable[int]) -> None:
        """Delete the contents of items."""
        self.db.executemany("DELETE FROM contents WHERE item = ?", ((item,) for item in items))
        self._deleted()

    def forget(self, stream: int, seq: int, before: float) -> bool:
        """Delete contents older than a time, unless an entry after `seq` refers to them.

        Returns whether some are left.
        """
        query = (
            "DELETE FROM contents WHERE stream = ? AND item <= ? AND at < ? AND NOT EXISTS"
            " (SELECT 1 FROM log"
            " WHERE log.item = contents.item AND log.kind <> 'item' AND log.seq > ?)"
        )
        if self.db.execute(query, (stream, seq, before, seq)).rowcount:
            self._deleted()
        left = "SELECT EXISTS (SELECT 1 FROM contents WHERE stream = ? AND at < ?)"
        return bool(self.db.execute(left, (stream, before)).fetchone()[0])

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

    def forget_leases(self) -> None:
        """Delete replies about leases as versions up to 0.2 stored them, most with an item."""
        old = """instr(reply, '"lease":{"token"') OR reply = '{"question":null}'"""
        self.db.execute(f"DELETE FROM replies WHERE {old}")

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

    def put_offset(self, name: str, value: int) -> None:
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
