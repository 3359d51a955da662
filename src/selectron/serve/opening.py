"""Opening a database: its version, and whether it is what was written."""

import os
import secrets
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

from ..errors import SelectronError
from .damage import content_seal, migrated_seal, record_seal
from .event import sealed
from .schema import MIGRATIONS
from .witness import Witness

DATABASE = "selectron.sqlite3"
CACHE_KB = 65_536


class Reader(sqlite3.Connection):
    """A connection that only reads; it remembers which contents it found damaged."""

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        self.damaged: set[tuple[int, int]] = set()  # streams and items


def reader(folder: Path) -> Reader:
    """Return a connection that sees what is committed, and can write nothing."""
    path = (folder / DATABASE).absolute().as_uri()
    options: dict[str, Any] = {"uri": True, "check_same_thread": False, "factory": Reader}
    found: Reader = sqlite3.connect(f"{path}?mode=ro", **options)
    return found


def opened(path: Path) -> sqlite3.Connection:
    """Return a connection to a database of this version, migrated if it was older."""
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
    """Bring a database up to date, step by step, each in a transaction of its own."""
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
    """Return the statements of a script.

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

    Raises SelectronError if an entry is not what was written, or the last ones are lost.
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
    """Return item and stream of every content that is not what was written."""
    query = "SELECT item, stream, at, CAST(raw AS BLOB), features, seal FROM contents"
    return [row[:2] for row in db.execute(query) if content_seal(*row[:5]) != row[5]]


def integrity(folder: Path) -> str:
    """Return what SQLite finds amiss in the database of a folder, "ok" if nothing is."""
    with closing(reader(folder)) as db:
        found: str = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
        return found


def fetched(path: Path) -> None:
    """Have a file read ahead, where the system can: in one sweep, not page by page."""
    if hasattr(os, "posix_fadvise") and path.exists():
        with open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_WILLNEED)


def followed(
    db: sqlite3.Connection, path: Path, mark: tuple[int, int] | None
) -> tuple[tuple[int, int], float, bool]:
    """Follow the chain of seals to its end; tell whether it went through the witness's mark."""
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
    """Return the error that a store cannot be used."""
    return SelectronError(f"{path} is damaged ({how}): bring back a copy.")
