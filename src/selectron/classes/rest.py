"""Many classes, one against the rest: one learner for each class, with all others labelled -1.

The learners step independently. The class with the best score is predicted; the asker gets the gap
between the two best scores, and q of the best class. Memory: K times that of two classes. For
learners without a joint step, and for classes that overlap.
"""

import math
from typing import Any

from ..engine.bind import noinline
from ..engine.parts import asker, space
from ..engine.round import REFUSED, Life
from . import joint
from .stack import BEST, COUNT

margin, predicted, truth, rivals = joint.margin, joint.predicted, joint.truth, joint.rivals
record_scores = joint.record_scores


def share(normalize: Any) -> Any:
    """Return the share of w that each of two classes takes: all of it."""
    return 1.0


def extent(rows: Any, i: int) -> float:
    """<x, x>."""
    return space.length(rows, i)


def spread(s: Any, rows: Any, i: int) -> float:
    """Return q of the best class."""
    return space.form(space.at(s, s.ranks[BEST]), rows, i)


def limit(s: Any, xx: float) -> float:
    """Return an upper bound of q for every class."""
    return space.ceiling_all(s, xx)


def due(p: Any, s: Any, scale: float, m: float, y: int) -> bool:
    """Return True: any class may step."""
    return True


def age(s: Any, t: float) -> float:
    """Return the mean age over the classes; that of the best class would change with every row."""
    total = 0.0
    for k in range(len(s.scores)):
        total += space.age(space.at(s, k), t)
    return total / len(s.scores)


def life(p: Any, s: Any, t: float, remaining: float) -> Life:
    """Return how long the concept of the best class may last."""
    return space.life(p, space.at(s, s.ranks[BEST]), t, remaining)


@noinline
def learn(
    p: Any, s: Any, rows: Any, i: int, scale: float, m: float, q: float, y: int, t: float
) -> int:
    """Step in every class, with +1 for the class of the label; return flags, or REFUSED."""
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
