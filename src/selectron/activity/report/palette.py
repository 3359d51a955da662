"""A colour and a pattern for every activity, which colour-blind readers can tell apart."""

from collections.abc import Sequence
from typing import NamedTuple

# Okabe and Ito's colours but black, which does not show on a dark page
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
TERMINAL = (26, 214, 36, 175, 74, 166, 227)  # the nearest of a terminal's 256
PATTERNS = ("solid", "stripes", "dots", "bars")
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DARK = ("#0072B2",)  # those on which white letters are read


class Look(NamedTuple):
    """How an activity looks."""

    colour: str
    number: int  # of the colour, in a terminal
    pattern: str
    letter: str

    @property
    def ink(self) -> str:
        """The colour of letters upon it."""
        return "#fff" if self.colour in DARK and self.pattern == "solid" else "#000"


def looks(activities: Sequence[str]) -> dict[str, Look]:
    """Return how activities look: colours first, then the same ones with patterns.

    >>> looks(["thesis", "mail"])["mail"]
    Look(colour='#E69F00', number=214, pattern='solid', letter='b')
    """
    n = len(COLOURS)
    return {
        name: Look(
            COLOURS[i % n],
            TERMINAL[i % n],
            PATTERNS[i // n % len(PATTERNS)],
            LETTERS[i % len(LETTERS)],
        )
        for i, name in enumerate(activities)
    }
