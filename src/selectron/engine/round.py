"""One round in scalars: what a learner sees of it, and what it answers.

Labels are -1 and +1, and sign(0) = +1. Nothing here touches a vector.
"""

from typing import NamedTuple


class Round(NamedTuple):
    """What a learner's step may depend on. Vectors live in the spaces."""

    m: float  # margin <w, x> before the step
    q: float  # <x, x> in first order; <x, (P + eps I) x> in second order
    y: float  # the label, -1.0 or +1.0
    k: float  # number of steps taken before this one
    ww: float  # <w, w> before the step


class Step(NamedTuple):
    """First order: w <- keep w + eta x."""

    keep: float
    eta: float


class ShapeStep(NamedTuple):
    """Second order, g = (P + eps I) x: w <- w + eta g and P <- mu (P + eps I) - nu g g'.

    nu is never negative and mu never zero, so that P stays positive definite.
    """

    eta: float
    mu: float
    nu: float


class Shape(NamedTuple):
    """Second order, at the start: P = scale I, and eps = noise."""

    scale: float
    noise: float = 0.0


def mistake(m, y):
    """Is sign(m) the wrong label?

    >>> mistake(0.0, 1.0), mistake(0.0, -1.0)
    (False, True)
    """
    return (m >= 0) != (y > 0)


def hinge(m, y):
    """Hinge loss max(0, 1 - y m).

    >>> hinge(0.25, 1.0), hinge(2.0, 1.0)
    (0.75, 0.0)
    """
    return max(0.0, 1.0 - y * m)
