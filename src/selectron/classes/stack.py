"""A stack: the arrays of one vector, stacked over the classes."""

from collections import namedtuple
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from ..engine.loop import Classes
from ..engine.parts import Space, declared
from ..engine.rows import Dense, Sparse
from ..spaces.state import COUNT, NOTE

BEST, SECOND = 0, 1  # in `ranks`: the classes with the two best scores
TALLY_COUNT, TALLY_NOTE = 0, 1  # in `tally`: number of steps, and the learner's own number
KEPT = ("tally", "effects", "spread", "shares")  # fields that outlast a row
OWN = ("scores", "ranks", "relevant", "odds", *KEPT)  # fields after those of the space


def of_one(space: Any) -> Any:
    """Return the space of one vector: that of a stack, or else the space itself."""
    return getattr(space, "space", space)


class Stack:
    """A space for many classes: that of one vector, with a reduction.

    `scores` (K,) and `ranks` (2,) belong to the current row; `relevant` (n, K) marks the classes
    relevant to row i of a block, where there may be several. `odds`, `effects`, `spread` and
    `shares` are those of `rest.coupled`, and empty otherwise.
    """

    def __init__(self, space: ModuleType | Any, reduction: ModuleType) -> None:
        self.space, self.reduction = space, reduction
        self.order, self.Rows = space.order, space.Rows
        self.refuses = getattr(space, "refuses", True)
        self.room = getattr(space, "room", None)  # for stored examples in each class: see `Dual`
        self.shared: tuple[str, ...] = declared(space, Space, "shared")
        self.__name__ = f"{space.__name__}_{reduction.__name__.rpartition('.')[2]}"
        self.State: Any = namedtuple("State", [*space.State._fields, *OWN])  # type: ignore[misc]

    def rows(self, block: Dense | Sparse, constant: bool, *kernel: Any) -> Any:
        """Return the block as the loop takes it."""
        return self.space.rows(block, constant, *kernel)

    def begin(self, start: Callable[..., Any], classes: int) -> Any:
        """Return the state before the first round; `start` returns that of one vector."""
        return self.stacked([start()] * classes)

    def stacked(self, states: list[Any], old: Any = None) -> Any:
        """Return the state of these classes; `old` is the state before, of no more classes."""
        classes = len(states)
        arrays = [
            getattr(states[0], name).copy()
            if name in self.shared
            else np.stack([getattr(one, name) for one in states])
            for name in self.space.State._fields
        ]
        row = np.zeros(classes), np.zeros(2, np.int64), np.zeros((0, classes), np.uint8)
        odds, *kept = declared(self.reduction, Classes, "coupling")(classes)
        new = self.State(*arrays, *row, odds, np.zeros(2), *kept)
        return new if old is None else carried(old, new)

    def of_two(self, state: Any, normalize: bool) -> Any:
        """Return the state of two classes from that of one vector w: each takes a share of w."""
        by = self.reduction.share(normalize)
        two = self.stacked([self.space.scaled(state, -by), self.space.scaled(state, by)])
        two.tally[:] = state.scalars[[COUNT, NOTE]]
        return two

    def unstacked(self, state: Any) -> list[Any]:
        """Return the states of the classes, as views."""
        return [self.space.at(state, k) for k in range(len(state.scalars))]

    def sound(self, state: Any) -> bool:
        """Return whether numbers are finite, and counts and indices in range."""
        finite = all(np.isfinite(getattr(state, name)).all() for name in KEPT)
        return finite and all(map(self.space.sound, self.unstacked(state)))

    def weights(self, state: Any) -> np.ndarray:
        """Return w of every class, (K, d)."""
        return np.stack([self.space.weights(one) for one in self.unstacked(state)])

    def widen(self, state: Any, width: int) -> Any:
        """Return the state with new features at the end."""
        return self.stacked([self.space.widen(one, width) for one in self.unstacked(state)], state)

    def extend(self, state: Any, classes: int, start: Callable[[], Any]) -> Any:
        """Return the state with new classes at the end, which `start` returns."""
        states = self.unstacked(state)
        fresh = start()
        if hasattr(self.space, "grow"):
            fresh = self.space.grow(fresh, *self.space.room(state))
        adapted, informed = (declared(self.space, Space, name) for name in ("adapted", "informed"))
        states = [adapted(one, fresh) for one in states]
        fresh = informed(fresh, states[0])
        return self.stacked(states + [fresh] * (classes - len(states)), state)

    def compress(self, state: Any) -> bool:
        """Compress the sketches that are full, in place; return whether there were any."""
        return sum(map(self.space.compress, self.unstacked(state))) > 0

    def wanted(self, state: Any, rows: Any) -> tuple[int, int]:
        """Return the room that every class should have for a step on the first row."""
        rooms = [self.space.wanted(one, rows) for one in self.unstacked(state)]
        capacities, slots = zip(*rooms, strict=True)
        return max(capacities), max(slots)

    def grow(self, state: Any, capacity: int, slot: int) -> Any:
        """Return a copy of the state with at least this room for every class."""
        grown = [self.space.grow(one, capacity, slot) for one in self.unstacked(state)]
        own = {name: getattr(state, name).copy() for name in OWN}
        return self.stacked(grown)._replace(**own)


def carried(old: Any, new: Any) -> Any:
    """Return a new state, of no fewer classes, with what `old` keeps from row to row."""
    for name in KEPT:
        array, before = getattr(new, name), getattr(old, name)
        array[tuple(map(slice, before.shape))] = before
    return new
