"""Scaling rows to unit length, and what rounding may leave of a quadratic form."""

import math

SHORTEST = 2.3e-308  # of <x, x>: smaller numbers have fewer digits
LOST = -1e-3  # a q below this is no rounding of 0: the row is too long beside P


def unit(xx: float) -> float:
    """Factor that brings a row to unit length; NaN if <x, x> is not finite.

    0 for a zero row, and for one so short that <x, x> has lost its digits.
    """
    if not math.isfinite(xx):
        return math.nan
    return 1.0 / math.sqrt(xx) if xx >= SHORTEST else 0.0


def shaped(scale: float, q: float) -> float:
    """Return q for a row scaled by `scale`: not below 0, NaN where rounding has left nothing of it.

    P is positive definite, but its smallest eigenvalues drown in the rounding of its largest where
    rows are very long beside the prior.
    """
    q = scale * (scale * q)
    return max(q, 0.0) if q > LOST else math.nan
