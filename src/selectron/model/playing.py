"""How a model plays rounds: it calls the compiled loop, block by block, all or nothing."""

from collections.abc import Callable
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from ..engine.loop import GIVEN, LATER, NEVER
from ..engine.parts import Asker, Learner, declared
from ..engine.round import STRAINED
from ..engine.rows import Dense, Sparse, rows_of
from ..errors import Refused
from . import support
from .draws import BLOCK, Draws, constant
from .refusal import why_refused
from .run import Outcome

TIMELESS = np.zeros(0)


class Room(NamedTuple):
    """Room for one round, made once: arrays of one element."""

    labels: np.ndarray
    draws: np.ndarray
    times: np.ndarray
    out: tuple


class Playing:
    """What plays rounds: the calls of the loop, and what they need of the model."""

    state: Any
    past: np.ndarray  # what the asker remembers
    space: Any
    loop: Callable
    numbers: tuple
    draws: Draws
    room: Room
    turn: Lock  # held by whoever plays a block
    codes: Any  # the type of labels' codes and of flags
    recent: tuple[Any, tuple]
    tail: tuple
    rounds: int
    strained: int
    classes: int
    constant: bool
    normalize: bool
    scaled: bool  # does the loop scale rows? A ring's come scaled
    many: str | None

    kernel: Any
    asker: Any
    learner: Any

    @property
    def dual(self) -> bool:
        """Are examples kept, and not weights of features?"""
        return self.kernel is not None

    @property
    def aging(self) -> bool:
        """Does the space tell how old what leads the prediction is?"""
        return bool(declared(self.learner, Learner, "ensemble")(self.learner))

    @property
    def timed(self) -> bool:
        """Does the asker go by the times of rows?"""
        return bool(declared(self.asker, Asker, "timed")(self.asker))

    def _play_rounds(
        self,
        block: Dense | Sparse,
        labels: np.ndarray,
        given: bool,
        full: bool,
        times: np.ndarray = TIMELESS,
    ) -> Outcome:
        """Play rounds that count; each takes its draw, used or not."""
        draw, scores = GIVEN if given else None, full and self.many == "ranking"
        outcome = self._play(block, labels, draw, full, scores, times)
        self.rounds += len(labels)
        self.strained += int(np.count_nonzero(outcome.flags & STRAINED))
        if given:
            self.draws.skip(len(labels))
        return outcome

    def _play(
        self,
        block: Dense | Sparse,
        labels: np.ndarray,
        draw: float | None,
        full: bool,
        scores: bool = False,
        times: np.ndarray = TIMELESS,
    ) -> Outcome:
        """Play with this draw for every row, None for draws of their own; all or nothing."""
        n = len(labels)
        ranked, aging = self.classes if scores else 0, full and self.aging
        out = Outcome.empty(n, full, ranked, aging, self.codes)
        if self.timed and not len(times):
            times = np.zeros(n)  # of rounds that take no notice of them
        with self.turn:  # the state has room for products, which predicting needs too
            kept, mark = None if draw == NEVER else self._copy(), self.draws.mark()
            try:
                self._play_blocks(block, labels, draw, times, out)
            except BaseException:
                self.state, self.past = kept or (self.state, self.past)
                self.draws.reset(mark)
                raise
        return out

    def _play_blocks(
        self,
        block: Dense | Sparse,
        labels: np.ndarray,
        draw: float | None,
        times: np.ndarray,
        out: Outcome,
    ) -> None:
        n = len(labels)
        for start in range(0, max(n, 1), BLOCK):
            part = slice(start, min(start + BLOCK, n))
            size = part.stop - start
            draws = self.draws.take(size) if draw is None else constant(draw)[:size]
            rows = rows_of(block, start, part.stop)
            self._play_block(rows, labels[part], draws, times[part], start, out.part(part))

    def _play_block(
        self,
        block: Dense | Sparse,
        labels: np.ndarray,
        draws: np.ndarray,
        times: np.ndarray,
        start: int,
        out: Outcome,
    ) -> None:
        rows, full = self._rows(block), len(out.margin) > 0
        played = self._call(rows, labels, draws, times, start, full, out.arrays())
        if played == len(labels):
            return
        if draws[played] == NEVER or not self._grown(rows, played):
            raise Refused(start + played, why_refused(block, played))
        left, block = slice(played, None), rows_of(block, played, len(labels))
        part = labels[left], draws[left], times[left]
        self._play_block(block, *part, start + played, out.part(left))

    def _play_one(self, block: Dense | Sparse, label: int, draw: float, full: bool) -> int:
        """Play one row without counting it; return its flags, and leave the rest in the room."""
        room = self.room
        room.labels[0], room.draws[0] = label, draw
        if self.recent[0] is not block:  # a label that comes at once finds its row prepared
            self.recent = block, self._rows(block)
        rows = self.recent[1]
        kept: list[np.ndarray] = []
        if label != LATER and not self.space.atomic:
            kept = [array.copy() for array in (*self.state, self.past)]
        late = -1 if draw == GIVEN else 0  # the label of a round that has been counted
        while not self._call(rows, *room[:3], late, full, room.out):
            if label == LATER or not self._grown(rows, 0):
                if kept:
                    self.state, self.past = self.space.State(*kept[:-1]), kept[-1]
                raise Refused(0, why_refused(block, 0))
        return room.out[2].item()

    def _rows(self, block: Dense | Sparse) -> tuple:
        """Return a block as the loop takes it."""
        return tuple(self.space.rows(block, self.constant, *self.tail))

    def _grown(self, rows: tuple, i: int) -> bool:
        """Make room for a step on row i if there is none; was there none?"""
        state = support.grown(self, self.space.Rows(*rows), i) if self.dual else None
        self.state = state or self.state
        return state is not None

    def _call(
        self, rows: tuple, labels: Any, draws: Any, times: Any, start: int, full: bool, out: tuple
    ) -> int:
        """Call the compiled loop."""
        learner, asker = self.numbers
        state, way = tuple(self.state), (self.rounds + start, self.scaled, full)
        return self.loop(learner, asker, self.past, state, rows, labels, draws, times, *way, out)

    def _copy(self) -> Any:
        """Return copies of the state, and of what the asker remembers."""
        return self.space.State(*(array.copy() for array in self.state)), self.past.copy()
