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
    [[0.0], [0.0, 1.0], [0.0, 0.0, 2.0], [2.0, 0.0, 3.0]]
    """

    def __init__(self, again: int):
        self.again = again  # rows that come back with each new one
        self.rows = np.zeros((0, K + 2 * M))  # the oldest is overwritten first
        self.count = 0  # rows so far

    def add(self, row: np.ndarray) -> np.ndarray:
        """Keep a row; return some earlier ones, and it as the last of them."""
        draws = self.count * self.again + np.arange(min(self.again, len(self.rows)))
        earlier = self.rows[(draws * GOLDEN % 1 * len(self.rows)).astype(np.intp)]
        if self.again and len(self.rows) < LENGTH:
            self.rows = np.concatenate([self.rows, row[None]])
        elif self.again:
            self.rows[self.count % LENGTH] = row
        self.count += 1
        return np.concatenate([earlier, row[None]])

    def pack(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return the state as JSON can hold it, and arrays."""
        return {"again": self.again, "count": self.count}, {"replay": self.rows}

    @classmethod
    def unpack(cls, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> "Replay":
        """Return what was packed."""
        replay = cls(header["again"])
        replay.rows, replay.count = np.array(arrays["replay"]), header["count"]
        if replay.rows.shape[1:] != (K + 2 * M,):
            raise ValueError("The rows are not of the features that there are.")
        return replay
