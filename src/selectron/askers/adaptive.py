"""An asker by the margin that tunes itself: the more mistakes, the larger its b."""

import math
from typing import Any, NamedTuple

from ..engine.loop import LENGTH
from ..engine.parameters import number
from ..engine.round import Situation


class AdaptiveMargin(NamedTuple):
    """Ask with probability b / (b + |r|), where b = beta X^2 sqrt(1 + K) grows with the mistakes.

    X is the length of the longest row so far, and K the number of steps of the learner, which for
    `Perceptron` are its mistakes on labels asked for. It needs no knowledge of the stream: with it,
    the Perceptron's mistakes are bounded as if every label was asked for, but for a constant
    (`selectron.bounds.selective_sampling.adaptive`). For first-order learners.

    Parameters: 0 < beta < inf. A smaller one asks for fewer labels.

    Source: Cesa-Bianchi, Gentile & Zaniboni, "Worst-Case Analysis of Selective Sampling for Linear
    Classification" (JMLR 7, 2006), the Perceptron with adaptive b; there X is that of the rows with
    a mistake and the current one, which the bound does not need.

    >>> from selectron import OnlineClassifier
    >>> from selectron.learners import Perceptron
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, d=10, seed=0)
    >>> clf = OnlineClassifier(Perceptron(), asker=AdaptiveMargin(0.001), random_state=0)
    >>> clf.run(X, y)
    <Run: 2,000 rounds, 64.8% right, 2.6% of the labels asked for, 21 steps>
    """

    beta: float

    def numbers(self) -> Any:
        """Return beta, which must be above 0 and finite."""
        return (number(self, "beta", lambda beta: 0 < beta < math.inf, "above 0"),)

    def past(self) -> Any:
        """Return X^2 before the first row."""
        return (0.0,)

    def reads(self) -> str:
        """Return that q must be <x, x>."""
        return LENGTH

    def chance(self, past: Any, r: float, q: float, t: int, now: float, life: Situation) -> float:
        """b / (b + |r|)."""
        b = self.beta * max(past[0], q) * math.sqrt(1 + life.steps)
        return b / (b + abs(r)) if b > 0 else 1.0

    def after(
        self, past: Any, r: float, q: float, t: int, now: float, life: Situation, asked: bool
    ) -> Any:
        """Return X^2 after the row."""
        return (max(past[0], q),)
