"""The journal: what was seen, declared, asked and answered, in SQLite.

Entries are only added, but for minutes of long ago, which are deleted once there are too many: what
a person has said stays for good. Whoever writes takes the database's lock, so that the order of
entries is the order in which they took effect, whichever process they came from. A transaction is
durable once it has ended.
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
KEEPS = (
    "DROP TRIGGER IF EXISTS log_loses_nothing",  # version 1 kept minutes for ever, too
    "CREATE TRIGGER log_loses_nothing BEFORE DELETE ON log WHEN OLD.kind != 'cell'"
    " BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
    f"PRAGMA user_version = {VERSION}",
)
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
    *KEEPS,
)
STEPS = {0: SCHEMA, 1: KEEPS}  # from a version to this one


class Entry(NamedTuple):
    """An entry of the journal.

    `kind` is "cell" (a minute: its events, and what was predicted), "alarm", "answer", "declare"
    (somebody said so), "switch" (the predictor has taken that), or what is done to activities:
    "create", "rename", "merge", "close", "associate". "clock" is an earlier time than the predictor
    has gone to, from which it goes on: the clock had been wrong.
    """

    seq: int
    kind: str
    time: float  # that it is about, in seconds since 1970; a cell's end
    at: float  # when it was written
    body: dict[str, Any]


class Journal:
    """The journal in a folder, which is made, for its owner alone, if it is not there.

    Raises SelectronError if it is damaged, or of a later version.
    """

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path = folder / FILE
        self.path.touch(mode=0o600)
        try:
            self.db = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False, timeout=30
            )
        except sqlite3.OperationalError as error:
            raise self._unusable(error) from None
        try:
            self._opened()
        except sqlite3.OperationalError as error:
            self.db.close()
            raise self._unusable(error) from None
        except sqlite3.DatabaseError as error:
            self.db.close()
            raise self._damaged(str(error)) from None
        except SelectronError:
            self.db.close()
            raise

    def _opened(self) -> None:
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = FULL")
        version = self._version()
        if version > VERSION:
            raise SelectronError(
                f"{self.path} is of version {version}, and this Selectron knows {VERSION}: use the "
                "one that wrote it, or a later one."
            )
        if version < VERSION:
            with self.writing():
                for statement in STEPS.get(self._version(), ()):  # another may have been faster
                    self.db.execute(statement)

    def _version(self) -> int:
        return self.db.execute("PRAGMA user_version").fetchone()[0]

    def check(self) -> None:
        """Look through all of it; raises SelectronError if it is damaged."""
        try:
            found = self.db.execute("PRAGMA quick_check(1)").fetchone()[0]
        except sqlite3.OperationalError as error:
            raise self._unusable(error) from None
        except sqlite3.DatabaseError as error:
            found = str(error)
        if found != "ok":
            raise self._damaged(found)

    def _unusable(self, error: sqlite3.OperationalError) -> SelectronError:
        return SelectronError(f"{self.path} cannot be used now: {error}.")

    def _damaged(self, how: str) -> SelectronError:
        first = how.splitlines()[0]
        return SelectronError(f"{self.path} is damaged ({first}): bring back a copy.")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write all of it or, if something is raised, nothing."""
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
        """Delete the oldest minutes, all but `most` of them, of those that are up to an entry."""
        times = "SELECT time FROM log WHERE kind = 'cell' ORDER BY time DESC LIMIT 1 OFFSET ?"
        with self.writing():
            for (time,) in self.db.execute(times, (most,)).fetchall():
                where = "kind = 'cell' AND time <= ? AND seq <= ?"
                self.db.execute(f"DELETE FROM log WHERE {where}", (time, seq))

    def after(self, seq: int) -> Iterator[Entry]:
        """Yield the entries that come after a number."""
        while found := list(self._found("seq > ? ORDER BY seq LIMIT ?", (seq, AT_ONCE))):
            yield from found
            seq = found[-1].seq

    def of(self, *kinds: str) -> Iterator[Entry]:
        """Yield the entries of some kinds."""
        marks = ",".join("?" * len(kinds))
        yield from self._found(f"kind IN ({marks}) ORDER BY seq", kinds)

    def between(self, start: float, end: float) -> Iterator[Entry]:
        """Yield the cells that end after one time, and by another."""
        where = "kind = 'cell' AND time > ? AND time <= ? ORDER BY time, seq"
        yield from self._found(where, (start, end))

    def last(self, kind: str, name: str, value: Any) -> Entry | None:
        """Return the last entry of a kind whose body has this value under a name."""
        where = f"kind = ? AND json_extract(body, '$.{name}') = ? ORDER BY seq DESC LIMIT 1"
        return next(self._found(where, (kind, value)), None)

    def until(self, seq: int) -> float:
        """Return the time up to which the predictor had gone at an entry, 0 at the beginning."""
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
        """Return what is kept under a name, None if nothing is."""
        found = self.db.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        return None if found is None else json.loads(found[0])

    def keep(self, name: str, value: Any) -> None:
        """Keep something under a name, within `writing` or by itself."""
        self.db.execute("INSERT OR REPLACE INTO about VALUES (?,?)", (name, json.dumps(value)))

    def close(self) -> None:
        """Close it."""
        self.db.close()
