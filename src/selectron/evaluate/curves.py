"""Curves over a stream of any length, in a bounded number of bins."""

import numpy as np

MOST = 256  # bins; when there are more, neighbours are merged


class Curve:
    """Sums of several quantities over the rows of consecutive bins of equal length.

    >>> curve = Curve(1, size=2)
    >>> curve.add(np.array([[1.0, 0.0, 1.0, 1.0, 1.0]]))
    >>> curve.sums()
    array([[1., 2., 1.]])
    >>> curve.ends()
    array([2, 4, 5])
    """

    def __init__(self, quantities: int, size: int = 50):
        self.size = size
        self.rows = 0
        self._sums = np.zeros((quantities, 0))

    def add(self, values: np.ndarray) -> None:
        """Add rows: `values` has shape (quantities, rows)."""
        bins = (self.rows + np.arange(values.shape[1])) // self.size
        self.rows += values.shape[1]
        last = -(-self.rows // self.size)
        sums = np.zeros((len(values), last))
        sums[:, : self._sums.shape[1]] = self._sums
        for total, value in zip(sums, values, strict=True):
            total += np.bincount(bins, value, minlength=last)
        self._sums = sums
        while self._sums.shape[1] > MOST:
            self._merge()

    def _merge(self) -> None:
        odd = self._sums.shape[1] % 2
        even = np.pad(self._sums, ((0, 0), (0, odd)))
        self._sums = even[:, ::2] + even[:, 1::2]
        self.size *= 2

    def sums(self) -> np.ndarray:
        """Return the sums, of shape (quantities, bins)."""
        return self._sums.copy()

    def ends(self) -> np.ndarray:
        """Return the number of rows up to the end of each bin."""
        ends = self.size * np.arange(1, self._sums.shape[1] + 1)
        return np.minimum(ends, self.rows)
