"""The arrays of a state, from one table that starts, sizes, copies and stacks them."""

import math
from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..engine.parts import COUNT as COUNT  # number of steps so far
from ..engine.parts import NOTE as NOTE  # the learner's own number
from ..engine.parts import SQUARE as SQUARE  # <w, w>, kept by recurrence
from ..engine.round import Shape

# Where a state's `scalars` hold its other numbers.
BIAS = 2  # first order: the weight of the constant, if there is one
FACTOR = 3  # sparse rows, first order: w = factor * v
SUPPORT = 3  # sparse rows, w in an L1 ball: how many weights are not 0
NOISE = 2  # second order: eps, added to P before each step
LARGEST = 3  # second order: an upper bound of the eigenvalues of P
FRESH = 4  # second order: P_jj of a feature that no step has touched
SMALLEST = 6  # second order: a lower bound of the eigenvalues of P; 0 if only its sign is known
LENGTH = 7
MANY = 2.0**53  # more than any count: larger ones are not exact
HELD = 7  # stored examples: how many there are
LIMIT = 8  # stored examples: how many there may be
CHANCE = 9  # stored examples: the last number of the generator that chooses which one is evicted
MIX = 3  # stored examples, second order: the weights of the terms of P are mix * c
DUAL_LENGTH = 10
SKETCH_LENGTH = 8
SEEN = 8  # sketch of sparse rows: how many features steps have touched
EPOCH = 9  # and the number of the last `compress`

# Fields that hold something of the last row only, so that a saved state can do without them
SCRATCH = frozenset({"g", "predictions", "entries", "row", "status", "z", "scores", "ranks"})
SCRATCH |= {"curved_g", "curved_predictions", "curved_z", "deviation"}


class Room(NamedTuple):
    """What the shapes of a state's arrays follow from."""

    width: int  # number of weights
    capacity: int = 0  # how many examples there is room for, in dual form; Fourier features
    slot: int = 0  # and, on sparse rows, how many non-zeros of each


class Limits(NamedTuple):
    """The range of numbers that compiled code takes as counts or indices, without checking them."""

    at: Any  # places along the last axis of an array
    most: Any = MANY  # a number, or a function of the state
    least: float = 0
    whole: bool = True

    def hold(self, array: np.ndarray, s: Any = None) -> bool:
        """Return whether the numbers of an array, of state s, are in range."""
        found, most = array[..., self.at], self.most(s) if callable(self.most) else self.most
        inside = (found >= self.least) & (found <= most)
        return bool(inside.all() and not (self.whole and (found % 1).any()))


ALL_OF: Any = slice(None)  # places: for arrays of indices


class Field(NamedTuple):
    """One array of a state."""

    shape: Callable[[Room], tuple[int, ...]]
    power: Any = 0  # multiplying w by c multiplies the array, or its entries, by c ** power
    dtype: Any = np.float64
    fill: Callable[[np.ndarray, Any], None] | None = None  # from zeros, given the learner's Shape
    shared: bool = False  # by all classes of a stack, as what follows from rows alone
    limits: tuple[Limits, ...] = ()  # of its numbers


def numbers(
    length: int,
    powers: Mapping[int, int],
    start: Mapping[int, float | str] | None = None,
    limits: tuple[Limits, ...] = (),
) -> Field:
    """Return the field `scalars`, given the powers of w that some of its entries scale with.

    `start` has entries that do not start with 0: with a number, or that of the `Shape` it names.
    The number of steps has `limits` in any case.
    """
    power = np.zeros(length, int)
    power[list(powers)] = list(powers.values())

    def fill(scalars: np.ndarray, shape: Any) -> None:
        for j, first in (start or {}).items():
            scalars[j] = getattr(shape, first) if isinstance(first, str) else first

    return Field(lambda r: (length,), power, fill=fill, limits=(Limits(COUNT), *limits))


class Table:
    """The fields of a state, by name and in order.

    `State` is the NamedTuple of the arrays, and `at(stack, k)` the state of class k of a stack,
    which has an array of each field and may have other fields after them. `shared` are the names
    of those that all classes share; `capacity` is that of an array as long as the room's capacity.
    """

    def __init__(self, fields: Mapping[str, Field], capacity: str | None = None) -> None:
        self.fields, self.capacity = fields, capacity
        self.shared = tuple(name for name, field in fields.items() if field.shared)
        self.State: Any = namedtuple("State", fields)  # type: ignore[misc]
        state, entries = self.State, _entries(0, [field.shared for field in fields.values()])
        self.at = lambda s, k: state(*entries(s, k))

    def zeros(self, room: Room) -> Any:
        """Return a state of zeros; NumPy's take no memory before they are written to."""
        return self.State(*(np.zeros(f.shape(room), f.dtype) for f in self.fields.values()))

    def start(self, width: int, shape: Shape | None, capacity: int = 0, slot: int = 0) -> Any:
        """Return the state before the first round."""
        state = self.zeros(Room(width, capacity, slot))
        for field, array in zip(self.fields.values(), state, strict=True):
            if field.fill is not None and array.size:
                field.fill(array, shape)
        return state

    def size(self, width: int, capacity: int = 0, slot: int = 0, classes: int = 1) -> int:
        """Return the number of bytes of a state, or stack, as a Python integer of any size."""
        room = Room(width, capacity, slot)
        return sum(
            np.dtype(f.dtype).itemsize * math.prod(f.shape(room)) * (1 if f.shared else classes)
            for f in self.fields.values()
        )

    def scaled(self, s: Any, by: float) -> Any:
        """Return a copy of the state in which w is multiplied by `by`."""
        factors = np.array([1.0, by, by * by])
        return self.State(
            *(
                array * factors[field.power] if np.any(field.power) else array.copy()
                for field, array in zip(self.fields.values(), s, strict=True)
            )
        )

    def resized(self, s: Any, room: Room, used: Room | None = None) -> Any:
        """Return a copy of the state with this room, zero where there was none.

        Only the part of the old room that is `used`, by default all, is touched, and takes memory.
        """
        fresh = self.zeros(room)
        for field, new, old in zip(self.fields.values(), fresh, s, strict=True):
            corner = tuple(map(slice, old.shape if used is None else field.shape(used)))
            new[corner] = old[corner]
        return fresh

    def widen(self, s: Any, width: int) -> Any:
        """Return a copy of the state with zeros for the new features."""
        return self.resized(s, Room(width, len(getattr(s, self.capacity)) if self.capacity else 0))

    def sound(self, s: Any) -> bool:
        """Return whether all numbers of a state are finite, and counts and indices in range."""
        lasting = (array for name, array in zip(self.fields, s, strict=True) if name not in SCRATCH)
        return all(np.isfinite(array).all() for array in lasting) and self.limited(s)

    def limited(self, s: Any) -> bool:
        """Return whether counts and indices in a state are in range."""
        pairs = zip(self.fields.values(), s, strict=True)
        return all(limits.hold(array, s) for field, array in pairs for limits in field.limits)


def triangle(n: int) -> int:
    """Return the number of entries of a triangle of n rows."""
    return n * (n + 1) // 2


def _entries(j: int, shared: list[bool]) -> Callable[[Any, int], Any]:
    """Return a function that takes the fields from j on of class k, all of one that is shared.

    The compiler knows the type of an entry of a tuple only where its index is a constant, as what
    a function encloses is. Four at once compile faster than one by one.
    """
    a, b, c, d = range(j, j + 4)
    first: Callable[[Any, int], Any]
    if j == len(shared):
        return lambda s, k: ()
    if shared[j : j + 4] == [False] * 4:
        first, rest = lambda s, k: (s[a][k], s[b][k], s[c][k], s[d][k]), _entries(j + 4, shared)
    elif shared[j : j + 4] == [True] * 4:
        first, rest = lambda s, k: (s[a], s[b], s[c], s[d]), _entries(j + 4, shared)
    elif shared[j]:
        first, rest = lambda s, k: (s[a],), _entries(j + 1, shared)
    else:
        first, rest = lambda s, k: (s[a][k],), _entries(j + 1, shared)
    return lambda s, k: first(s, k) + rest(s, k)
