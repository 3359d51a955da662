"""One round in scalars: what a learner sees of it, and what it answers.

Labels are -1 and +1, and sign(0) = +1. Nothing here touches a vector.
"""

from typing import NamedTuple

# Flags of a round's outcome. STRAINED: there was no step that would do all that it should.
ASKED, UPDATED, STRAINED = 1, 2, 4
CLASS = 3  # the index of the predicted class stands above these bits
REFUSED = -1  # instead of flags: the step left the finite numbers


class Round(NamedTuple):
    """What a learner's step may depend on. Vectors live in the spaces."""

    m: float  # margin <w, x> before the step
    q: float  # <x, x> in first order; <x, (P + eps I) x> in second order
    y: float  # the label, -1.0 or +1.0
    k: float  # number of steps taken before this one
    ww: float  # <w, w> before the step; in first order only
    note: float  # the learner's own number, 0 at the start (its `noted` gives the next)


class Step(NamedTuple):
    """First order: w <- keep w + eta x."""

    keep: float
    eta: float


class ShapeStep(NamedTuple):
    """Second order, g = (P + eps I) x: w <- w + eta g and P <- mu (P + eps I) - nu g g'.

    0 <= nu q < mu, so that P stays positive definite.
    """

    eta: float
    mu: float
    nu: float


class Projection(NamedTuple):
    """First order: w <- the nearest point with margin 1 in the L1 ball of this radius."""

    radius: float


class Old(NamedTuple):
    """An example that has to leave, after the step that brought another."""

    sigma: float  # its weight in w = sum sigma y x, not below 0
    u: float  # its margin y <w, x>
    k: float  # number of steps, that one included
    note: float  # the learner's own number


class Removal(NamedTuple):
    """w <- keep w, before the example leaves, and the learner's own number after it."""

    keep: float
    note: float


class Life(NamedTuple):
    """What is known of how long the concept lasts."""

    ahead: float  # how much of its life it has ahead of it, from 0 to 1
    lasting: float  # over what part of the rounds to come, from 0 to 1, as far as these are known


class Shape(NamedTuple):
    """Second order, at the start: P = scale I, and eps = noise."""

    scale: float
    noise: float = 0.0


def mistake(m: float, y: float) -> bool:
    """Is sign(m) the wrong label?

    >>> mistake(0.0, 1.0), mistake(0.0, -1.0)
    (False, True)
    """
    return (m >= 0) != (y > 0)


def hinge(m: float, y: float) -> float:
    """Hinge loss max(0, 1 - y m).

    >>> hinge(0.25, 1.0), hinge(2.0, 1.0)
    (0.75, 0.0)
    """
    return max(0.0, 1.0 - y * m)
