"""Whom to believe in a ring: the shares of its members, births, and the rate of wrong labels.

A share in the prediction is a posterior probability of having been born right after the last
switch: it is multiplied by the probability that the member gave to each label, and a bit of every
share goes to newborns where a switch was expected, more of it the less likely a member thought the
label (Herbster & Warmuth 1998; Adams & MacKay 2007). When that is, is learned with it: shares are
kept for several kinds of concepts (`hazard`), which are believed by what they have foretold
(Wilson, Nassar & Gold 2010). When the ring is full, the member with the least share makes room.
"""

import math
from typing import Any

import numpy as np

from ..engine.bind import apart
from ..engine.round import Life
from .hazard import behind, believed, ended, lasts

MEMBERS, WANDERERS = 9, 1  # the first ones wander; they are never born anew
DRAWN = 0.1  # share of what goes to newborns that goes to wanderers
WRONG, SURE = 0.01, 50.0  # rate of wrong labels at first, as if so many had been seen
LONG, WORST = 1000.0, 0.3  # labels that the rate is taken over, and its upper limit
SHARE, BORN, FIRST, CURSOR, ALIVE, NOISE = range(6)  # numbers of a member
LABELS, LAST, ERRORS, WEIGHED, LED, LEFT, FORMER, SQUARES = range(7, 15)  # numbers of the ring
NUMBERS = 15  # so many, before those of `noise`
M, Q, BELIEF = range(3)  # what a member said of the last row; below all of them is the doubt


def tables(firsts: tuple[float, ...]) -> Any:
    """Return the members' numbers, their shares by kind, and the ring's numbers at the start.

    Beside the wanderers there is a first member for each of these noises.
    """
    members, numbers = np.zeros((MEMBERS, 6)), np.zeros(NUMBERS)
    begun = WANDERERS + len(firsts)
    members[:begun, ALIVE] = 1.0
    members[:begun, SHARE] = 1 / begun
    members[WANDERERS:begun, NOISE] = firsts
    shares = members[:, SHARE, None] * believed()
    numbers[ERRORS], numbers[WEIGHED] = SURE * WRONG, SURE
    return members, shares, numbers


def leader(s: Any) -> int:
    """The member with the largest share."""
    lead = 0
    for k in range(len(s.members)):
        lead = k if s.members[k, SHARE] > s.members[lead, SHARE] else lead
    return lead


def age(s: Any, t: float) -> float:
    """Rounds since the leading member's birth."""
    return t - s.members[leader(s), BORN]


def mistaken(s: Any) -> float:
    """The rate of wrong labels."""
    return min(WORST, s.scalars[ERRORS] / s.scalars[WEIGHED])


def likely(s: Any, k: int, y: float) -> float:
    """The probability that member k gave to the label."""
    return max((1 + y * s.seen[k, BELIEF]) / 2, 1e-6)


def unexpected(s: Any, k: int, y: float) -> float:
    """How much likelier the label is after a switch, when either is alike, than for member k."""
    return 1 / (2 * likely(s, k, y))


@apart
def judged(s: Any, y: float) -> bool:
    """Shares by what each member said of the label, and the rate of wrong labels; is all finite?"""
    total, off = 0.0, 0.0
    wrong = mistaken(s)
    for k in range(len(s.members)):
        p = likely(s, k, y)
        part = weighed(s, k, p)
        total += part
        off += part * wrong * max(0.0, 1 - wrong - p) / ((1 - 2 * wrong) * max(p, wrong))
    if not (math.isfinite(total) and total > 0):
        return False
    for k in range(len(s.members)):
        weighed(s, k, 1 / total)
    fewer = 1 - 1 / LONG if s.scalars[WEIGHED] >= LONG else 1.0
    s.scalars[ERRORS] = max(1e-4, fewer * s.scalars[ERRORS] + max(0.0, off / total))
    s.scalars[WEIGHED] = fewer * s.scalars[WEIGHED] + 1
    return True


def weighed(s: Any, k: int, by: float) -> float:
    """Multiply the share of member k, of every kind; return it."""
    total = 0.0
    for j in range(s.shares.shape[1]):
        s.shares[k, j] *= by
        total += s.shares[k, j]
    s.members[k, SHARE] = total
    return total


@apart
def passed_on(s: Any, switches: float, gap: float, t: float, y: float) -> None:
    """Take a part of every share for the youngest member, where a switch was expected."""
    young, total = youngest(s), 0.0
    for j in range(s.shares.shape[1]):
        given = 0.0
        for k in range(len(s.members)):
            if s.shares[k, j] > 0:
                age = switches * (t - s.members[k, BORN])
                part = s.shares[k, j] * ended(j, age, switches * gap, k < WANDERERS)
                s.shares[k, j] -= part
                given += part * unexpected(s, k, y)
                total += s.shares[k, j]
        total += given
        for k in range(WANDERERS):
            s.shares[k, j] += DRAWN * given / WANDERERS
        s.shares[young, j] += (1 - DRAWN) * given
    for k in range(len(s.members)):
        weighed(s, k, 1 / total)


@apart
def life(p: Any, s: Any, t: float, remaining: float) -> Life:
    """How long the concept is thought to last, with so many rounds to come."""
    passed, lasting = 0.0, 0.0
    for k in range(WANDERERS, len(s.members)):
        age = p.switches * (t - s.members[k, BORN])
        for j in range(s.shares.shape[1]):
            passed += s.shares[k, j] * behind(j, age)
            lasting += s.shares[k, j] * lasts(j, age, p.switches * remaining)
    return Life(1 - passed, lasting)


def youngest(s: Any) -> int:
    """The member born last."""
    young = WANDERERS
    for k in range(WANDERERS, len(s.members)):
        if s.members[k, ALIVE] > 0 and s.members[k, FIRST] > s.members[young, FIRST]:
            young = k
    return young


def freed(s: Any) -> int:
    """Return a free place; the least share goes to the member nearest in age, if there is none."""
    least = WANDERERS
    for k in range(WANDERERS, len(s.members)):
        if s.members[k, ALIVE] == 0:
            return k
        least = k if s.members[k, SHARE] < s.members[least, SHARE] else least
    near, gap = -1, math.inf
    for k in range(WANDERERS, len(s.members)):
        between = abs(s.members[k, FIRST] - s.members[least, FIRST])
        older = between == gap and s.members[k, FIRST] < s.members[near, FIRST]
        if k != least and (between < gap or older):
            near, gap = k, between
    for j in range(s.shares.shape[1]):
        s.shares[near, j] += s.shares[least, j]
        s.shares[least, j] = 0.0
    weighed(s, near, 1.0)
    weighed(s, least, 1.0)
    return least
