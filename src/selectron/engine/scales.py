"""Scaling of rows to unit length, and of quadratic forms with them."""

import math

SHORTEST = 2.3e-308  # of <x, x>: smaller numbers have fewer digits
FARTHEST = 2.0**104  # of q in units of the labels' noise: its root is 2^52, all digits of a double
LOST = -1e-3  # a q below this is no rounded 0: the row is too long compared with P


def unit(xx: float) -> float:
    """Return the divisor that gives a row unit length; NaN if <x, x> is not finite.

    It is infinite for a zero row, and for one so short that <x, x> has lost digits: it becomes 0. A
    row is divided by its length, not multiplied by the reciprocal: x / |x| is rounded once, so that
    rows of one feature become -1 or 1, and steps that cancel leave 0.

    >>> unit(49.0 * 49.0), 1 / 49.0 * 49.0
    (49.0, 0.9999999999999999)
    """
    if not math.isfinite(xx):
        return math.nan
    return math.sqrt(xx) if xx >= SHORTEST else math.inf


def shaped(scale: float, q: float) -> float:
    """Return q, at least 0, for a row divided by `scale`; NaN if rounding errors dominate it.

    P is positive definite, but its smallest eigenvalues are lost in the rounding of its largest if
    rows are long compared with the prior.
    """
    q = q / (scale * scale)
    return max(q, 0.0) if q > LOST else math.nan


def variance(q: float, noise: float) -> float:
    """Return q + noise, the variance of a label; NaN if the row is so long that P has no digits.

    A step then shrinks P along the row by a factor below rounding, and what is left there is
    rounding alone. A step that is NaN is refused.

    >>> variance(0.5, 1.0), variance(1e32, 1.0)
    (1.5, nan)
    """
    return q + noise if q <= FARTHEST * noise else math.nan
