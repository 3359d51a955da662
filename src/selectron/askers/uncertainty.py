"""The asker that goes by probabilities: made for `LeadingHistory`."""

from typing import Any, NamedTuple

from ..engine.parameters import number
from ..engine.parts import BELIEF


class Uncertainty(NamedTuple):
    """Ask with probability (1 - |r|)^1.5 + doubt q, at most 1.

    Made for `LeadingHistory`, for which 1 - |r| is twice the probability of the less likely class,
    and q, in bits, what the label would tell about which of its members is right, plus the share of
    newcomers among them. Other learners give neither and are refused, but within a `Budget`, where
    only the order of rows matters: r near 0 counts in the same way there, and from |r| = 1 on
    nothing does but q.

    Parameters: doubt >= 0, what a bit of q counts.

    >>> Uncertainty().probability(r=-0.75, q=0.25, t=1)
    0.25
    """

    doubt: float = 0.5

    def numbers(self) -> Any:
        """Return the parameter, which must not be below 0."""
        return (number(self, "doubt", lambda doubt: 0 <= doubt < float("inf"), "from 0 on"),)

    def reads(self) -> str:
        """Beliefs: r is p(+1) - p(-1), and q is in bits."""
        return BELIEF

    def probability(self, r: float, q: float, t: int) -> float:
        """(1 - |r|)^1.5 + doubt q."""
        return min(1.0, max(0.0, 1.0 - abs(r)) ** 1.5 + self.doubt * q)

    def worth(self, r: float, q: float, t: int) -> float:
        """The same without the limit of 1: what a budget goes by."""
        return max(0.0, 1.0 - abs(r)) ** 1.5 + self.doubt * q

    def news(self, q: float, usual: float) -> float:
        """What counts of q in a budget: the less, the more is usual.

        Members that disagree on all rows do not tell which of them to ask for.
        """
        return q * max(0.0, 1.0 - usual)

    def surprise(self, r: float, q: float, t: int) -> float:
        """q: what a budget saves up for is not hard rows, but doubt about which member is right."""
        return q
