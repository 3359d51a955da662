"""Many classes, one against the rest: a learner a class, for which all other classes are -1.

Each steps as it would on its own; the class with the best score is predicted, and the gap between
the two best is what the asker goes by, with q as the best class has it. Memory: K times that of two
classes. For a learner with no joint step, and for classes that overlap.
"""

import math

from ..engine.bind import apart, blank
from ..engine.loop import REFUSED
from . import joint
from .stack import BEST, COUNT

steps = blank  # the learner
length = form = ceiling_all = blank  # the space
at = blank  # (s, k) -> what the space keeps of class k
learn_one = blank  # `binary.learn`, or the space's own
age_one = blank  # (s, t) -> how old what leads is
life_one = blank  # (p, s, t, remaining) -> how long the concept may last

margin, predicted, truth = joint.margin, joint.predicted, joint.truth


def share(normalize):
    """Return what each of two classes takes of w, one way and the other: all, to be told apart."""
    return 1.0


def extent(rows, i):
    """<x, x>."""
    return length(rows, i)


def spread(s, rows, i):
    """q of the best class."""
    return form(at(s, s.ranks[BEST]), rows, i)


def limit(s, xx):
    """The largest that any class may have."""
    return ceiling_all(s, xx)


def due(p, s, scale, m, y):
    """Some class may want to step."""
    return True


def age(s, t):
    """How old is what leads, on average over the classes?

    That of the best class alone would change with every row, though nothing drifts.
    """
    total = 0.0
    for k in range(len(s.scores)):
        total += age_one(at(s, k), t)
    return total / len(s.scores)


def life(p, s, t, remaining):
    """How long may the concept of the best class last?"""
    return life_one(p, at(s, s.ranks[BEST]), t, remaining)


@apart
def learn(p, s, rows, i, scale, m, q, y, t):
    """Let every class learn whether the label is its own."""
    flags = 0
    for k in range(len(s.scores)):
        sign = 1.0 if k == y - 1 else -1.0
        m = s.scores[k] / scale
        if not steps(p, m, sign):
            continue
        done = learn_one(p, at(s, k), rows, i, scale, m, math.nan, sign, t)
        if done == REFUSED:
            return REFUSED
        flags |= done
    s.tally[COUNT] += 1 if flags else 0
    return flags
