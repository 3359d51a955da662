"""One small model for each key: a step from saved bytes to saved bytes.

All keys share one `Model`, whose arrays are filled from the bytes of a key before a step and packed
after it. It decides and learns row by row: a key has few rows in a step. The bytes hold what
differs from key to key, and nothing else:

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
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property, lru_cache
from io import BytesIO
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from ..engine.rows import Dense, Sparse, joined, no_rows, rows_of, taken
from ..errors import Refused, SelectronError
from ..spaces.state import SCRATCH
from .live import Ticket
from .model import Model
from .run import EMPTY

VERSION = 20
CHECK = struct.Struct("<BI")  # version, CRC-32
COUNTS = struct.Struct("<8sQQQqQQ")
BEGINNING = -(2**63)  # the newest order before the first row
ASAP = BEGINNING  # the time of a label that is learned as soon as possible
NO_LABELS = np.zeros((0, 3), np.int64)

Rows = Dense | Sparse


class Items(NamedTuple):
    """Rows of one key to decide on, in any order."""

    order: np.ndarray  # int64, (n,): unique within the key
    rows: Rows
    times: np.ndarray = EMPTY  # in seconds, if the asker uses them


class Answers(NamedTuple):
    """Labels of rows of one key, in any order."""

    order: np.ndarray  # int64, (n,): of the row, or the number of its ticket
    code: np.ndarray  # int64, (n,): -1 and +1 of two classes, 1 to K of many
    by_ticket: np.ndarray  # bool, (n,): what `order` is
    time: np.ndarray  # int64, (n,): learn it after the rows up to this order, or ASAP


class Decided(NamedTuple):
    """Decisions about the rows of a step, in their order."""

    predicted: np.ndarray  # indices of classes
    proba: np.ndarray  # (n, n_classes)
    ask: np.ndarray  # bool
    ask_probability: np.ndarray
    ticket: np.ndarray  # int64, from 1 on within the key; 0 where the label is not asked for


@dataclass(frozen=True)
class Keyed:
    """A learner and an asker for every key, over rows of the same `width` features.

    Parameters are those of `Model`. `random_state` is a whole number. A key keeps its newest
    `max_open` open tickets, of these the ones whose order is less than `ttl` behind that of the
    newest row (None: all), and as many labels that wait for rows. `names` may be anything
    that a state is to depend on, such as the names of classes and columns.
    """

    learner: Any
    asker: Any
    width: int
    classes: int = 2
    sparse: bool = False
    many: str | None = None
    constant: bool = True
    normalize: bool | None = None
    random_state: int = 0
    max_open: int = 100
    ttl: int | None = None
    names: tuple = ()

    def step(
        self, key: Any, state: bytes | None, items: Items | None, answers: Answers | None
    ) -> tuple[bytes, Decided]:
        """Return the state of a key after some rows and labels, and decisions about the rows.

        Rows are played in the order of their numbers. A label of an open ticket is learned before
        the rows, one of a row of this step right after it; with a time, after the rows up to that
        time, in this step or a later one. Labels of rows that were not asked for, answered already
        or expired change nothing. How rows and labels are listed does not matter.

        Raises SelectronError, without a change, if a row is not finite, or if the state is damaged,
        of another version, or of other parameters.
        """
        return _machine(self, self._parts).step(key, state, items, answers)

    @cached_property
    def _parts(self) -> tuple:
        """Their texts and classes: as tuples, parts of different classes may be equal."""
        askers = self.asker, getattr(self.asker, "asker", None)
        return (repr((self.learner, self.asker)), *map(type, (self.learner, *askers)))


def start_of(random_state: int, key: Any) -> dict[str, Any]:
    """Return the state of PCG64 before the draws of a key: a hash of (random_state, key) alone."""
    parts = key if isinstance(key, tuple) else (key,)
    plain = [part.item() if isinstance(part, np.generic) else part for part in parts]
    digest = hashlib.sha256(repr([random_state, *plain]).encode()).digest()
    state, inc = (int.from_bytes(half, "little") for half in (digest[:16], digest[16:]))
    numbers = {"state": state, "inc": inc | 1}
    return {"bit_generator": "PCG64", "state": numbers, "has_uint32": 0, "uinteger": 0}


class Pending(NamedTuple):
    """Rows whose labels may still come."""

    ticket: np.ndarray  # int64
    order: np.ndarray  # int64
    asked_in: np.ndarray  # int64: the round
    chance: np.ndarray  # with which the label was asked for
    rows: Rows

    def at(self, kept: np.ndarray) -> "Pending":
        """Return the rows of these numbers."""
        ticket, order, asked_in, chance = (array[kept] for array in self[:-1])
        return Pending(ticket, order, asked_in, chance, taken(self.rows, kept))


class Key(NamedTuple):
    """What is known about a key besides the numbers of its model."""

    rounds: int
    tickets: int
    answered: int  # the last ticket of those answered
    newest: int  # order
    open: Pending
    early: np.ndarray  # int64, (n, 3): order, time and code of labels that wait for rows


class Machine:
    """The one model of a `Keyed`, with its arrays in one vector of 64-bit words.

    `learned` are the state, the asker's memory and the calibration, as views of the words.
    """

    def __init__(self, keyed: Keyed) -> None:
        self.keyed, self.lock = keyed, Lock()
        names = "width", "classes", "sparse", "many", "constant", "normalize"
        settings = {name: getattr(keyed, name) for name in names}
        self.model = model = Model(keyed.learner, keyed.asker, seed=0, **settings)
        model.guarded = True  # a step that fails leaves the bytes as they were
        of_bytes = keyed.learner, type(keyed.asker).__name__, settings, keyed.names
        self.fingerprint = hashlib.sha256(repr(of_bytes).encode()).digest()[:8]
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
        self.nothing = Pending(none, none, none, np.zeros(0), no_rows(model.sparse, model.width))

    def step(
        self, key: Any, state: bytes | None, items: Items | None, answers: Answers | None
    ) -> tuple[bytes, Decided]:
        """Return what `Keyed.step` does."""
        items = Items(np.zeros(0, np.int64), self.nothing.rows) if items is None else items
        by_order = np.argsort(items.order, kind="stable")
        times = items.times[by_order] if len(items.times) else EMPTY
        items = Items(items.order[by_order], taken(items.rows, by_order), times)
        with self.lock:
            known = self.load(key, state)
            newest = max([known.newest, *items.order[-1:].tolist()])
            due, wait = self.place(known, newest, items.order, answers)
            try:
                pool, waiting, decided = self.play(known.open, items, due)
            except Refused as error:
                raise SelectronError(f"A row of key {key!r}{error.reason}") from error
            if self.keyed.ttl is not None:
                waiting &= pool.order > newest - self.keyed.ttl
            kept = pool.at(np.flatnonzero(waiting)[-self.keyed.max_open :])
            closed = {*pool.order[~waiting].tolist()}
            wait = [label for label in wait if label[0] not in closed][: self.keyed.max_open]
            early = np.array(wait, np.int64).reshape(-1, 3)
            counts = self.model.rounds, self.model.tickets, self.model.answered
            state = self.bytes_of(Key(*counts, newest, kept, early))
        back = np.empty_like(by_order)
        back[by_order] = np.arange(len(back))
        return state, Decided(*(array[back] for array in decided))

    def load(self, key: Any, state: bytes | None) -> Key:
        """Fill the model with the numbers of a key, and return what else is known about it."""
        known, model = self.fill(key, state), self.model
        model.state, model.past, model.calibration = self.learned
        model.rounds, model.tickets, model.answered = known.rounds, known.tickets, known.answered
        model.draws.reset({"generator": start_of(self.keyed.random_state, key), "ahead": ()})
        model.draws.skip(known.rounds)
        return known

    def place(
        self, known: Key, newest: int, order: np.ndarray, answers: Answers | None
    ) -> tuple[dict[int, list[tuple[bool, int, int]]], list[tuple[int, int, int]]]:
        """Return the labels to be learned after a number of rows, and those that wait for rows.

        The former are: whether it is late, index in the pool, and code; they are learned in this
        order. Of several labels for one row, the one of the earliest time and lowest code counts.
        """
        pool, m = known.open, len(known.open.order)
        listed = known.early.tolist()
        if answers is not None and len(answers.order):
            number_of = dict(zip(pool.ticket.tolist(), pool.order.tolist(), strict=True))
            for number, code, by_ticket, time in zip(*(a.tolist() for a in answers), strict=True):
                number = number_of.get(number) if by_ticket else number
                if number is not None:
                    listed.append([number, time, code])
        due: dict[int, list[tuple[bool, int, int]]] = {}
        wait: list[tuple[int, int, int]] = []
        index_of = dict(zip(order.tolist(), range(m, m + len(order)), strict=True))
        index_of |= dict(zip(pool.order.tolist(), range(m), strict=True))
        before = None
        for number, time, code in sorted(listed):
            if number == before:
                continue
            before, index = number, index_of.get(number)
            if number > newest or (index is not None and time > newest):
                wait.append((number, time, code))
            elif index is not None:
                own = max(0, index - m + 1)  # rows of the step up to this one
                played = max(own, int(np.searchsorted(order, time, side="right")))
                due.setdefault(played, []).append((played > own, index, code))
        return due, wait

    def play(self, older: Pending, items: Items, due: dict) -> tuple[Pending, np.ndarray, Decided]:
        """Play a step; return the rows whose labels may come, which are open, and decisions."""
        m, n, model = len(older.order), len(items.order), self.model
        pool = Pending(
            np.concatenate([older.ticket, np.zeros(n, np.int64)]),
            np.concatenate([older.order, items.order]),
            np.concatenate([older.asked_in, model.rounds + 1 + np.arange(n)]),
            np.concatenate([older.chance, np.empty(n)]),
            joined([older.rows, items.rows]) if m else items.rows,  # type: ignore[arg-type]
        )
        waiting = np.ones(m + n, bool)
        predicted, proba = np.empty(n, int), np.empty((n, max(2, model.columns)))
        for played in range(n + 1):
            i, model.open = m + played - 1, OrderedDict()
            if played:
                time = items.times[played - 1] if len(items.times) else 0.0
                decision = model.decide(rows_of(pool.rows, i, i + 1), time)
                predicted[played - 1], _, pool.chance[i], ticket = decision
                pool.ticket[i], waiting[i] = ticket or 0, ticket is not None
                proba[played - 1] = model.last_proba()
            for _, at, code in sorted(due.get(played, ())):
                if waiting[at]:
                    row, asked_in = rows_of(pool.rows, at, at + 1), int(pool.asked_in[at])
                    number = pool.ticket[at].item()
                    asked = Ticket(row, float(pool.chance[at]), asked_in, -1, number)
                    model.open[number] = asked
                    model.tell(number, code)
                waiting[at] = False
        if model.state is not self.learned[0]:  # it was renewed
            for view, array in zip(self.learned[0], model.state, strict=True):
                view[...] = array
        tickets = pool.ticket[m:]
        return pool, waiting, Decided(predicted, proba, tickets > 0, pool.chance[m:], tickets)

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

    def _pool(self, content: BytesIO, n: int) -> Pending:
        ticket, order, asked_in = (_array(content, n) for _ in range(3))
        chance = _array(content, n, float)
        if not self.keyed.sparse:
            width = self.keyed.width
            rows: Rows = Dense(_array(content, n * width, float).reshape(n, width))
        else:
            indptr = np.concatenate([[0], _array(content, n).cumsum()])
            indices = _array(content, indptr[-1], np.int32)
            rows = Sparse(indptr, indices, _array(content, indptr[-1], float))
        return Pending(ticket, order, asked_in, chance, rows)


def _array(content: BytesIO, n: int, kind: Any = np.int64) -> np.ndarray:
    return np.frombuffer(content.read(n * np.dtype(kind).itemsize), kind)


@lru_cache(maxsize=32)
def _machine(keyed: Keyed, parts: tuple) -> Machine:
    return Machine(keyed)
