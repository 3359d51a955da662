"""The means and the units of the features of sparse rows, from all rows, labelled or not.

Features that are 0 in most rows have a mean of 0, so that rows stay sparse. The others, such as
measurements, are taken about their means, if there is a constant that makes up for them. The unit
of a feature is the root of the mean square of its values, without those that are 0.
"""

from typing import Any

import numpy as np

from .state import CONSTANT, SEEN

# Places in `rows_seen`, after those of dense rows: sums of squares, and those about the means; the
# unit of z; the number of features that have a mean
SQUARES, ABOUT, UNIT, COMMON = range(4, 8)
OWN_UNITS = 3  # the kind of prior under which weights vary as 1 / unit does
ROUNDING = 1e-13  # mean squares about the mean below this part of those about 0 are rounding
LEAST = 1e-100  # part of all squares below which a feature has no unit of its own


def center(s: Any, rows: Any, i: int) -> None:
    """Leave the row about the means: first the features that have one, then its other values."""
    n = int(s.rows_seen[COMMON])
    for j in range(n):
        s.entries[j], s.row[j] = s.centered[j], -s.means[s.centered[j]]
    for j in range(rows.indptr[i] + (1 if rows.constant > 0 else 0), rows.indptr[i + 1]):
        at = rows.indices[j]
        if s.slots[at] > 0:
            s.row[s.slots[at] - 1] += rows.values[j]
        else:
            s.entries[n], s.row[n] = at, rows.values[j]
            n += 1
    s.status[1] = n


def ratio(s: Any, kind: int, at: int) -> float:
    """Return the variance of a weight under a prior, over that of a feature never seen."""
    return s.ratios[at] if kind == OWN_UNITS else 1.0


def find(s: Any) -> None:
    """Set the means and units of features by the rows so far."""
    n, usual = s.rows_seen[SEEN], common(s)
    s.means[:] = np.where(usual, s.totals / n, 0.0)
    about = squares_about_means(s)
    counts, used = np.where(usual, n, s.counts), about > 0
    s.ratios[:] = 1.0
    total = about[used].sum()  # of these alone: rounding does not depend on the width
    used = about > LEAST * total
    s.ratios[used] = total / counts[used].sum() * counts[used] / about[used]
    s.rows_seen[[ABOUT, COMMON]] = total, usual.sum()
    at = np.flatnonzero(usual)
    s.centered[: len(at)], s.slots[:] = at, 0
    s.slots[at] = np.arange(len(at)) + 1


def common(s: Any) -> np.ndarray:
    """Return whether each feature is not 0 in most rows, and so has a mean."""
    return (2 * s.counts > s.rows_seen[SEEN]) & (s.rows_seen[CONSTANT] > 0)


def squares_about_means(s: Any) -> np.ndarray:
    """Return the sums of squares of all features about their means."""
    return np.maximum(s.squares - s.rows_seen[SEEN] * s.means**2, ROUNDING * s.squares)
