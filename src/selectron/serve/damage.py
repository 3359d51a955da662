"""Checksums of what is stored, and what is raised where one does not match."""

import sqlite3
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import SelectronError

OWNER = struct.Struct("<qqdq?")  # item, stream, time, length as it came, are there features?
UNSEALED = -1  # a checksum that matches nothing: damaged before it was migrated


class Damaged(SelectronError):
    """Something stored is not what was written."""

    def __init__(self, what: str):
        super().__init__(f"The store is damaged: {what} is not what was written.")
        self.what = what

    def __reduce__(self):
        return Damaged, (self.what,)


@contextmanager
def checking(what: str) -> Iterator[None]:
    """Raise Damaged where SQLite finds, while it reads, that its own file is not sound."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code is not None and code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise Damaged(what) from None
        if "decode" in str(error):  # a text that is no UTF-8 any more
            raise Damaged(what) from None
        raise


def content_seal(
    item: int, stream: int, at: float, raw: bytes | None, features: bytes | None
) -> int:
    """Return the checksum of an item's content, which belongs to that item alone.

    >>> content_seal(1, 1, 0.0, b"{}", None) == content_seal(2, 1, 0.0, b"{}", None)
    False
    """
    start = OWNER.pack(item, stream, at, -1 if raw is None else len(raw), features is None)
    return zlib.crc32(features or b"", zlib.crc32(raw or b"", zlib.crc32(start)))


def first_content_seal(raw: bytes | None, features: bytes | None) -> int:
    """Return the checksum that version 1 of the store had of a content."""
    return zlib.crc32(raw or b"", zlib.crc32(features or b""))


def migrated_seal(
    item: int,
    stream: int,
    at: float,
    raw: bytes | None,
    features: bytes | None,
    seal: int,
) -> int:
    """Return today's checksum of a content whose checksum of version 1 matches, else UNSEALED."""
    if seal != first_content_seal(raw, features):
        return UNSEALED
    return content_seal(item, stream, at, raw, features)


def record_seal(*fields: str | float | None) -> int:
    """Return the checksum of a small record: a stream's declaration, a token, a reply."""
    return zlib.crc32(repr(fields).encode("utf-8", "surrogatepass"))
