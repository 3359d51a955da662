"""Each row's nearest neighbours, and how much nearer those of one class are than those of another.

A row is given the logarithm of the ratio of two squared distances: to the nearest row told of
either class, itself left out. Only its own 50 neighbours are looked at; a class that is not among
them is taken to be as far as the last of them, so that rows nobody near of which has been told are
at 0. So what a row is given rests on the others only, and may be weighed against other maps.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

NEIGHBOURS = 50


class Nearest(NamedTuple):
    """The neighbours of every row, the nearest first, without itself."""

    rows: np.ndarray  # (n, k)
    far: np.ndarray  # (n, k), distances


def nearest(X: np.ndarray) -> Nearest:
    """Return the neighbours of every row, 50 if there are as many."""
    from sklearn.neighbors import NearestNeighbors

    k = min(NEIGHBOURS, len(X) - 1)
    far, rows = NearestNeighbors(n_neighbors=k).fit(X).kneighbors()
    return Nearest(rows.astype(np.int32), far)


def away(lists: Iterable[Nearest], codes: np.ndarray, classes: int) -> np.ndarray:
    """Return the logarithm of the squared distance of each row to the nearest of each class.

    (classes, n, m) under m lists of neighbours; `codes` (n,) are the classes of rows that are told.
    """
    return np.stack([by_class(near, codes, classes) for near in lists], axis=2)


def by_class(near: Nearest, codes: np.ndarray, classes: int) -> np.ndarray:
    """Return it for one list of neighbours, (classes, n)."""
    least = 1e-6 * np.median(near.far[:, -1]) + 1e-150  # of copies
    far, around = np.maximum(near.far, least), codes[near.rows]
    found = [np.where(around == c, far, far[:, -1:]).min(axis=1) for c in range(classes)]
    return 2 * np.log(np.stack(found))
