"""Draws: one uniform a round, the same ones however the rounds are cut into blocks."""

import copy
from functools import cache
from typing import Any

import numpy as np

from ..errors import SelectronError

AHEAD = 256  # drawn at a time when rounds come one by one
BLOCK = 32_768  # rows between two checks for Ctrl-C; their draws fit in the cache


@cache
def constant(draw: float) -> np.ndarray:
    """Return the same draw for a whole block."""
    return np.full(BLOCK, draw)


class Draws:
    """The sequence `numpy.random.default_rng(seed).random()`, taken from the front.

    `seed` is anything that `default_rng` takes. A Generator is copied; a RandomState, or a
    Generator of another kind than NumPy's default, draws a seed.
    """

    def __init__(self, seed: Any = None) -> None:
        try:
            given = copy.deepcopy(seed)
            if isinstance(given, np.random.RandomState):
                given = given.randint(2**31, size=4)
            self.generator = np.random.default_rng(given)
        except (TypeError, ValueError) as error:
            raise SelectronError(
                "random_state must be None, a whole number from 0 on, or what else "
                f"numpy.random.default_rng takes, got {seed!r}."
            ) from error
        if not isinstance(self.generator.bit_generator, np.random.PCG64):
            self.generator = np.random.default_rng(self.generator.integers(2**63, size=4))
        self.ahead = np.empty(0)
        self.taken = 0  # how many of `ahead` are taken

    def first(self) -> float:
        """Return the next draw without taking it."""
        if self.taken == len(self.ahead):
            self.ahead, self.taken = self.generator.random(AHEAD), 0
        return self.ahead.item(self.taken)

    def take(self, n: int) -> np.ndarray:
        """Take the next n draws."""
        ready = self.ahead[self.taken : self.taken + n]
        self.taken += len(ready)
        short = n - len(ready)
        return np.concatenate([ready, self.generator.random(short)]) if short else ready

    def skip(self, n: int) -> None:
        """Take the next n draws without computing them."""
        ready = min(n, len(self.ahead) - self.taken)
        self.taken += ready
        bits: Any = self.generator.bit_generator
        bits.advance(n - ready)

    def aside(self) -> int:
        """Return an independent number from 1 to 2^31 - 2, without taking a draw."""
        bits: Any = self.generator.bit_generator
        return int(np.random.Generator(bits.jumped()).integers(1, 2**31 - 1))

    def mark(self) -> dict[str, Any]:
        """Return the position in the sequence, in a form that JSON can hold."""
        ahead = self.ahead[self.taken :].tolist()
        return {"generator": self.generator.bit_generator.state, "ahead": ahead}

    def reset(self, mark: dict[str, Any]) -> None:
        """Go to a mark."""
        self.generator.bit_generator.state = mark["generator"]
        self.ahead, self.taken = np.array(mark["ahead"], dtype=float), 0
