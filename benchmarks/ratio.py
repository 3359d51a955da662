"""Ratios of times: two things run in turn, the ratio pair by pair, median and quartiles."""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Ratio(NamedTuple):
    """Time of `ours` relative to that of `theirs`."""

    median: float
    low: float
    high: float
    ours: float  # seconds, median
    theirs: float


def ratio(ours: Callable[[], object], theirs: Callable[[], object], pairs: int = 15) -> Ratio:
    """Time both in turn, after a warm-up of each."""
    ours()
    theirs()
    times = np.array([(seconds(ours), seconds(theirs)) for _ in range(pairs)])
    low, median, high = np.quantile(times[:, 0] / times[:, 1], [0.25, 0.5, 0.75])
    return Ratio(median, low, high, *np.median(times, axis=0))


def seconds(call: Callable[[], object]) -> float:
    """Time one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
