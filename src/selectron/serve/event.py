"""Entries of the log, the checksums of everything stored, and the connection that reads both."""

import json
import logging
import sqlite3
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..engine.rows import Dense, Sparse
from ..errors import SelectronError

LOG = logging.getLogger("selectron.serve")
LAST = 2**63 - 1  # no entry has a higher number
COLUMNS = "seq, stream, kind, item, key, at, who, body, seal"  # of the log
CONTENTS = "SELECT item, stream, at, CAST(raw AS BLOB), features, seal FROM contents"


class Event(NamedTuple):
    """A log entry. Entries never change; another entry supersedes an earlier one.

    Kinds: `item` (with what was decided on it), `shown`, `renewed`, `released` (leases), `answer`,
    `undo`, `retired` (a question dropped from a full queue), `damaged` (its checksum does not fit),
    `erased` (its content, by an admin), `settings` (others from now on; about no item).
    """

    seq: int  # from 1 on, without gaps
    stream: int
    kind: str
    item: int  # the entry of the item that it is about; its own of an item, or if about none
    key: str | None  # an item's own id
    at: float  # seconds since 1970; never less than before within a run
    who: str
    body: dict[str, Any]


def sealed(entry: Sequence, before: int) -> int:
    """Return the checksum of an entry, its body as text, chained to that of the entry before.

    >>> sealed((1, 1, "item", 1, None, 0.0, "anna", "{}"), 0)
    887202374
    """
    return zlib.crc32("{}|{}|{}|{}|{}|{!r}|{}|{}".format(*entry).encode(), before)


def packed(row: Dense | Sparse) -> bytes:
    """Return a row as bytes."""
    if isinstance(row, Dense):
        return b"d" + row.values.astype("<f8").tobytes()
    count = len(row.indices).to_bytes(4, "little")
    return b"s" + count + row.indices.astype("<i4").tobytes() + row.values.astype("<f8").tobytes()


def unpacked(blob: bytes) -> Dense | Sparse:
    """Return the row that was packed.

    >>> unpacked(packed(Dense(np.array([[1.0, 2.0]]))))
    Dense(values=array([[1., 2.]]))
    """
    if blob[:1] == b"d":
        return Dense(np.frombuffer(blob, "<f8", offset=1).reshape(1, -1).copy())
    count = int.from_bytes(blob[1:5], "little")
    indices = np.frombuffer(blob, "<i4", count, 5).astype(np.int32)
    values = np.frombuffer(blob, "<f8", count, 5 + 4 * count).copy()
    return Sparse(np.array([0, count]), indices, values)


OWNER = struct.Struct("<qqdq?")  # item, stream, time, length as it came, are there features?


class Damaged(SelectronError):
    """Stored data does not match its checksum."""

    def __init__(self, what: str):
        super().__init__(f"The store is damaged: {what} is not what was written.")
        self.what = what


@contextmanager
def checking(what: str) -> Iterator[None]:
    """Raise Damaged if SQLite finds its file corrupt while reading."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        corrupt = code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
        if corrupt or "decode" in str(error):  # a text that is no UTF-8 any more
            raise Damaged(what) from None
        raise


def content_seal(item: int, stream: int, at: float, raw: bytes | None, row: bytes | None) -> int:
    """Return the checksum of an item's content, bound to that item.

    >>> content_seal(1, 1, 0.0, b"{}", None) == content_seal(2, 1, 0.0, b"{}", None)
    False
    """
    start = OWNER.pack(item, stream, at, -1 if raw is None else len(raw), row is None)
    return zlib.crc32(row or b"", zlib.crc32(raw or b"", zlib.crc32(start)))


def record_seal(*fields: str | float | None) -> int:
    """Return the checksum of a small record: a declaration, a token, an offset."""
    return zlib.crc32(repr(fields).encode("utf-8", "surrogatepass"))


class Log(sqlite3.Connection):
    """A connection that reads a store, and checks what it reads: the methods raise Damaged."""

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        self.damaged: set[tuple[int, int]] = set()  # streams and items, as `item_data` finds them

    def entries(self, where: str, *values: Any) -> Iterator[Event]:
        """Yield entries of the log."""
        before = "SELECT b.seal FROM log AS b WHERE b.seq = log.seq - 1"
        query = f"SELECT {COLUMNS}, ({before}) FROM log WHERE {where}"
        with checking("an entry of the log"):
            for *fields, body, seal, chained in self.execute(query, values):
                if sealed((*fields, body), chained or 0) != seal:
                    raise Damaged(f"entry {fields[0]} of the log")
                yield Event._make([*fields, json.loads(body)])

    def event(self, seq: int) -> Event | None:
        """Return an entry by its number."""
        return next(self.entries("seq = ?", seq), None)

    def item_of(self, stream: int, key: str) -> Event | None:
        """Return the entry of an item by its own id."""
        return next(self.entries("stream = ? AND key = ?", stream, key), None)

    def seal_of(self, seq: int) -> int | None:
        """Return the seal of an entry."""
        found = self.execute("SELECT seal FROM log WHERE seq = ?", (seq,)).fetchone()
        return found and found[0]

    def record(self, what: str, query: str, key: Any, seal: Callable[..., int]) -> Any:
        """Return the fields of a record without its seal, None if there is none."""
        with checking(what):
            found = self.execute(query, (key,)).fetchone()
        if found is not None and found[-1] != seal(*found[:-1]):
            raise Damaged(what)
        return found and found[:-1]

    def content(self, item: int) -> tuple[dict[str, Any] | None, Dense | Sparse | None]:
        """Return an item and its row, each None if it is not stored."""
        what = f"the content of item {item}"
        found = self.record(what, f"{CONTENTS} WHERE item = ?", item, content_seal)
        raw, row = found[3:] if found else (None, None)
        return raw and json.loads(raw), row and unpacked(row)

    def item_data(self, stream: int, item: int) -> dict[str, Any] | None:
        """Return an item, None if it is not stored or is damaged."""
        try:
            return self.content(item)[0]
        except Damaged:
            self.damaged.add((stream, item))
            return None

    def offset(self, name: str) -> int | None:
        """Return a number that was kept under a name, None if there is none."""
        found = self.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        if found is None:
            return None
        value, _, seal = found[0].partition(" ")
        if seal != str(record_seal(name, value)):
            raise Damaged(f"the place {name}")
        return int(value)

    def tokens(self) -> list[tuple[str, str, str, float | None]]:
        """Return name, role, digest and expiry of every undamaged token."""
        with checking("a token"):
            query = "SELECT name, role, digest, expires, seal FROM tokens ORDER BY name"
            rows = self.execute(query).fetchall()
        for name, *_ in (row for row in rows if record_seal(*row[:4]) != row[4]):
            LOG.warning("The token of %r is damaged, and not accepted: make another.", name)
        return [row[:4] for row in rows if record_seal(*row[:4]) == row[4]]
