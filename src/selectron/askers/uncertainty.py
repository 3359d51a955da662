"""The asker for `LeadingHistory`, which uses its probabilities."""

from typing import Any, NamedTuple

from ..engine.loop import BELIEF


class Uncertainty(NamedTuple):
    """Ask with probability (1 - |r|)^1.5.

    Made for `LeadingHistory`, for which 1 - |r| is twice the probability of the less likely class.
    Other learners do not give it and are refused, except within a `Budget`, where only the order of
    rows matters: r near 0 counts in the same way there, and from |r| = 1 on all rows are alike.

    >>> Uncertainty().probability(r=-0.75, q=0.25, t=1)
    0.125
    """

    def numbers(self) -> Any:
        """Return no parameters."""
        return ()

    def reads(self) -> str:
        """Return BELIEF: r is p(+1) - p(-1), and q is in bits."""
        return BELIEF

    def probability(self, r: float, q: float, t: int) -> float:
        """(1 - |r|)^1.5."""
        return max(0.0, 1.0 - abs(r)) ** 1.5

    def surprise(self, r: float, q: float, t: int) -> float:
        """Return q: bursts are for doubt about which expert is right, not for hard rows."""
        return q
