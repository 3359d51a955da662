"""When a ring expects the concept to switch.

There are several kinds of concepts, and which kind they are is learned: a ring has shares for each.
Some may end at any time alike, at one of several paces. Others last for a length of their own: the
part of them that reaches the age a is

    S(a) = ODD + (1 - ODD) / (1 + (a / length)^SHARP)        (a log-logistic law)

where a few do not end at all, so that a switch that went unnoticed is not waited for. They may end
at another time, too, at a pace of ASIDE.

Ages and gaps are in units of 1 / `switches`, the rounds in which one switch is expected.
"""

import math

import numpy as np

PACES = 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0
LIKELY = 0.1, 0.1, 0.1, 0.2, 0.3, 0.1, 0.1  # how far each is believed at first, beside the others
LENGTHS = tuple(0.1 * 1.2**j for j in range(26))  # up to 9.5
REGULAR = 0.3  # how far they are believed at first, all of them together
SHARP, ODD, ASIDE = 16, 0.05, 0.1


def believed() -> np.ndarray:
    """Return how far each kind is believed at first: paces, and then lengths."""
    lengths = np.full(len(LENGTHS), REGULAR / len(LENGTHS))
    return np.concatenate([(1 - REGULAR) * np.array(LIKELY), lengths])


def ended(kind: int, age: float, gap: float, wanders: bool) -> float:
    """The part of concepts of a kind, of this age now, that ended in the gap before it.

    Members that wander have no age: they may end at any time.
    """
    if kind < len(PACES):
        return 1 - math.exp(-gap * PACES[kind])
    if wanders:
        return 1 - math.exp(-gap)
    length = LENGTHS[kind - len(PACES)]
    lasted = reached(age / length) / reached(max(0.0, age - gap) / length)
    return 1 - math.exp(-gap * ASIDE) * lasted


def reached(part: float) -> float:
    """S, for this part of the length."""
    return ODD + (1 - ODD) / (1 + part**SHARP)


def behind(kind: int, age: float) -> float:
    """How much of its life a concept of this kind has behind it, from 0 to 1.

    Nothing where it may end at any time, and less again the longer it outlives its length: then it
    does not go by it, or the switch went unnoticed.
    """
    if kind < len(PACES):
        return 0.0
    return max(0.0, 1 - abs(1 - age / LENGTHS[kind - len(PACES)]))


def lasts(kind: int, age: float, remaining: float) -> float:
    """Over what part of the rounds to come a concept of this kind and age lasts, from 0 to 1."""
    if not remaining > 0:
        return 1.0
    if kind < len(PACES):
        expected = PACES[kind] * remaining
        return (1 - math.exp(-expected)) / expected
    return min(1.0, max(0.0, LENGTHS[kind - len(PACES)] - age) / remaining)
