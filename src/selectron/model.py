"""The stateful core: what is learned, the draws, and the tickets of labels that may still come.

Labels are the codes -1 and +1 here, rows are blocks, and inputs are taken to be of the right shape;
the faces see to that. Either a call does all of its work, or it raises and changes nothing.
"""

import os
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .askers import Always
from .compose import loop, space_for
from .draws import Draws
from .engine.loop import ASKED, GIVEN, LATER, NEVER, NONE, PREDICTED, UPDATED
from .engine.rows import Dense, Sparse, no_rows, rows_of
from .errors import Refused, SelectronError
from .parameters import shown
from .run import Outcome

BLOCK = 32_768  # rows between two looks at Ctrl-C; their draws fit in the cache


class Room(NamedTuple):
    """Room for one round, made once: arrays of one element."""

    labels: np.ndarray
    draws: np.ndarray
    out: tuple[np.ndarray, np.ndarray, np.ndarray]


@cache
def _constant(draw: float) -> np.ndarray:
    """Return the same draw for a whole block."""
    return np.full(BLOCK, draw)


class Model:
    """A learner under an asker, in the space for its order and its rows.

    Parameters: `width` features; `sparse` rows or dense ones; `constant` puts a 1 in front of every
    row; `normalize` scales rows to unit length (None: as the learner's paper does); `seed` as in
    `Draws`; `max_open` bounds the tickets that are kept open.
    """

    def __init__(
        self,
        learner: Any,
        asker: Any,
        *,
        width: int,
        sparse: bool = False,
        constant: bool = True,
        normalize: bool | None = None,
        seed: Any = None,
        max_open: int = 10_000,
    ):
        self.learner, self.asker = learner, asker
        self.numbers = learner.numbers(), asker.numbers()
        self.width, self.sparse, self.constant = width, sparse, constant
        self.normalize = bool(learner.normalize() if normalize is None else normalize)
        self.max_open = max_open
        self.draws = Draws(seed)
        self.rounds = 0
        self.open: dict[int, Dense | Sparse] = {}
        self.tickets = 0
        self._equip()
        self._check_memory(width)
        shape = type(learner)(*self.numbers[0]).shape() if self.space.order == 2 else None
        self.state = self.space.start(self._weights(width), shape)

    def _equip(self) -> None:
        """Take up what is not kept with the model: the space, the loop, and room for one round."""
        self.space = space_for(self.learner, self.sparse)
        self.recent: tuple[Any, tuple] = (None, ())
        self.loop = loop(type(self.learner), type(self.asker), self.space)
        self.room = Room(
            np.zeros(1, np.int8), np.zeros(1), (np.zeros(1), np.zeros(1), np.zeros(1, np.uint8))
        )

    def prepare(self) -> None:
        """Compile the loop, or load it, by playing no row at all."""
        self.look(no_rows(self.sparse, self.width), 0)

    def run(self, block: Dense | Sparse, labels: np.ndarray, full: bool = True) -> Outcome:
        """Play rounds in which a label, where there is one, is seen only if it is asked for."""
        # an asker that always asks would not look at the draws
        return self._play_rounds(block, labels, isinstance(self.asker, Always), full)

    def learn(self, block: Dense | Sparse, labels: np.ndarray) -> Outcome:
        """Play rounds in which every label is given."""
        return self._play_rounds(block, labels, given=True, full=False)

    def look(self, block: Dense | Sparse, n: int, full: bool = False) -> Outcome:
        """Predict, and change nothing."""
        return self._play(block, np.full(n, NONE, np.int8), NEVER, full)

    def decide(self, block: Dense | Sparse) -> tuple[bool, float, float, int | None]:
        """Play a round whose label may come later: (+1 predicted?, margin, probability, ticket).

        There is a ticket if the label is asked for. The row is kept until the ticket is answered,
        or until `max_open` younger ones are open.
        """
        flags = self._play_one(block, LATER, self.draws.first(), full=True)
        self.rounds += 1
        self.draws.skip(1)
        ticket = None
        if flags & ASKED:
            ticket = self.tickets = self.tickets + 1
            self.open[ticket] = block
            if len(self.open) > self.max_open:
                del self.open[next(iter(self.open))]
        margin, probability, _ = self.room.out
        return flags & PREDICTED != 0, margin.item(), probability.item(), ticket

    def tell(self, ticket: int, label: int) -> bool:
        """Learn the label of an open ticket, from the model as it is now: did it step?"""
        block = self.open.get(ticket) if isinstance(ticket, int | np.integer) else None
        if block is None:
            raise SelectronError(self._why_not_open(ticket))
        flags = self._play_one(block, label, GIVEN, full=False)
        del self.open[ticket]
        return flags & UPDATED != 0

    def widen(self, width: int) -> None:
        """Make room for features up to `width`; sparse rows only."""
        if width > self.width:
            self._check_memory(width)
            self.state = self.space.widen(self.state, self._weights(width))
            self.width = width

    def weights(self) -> np.ndarray:
        """Return the weights, the constant's first if there is one."""
        w = self.space.weights(self.state)
        return w if self.constant or self.space.order == 2 else w[1:]

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k not in ("space", "loop", "room", "recent")}

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)
        self._equip()
        # where a pickle is mapped from its file, the arrays in it are read-only
        self.state = self.space.State(*(np.require(a, requirements="W") for a in self.state))

    def _weights(self, width: int) -> int:
        """Return how many weights the space has for so many features."""
        return width + (self.constant or self.space.order == 1)

    def _play_rounds(
        self, block: Dense | Sparse, labels: np.ndarray, given: bool, full: bool
    ) -> Outcome:
        """Play rounds that count; each takes its draw, used or not."""
        outcome = self._play(block, labels, GIVEN if given else None, full)
        self.rounds += len(labels)
        if given:
            self.draws.skip(len(labels))
        return outcome

    def _play(
        self, block: Dense | Sparse, labels: np.ndarray, draw: float | None, full: bool
    ) -> Outcome:
        """Play with this draw for every row, None for draws of their own; all or nothing."""
        n = len(labels)
        margin, probability = np.empty(n if full else 0), np.empty(n if full else 0)
        flags = np.empty(n, np.uint8)
        before, mark = None if draw == NEVER else self._copy(), self.draws.mark()
        try:
            for start in range(0, max(n, 1), BLOCK):
                part = slice(start, min(start + BLOCK, n))
                size = part.stop - start
                draws = self.draws.take(size) if draw is None else _constant(draw)[:size]
                out = margin[part], probability[part], flags[part]
                self._play_block(rows_of(block, start, part.stop), labels[part], draws, start, out)
        except BaseException:
            self.state = before or self.state
            self.draws.reset(mark)
            raise
        return Outcome(margin, probability, flags)

    def _play_block(
        self, block: Dense | Sparse, labels: np.ndarray, draws: np.ndarray, start: int, out: tuple
    ) -> None:
        rows = tuple(self.space.rows(block, self.constant))
        played = self._call(rows, labels, draws, start, len(out[0]) > 0, out)
        if played < len(labels):
            raise Refused(start + played, _why_refused(block, played))

    def _play_one(self, block: Dense | Sparse, label: int, draw: float, full: bool) -> int:
        """Play one row without counting it; return its flags, and leave the rest in the room."""
        room = self.room
        room.labels[0], room.draws[0] = label, draw
        if self.recent[0] is not block:  # a label that comes at once finds its row prepared
            self.recent = block, tuple(self.space.rows(block, self.constant))
        before = None if label == LATER or self.space.atomic else self._copy()
        if not self._call(self.recent[1], room.labels, room.draws, 0, full, room.out):
            self.state = before or self.state
            raise Refused(0, _why_refused(block, 0))
        return room.out[2].item()

    def _call(
        self, rows: tuple, labels: Any, draws: Any, start: int, full: bool, out: tuple
    ) -> int:
        """Call the compiled loop."""
        done = self.rounds + start
        state = tuple(self.state)
        return self.loop(*self.numbers, state, rows, labels, draws, done, self.normalize, full, out)

    def _copy(self) -> Any:
        """Return a copy of the state."""
        return self.space.State(*(array.copy() for array in self.state))

    def _why_not_open(self, ticket: Any) -> str:
        if not isinstance(ticket, int | np.integer) or not 0 < ticket <= self.tickets:
            given = f"{self.tickets} have been given out, from 1 on"
            return f"Ticket {shown(ticket)} is unknown: {given}."
        return (
            f"Ticket {ticket} is not open: it has been answered, or has expired "
            f"because {self.max_open} younger ones were open."
        )

    def _check_memory(self, width: int) -> None:
        """Refuse a state larger than the machine's memory before it is asked for."""
        size = 2 * self.space.size(self._weights(width))  # a copy is kept while rows are played
        try:
            memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        except (AttributeError, ValueError, OSError):  # not known on this system
            return
        if size > memory:
            raise SelectronError(
                f"{type(self.learner).__name__} on {width} features needs "
                f"{size / 2**30:.0f} GiB: take a first-order learner, or fewer features."
            )


def _why_refused(block: Dense | Sparse, i: int) -> str:
    """Tell what is wrong with row i of a block."""
    if isinstance(block, Dense):
        values = block.values[i]
        features = np.arange(len(values))
    else:
        span = slice(block.indptr[i], block.indptr[i + 1])
        values, features = block.values[span], block.indices[span]
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        what = "NaN" if np.isnan(values[bad[0]]) else "infinite"
        return f", feature {features[bad[0]]} is {what}: every value must be finite."
    with np.errstate(over="ignore"):
        large = not np.isfinite(values @ values)
    what = (
        "is too large for floating point" if large else "goes beyond what floating point resolves"
    )
    return f" {what}: scale the features."
