"""The bytes of a small model, one of many with the same parameters.

They hold what differs from key to key, and nothing else:

    version (1 byte)  CRC-32 of the rest (4)  fingerprint of the parameters (8)
    rounds, tickets, last one answered, newest order, number of open tickets and of early labels
    (8 each)
    one bit for each number of the model: is it 0?    the numbers that are not 0 (8 each)
    open tickets: number, order, round, probability of asking, row
    early labels: order, time, code

Left out are what a space keeps of the last row only (`SCRATCH`), and the state of the draws: those
of a key are a function of (random_state, key), and a round takes one of them.
"""

import hashlib
import math
import struct
import zlib
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np

from ..engine.rows import Dense, Sparse, no_rows, taken
from ..errors import SelectronError
from ..spaces.state import SCRATCH
from .model import Model

VERSION = 8
CHECK = struct.Struct("<BI")  # version, CRC-32
COUNTS = struct.Struct("<8sQQQqQQ")
BEGINNING = -(2**63)  # the newest order before the first row
NO_LABELS = np.zeros((0, 3), np.int64)

Rows = Dense | Sparse


class Pool(NamedTuple):
    """Rows whose labels may still come."""

    ticket: np.ndarray  # int64
    order: np.ndarray  # int64
    asked_in: np.ndarray  # int64: the round
    chance: np.ndarray  # with which the label was asked for
    rows: Rows

    def at(self, kept: np.ndarray) -> "Pool":
        """Return the rows of these numbers."""
        ticket, order, asked_in, chance = (array[kept] for array in self[:-1])
        return Pool(ticket, order, asked_in, chance, taken(self.rows, kept))


class Key(NamedTuple):
    """What is known about a key besides the numbers of its model."""

    rounds: int
    tickets: int
    answered: int  # the last ticket of those answered
    newest: int  # order
    open: Pool
    early: np.ndarray  # int64, (n, 3): order, time and code of labels that wait for rows


class Packing:
    """The arrays of a model as one vector of 64-bit words, and their bytes.

    `learned` are the state, the asker's memory and the calibration, as views of the words. `kind`
    describes the parameters that the bytes depend on.
    """

    def __init__(self, model: Model, kind: str) -> None:
        self.fingerprint = hashlib.sha256(kind.encode()).digest()[:8]
        self.width = model.width
        arrays = [*model.state, model.past, model.calibration.s]
        kept = [i for i, name in enumerate(model.state._fields) if name not in SCRATCH]
        kept += [len(arrays) - 2, len(arrays) - 1]
        bounds = np.cumsum([0, *(math.ceil(arrays[i].nbytes / 8) for i in kept)])
        self.words = np.zeros(bounds[-1], np.uint64)
        for i, start, stop in zip(kept, bounds[:-1], bounds[1:], strict=True):
            view = self.words[start:stop].view(np.uint8)[: arrays[i].nbytes]
            view = view.view(arrays[i].dtype).reshape(arrays[i].shape)
            view[...], arrays[i] = arrays[i], view
        *state, past, s = arrays
        self.learned = model.space.State(*state), past, model.calibration._replace(s=s)
        self.start = self.words.copy()
        none = np.zeros(0, np.int64)
        self.nothing = Pool(none, none, none, np.zeros(0), no_rows(model.sparse, model.width))
        self.sparse = model.sparse

    def fill(self, key: Any, state: bytes | None) -> Key:
        """Fill the words from the bytes of a key (None: before its first row); return the rest.

        Raises SelectronError if they are damaged, or of another version or other parameters.
        """
        if state is None:
            self.words[:] = self.start
            return Key(0, 0, 0, BEGINNING, self.nothing, NO_LABELS)
        content = BytesIO(state)
        head = content.read(CHECK.size)
        version, crc = CHECK.unpack(head) if len(head) == CHECK.size else (VERSION, -1)
        if version != VERSION:
            raise SelectronError(
                f"The state of key {key!r} is of version {version}, and this Selectron reads "
                f"{VERSION}: install the Selectron that wrote it."
            )
        if zlib.crc32(memoryview(state)[CHECK.size :]) != crc:
            raise SelectronError(f"The state of key {key!r} is damaged: its checksum does not fit.")
        counts = COUNTS.unpack(content.read(COUNTS.size))
        fingerprint, rounds, tickets, answered, newest, n, n_early = counts
        if fingerprint != self.fingerprint:
            raise SelectronError(
                f"The state of key {key!r} is of another learner, other classes or other columns: "
                "give the parameters that it was made with."
            )
        bits = _array(content, math.ceil(len(self.words) / 8), np.uint8)
        filled = np.flatnonzero(np.unpackbits(bits, count=len(self.words)))
        self.words[:] = 0
        self.words[filled] = _array(content, len(filled), np.uint64)
        pool = self._pool(content, n) if n else self.nothing
        early = _array(content, 3 * n_early).reshape(-1, 3)
        return Key(rounds, tickets, answered, newest, pool, early)

    def bytes_of(self, known: Key) -> bytes:
        """Return the bytes of a key, given what the words do not hold."""
        pool, filled = known.open, self.words != 0
        counts = *known[:4], len(pool.order), len(known.early)
        parts = [COUNTS.pack(self.fingerprint, *counts)]
        parts += [np.packbits(filled).tobytes(), self.words[filled].tobytes()]
        if len(pool.order):
            parts += [array.tobytes() for array in pool[:-1]]
            if isinstance(pool.rows, Sparse):
                parts.append(np.diff(pool.rows.indptr).tobytes())
                parts.append(pool.rows.indices.tobytes())
            parts.append(pool.rows.values.tobytes())
        rest = b"".join([*parts, known.early.tobytes()])
        return CHECK.pack(VERSION, zlib.crc32(rest)) + rest

    def _pool(self, content: BytesIO, n: int) -> Pool:
        """Return n open tickets."""
        ticket, order, asked_in = (_array(content, n) for _ in range(3))
        chance = _array(content, n, float)
        if not self.sparse:
            rows: Rows = Dense(_array(content, n * self.width, float).reshape(n, self.width))
        else:
            indptr = np.concatenate([[0], _array(content, n).cumsum()])
            indices = _array(content, indptr[-1], np.int32)
            rows = Sparse(indptr, indices, _array(content, indptr[-1], float))
        return Pool(ticket, order, asked_in, chance, rows)


def _array(content: BytesIO, n: int, kind: Any = np.int64) -> np.ndarray:
    """Return the next n numbers."""
    return np.frombuffer(content.read(n * np.dtype(kind).itemsize), kind)
