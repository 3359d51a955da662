"""Many classes, one against the rest: a learner a class, for which all other classes are -1.

Each steps as it would on its own; the class with the best score is predicted, and the gap between
the two best is what the asker goes by, with q as the best class has it. Memory: K times that of two
classes. For a learner with no joint step, and for classes that overlap.
"""

import math
from typing import Any

from ..engine.bind import apart
from ..engine.parts import asker, space
from ..engine.round import REFUSED, Life
from . import joint
from .stack import BEST, COUNT

margin, predicted, truth, rivals = joint.margin, joint.predicted, joint.truth, joint.rivals
record_scores = joint.record_scores


def share(normalize: Any) -> Any:
    """Return what each of two classes takes of w, one way and the other: all, to be told apart."""
    return 1.0


def extent(rows: Any, i: int) -> float:
    """<x, x>."""
    return space.length(rows, i)


def spread(s: Any, rows: Any, i: int) -> float:
    """q of the best class."""
    return space.form(space.at(s, s.ranks[BEST]), rows, i)


def limit(s: Any, xx: float) -> float:
    """The largest that any class may have."""
    return space.ceiling_all(s, xx)


def due(p: Any, s: Any, scale: float, m: float, y: int) -> bool:
    """Some class may want to step."""
    return True


def age(s: Any, t: float) -> float:
    """Return the age of what leads, on average over the classes.

    That of the best class alone would change with every row, though nothing drifts.
    """
    total = 0.0
    for k in range(len(s.scores)):
        total += space.age(space.at(s, k), t)
    return total / len(s.scores)


def life(p: Any, s: Any, t: float, remaining: float) -> Life:
    """How long may the concept of the best class last?"""
    return space.life(p, space.at(s, s.ranks[BEST]), t, remaining)


@apart
def learn(
    p: Any, s: Any, rows: Any, i: int, scale: float, m: float, q: float, y: int, t: float
) -> int:
    """Let every class learn whether the label is its own."""
    flags = 0
    for k in range(len(s.scores)):
        sign = 1.0 if k == y - 1 else -1.0
        m = s.scores[k] / scale
        if not asker.trains(p, m, sign):
            continue
        done = space.learn(p, space.at(s, k), rows, i, scale, m, math.nan, sign, t)
        if done == REFUSED:
            return REFUSED
        flags |= done
    s.tally[COUNT] += 1 if flags else 0
    return flags
