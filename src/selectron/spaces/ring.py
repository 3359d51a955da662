"""What rings of members on dense and on sparse rows share: births, shares, and what is remembered.

Every member is a Gaussian over w, born at some round with the same prior, and learns from every
label since. A share in the prediction is a posterior probability of having been born right after
the last switch: it is multiplied by the probability that the member gave to each label, and a bit
of every share goes to newborns for every round that has passed (Herbster & Warmuth 1998; Adams &
MacKay 2007). When the ring is full, the member with the least share makes room.

Members that are no wanderers keep, for each label of the last `KEPT`, what it told them: a term of
their posterior with precision tau and mean nu / tau. Such a term can be taken out and put in anew
in the light of what has come since, which is expectation propagation (Minka 2001).

The prior is isotropic, and follows the scale of the rows: a margin has the variance PRIOR for a row
of mean length. So there is nothing to scale, and whatever the rows are multiplied by cancels.
"""

import math
from typing import Any

import numpy as np

from ..engine.bind import apart, blank
from ..engine.loop import REFUSED, UPDATED
from ..engine.round import Round
from ..engine.scales import SHORTEST, unit
from .scalars import COUNT

step = belief = blank  # the learner
inspect = blank  # (s, k, rows, i) -> m and q of member k; g is left in it
replayed = blank  # (s, k, slot) -> the same, for a row that is kept
shift = blank  # (s, k, rows, i, eta, nu) -> w <- w + eta g, P <- P - nu g g'; is all finite?
reshift = blank  # (s, k, slot, eta, nu) -> the same, for a row that is kept
renew = (
    blank  # (s, k, variance) -> the prior: w = 0, P = variance I, and PRIOR / 2 for the constant
)
fade = blank  # (s, k, by, variance) -> w <- by w, P <- by^2 P + (1 - by^2) prior
hold = blank  # (s, rows, i, slot) -> keep the row
weigh = blank  # (rows, i) -> <x, x> without the constant

MEMBERS, WANDERERS = 9, 1  # the first ones wander; they are never born anew
KEPT = 256  # labels
EVERY = 4  # labels between births
YOUNG = 30  # labels that a member is new for
PRIOR = 3.0
SLOWNESS = 1000.0  # rounds in which a wanderer forgets
DRAWN = 0.1  # share of what goes to newborns that goes to wanderers
HEARD = 0.02  # a member with a smaller share does not consider labels again
WRONG, SURE = 0.01, 50.0  # rate of wrong labels at first, as if so many had been seen
LONG, WORST = 1000.0, 0.3  # labels that the rate is taken over, and its upper limit
SHARE, BORN, FIRST, CURSOR, ALIVE, SPREAD = range(6)  # numbers of a member
LABELS, LAST, ERRORS, WEIGHED, SQUARES = range(7, 12)  # numbers of the ring
M, Q, BELIEF = range(3)  # what a member said of the last row; below all of them is the doubt


def tables() -> Any:
    """Return what is kept of the members beside their vectors, before the first round."""
    members, numbers = np.zeros((MEMBERS, 6)), np.zeros(12)
    members[: WANDERERS + 1, ALIVE] = 1.0
    members[: WANDERERS + 1, SHARE] = 1 / (WANDERERS + 1)
    numbers[ERRORS], numbers[WEIGHED] = SURE * WRONG, SURE
    terms = np.zeros((2, MEMBERS, KEPT))
    return members, terms, np.zeros(KEPT), numbers, np.zeros((MEMBERS + 1, 3)), np.zeros(1)


def units(squares: np.ndarray) -> np.ndarray:
    """Return what brings rows with these <x, x> to unit length."""
    return np.array([unit(square) for square in squares.tolist()])


def bits(m):
    """Entropy of a label with p(+1) - p(-1) = m, in bits.

    >>> bits(0.0), bits(1.0)
    (1.0, 0.0)
    """
    p = (1 - abs(m)) / 2
    if p <= 0:
        return 0.0
    return -(p * math.log(p) + (1 - p) * math.log(1 - p)) / math.log(2)


def mistaken(s):
    """The rate of wrong labels."""
    return min(WORST, s.scalars[ERRORS] / s.scalars[WEIGHED])


@apart
def inner(s, rows, i):
    """p(+1) - p(-1), as the members tell it by their shares."""
    total, doubt, wrong = 0.0, 0.0, mistaken(s)
    n, youth = s.scalars[LABELS], 0.0
    for k in range(len(s.members)):
        said, part = s.seen[k], s.members[k, SHARE]
        if s.members[k, ALIVE] > 0:
            said[M], said[Q] = inspect(s, k, rows, i)
            said[BELIEF] = belief(None, said[M], max(said[Q], 0.0), wrong)
            total += part * said[BELIEF]
            doubt -= part * bits(said[BELIEF])
            youth += part if k >= WANDERERS and 0 < s.members[k, FIRST] > n - YOUNG else 0.0
    s.seen[len(s.members), 0] = max(0.0, doubt + bits(total)) + youth
    return total


def form(s, rows, i):
    """q of the last row: the bits that its label would tell about which member is right, and youth.

    That is the share of members which are new, but for those that began the stream.
    """
    return s.seen[len(s.members), 0]


def ceiling(s, xx):
    """No label tells more than a bit, and no share is above 1."""
    return 2.0 + 1e-9


def leader(s):
    """The member with the largest share."""
    lead = 0
    for k in range(len(s.members)):
        lead = k if s.members[k, SHARE] > s.members[lead, SHARE] else lead
    return lead


def age(s, t):
    """Rounds since the leading member's birth."""
    return t - s.members[leader(s), BORN]


@apart
def learn(p, s, rows, i, scale, m, q, y, t):
    """Let every member learn the label, and bear new ones."""
    n, gap = s.scalars[LABELS] + 1, t - s.scalars[LAST]
    s.scalars[LABELS], s.scalars[LAST] = n, t
    s.scalars[SQUARES] += weigh(rows, i)
    if not math.isfinite(s.scalars[SQUARES]):
        return REFUSED
    slot = int(n) % KEPT
    hold(s, rows, i, slot)
    s.answers[slot] = y
    if n == 1:
        for k in range(WANDERERS + 1):
            renew(s, k, variance(s))
            s.members[k, SPREAD] = variance(s)
        inner(s, rows, i)
    if not judged(s, float(y)):
        return REFUSED
    if not taught(p, s, rows, i, slot, float(y), gap):
        return REFUSED
    share(s, 1 - math.exp(-p.switches * gap), int(n), t)
    s.scalars[COUNT] += 1
    return UPDATED


def taught(p, s, rows, i, slot, y, gap):
    """Let every member learn the label, and some consider earlier ones again; is all finite?"""
    wrong, n, fine = mistaken(s), int(s.scalars[LABELS]), True
    for k in range(len(s.members)):
        c = s.members[k]
        if c[ALIVE] > 0:
            fine = fine and told(p, s, k, rows, i, slot, y, wrong)
            if k < WANDERERS:
                by = math.exp(-gap / SLOWNESS)
                fade(s, k, by, variance(s))
                c[SPREAD] = by * by * c[SPREAD] + (1 - by * by) * variance(s)
            elif c[SHARE] >= HEARD:
                fine = fine and reconsidered(p, s, k, n, wrong)
    return fine


def variance(s):
    """Variance of a weight under the prior."""
    mean = s.scalars[SQUARES] / s.scalars[LABELS]
    return PRIOR / mean if mean >= SHORTEST else PRIOR


@apart
def judged(s, y):
    """Shares by what each member said of the label, and the rate of wrong labels; is all finite?"""
    total, off = 0.0, 0.0
    wrong = mistaken(s)
    for k in range(len(s.members)):
        c = s.members[k]
        likely = (1 + y * s.seen[k, BELIEF]) / 2
        c[SHARE] *= max(likely, 1e-6)
        total += c[SHARE]
        off += (
            c[SHARE] * wrong * max(0.0, 1 - wrong - likely) / ((1 - 2 * wrong) * max(likely, wrong))
        )
    if not (math.isfinite(total) and total > 0):
        return False
    for k in range(len(s.members)):
        s.members[k, SHARE] /= total
    fewer = 1 - 1 / LONG if s.scalars[WEIGHED] >= LONG else 1.0
    s.scalars[ERRORS] = max(1e-4, fewer * s.scalars[ERRORS] + max(0.0, off / total))
    s.scalars[WEIGHED] = fewer * s.scalars[WEIGHED] + 1
    return True


@apart
def told(p, s, k, rows, i, slot, y, wrong):
    """Let member k learn the label, and keep what it told; is all finite?"""
    m, q = s.seen[k, M], max(s.seen[k, Q], 0.0)
    way = step(p, Round(m, q, y, 0.0, 0.0, wrong))
    tau = way.nu / (1 - way.nu * q)
    s.terms[0, k, slot] = tau
    s.terms[1, k, slot] = way.eta * (1 + tau * q) + tau * m
    return math.isfinite(tau) and shift(s, k, rows, i, way.eta, way.nu)


def reconsidered(p, s, k, n, wrong):
    """Let member k consider earlier labels again, each in turn; is all finite?"""
    c = s.members[k]
    known = min(n - int(c[FIRST]), KEPT) - 1  # but the last one
    for _ in range(min(int(p.replays), known)):
        c[CURSOR] += 1
        if not refined(p, s, k, (n - 1 - int(c[CURSOR]) % known) % KEPT, wrong):
            return False
    return True


@apart
def refined(p, s, k, slot, wrong):
    """Take the term of a label out of the posterior, and put it in anew; is all finite?"""
    m, q = replayed(s, k, slot)
    tau, nu = s.terms[0, k, slot], s.terms[1, k, slot]
    left = 1 - tau * q
    if not (q > 0 and left > 1e-9):
        return True
    without, mean = q / left, (m - nu * q) / left
    way = step(p, Round(mean, without, s.answers[slot], 0.0, 0.0, wrong))
    fresh = way.nu / (1 - way.nu * without)
    moved = way.eta * (1 + fresh * without) + fresh * mean
    more = 1 + (fresh - tau) * q
    if not more > 1e-6:
        return True
    s.terms[0, k, slot], s.terms[1, k, slot] = fresh, moved
    eta = (moved - nu - (fresh - tau) * m) / more
    return reshift(s, k, slot, eta, (fresh - tau) / more)


@apart
def share(s, part, n, t):
    """Take a part of every share for newborns, of whom there is one every few labels."""
    given, young = 0.0, WANDERERS
    for k in range(len(s.members)):
        c = s.members[k]
        given += part * c[SHARE]
        c[SHARE] *= 1 - part
        if k >= WANDERERS and c[ALIVE] > 0 and c[FIRST] >= s.members[young, FIRST]:
            young = k
    for k in range(WANDERERS):
        s.members[k, SHARE] += DRAWN * given / WANDERERS
    if n % EVERY == 0:
        young = freed(s)
        bear(s, young, n, t)
    s.members[young, SHARE] += (1 - DRAWN) * given


def bear(s, k, n, t):
    """Put a newborn in place k."""
    renew(s, k, variance(s))
    c = s.members[k]
    c[SHARE], c[BORN], c[FIRST], c[CURSOR], c[ALIVE], c[SPREAD] = 0.0, t, n, 0.0, 1.0, variance(s)
    s.terms[:, k, :] = 0.0


def freed(s):
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
    s.members[near, SHARE] += s.members[least, SHARE]
    return least
