"""Draws: one uniform a round, the same ones however the rounds are cut into blocks."""

import copy
from typing import Any

import numpy as np

AHEAD = 256  # drawn at a time when rounds come one by one


class Draws:
    """The sequence `numpy.random.default_rng(seed).random()`, taken from the front.

    The seed is whatever `default_rng` takes. A Generator is copied, so that nobody else's draws are
    moved; one that is not of NumPy's default kind, or a RandomState, gives the seed.

    >>> draws = Draws(0)
    >>> draws.peek(2)
    array([0.63696169, 0.26978671])
    >>> draws.skip(1)
    >>> draws.peek(1)
    array([0.26978671])
    """

    def __init__(self, seed: Any = None):
        seed = copy.deepcopy(seed)
        if isinstance(seed, np.random.RandomState):
            seed = seed.randint(2**31, size=4)
        generator = np.random.default_rng(seed)
        if not isinstance(generator.bit_generator, np.random.PCG64):
            generator = np.random.default_rng(generator.integers(2**63, size=4))
        self.generator = generator
        self.ahead = np.empty(0)

    def peek(self, n: int) -> np.ndarray:
        """Return the next n draws without taking them."""
        short = n - len(self.ahead)
        if short > 0:
            more = self.generator.random(max(short, AHEAD))
            self.ahead = np.concatenate([self.ahead, more])
        return self.ahead[:n]

    def skip(self, n: int) -> None:
        """Take the next n draws, which `peek` has shown."""
        self.ahead = self.ahead[n:]

    def pack(self) -> dict[str, Any]:
        """Return the state as JSON can hold it."""
        return {"generator": self.generator.bit_generator.state, "ahead": self.ahead.tolist()}

    @classmethod
    def unpack(cls, packed: dict[str, Any]) -> "Draws":
        """Return the draws of a packed state."""
        draws = cls(0)
        draws.generator.bit_generator.state = packed["generator"]
        draws.ahead = np.array(packed["ahead"], dtype=float)
        return draws
