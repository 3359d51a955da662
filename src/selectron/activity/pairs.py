"""Pairs of activities over two stretches: the score g, and the best pair in O(K).

    g(i, j) = first[i] + second[j] - [i != j] penalty                  (section 5.2)

`first` and `second` (K,) are what the activities score in either stretch, -inf for those that are
closed. The penalty may be below 0.
"""

from typing import NamedTuple

import numpy as np


class Pair(NamedTuple):
    """The numbers of the activities before and now."""

    before: int
    now: int


def value(first: np.ndarray, second: np.ndarray, penalty: float, pair: Pair) -> float:
    """Return g of a pair.

    >>> value(np.array([1.0, 2.0]), np.array([3.0, 4.0]), 0.5, Pair(0, 1))
    4.5
    """
    i, j = pair
    return float(first[i] + second[j] - (penalty if i != j else 0.0))


def best(
    first: np.ndarray, second: np.ndarray, penalty: float, without: Pair | None = None
) -> Pair | None:
    """Return the pair that scores best, other than `without`; None if there is no other.

    Whatever one pair rules out, the best one of two activities is among the three best of either.

    >>> best(np.array([1.0, 2.0]), np.array([3.0, 2.5]), penalty=1.0)
    Pair(before=1, now=1)
    """
    same = first + second
    found = [Pair(int(i), int(i)) for i in leading(same, 2)]
    ahead = [int(j) for j in leading(second, 3)]
    found += [Pair(int(i), j) for i in leading(first, 3) for j in ahead if i != j]
    return _highest(first, second, penalty, [pair for pair in found if pair != without])


def keeping(first: np.ndarray, second: np.ndarray, penalty: float, now: int) -> Pair:
    """Return the pair that scores best among those with the activity `now` in the end.

    >>> keeping(np.array([1.0, 2.0]), np.array([3.0, 2.5]), penalty=0.5, now=0)
    Pair(before=1, now=0)
    """
    pairs = [Pair(int(i), now) for i in leading(first, 2)] + [Pair(now, now)]
    return _highest(first, second, penalty, pairs) or Pair(now, now)


def leading(scores: np.ndarray, n: int) -> np.ndarray:
    """Return the indices of the n highest scores, or of all if there are no more."""
    if len(scores) <= n:
        return np.arange(len(scores))
    return np.argpartition(scores, len(scores) - n)[-n:]


def _highest(
    first: np.ndarray, second: np.ndarray, penalty: float, pairs: list[Pair]
) -> Pair | None:
    """Return the pair of a list that scores best; of those alike, the one with lower numbers."""
    scored = [(value(first, second, penalty, pair), pair) for pair in pairs]
    open_ones = [(-score, pair) for score, pair in scored if score > -np.inf]
    return min(open_ones)[1] if open_ones else None
