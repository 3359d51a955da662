"""Open a store: its files and their permissions, its tables, and the checks at the start."""

import fcntl
import os
import sqlite3
import struct
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import BinaryIO

from ..errors import SelectronError
from .event import COLUMNS, Log, content_seal, migrated_seal, record_seal, sealed

DATABASE = "selectron.sqlite3"
FOLDER, FILE = 0o700, 0o600
OURS = (f"{DATABASE}*", "lock", "head", "snapshots", "snapshots/**/*")
CACHE_KB = 65_536


def closed_to_others(folder: Path) -> None:
    """Create a folder with mode 0700; if it holds a database, restrict it and its files.

    Any other existing folder keeps its mode.
    """
    if not folder.exists():
        folder.mkdir(parents=True, mode=FOLDER)
    elif (folder / DATABASE).exists():
        for path in (folder, *(path for pattern in OURS for path in folder.glob(pattern))):
            close(path)


def close(path: Path) -> None:
    """Restrict a file or folder to its owner, if its mode may be changed."""
    wanted = FOLDER if path.is_dir() else FILE
    with suppress(PermissionError, FileNotFoundError):
        if path.stat().st_mode & 0o777 != wanted and not path.is_symlink():
            path.chmod(wanted)


def opener(path: str | Path, flags: int) -> int:
    """Open a file for `open`; a new one gets mode 0600."""
    return os.open(path, flags, FILE)


def locked(path: Path) -> BinaryIO:
    """Return a lock file, which one process at a time can hold open."""
    file = open(path, "ab", opener=opener)  # noqa: SIM115 (it is held as long as the store is)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise SelectronError(
            f"{path.parent} is in use by another server: stop it, or give another --data."
        ) from None
    return file


FORM = struct.Struct("<QI")  # the last entry and its seal; a seal of these two follows


class Witness:
    """The file with the sequence number of the last committed entry, written before any reply.

    It survives a crash of the process. It is not synced: after a power cut it may be behind the
    log, and is ahead of it only if entries are lost.
    """

    def __init__(self, path: Path):
        self.fd, self.path = opener(path, os.O_RDWR | os.O_CREAT), path

    def read(self) -> tuple[int, int] | None:
        """Return number and seal of the last entry, None if none was written."""
        found = os.pread(self.fd, FORM.size + 4, 0)
        if found and found != witnessed(found[: FORM.size]):
            raise SelectronError(f"{self.path} is damaged: start with --accept-loss to do without.")
        return FORM.unpack(found[: FORM.size]) if found else None

    def write(self, head: tuple[int, int]) -> None:
        """Write number and seal of the last entry."""
        os.pwrite(self.fd, witnessed(FORM.pack(*head)), 0)

    def close(self) -> None:
        """Close the file."""
        os.close(self.fd)


def witnessed(head: bytes) -> bytes:
    """Return bytes followed by their checksum."""
    return head + zlib.crc32(head).to_bytes(4, "little")


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
    INSERT INTO about VALUES ('identity', lower(hex(randomblob(16))));
    """,
    """
    UPDATE contents SET seal = migrated_seal(item, stream, at, CAST(raw AS BLOB), features, seal);
    ALTER TABLE streams ADD COLUMN seal INTEGER NOT NULL DEFAULT -1;
    UPDATE streams SET seal = record_seal(name, declared);
    ALTER TABLE tokens ADD COLUMN seal INTEGER NOT NULL DEFAULT -1;
    UPDATE tokens SET seal = record_seal(name, role, digest, expires);
    """,
)


def reader(folder: Path) -> Log:
    """Return a read-only connection, which sees committed data."""
    uri = f"{(folder / DATABASE).absolute().as_uri()}?mode=ro"
    return sqlite3.connect(uri, uri=True, check_same_thread=False, factory=Log)


def opened(path: Path) -> Log:
    """Return a connection to a database, migrated if it is of an earlier version."""
    os.close(opener(path, os.O_RDWR | os.O_CREAT))  # SQLite's other files follow its mode
    db = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=10, factory=Log
    )
    for function in (content_seal, migrated_seal, record_seal):
        db.create_function(function.__name__, -1, function, deterministic=True)
    try:
        prepare(db, path)
    except BaseException as error:
        db.close()
        if isinstance(error, sqlite3.DatabaseError):
            raise damaged(path, str(error)) from None
        raise
    return db


def prepare(db: sqlite3.Connection, path: Path) -> None:
    """Set up a connection, and migrate its database, each step in one transaction."""
    settings = ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON")
    for setting in (*settings, f"cache_size = -{CACHE_KB}"):
        db.execute(f"PRAGMA {setting}")
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        raise SelectronError(
            f"{path} is of version {version}, and this Selectron knows {len(MIGRATIONS)}: "
            "use the one that wrote it, or a later one."
        )
    for number, script in enumerate(MIGRATIONS[version:], version + 1):
        db.executescript(f"BEGIN IMMEDIATE; {script} PRAGMA user_version = {number}; COMMIT;")


def verified(
    db: sqlite3.Connection, witness: Witness, accept_loss: bool
) -> tuple[tuple[int, int], float]:
    """Return the last entry's number and seal, and its time.

    Raises SelectronError if an entry does not match its checksum, or the last ones are lost.
    """
    path = witness.path.parent
    mark = None if accept_loss else witness.read()
    head, at, seen = (0, 0), 0.0, mark in (None, (0, 0))
    try:
        with ThreadPoolExecutor(1) as aside:  # SQLite checks its pages while we check the entries
            checked = aside.submit(integrity, path)
            for *entry, seal in db.execute(f"SELECT {COLUMNS} FROM log ORDER BY seq"):
                head, at = (head[0] + 1, sealed(entry, head[1])), entry[5]
                if (entry[0], seal) != head:
                    raise damaged(path, f"entry {head[0]} of the log is not what was written")
                seen = seen or head == mark
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


def integrity(folder: Path) -> str:
    """Return the first problem that SQLite finds in the database of a folder, or "ok"."""
    with closing(reader(folder)) as db:
        found: str = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
        return found


def damaged(path: Path, how: str) -> SelectronError:
    """Return the error that a store is damaged."""
    return SelectronError(f"{path} is damaged ({how}): bring back a copy.")
