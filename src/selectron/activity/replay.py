"""Experience replay: what was learned lately is learned again, a bit with every label.

A step goes a small part of its way, for labels may be wrong (section 5.3), and the next label may
be about something else. Learned again, a label tells all that it can, and weights do not hang on
the last few. Time and memory are constant.
"""

from typing import Any

import numpy as np

from .features import K, M

LENGTH = 2000  # rows kept
GOLDEN = 0.6180339887498949  # multiples of it, modulo 1, are spread evenly


class Replay:
    """The last rows that were learned, some of which come back with each new one.

    >>> replay = Replay(again=2)
    >>> [replay.add(np.full(K + 2 * M, i))[:, 0].tolist() for i in range(4)]
    [[0.0], [0.0, 1.0], [1.0, 1.0, 2.0], [0.0, 2.0, 3.0]]
    """

    def __init__(self, again: int):
        self.again = again  # rows that come back with each new one
        self.rows = np.zeros((LENGTH, K + 2 * M))  # the oldest is overwritten
        self.count = 0  # rows so far

    def add(self, row: np.ndarray) -> np.ndarray:
        """Keep a row; return some earlier ones, of all ages, and it as the last of them."""
        at, n = self.count % LENGTH, min(self.count, LENGTH - 1)
        first = self.count * self.again
        ages = [int(i * GOLDEN % 1 * n) for i in range(first, first + min(self.again, n))]
        self.rows[at] = row
        self.count += 1
        return self.rows[[*(at - 1 - age for age in ages), at]]

    def pack(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return the state as JSON can hold it, and arrays."""
        header = {"again": self.again, "count": self.count}
        return header, {"replay": self.rows[: self.count]}

    @classmethod
    def unpack(cls, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> "Replay":
        """Return what was packed."""
        replay, rows = cls(header["again"]), arrays["replay"]
        replay.count = header["count"]
        replay.rows[: replay.count] = rows  # ValueError if they are not of these features
        return replay
