"""The journal: what was seen, declared, asked and answered, in SQLite.

It is append-only, except that the oldest minutes are deleted if there are too many; declarations
and answers are kept for good. Writers lock the database, so that the order of entries is the order
in which they took effect, in whichever process. A transaction is durable when it has ended.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from selectron import SelectronError

from . import points

FILE = "journal.sqlite3"
AT_ONCE = 1_000  # entries that are read at once
VERSION = 2
SCHEMA = (
    "CREATE TABLE log (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, time REAL NOT NULL,"
    " at REAL NOT NULL, body TEXT NOT NULL)",
    "CREATE INDEX log_by_kind ON log (kind, time)",
    "CREATE UNIQUE INDEX alarms_once ON log (json_extract(body, '$.id')) WHERE kind = 'alarm'",
    "CREATE UNIQUE INDEX switches_once ON log (json_extract(body, '$.of')) WHERE kind = 'switch'",
    "CREATE TRIGGER log_keeps_entries BEFORE UPDATE ON log"
    " BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "INSERT INTO about VALUES ('identity', json_quote(lower(hex(randomblob(8)))))",
    "CREATE TRIGGER log_loses_nothing BEFORE DELETE ON log WHEN OLD.kind != 'cell'"
    " BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
    f"PRAGMA user_version = {VERSION}",
)


class Entry(NamedTuple):
    """An entry of the journal.

    `kind` is "cell" (a minute: its events and the prediction), "alarm", "answer", "declare" (by the
    user), "switch" (a declaration has taken effect), or a change of activities: "create", "rename",
    "merge", "close", "associate". "clock" is an earlier time, from which the predictor continues
    because the clock was wrong.
    """

    seq: int
    kind: str
    time: float  # that it is about, in seconds since 1970; the end of a cell
    at: float  # when it was written
    body: dict[str, Any]


class Journal:
    """The journal in a folder, which is created, for its owner alone, if it is `new`.

    Raises SelectronError if the journal is damaged, of a later version, or must not be created.
    """

    def __init__(self, folder: Path, new: bool = True):
        self.path = folder / FILE
        if not new and not self.path.exists():
            raise SelectronError(f"{folder} has no journal: declare makes one, --home selects one.")
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path.touch(mode=0o600)
        with self._explained():
            self.db = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False, timeout=30
            )
        try:
            with self._explained():
                self._open()
        except SelectronError:
            self.db.close()
            raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Raise SQLite's errors as one sentence."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise SelectronError(f"{self.path} cannot be used now: {error}.") from None
        except sqlite3.DatabaseError as error:
            first = str(error).splitlines()[0]
            raise SelectronError(f"{self.path} is damaged ({first}): restore a backup.") from None

    def _open(self) -> None:
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = FULL")
        if self._version() not in (0, VERSION):
            raise SelectronError(
                f"{self.path} has version {self._version()}, not {VERSION}: use what wrote it."
            )
        if not self._version():
            with self.writing():
                for statement in () if self._version() else SCHEMA:  # another process may be first
                    self.db.execute(statement)

    def _version(self) -> int:
        return self.db.execute("PRAGMA user_version").fetchone()[0]

    def check(self) -> None:
        """Check the whole file; raises SelectronError if it is damaged."""
        with self._explained():
            found = self.db.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                raise sqlite3.DatabaseError(found)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write everything within the block or, if an exception is raised, nothing."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
            points.reached("before commit")
            self.db.execute("COMMIT")
        except BaseException:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            raise
        points.reached("after commit")

    def append(self, kind: str, time: float, at: float, body: dict[str, Any]) -> Entry:
        """Append an entry, within `writing`."""
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        query = "INSERT INTO log (kind, time, at, body) VALUES (?,?,?,?) RETURNING seq"
        (seq,) = self.db.execute(query, (kind, time, at, text)).fetchone()
        return Entry(seq, kind, time, at, body)

    def prune(self, most: int, seq: int) -> None:
        """Delete all minutes but the last `most`, of the entries up to a number."""
        times = "SELECT time FROM log WHERE kind = 'cell' ORDER BY time DESC LIMIT 1 OFFSET ?"
        with self.writing():
            for (time,) in self.db.execute(times, (most,)).fetchall():
                where = "kind = 'cell' AND time <= ? AND seq <= ?"
                self.db.execute(f"DELETE FROM log WHERE {where}", (time, seq))

    def after(self, seq: int) -> Iterator[Entry]:
        """Yield the entries after a number."""
        while found := list(self._found("seq > ? ORDER BY seq LIMIT ?", (seq, AT_ONCE))):
            yield from found
            seq = found[-1].seq

    def of(self, *kinds: str) -> Iterator[Entry]:
        """Yield the entries of some kinds."""
        marks = ",".join("?" * len(kinds))
        yield from self._found(f"kind IN ({marks}) ORDER BY seq", kinds)

    def between(self, start: float, end: float) -> Iterator[Entry]:
        """Yield the cells that end after one time, and not after another, as they were written."""
        where = "kind = 'cell' AND time > ? AND time <= ? ORDER BY seq"
        yield from self._found(where, (start, end))

    def last(self, kind: str, name: str, value: Any) -> Entry | None:
        """Return the last entry of a kind with this value in its body."""
        where = f"kind = ? AND json_extract(body, '$.{name}') = ? ORDER BY seq DESC LIMIT 1"
        return next(self._found(where, (kind, value)), None)

    def until(self, seq: int) -> float:
        """Return the time that the predictor had reached at an entry, 0 at the beginning."""
        where = "kind IN ('cell', 'switch', 'clock') AND seq <= ? ORDER BY seq DESC LIMIT 1"
        return max((entry.time for entry in self._found(where, (seq,))), default=0.0)

    @property
    def head(self) -> int:
        """The number of the last entry, 0 if there is none."""
        return self.db.execute("SELECT MAX(seq) FROM log").fetchone()[0] or 0

    def _found(self, where: str, values: tuple) -> Iterator[Entry]:
        query = f"SELECT seq, kind, time, at, body FROM log WHERE {where}"
        for *fields, body in self.db.execute(query, values).fetchall():
            yield Entry._make([*fields, json.loads(body)])

    def setting(self, name: str) -> Any:
        """Return a setting, None if it was never stored."""
        found = self.db.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        return None if found is None else json.loads(found[0])

    def keep(self, name: str, value: Any) -> None:
        """Store a setting, within `writing` or on its own."""
        self.db.execute("INSERT OR REPLACE INTO about VALUES (?,?)", (name, json.dumps(value)))

    def close(self) -> None:
        """Close the database."""
        self.db.close()
