"""One round in scalars: what a learner gets, and what it returns.

Labels are -1 and +1, and sign(0) = +1. Nothing here touches a vector.
"""

import math
from typing import NamedTuple

__all__ = [
    "Old",
    "Projection",
    "Removal",
    "Round",
    "Shape",
    "ShapeStep",
    "Situation",
    "Step",
    "hinge",
    "mistake",
]

# Flags of a round's outcome. STRAINED: no step could meet all constraints.
ASKED, UPDATED, STRAINED = 1, 2, 4
CLASS = 3  # the index of the predicted class follows above these bits
REFUSED = -1  # instead of flags: the step was not finite

# Limits of floating point
SHORTEST = 2.3e-308  # of <x, x>: smaller numbers have fewer digits
FARTHEST = 2.0**104  # of q in units of the labels' noise: its root is 2^52, all digits of a double
LOST = -1e-3  # a q below this is not a rounded 0: the row is too long compared with P


class Round(NamedTuple):
    """What a learner's step may depend on; vectors are in the spaces.

    >>> from selectron.learners import Perceptron
    >>> Perceptron().step(Round(m=0.5, q=1.0, y=-1.0, k=0.0, ww=0.0, note=0.0))
    Step(keep=1.0, eta=-1.0)
    """

    m: float  # margin <w, x> before the step
    q: float  # <x, x> in first order; <x, (P + eps I) x> in second order
    y: float  # the label, -1.0 or +1.0
    k: float  # number of steps before this one
    ww: float  # <w, w> before the step; NaN where second order has a kernel or a sparse sketch
    note: float  # the learner's own number, 0 at the start (its `noted` gives the next)


class Step(NamedTuple):
    """First order: w <- keep w + eta x.

    >>> Step(keep=0.99, eta=1.0)
    Step(keep=0.99, eta=1.0)
    """

    keep: float  # factor of w
    eta: float  # factor of x


class ShapeStep(NamedTuple):
    """Second order, g = (P + eps I) x: w <- w + eta g and P <- mu (P + eps I) - nu g g'.

    0 <= nu q < mu, so that P stays positive definite.

    >>> from selectron.learners import LASEC
    >>> LASEC().step(Round(m=0.5, q=1.0, y=-1.0, k=0.0, ww=0.0, note=0.0))
    ShapeStep(eta=-0.75, mu=1.0, nu=0.5)
    """

    eta: float  # factor of g in w
    mu: float  # factor of P + eps I
    nu: float  # factor of g g', which is subtracted


class Projection(NamedTuple):
    """First order: w <- the nearest point with margin 1 in the L1 ball of this radius.

    >>> from selectron.learners import L1Constrained
    >>> L1Constrained(beta=5.0).step(Round(m=0.5, q=1.0, y=1.0, k=0.0, ww=0.0, note=0.0))
    Projection(radius=5.0)
    """

    radius: float  # of the ball, sum |w_i| <= radius


class Old(NamedTuple):
    """An example to evict, after the step that added another.

    >>> Old(sigma=1.0, u=0.5, k=3.0, note=0.0).u
    0.5
    """

    sigma: float  # its weight in w = sum sigma y x, at least 0
    u: float  # its margin y <w, x>
    k: float  # number of steps, that one included
    note: float  # the learner's own number


class Removal(NamedTuple):
    """w <- keep w, before the example is evicted, and the learner's own number after it.

    >>> Removal(keep=0.9, note=0.0)
    Removal(keep=0.9, note=0.0)
    """

    keep: float
    note: float


class Situation(NamedTuple):
    """What askers may know about the learner and its labels.

    >>> Situation(lasting=0.0, steps=3.0, waiting=0.0).steps
    3.0
    """

    lasting: float  # the part of the remaining rounds, if known, that the concept covers: 0 to 1
    steps: float  # of the learner so far
    waiting: float  # labels on their way: those asked for since the last one that came


class Shape(NamedTuple):
    """Second order, before the first round: P = scale I and eps = noise.

    >>> from selectron.learners import AROW
    >>> AROW().shape()
    Shape(scale=1.0, noise=0.0)
    """

    scale: float  # of P
    noise: float = 0.0  # eps, which is added to P in every round


def mistake(m: float, y: float) -> bool:
    """Return whether sign(m) is the wrong label.

    >>> mistake(0.0, 1.0), mistake(0.0, -1.0)
    (False, True)
    """
    return (m >= 0) != (y > 0)


def hinge(m: float, y: float) -> float:
    """Return the hinge loss max(0, 1 - y m).

    >>> hinge(0.25, 1.0), hinge(2.0, 1.0)
    (0.75, 0.0)
    """
    return max(0.0, 1.0 - y * m)


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
