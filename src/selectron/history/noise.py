"""How noisy margins are, as the members of a ring find it.

Labels near the boundary are wrong more often than those far away: that is noise of the margin. The
first members are born with a noise of their own, for life, so that one of them is right from the
first label on where the concept stands still. All others go by the noise that has foretold the
labels best, which is learned by its probability at each of `NOISES`.
"""

import math
from typing import Any

from ..engine.bind import apart
from ..engine.parts import expert
from .posterior import ALIVE, NOISE, NUMBERS, SHARE, M, Q, mistaken

# Variances, where that of a margin of the prior is some 3
FIRSTS = 0.03, 0.3, 3.0  # of the first members
NOISES = 0.03, 0.1, 0.3, 1.0, 3.0, 10.0
PLAUSIBLE = 0.4, 0.2, 0.1, 0.1, 0.1, 0.1  # how far each is believed at first
FADING = 0.001  # what is learned of them fades so far with each label
WEIGHTS = NUMBERS  # the ring's numbers from here on are how far each is believed


def noise(s: Any, k: int) -> float:
    """The variance of the noise that member k goes by."""
    return s.members[k, NOISE] if s.members[k, NOISE] > 0 else common(s)


def common(s: Any) -> float:
    """The variance that is most believed: the geometric mean."""
    total = 0.0
    for j in range(len(NOISES)):
        total += s.scalars[WEIGHTS + j] * math.log(NOISES[j])
    return math.exp(total)


@apart
def listened(s: Any, y: float) -> None:
    """How far each noise is believed, by how likely it made the label."""
    total = 0.0
    for j in range(len(NOISES)):
        s.scalars[WEIGHTS + j] *= max(foretold(s, y, NOISES[j]), 1e-6)
        total += s.scalars[WEIGHTS + j]
    for j in range(len(NOISES)):
        kept = (1 - FADING) * s.scalars[WEIGHTS + j] / total
        s.scalars[WEIGHTS + j] = kept + FADING * PLAUSIBLE[j]


def foretold(s: Any, y: float, variance: float) -> float:
    """The probability of the label, had all members gone by this noise."""
    said, wrong = 0.0, mistaken(s)
    for k in range(len(s.members)):
        if s.members[k, ALIVE] > 0:
            m, q = s.seen[k, M], max(s.seen[k, Q], 0.0)
            said += s.members[k, SHARE] * expert.belief(m, q, wrong, variance)
    return (1 + y * said) / 2
