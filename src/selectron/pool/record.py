"""The record of a pool that has been told."""

from typing import Any, NamedTuple

import numpy as np


class PoolRun(NamedTuple):
    """What happened, in the order in which rows were told; arrays of the same length.

    It may be fewer rows than the pool has, where the goal is a share of it.
    """

    order: np.ndarray  # numbers of the rows
    proposals: np.ndarray
    labels: np.ndarray
    wrong: np.ndarray  # booleans: was the proposal corrected?

    @property
    def mistakes(self) -> int:
        """How many proposals were corrected."""
        return int(self.wrong.sum())

    @property
    def curve(self) -> np.ndarray:
        """Mistakes up to each row."""
        return np.cumsum(self.wrong)

    def __repr__(self) -> str:
        return f"<PoolRun: {len(self.order):,} rows told, {self.mistakes:,} mistakes>"


def named(codes: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the labels of codes; None for those that stand for no class."""
    if not len(codes) or (codes.min() >= 0 and codes.max() < len(classes)):
        return classes[codes]
    names: list[Any] = [*classes.tolist(), None]
    return np.array([names[c] if 0 <= c < len(classes) else None for c in codes], dtype=object)
