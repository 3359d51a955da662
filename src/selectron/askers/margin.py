"""Askers by the margin: the smaller it is, the more likely they ask."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number


class Margin(NamedTuple):
    """Ask with probability b / (b + |r|), r being the learner's margin quantity.

    Parameters: b > 0; inf asks always. (The LASEC paper calls it a.)

    Source: Cesa-Bianchi, Gentile & Zaniboni (NIPS 2004), Figure 1; Moroshko & Crammer (AISTATS
    2014), Figure 1.

    >>> Margin(b=0.5).probability(r=-1.5, q=1.0, t=1)
    0.25
    """

    b: float

    def numbers(self) -> Any:
        """Return b, which must be above 0."""
        return (number(self, "b", lambda b: b > 0, "above 0"),)

    def probability(self, r: float, q: float, t: int) -> float:
        """b / (b + |r|)."""
        return self.b / (self.b + abs(r)) if self.b < math.inf else 1.0


class SecondOrderMargin(NamedTuple):
    """Ask with probability b / (b + |r| + r^2/2 (1 + q)): rows in known directions less often.

    Made for `SecondOrderPerceptron`, for which q = x' A^-1 x with A as before the round. In first
    order A = I, so that q = <x, x>.

    Parameters: b > 0; inf asks always.

    Source: Cesa-Bianchi, Gentile & Zaniboni (NIPS 2004), Figure 2, eq. (3).

    >>> SecondOrderMargin(b=0.5).probability(r=1.0, q=0.0, t=1)
    0.25
    """

    b: float

    def numbers(self) -> Any:
        """Return b, which must be above 0."""
        return (number(self, "b", lambda b: b > 0, "above 0"),)

    def probability(self, r: float, q: float, t: int) -> float:
        """b / (b + |r| + r^2/2 (1 + q)), eq. (3)."""
        doubt = abs(r) + r * r / 2 * (1 + q)
        return self.b / (self.b + doubt) if self.b < math.inf else 1.0
