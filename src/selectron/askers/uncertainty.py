"""The asker for `LeadingHistory`, which uses its probabilities."""

from typing import Any, NamedTuple

from ..engine.loop import BELIEF
from ..engine.parameters import number


class Uncertainty(NamedTuple):
    """Ask with probability (1 - |r|)^1.5 + doubt q, at most 1.

    Made for `LeadingHistory`, for which 1 - |r| is twice the probability of the less likely class,
    and q the mutual information of label and expert, in bits, plus the weight of young experts.
    Other learners give neither and are refused, except within a `Budget`, where only the order of
    rows matters: r near 0 counts in the same way there, and from |r| = 1 on only q does.

    Parameters: doubt >= 0, the weight of q.

    >>> Uncertainty().probability(r=-0.75, q=0.25, t=1)
    0.25
    """

    doubt: float = 0.5

    def numbers(self) -> Any:
        """Return the parameter, which must not be below 0."""
        return (number(self, "doubt", lambda doubt: 0 <= doubt < float("inf"), "from 0 on"),)

    def reads(self) -> str:
        """Return BELIEF: r is p(+1) - p(-1), and q is in bits."""
        return BELIEF

    def probability(self, r: float, q: float, t: int) -> float:
        """(1 - |r|)^1.5 + doubt q."""
        return min(1.0, max(0.0, 1.0 - abs(r)) ** 1.5 + self.doubt * q)

    def worth(self, r: float, q: float, t: int) -> float:
        """Return the same without the limit of 1, for budgets."""
        return max(0.0, 1.0 - abs(r)) ** 1.5 + self.doubt * q

    def news(self, q: float, usual: float) -> float:
        """Return the part of q that counts in a budget: the less, the larger its mean.

        Experts that disagree on all rows do not help to choose among them.
        """
        return q * max(0.0, 1.0 - usual)

    def surprise(self, r: float, q: float, t: int) -> float:
        """Return q: bursts are for doubt about which expert is right, not for hard rows."""
        return q
