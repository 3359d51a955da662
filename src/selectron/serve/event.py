"""Entries of the log."""

import zlib
from typing import Any, NamedTuple

import numpy as np

from ..engine.rows import Dense, Sparse
from . import strict


class Event(NamedTuple):
    """An entry: nothing in it is ever changed, and what takes it back is another entry.

    Kinds: `item` (with what was decided on it), `shown`, `renewed`, `released` (leases), `answer`,
    `undo`, `retired` (a question that nobody has answered in time), `damaged` (an item is set aside
    whose content is not what was written).
    """

    seq: int  # from 1 on, without gaps
    stream: int
    kind: str
    item: int  # the entry of the item that it is about, its own of an item
    key: str | None  # an item's own id
    at: float  # seconds since 1970; never less than before within a run
    who: str
    body: dict[str, Any]


def sealed(entry: tuple, before: int) -> int:
    """Return the check of an entry, its body being text, which depends on all before it.

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
    """Return the row of bytes.

    >>> unpacked(packed(Dense(np.array([[1.0, 2.0]]))))
    Dense(values=array([[1., 2.]]))
    """
    if blob[:1] == b"d":
        return Dense(np.frombuffer(blob, "<f8", offset=1).reshape(1, -1).copy())
    count = int.from_bytes(blob[1:5], "little")
    indices = np.frombuffer(blob, "<i4", count, 5).astype(np.int32)
    values = np.frombuffer(blob, "<f8", count, 5 + 4 * count).copy()
    return Sparse(np.array([0, count]), indices, values)


def written(body: dict[str, Any]) -> str:
    """Return the body of an entry as text."""
    return strict.dumps(body)
