"""What a data set consists of."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Rows in the order of their stream, their labels, and what is known of them beyond.

    `X` is an array or a CSR matrix of shape (n, d), float64. `y` holds the labels, (n,); where a
    row may be of several classes, it is a boolean CSR matrix of shape (n, K), a column a class.
    `classes` names the classes, sorted, or the columns of y. What a set does not have is None:
    `part` (n,) says which part a row belongs to ("train" or "test", or a number), `time` (n,) is
    when it was written, as datetime64[s] in UTC, and `features` (d,) names the columns of X.

    >>> from experiments.datasets import digits
    >>> digits()
    <Dataset: 1,797 rows, 64 features, 10 classes>
    """

    X: Any
    y: Any
    classes: np.ndarray
    part: np.ndarray | None = None
    time: np.ndarray | None = None
    features: np.ndarray | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.X.shape[0]

    def __repr__(self) -> str:
        rows, width = self.X.shape
        return f"<Dataset: {rows:,} rows, {width:,} features, {len(self.classes)} classes>"

    @cached_property
    def frequency(self) -> np.ndarray:
        """Number of rows of each class, (K,).

        >>> from experiments.datasets import digits
        >>> digits().frequency
        array([178, 182, 177, 183, 181, 182, 181, 179, 174, 180])
        """
        if np.ndim(self.y) == 1 and isinstance(self.y, np.ndarray):
            return (self.y[:, None] == self.classes).sum(axis=0)
        return np.asarray(self.y.sum(axis=0)).ravel()
