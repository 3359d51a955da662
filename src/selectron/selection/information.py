"""Mutual information of counted things."""

from typing import Any

import numpy as np
from scipy.special import xlogy


def information(counts: Any) -> np.ndarray:
    """Return I(a; b) in nats for tables of counts, (..., A, B); at least 0, and 0 for no counts.

    I = H(a) + H(b) - H(a, b), all three from the counts as they are.

    >>> information([[2, 0], [0, 2]]).round(4)
    np.float64(0.6931)
    """
    counts = np.asarray(counts, float)
    total = counts.sum(axis=(-2, -1))
    within = _sum_of_logs(counts, (-2, -1)) + xlogy(total, total)
    apart = _sum_of_logs(counts.sum(-1), -1) + _sum_of_logs(counts.sum(-2), -1)
    return np.maximum(within - apart, 0.0) / np.maximum(total, 1.0)


def _sum_of_logs(counts: np.ndarray, axis: Any) -> np.ndarray:
    return xlogy(counts, counts).sum(axis=axis)
