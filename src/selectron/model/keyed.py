"""One small model for each key: a step from saved bytes to saved bytes.

All keys share one compiled loop, one set of parameters and one `Model`, whose arrays are filled
from the bytes of a key before a step and packed after it (`packed`). A step plays the rows of a key
in few compiled calls: a block of rows whose labels come at once, or of such whose labels come later
if at all, up to the next label that comes late; then such labels. Decisions and states equal those
of `Model.decide` and `Model.tell`, row by row.
"""

import copy
import hashlib
import itertools
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from ..engine.loop import GIVEN, LATER
from ..engine.rows import joined, rows_of, taken
from ..errors import Refused, SelectronError
from .live import Ticket
from .model import Model
from .packed import BEGINNING, NO_LABELS, Key, Packing, Pool, Rows
from .run import TIMELESS, Outcome

ASAP = BEGINNING  # the time of a label that is learned as soon as possible


class Items(NamedTuple):
    """Rows of one key to decide on, in any order."""

    order: np.ndarray  # int64, (n,): unique within the key
    rows: Rows
    times: np.ndarray = TIMELESS  # in seconds, if the asker uses them


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

    >>> from selectron.askers import Always
    >>> from selectron.engine.rows import Dense
    >>> from selectron.learners import Perceptron
    >>> keyed = Keyed(Perceptron(), Always(), width=2, classes=2)
    >>> items = Items(np.arange(2), Dense(np.eye(2)))
    >>> state, decided = keyed.step("a", None, items, None)
    >>> decided.ticket
    array([1, 2])
    >>> at = np.array([1])
    >>> answers = Answers(at, np.array([-1]), np.array([True]), np.array([ASAP]))
    >>> state, _ = keyed.step("a", state, None, answers)
    >>> keyed.model("a", state).weights()
    array([-0.70710678, -0.70710678,  0.        ])
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
        of a newer version, or of other parameters.
        """
        return _machine(self).step(key, state, items, answers)

    def model(self, key: Any, state: bytes) -> Model:
        """Return a copy of the model of a key."""
        return _machine(self).model_of(key, state)


@cache
def _machine(keyed: Keyed) -> "Machine":
    return Machine(keyed)


def generator_of(random_state: int, key: Any) -> np.random.Generator:
    """Return the generator of the draws of a key, a function of (random_state, key) alone."""
    bits = np.random.PCG64()
    bits.state = _stream(random_state, key)  # type: ignore[assignment]
    return np.random.Generator(bits)


def _stream(random_state: int, key: Any) -> dict[str, Any]:
    """Return the state of PCG64 in front of the draws of a key: a hash of (random_state, key)."""
    parts = key if isinstance(key, tuple) else (key,)
    plain = [part.item() if isinstance(part, np.generic) else part for part in parts]
    digest = hashlib.sha256(repr([random_state, *plain]).encode()).digest()
    state, inc = (int.from_bytes(half, "little") for half in (digest[:16], digest[16:]))
    numbers = {"state": state, "inc": inc | 1}
    return {"bit_generator": "PCG64", "state": numbers, "has_uint32": 0, "uinteger": 0}


class Machine:
    """The one model of a `Keyed`, and its packing."""

    def __init__(self, keyed: Keyed) -> None:
        self.keyed, self.turn = keyed, Lock()
        names = "width", "classes", "sparse", "many", "constant", "normalize"
        settings = {name: getattr(keyed, name) for name in names}
        self.model = Model(keyed.learner, keyed.asker, seed=0, **settings)
        kind = repr((keyed.learner, type(keyed.asker).__name__, settings, keyed.names))
        self.packing = Packing(self.model, kind)

    def step(
        self, key: Any, state: bytes | None, items: Items | None, answers: Answers | None
    ) -> tuple[bytes, Decided]:
        """Return what `Keyed.step` does."""
        items = Items(np.zeros(0, np.int64), self.packing.nothing.rows) if items is None else items
        by_order = np.argsort(items.order, kind="stable")
        times = items.times[by_order] if len(items.times) else TIMELESS
        items = Items(items.order[by_order], taken(items.rows, by_order), times)
        with self.turn:
            known = self.load(key, state)
            given, early = self.place(known, items.order, answers)
            try:
                pool, waiting, decided = self.play(known, items, given)
            except Refused as error:
                raise SelectronError(f"A row of key {key!r}{error.reason}") from error
            state = self.packing.bytes_of(self.closed(known, pool, waiting, early))
        back = np.empty_like(by_order)
        back[by_order] = np.arange(len(back))
        return state, Decided(*(array[back] for array in decided))

    def load(self, key: Any, state: bytes | None) -> Key:
        """Fill the model with the numbers of a key, and return what else is known about it."""
        known, model = self.packing.fill(key, state), self.model
        model.state, model.past, model.calibration = self.packing.learned
        model.rounds, model.tickets, model.answered = known.rounds, known.tickets, known.answered
        bits: Any = model.draws.generator.bit_generator
        bits.state = _stream(self.keyed.random_state, key)
        bits.advance(known.rounds)
        return known

    def model_of(self, key: Any, state: bytes) -> Model:
        """Return what `Keyed.model` does."""
        with self.turn:
            known, model = self.load(key, state), object.__new__(Model)
            model.__setstate__(copy.deepcopy(self.model.__getstate__()))
        pool = known.open
        model.oldest = int(pool.ticket.min(initial=model.tickets + 1))
        for i, ticket in enumerate(pool.ticket.tolist()):
            row, asked_in = rows_of(pool.rows, i, i + 1), int(pool.asked_in[i])
            model.open[ticket] = Ticket(row, float(pool.chance[i]), asked_in, proposed=-1)
        return model

    def place(
        self, known: Key, order: np.ndarray, answers: Answers | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return where in the step labels are learned, and the labels that are to wait.

        The first has the columns: number of rows of the step before it, index in the pool, code.
        Of several labels for one row, the one of the earliest time and lowest code counts.
        """
        pool, newest = known.open, max(known.newest, order[-1] if len(order) else BEGINNING)
        listed = known.early.tolist()
        if answers is not None and len(answers.order):
            number_of = dict(zip(pool.ticket.tolist(), pool.order.tolist(), strict=True))
            for number, code, by_ticket, time in zip(*(a.tolist() for a in answers), strict=True):
                number = number_of.get(number) if by_ticket else number
                if number is not None:
                    listed.append([number, time, code])
        if not listed:
            return np.zeros((0, 3), np.int64), NO_LABELS
        m, early, placed = len(pool.order), [], []
        index_of = dict(zip(order.tolist(), range(m, m + len(order)), strict=True))
        index_of |= dict(zip(pool.order.tolist(), range(m), strict=True))
        before = None
        for number, time, code in sorted(listed):
            if number == before:
                continue
            before, index = number, index_of.get(number)
            if number > newest or (index is not None and time > newest):
                early.append((number, time, code))
            elif index is not None:
                played = int(np.searchsorted(order, time, side="right"))
                placed.append((max(played, index - m + 1), index, code))
        return _table(sorted(placed)), _table(early)

    def play(self, known: Key, items: Items, given: np.ndarray) -> tuple[Pool, np.ndarray, Decided]:
        """Play the rows and labels of a step.

        Returns the pool of the rows whose labels may come, whether each is still open, and the
        decisions.
        """
        m, n, model, older = len(known.open.order), len(items.order), self.model, known.open
        pool = Pool(
            np.concatenate([older.ticket, np.zeros(n, np.int64)]),
            np.concatenate([older.order, items.order]),
            np.concatenate([older.asked_in, known.rounds + 1 + np.arange(n)]),
            np.concatenate([older.chance, np.empty(n)]),
            joined([older.rows, items.rows]) if m else items.rows,  # type: ignore[arg-type]
        )
        asked = np.ones(m + n, bool)
        predicted, proba = np.empty(n, int), np.empty((n, max(2, model.columns)))
        codes = np.full(n, LATER, model.codes)
        at_once = (given[:, 1] >= m) & (given[:, 0] == given[:, 1] - m + 1)
        codes[given[at_once, 1] - m] = given[at_once, 2]
        late, start = given[~at_once], 0
        turns = np.flatnonzero(np.diff(codes == LATER)) + 1
        for stop in sorted({n, *turns.tolist(), *late[:, 0].tolist()}):
            while start < stop:
                by_one = codes[start] != LATER and model.waiting  # its answer ends the waiting
                left = self.renewed()
                part = slice(start, min(stop, start + (1 if by_one else left)))
                out = self.decide(items, part, codes[part], proba[part])
                predicted[part], asked[m:][part] = out.index, out.asked
                pool.chance[m:][part] = out.ask_probability
                found = np.where(out.asked, model.tickets + np.cumsum(out.asked), 0)
                pool.ticket[m:][part], start = found, part.stop
                model.tickets = int(found.max(initial=model.tickets))
                if codes[part.start] != LATER and out.asked.any():
                    model.answered = model.tickets
            now = late[late[:, 0] == stop]
            now = now[asked[now[:, 1]]]
            if len(now):
                self.tell(pool.at(now[:, 1]), now[:, 2].astype(model.codes))
        waiting = asked.copy()
        waiting[given[:, 1]] = False
        new = asked[m:], pool.chance[m:], pool.ticket[m:]
        return pool, waiting, Decided(predicted, proba, *new)

    def renewed(self) -> int:
        """Renew the model if that is due; return the number of rows before the next time."""
        left = self.model.renew(self.model.rounds + 1)
        if self.model.state is not self.packing.learned[0]:
            for view, array in zip(self.packing.learned[0], self.model.state, strict=True):
                view[...] = array
            self.model.state = self.packing.learned[0]
        return left

    def decide(self, items: Items, part: slice, codes: np.ndarray, proba: np.ndarray) -> Outcome:
        """Play rows whose labels all come at once, or all later, and write their probabilities.

        Of rows whose labels come at once, there is one at most while older labels are on their way.
        """
        model, n = self.model, len(codes)
        times = items.times[part] if len(items.times) else np.zeros(n if model.timed else 0)
        out = model.outcome(n)
        waiting = -1 if codes[0] != LATER and not model.waiting else model.waiting
        rounds = codes, model.draws.take(n), times
        model.play_block(rows_of(items.rows, part.start, part.stop), rounds, 0, out, waiting)
        model.rounds += n
        model.calibration.learn(out.arrays(), codes, out.ask_probability, proba)
        return out

    def tell(self, pool: Pool, codes: np.ndarray) -> None:
        """Learn labels that come after their rounds, with the times of these: as `Model.tell`."""
        model, n = self.model, len(codes)
        out = model.outcome(n, model.calibration.own, ages=False)
        times, given = np.zeros(n if model.timed else 0), np.full(n, GIVEN)
        cuts = np.flatnonzero(np.diff(pool.asked_in) != 1) + 1  # rounds in a row take one call
        for start, stop in itertools.pairwise([0, *cuts.tolist(), n]):
            part, rows = slice(start, stop), rows_of(pool.rows, start, stop)
            before = int(pool.asked_in[start]) - 1 - model.rounds
            model.play_block(rows, (codes[part], given[part], times[part]), before, out.part(part))
        model.calibration.learn(out.arrays(), codes, pool.chance)
        model.answered = max(model.answered, int(pool.ticket.max()))

    def closed(self, known: Key, pool: Pool, waiting: np.ndarray, early: np.ndarray) -> Key:
        """Return what is known about a key after a step: tickets that are too old are closed."""
        keyed, n = self.keyed, len(pool.order) - len(known.open.order)
        newest = max(known.newest, int(pool.order[-1]) if n else BEGINNING)
        if keyed.ttl is not None:
            waiting &= pool.order > newest - keyed.ttl
        kept = np.flatnonzero(waiting)[-keyed.max_open :]
        open = pool.at(kept) if len(kept) else self.packing.nothing
        counts = self.model.rounds, self.model.tickets, self.model.answered
        return Key(*counts, newest, open, early[: keyed.max_open])


def _table(rows: list) -> np.ndarray:
    """Return rows of three whole numbers as an array."""
    return np.array(rows, np.int64).reshape(-1, 3)
