"""What rings of members on dense and on sparse rows have in common: how they predict and learn.

Every member is a Gaussian over w, born at some round with the same prior, and learns from every
label since. What each has to say counts by its share (`posterior`).

Members that are no wanderers keep, for each label of the last `KEPT`, what it told them: a term of
their posterior with precision tau and mean nu / tau. Such a term can be taken out and put in anew
in the light of what has come since, which is expectation propagation (Minka 2001).

Under the prior the margin of a mean row has the variance PRIOR, whatever the scale of the features:
how it is made of that of the weights is the spaces' own.
"""

import math
from typing import Any

import numpy as np

from ..engine.bind import apart
from ..engine.parts import expert
from ..engine.round import REFUSED, UPDATED, Round
from ..engine.scales import unit
from ..spaces.state import COUNT
from . import posterior
from .noise import FIRSTS, PLAUSIBLE, listened, noise
from .posterior import (
    ALIVE,
    BELIEF,
    BORN,
    CURSOR,
    FIRST,
    LABELS,
    LAST,
    LED,
    LEFT,
    MEMBERS,
    NOISE,
    SHARE,
    WANDERERS,
    M,
    Q,
    freed,
    judged,
    leader,
    mistaken,
    passed_on,
)
from .vectors import vectors

KEPT = 256  # labels
EVERY = 4  # labels between births
YOUNG = 30  # labels that a member is new for
PRIOR = 3.0
SLOWNESS = 8000.0  # rounds in which a wanderer forgets
HEARD = 0.02  # a member with a smaller share does not consider labels again


def tables() -> Any:
    """Return what is kept of the members beside their vectors, before the first round."""
    terms, seen = np.zeros((2, MEMBERS, KEPT)), np.zeros((MEMBERS + 1, 3))
    members, shares, numbers = posterior.tables(FIRSTS)
    numbers = np.concatenate([numbers, PLAUSIBLE])
    return members, shares, terms, np.zeros(KEPT), numbers, seen, np.zeros(1)


def units(squares: np.ndarray) -> np.ndarray:
    """Return what rows with these <x, x> are divided by for unit length."""
    return np.array([unit(square) for square in squares.tolist()])


def bits(m: float) -> float:
    """Entropy of a label with p(+1) - p(-1) = m, in bits.

    >>> bits(0.0), bits(1.0)
    (1.0, 0.0)
    """
    p = (1 - abs(m)) / 2
    if p <= 0:
        return 0.0
    return -(p * math.log(p) + (1 - p) * math.log(1 - p)) / math.log(2)


@apart
def inner(s: Any, rows: Any, i: int) -> float:
    """p(+1) - p(-1), as the members tell it by their shares."""
    total, doubt, wrong = 0.0, 0.0, mistaken(s)
    n, youth = s.scalars[LABELS], 0.0
    own, place = vectors.taken(s, rows, i)
    for k in range(len(s.members)):
        said, part = s.seen[k], s.members[k, SHARE]
        if s.members[k, ALIVE] > 0:
            said[M], said[Q] = vectors.inspect(s, k, own, place)
            said[BELIEF] = expert.belief(said[M], max(said[Q], 0.0), wrong, noise(s, k))
            total += part * said[BELIEF]
            doubt -= part * bits(said[BELIEF])
            youth += part if k >= WANDERERS and 0 < s.members[k, FIRST] > n - YOUNG else 0.0
    s.seen[len(s.members), 0] = max(0.0, doubt + bits(total)) + youth
    return total


def form(s: Any, rows: Any, i: int) -> float:
    """q of the last row: the bits that its label would tell about which member is right, and youth.

    That is the share of members which are new, but for those that began the stream.
    """
    return s.seen[len(s.members), 0]


def ceiling(s: Any, xx: float) -> float:
    """No label tells more than a bit, and no share is above 1."""
    return 2.0 + 1e-9


@apart
def learn(
    p: Any, s: Any, rows: Any, i: int, scale: float, m: float, q: float, y: float, t: float
) -> int:
    """Let every member learn the label, and bear new ones."""
    n, gap = s.scalars[LABELS] + 1, t - s.scalars[LAST]
    s.scalars[LABELS], s.scalars[LAST] = n, t
    slot = int(n) % KEPT
    if not vectors.hold(s, rows, i, slot):
        return REFUSED
    s.answers[slot] = y
    if n == 1:
        for k in range(WANDERERS + len(FIRSTS)):
            vectors.renew(s, k)
        inner(s, rows, i)
    listened(s, float(y))
    if not judged(s, float(y)):
        return REFUSED
    succeeded(s, t)
    if not taught(p, s, rows, i, slot, float(y), gap):
        return REFUSED
    vectors.rescale(s)
    if n % EVERY == 0:
        bear(s, freed(s), n, t)
    passed_on(s, p.switches, gap, t, float(y))
    set_out(s, int(n))
    s.scalars[COUNT] += 1
    return UPDATED


@apart
def succeeded(s: Any, t: float) -> None:
    """Remember what a leader knew, once its age is more than twice that of the next one.

    That one was born after the last time, and the former one has learned YOUNG labels at least.
    Wanderers, who outlive concepts, count their age from where the next one does.
    """
    lead, old = leader(s), int(s.scalars[LED])
    if lead < WANDERERS:
        return
    s.scalars[LED] = lead
    born = s.members[lead, BORN]
    if born <= s.scalars[LEFT] or 2 * (t - born) >= t - s.members[old, BORN]:
        return
    for k in range(WANDERERS):
        s.members[k, BORN] = born
    if old >= WANDERERS and s.scalars[LABELS] - s.members[old, FIRST] >= YOUNG:
        vectors.remember(s, old)
        s.scalars[LEFT] = t


def taught(p: Any, s: Any, rows: Any, i: int, slot: int, y: float, gap: float) -> bool:
    """Let every member learn the label, and some consider earlier ones again; is all finite?"""
    wrong, n, fine = mistaken(s), int(s.scalars[LABELS]), True
    for k in range(len(s.members)):
        c = s.members[k]
        if c[ALIVE] > 0:
            fine = fine and told(p, s, k, rows, i, slot, y, wrong)
            if k < WANDERERS:
                vectors.fade(s, k, math.exp(-gap / SLOWNESS))
            elif c[SHARE] >= HEARD:
                fine = fine and reconsidered(p, s, k, n, wrong)
    return fine


@apart
def told(p: Any, s: Any, k: int, rows: Any, i: int, slot: int, y: float, wrong: float) -> bool:
    """Let member k learn the label, and keep what it told; is all finite?"""
    m, q = s.seen[k, M], max(s.seen[k, Q], 0.0)
    way = expert.step(p, Round(m, q, y, 0.0, 0.0, wrong), noise(s, k))
    tau = way.nu / (1 - way.nu * q)
    s.terms[0, k, slot] = tau
    s.terms[1, k, slot] = way.eta * (1 + tau * q) + tau * m
    return math.isfinite(tau) and vectors.shift(s, k, rows, i, way.eta, way.nu)


def reconsidered(p: Any, s: Any, k: int, n: int, wrong: float) -> bool:
    """Let member k consider earlier labels again, each in turn; is all finite?"""
    c = s.members[k]
    known = min(n - int(c[FIRST]), KEPT) - 1  # but the last one
    for _ in range(min(int(p.replays), known)):
        c[CURSOR] += 1
        if not refined(p, s, k, (n - 1 - int(c[CURSOR]) % known) % KEPT, wrong):
            return False
    return True


@apart
def refined(p: Any, s: Any, k: int, slot: int, wrong: float) -> bool:
    """Take the term of a label out of the posterior, and put it in anew; is all finite?"""
    m, q = vectors.replayed(s, k, slot)
    tau, nu = s.terms[0, k, slot], s.terms[1, k, slot]
    left = 1 - tau * q
    if not (q > 0 and left > 1e-9):
        return True
    without, mean = q / left, (m - nu * q) / left
    way = expert.step(p, Round(mean, without, s.answers[slot], 0.0, 0.0, wrong), noise(s, k))
    fresh = way.nu / (1 - way.nu * without)
    moved = way.eta * (1 + fresh * without) + fresh * mean
    more = 1 + (fresh - tau) * q
    if not more > 1e-6:
        return True
    s.terms[0, k, slot], s.terms[1, k, slot] = fresh, moved
    eta = (moved - nu - (fresh - tau) * m) / more
    return vectors.reshift(s, k, slot, eta, (fresh - tau) / more)


def bear(s: Any, k: int, n: float, t: float) -> None:
    """Put a newborn in place k."""
    vectors.renew(s, k)
    c = s.members[k]
    c[BORN], c[FIRST], c[CURSOR], c[ALIVE], c[NOISE] = t, n, 0.0, 1.0, 0.0
    s.terms[:, k, :] = 0.0


def set_out(s: Any, n: int) -> None:
    """Let wanderers go on from where the leader stands, after 4, 16, 64 labels and so on.

    Their prior, which they forget towards, would date from the first label otherwise.
    """
    if n > 1 and n & (n - 1) == 0 and n % 3 == 1:
        for k in range(WANDERERS):
            vectors.imitate(s, k, leader(s))
            s.members[k, NOISE] = s.members[leader(s), NOISE]
