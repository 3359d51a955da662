"""Askers by the margin, which prefer small ones, and askers that ignore it."""

import math
from typing import Any, NamedTuple

from ..engine.loop import READS_SQUARED_NORM
from ..engine.parameters import ABOVE_0, POSITIVE, SHARE, ranges
from ..engine.round import Situation


@ranges()
class Always(NamedTuple):
    """Ask for every label.

    >>> Always().probability(r=3.0, q=1.0, t=1)
    1.0
    """

    def probability(self, r: float, q: float, t: int) -> float:
        """1."""
        return 1.0


@ranges(p=SHARE)
class Fixed(NamedTuple):
    """Ask with probability p: the baseline for other askers.

    Parameters: 0 <= p <= 1.

    >>> Fixed(0.1).probability(r=3.0, q=1.0, t=1)
    0.1
    """

    p: float

    def probability(self, r: float, q: float, t: int) -> float:
        """p."""
        return self.p


@ranges(b=ABOVE_0)
class Margin(NamedTuple):
    """Ask with probability b / (b + |r|), r being the margin score.

    Parameters: b > 0; inf asks always. (The LASEC paper calls it a.)

    Source: Cesa-Bianchi, Gentile & Zaniboni (NIPS 2004), Figure 1; Moroshko & Crammer (AISTATS
    2014), Figure 1.

    >>> Margin(b=0.5).probability(r=-1.5, q=1.0, t=1)
    0.25
    """

    b: float

    def probability(self, r: float, q: float, t: int) -> float:
        """b / (b + |r|)."""
        return self.b / (self.b + abs(r)) if self.b < math.inf else 1.0


@ranges(b=ABOVE_0)
class SecondOrderMargin(NamedTuple):
    """Ask with probability b / (b + |r| + r^2/2 (1 + q)): rows in known directions less often.

    Made for `SecondOrderPerceptron`, for which q = x' A^-1 x with A as before the round, and
    r = <w, x> / (1 + q) is small in new directions. In first order A = I, so that q = <x, x>.

    Parameters: b > 0; inf asks always.

    Source: Cesa-Bianchi, Gentile & Zaniboni (NIPS 2004), Figure 2, eq. (3).

    >>> SecondOrderMargin(b=0.5).probability(r=1.0, q=0.0, t=1)
    0.25
    """

    b: float

    def probability(self, r: float, q: float, t: int) -> float:
        """b / (b + |r| + r^2/2 (1 + q)), eq. (3)."""
        doubt = abs(r) + r * r / 2 * (1 + q)
        return self.b / (self.b + doubt) if self.b < math.inf else 1.0


@ranges(beta=POSITIVE)
class AdaptiveMargin(NamedTuple):
    """Ask with probability b / (b + |r|), where b = beta X^2 sqrt(1 + K) grows with the mistakes.

    X is the norm of the longest row so far, and K the number of the learner's steps, which for
    `Perceptron` are its mistakes on labels asked for. It needs no knowledge of the stream: up to a
    constant, the Perceptron's mistakes are bounded as if every label was asked for
    (`selectron.bounds.selective_sampling.adaptive`). For first-order learners.

    Parameters: 0 < beta < inf. A smaller one asks for fewer labels.

    Source: Cesa-Bianchi, Gentile & Zaniboni, "Worst-Case Analysis of Selective Sampling for Linear
    Classification" (JMLR 7, 2006), the Perceptron with adaptive b; there X is over the rows with
    a mistake and the current one, which the bound does not need.

    >>> from selectron import OnlineClassifier, learners, streams
    >>> clf = OnlineClassifier(learners.Perceptron(), asker=AdaptiveMargin(0.001), random_state=0)
    >>> clf.run(*streams.switching_gaussian(2000, d=10))
    <Run: 2,000 rounds, 64.8% right, 2.6% of the labels asked for, 21 steps>
    """

    beta: float

    def past(self) -> Any:
        """Return X^2 before the first row."""
        return (0.0,)

    def reads(self) -> str:
        """Return that q must be <x, x>."""
        return READS_SQUARED_NORM

    def chance(
        self, past: Any, r: float, q: float, t: int, now: float, situation: Situation
    ) -> float:
        """b / (b + |r|)."""
        b = self.beta * max(past[0], q) * math.sqrt(1 + situation.steps)
        return b / (b + abs(r)) if b > 0 else 1.0

    def after(
        self, past: Any, r: float, q: float, t: int, now: float, situation: Situation, asked: bool
    ) -> Any:
        """Return X^2 after the row."""
        return (max(past[0], q),)
