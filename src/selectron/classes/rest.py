"""Many classes, one against the rest: one learner for each class, with all others labelled -1.

The learners step independently. The class with the best score is predicted; the asker gets the gap
between the two best scores, and q of the best class. Memory: K times that of two classes. For
learners without a joint step, and for classes that overlap.
"""

import math
from typing import Any

from ..engine.bind import noinline
from ..engine.loop import LATER, asker
from ..engine.parts import space
from ..engine.round import REFUSED
from . import joint
from .stack import BEST, TALLY_COUNT

inner, predicted, rivals = joint.inner, joint.predicted, joint.rivals
record_scores, needs_growth, versus = joint.record_scores, joint.needs_growth, joint.versus
full = joint.full


def share(normalize: Any) -> Any:
    """Return the share of w that each of two classes takes: all of it."""
    return 1.0


def squared_norm(rows: Any, i: int) -> float:
    """<x, x>."""
    return space.squared_norm(rows, i)


def form(s: Any, rows: Any, i: int) -> float:
    """Return q of the best class."""
    return space.form(space.at(s, s.ranks[BEST]), rows, i)


def ceiling(s: Any, xx: float) -> float:
    """Return an upper bound of q for every class."""
    return space.ceiling_all(s, xx)


def observe(s: Any, rows: Any, i: int, t: float) -> None:
    """Learn from the row alone, which classes share."""
    space.observe(space.at(s, 0), rows, i, t)


def age_and_evidence(s: Any, t: float) -> tuple[float, float, float]:
    """Return the mean age, a bound of the logarithm of the mean evidence, and the leader's age.

    The age in the best class would change with every row. The mean evidence of the K classes is at
    least the largest / K.
    """
    total, best, leading = 0.0, -math.inf, 0.0
    for k in range(len(s.scores)):
        found, age = space.evidence(space.at(s, k), t)
        total += age
        if found > best:
            best, leading = found, age
    return total / len(s.scores), best - math.log(len(s.scores)), leading


def lasting_and_steps(p: Any, s: Any, t: float, remaining: float) -> tuple[float, float]:
    """Return how long the concept of the best class may last, and the number of steps."""
    lasting, _ = space.lasting_and_steps(p, space.at(s, s.ranks[BEST]), t, remaining)
    return lasting, s.tally[TALLY_COUNT]


@noinline
def learn_label(
    p: Any, a: Any, s: Any, rows: Any, i: int, scale: float, m: float, q: float, y: int, t: int
) -> int:
    """Step in every class, with +1 for the class of the label; return flags, or REFUSED."""
    first, last = 0, len(s.scores)
    if y < LATER:  # all that is known is that this class is wrong
        first, last = LATER - y - 1, LATER - y
        m, sign = s.scores[first] / scale, -1.0
    else:
        _, _, m, sign = versus(s, scale, y)
    if not asker.passes(a, m, sign):
        return 0
    if needs_growth(s, rows, i):
        return REFUSED
    flags = 0
    for k in range(first, last):
        m, sign = s.scores[k] / scale, 1.0 if k == y - 1 else -1.0
        if asker.trains(p, m, sign):
            done = space.learn(p, space.at(s, k), rows, i, scale, m, math.nan, sign, t)
            if done == REFUSED:
                return REFUSED
            flags |= done
    s.tally[TALLY_COUNT] += 1 if flags else 0
    return flags
