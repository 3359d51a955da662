"""Open a store: its files and their permissions, its tables, and the checks at the start."""

import fcntl
import os
import secrets
import sqlite3
import struct
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from ..errors import SelectronError
from .event import content_seal, migrated_seal, record_seal, sealed

FOLDER, FILE = 0o700, 0o600
OURS = ("lock", "head", "snapshots", "snapshots/**/*")


def closed_to_others(folder: Path, database: str) -> None:
    """Create a folder with mode 0700; if it holds a database, restrict it and its files.

    Any other existing folder keeps its mode.
    """
    if not folder.exists():
        folder.mkdir(parents=True, mode=FOLDER)
    elif (folder / database).exists():
        close(folder)
        for pattern in (f"{database}*", *OURS):
            for path in folder.glob(pattern):
                close(path)


def close(path: Path) -> None:
    """Restrict a file or folder to its owner, if its mode may be changed."""
    wanted = FOLDER if path.is_dir() else FILE
    with suppress(PermissionError, FileNotFoundError):
        if path.stat().st_mode & 0o777 != wanted and not path.is_symlink():
            path.chmod(wanted)


def opener(path: str, flags: int) -> int:
    """Open a file for `open`; a new one gets mode 0600."""
    return os.open(path, flags, FILE)


FORM = struct.Struct("<QII")  # the last entry, its seal, and the seal of these two


class Lock:
    """A lock file, held by one process at a time."""

    def __init__(self, path: Path):
        self.file = open(path, "ab", opener=opener)  # noqa: SIM115 (it is held as long as the store is)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.file.close()
            raise SelectronError(
                f"{path.parent} is in use by another server: stop it, or give another --data."
            ) from None

    def release(self) -> None:
        """Release the lock."""
        self.file.close()


class Witness:
    """The file with the sequence number of the last committed entry, written before any reply.

    It survives a crash of the process. It is not synced: after a power cut it may be behind the
    log, and is ahead of it only if entries are lost.
    """

    def __init__(self, path: Path):
        self.fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self.path = path

    def read(self) -> tuple[int, int] | None:
        """Return number and seal of the last entry, None if none was written."""
        found = os.pread(self.fd, FORM.size, 0)
        if not found:
            return None
        try:
            seq, seal, own = FORM.unpack(found)
        except struct.error:
            own = None
        if own != zlib.crc32(found[:12]):
            raise SelectronError(f"{self.path} is damaged: start with --accept-loss to do without.")
        return seq, seal

    def write(self, head: tuple[int, int]) -> None:
        """Write number and seal of the last entry."""
        start = FORM.pack(*head, 0)[:12]
        os.pwrite(self.fd, start + zlib.crc32(start).to_bytes(4, "little"), 0)

    def close(self) -> None:
        """Close the file."""
        os.close(self.fd)


MIGRATIONS = (
    """
    CREATE TABLE streams (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, declared TEXT NOT NULL
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
        name TEXT PRIMARY KEY, role TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, expires REAL
    );
    CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    """,
    """
    UPDATE contents SET seal = migrated_seal(
        item, stream, at, CAST(raw AS BLOB), features, seal
    );
    ALTER TABLE streams ADD COLUMN seal INTEGER NOT NULL DEFAULT -1;
    UPDATE streams SET seal = record_seal(name, declared);
    ALTER TABLE tokens ADD COLUMN seal INTEGER NOT NULL DEFAULT -1;
    UPDATE tokens SET seal = record_seal(name, role, digest, expires);
    """,
)


DATABASE = "selectron.sqlite3"
CACHE_KB = 65_536


class Reader(sqlite3.Connection):
    """A read-only connection that records which contents it found damaged."""

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        self.damaged: set[tuple[int, int]] = set()  # streams and items


def reader(folder: Path) -> Reader:
    """Return a read-only connection, which sees committed data."""
    path = (folder / DATABASE).absolute().as_uri()
    options: dict[str, Any] = {"uri": True, "check_same_thread": False, "factory": Reader}
    found: Reader = sqlite3.connect(f"{path}?mode=ro", **options)
    return found


def opened(path: Path) -> sqlite3.Connection:
    """Return a connection to a database, migrated if it is of an earlier version."""
    fetched(path)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite's other files follow its mode
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        for setting in ("synchronous = FULL", "secure_delete = ON", f"cache_size = -{CACHE_KB}"):
            db.execute(f"PRAGMA {setting}")
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version > len(MIGRATIONS):
            raise SelectronError(
                f"{path} is of version {version}, and this Selectron knows {len(MIGRATIONS)}: "
                "use the one that wrote it, or a later one."
            )
        migrate(db, version)
    except sqlite3.DatabaseError as error:
        db.close()
        raise damaged(path, str(error)) from None
    except SelectronError:
        db.close()
        raise
    return db


def migrate(db: sqlite3.Connection, version: int) -> None:
    """Migrate a database, each step in one transaction."""
    db.create_function("migrated_seal", 6, migrated_seal, deterministic=True)
    db.create_function("record_seal", -1, record_seal, deterministic=True)
    for number, script in enumerate(MIGRATIONS[version:], version + 1):
        db.execute("BEGIN IMMEDIATE")
        for statement in statements(script):
            db.execute(statement)
        if number == 1:
            db.execute("INSERT INTO about VALUES ('identity', ?)", (secrets.token_hex(16),))
        db.execute(f"PRAGMA user_version = {number}")
        db.execute("COMMIT")


def statements(script: str) -> list[str]:
    """Return the statements of an SQL script.

    >>> statements("CREATE TABLE a (b); CREATE TABLE c (d);")
    ['CREATE TABLE a (b);', 'CREATE TABLE c (d);']
    """
    found, part = [], ""
    for piece in script.split(";")[:-1]:
        part += piece + ";"
        if sqlite3.complete_statement(part):
            found.append(part.strip())
            part = ""
    return found


def verified(
    db: sqlite3.Connection, witness: Witness, accept_loss: bool
) -> tuple[tuple[int, int], float]:
    """Return the last entry's number and seal, and its time.

    Raises SelectronError if an entry does not match its checksum, or the last ones are lost.
    """
    path = witness.path.parent
    try:
        with ThreadPoolExecutor(1) as aside:  # SQLite checks its pages while we check the entries
            checked = aside.submit(integrity, path)
            mark = None if accept_loss else witness.read()
            head, at, seen = followed(db, path, mark)
            if (found := checked.result()) != "ok":
                raise damaged(path, found.splitlines()[0])
    except (sqlite3.DatabaseError, UnicodeDecodeError, OverflowError) as error:
        raise damaged(path, str(error)) from None
    if mark is not None and not seen:
        raise SelectronError(
            f"{path} has lost the end of its log: it ends with entry {head[0]}, and {mark[0]} were "
            "acknowledged; bring back a copy, or start with --accept-loss to go on without them."
        )
    witness.write(head)
    return head, at


def damaged_contents(db: sqlite3.Connection) -> list[tuple[int, int]]:
    """Return item and stream of every content that does not match its checksum."""
    query = "SELECT item, stream, at, CAST(raw AS BLOB), features, seal FROM contents"
    return [row[:2] for row in db.execute(query) if content_seal(*row[:5]) != row[5]]


def integrity(folder: Path) -> str:
    """Return the first problem that SQLite finds in the database of a folder, or "ok"."""
    with closing(reader(folder)) as db:
        found: str = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
        return found


def fetched(path: Path) -> None:
    """Ask the system to read a file ahead, if it can."""
    if hasattr(os, "posix_fadvise") and path.exists():
        with open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_WILLNEED)


def followed(
    db: sqlite3.Connection, path: Path, mark: tuple[int, int] | None
) -> tuple[tuple[int, int], float, bool]:
    """Follow the chain of seals; return its end, the last time, and whether the mark is in it."""
    seq = seal = 0
    at = 0.0
    seen = mark in (None, (0, 0))
    query = "SELECT seq, stream, kind, item, key, at, who, body, seal FROM log ORDER BY seq"
    for row in db.execute(query):
        seal = sealed(row[:8], seal)
        seq += 1
        if row[8] != seal or row[0] != seq:
            raise damaged(path, f"entry {seq} of the log is not what was written")
        at = row[5]
        if mark is not None and seq == mark[0]:
            seen = seal == mark[1]
    return (seq, seal), at, seen


def damaged(path: Path, how: str) -> SelectronError:
    """Return the error that a store is damaged."""
    return SelectronError(f"{path} is damaged ({how}): bring back a copy.")
