"""The Perceptron, first order."""

from typing import Any, NamedTuple

from ..engine.round import Projection, Round, ShapeStep, Step, mistake


class Perceptron(NamedTuple):
    """Perceptron: on a mistake, add y x to w, with x of unit length.

    The cheapest learner, and hard to fool: it follows drift after a fashion, since every mistake
    counts the same however late it comes. With the asker `Margin(b)` it is the selective-sampling
    Perceptron.

    Source: Cesa-Bianchi, Gentile & Zaniboni, "Worst-Case Analysis of Selective Sampling for
    Linear-Threshold Algorithms" (NIPS 2004), Figure 1.

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> run = OnlineClassifier(Perceptron(), fit_intercept=False).run(X, y)
    >>> run.mistakes
    443
    """

    def numbers(self) -> Any:
        """Return no parameters."""
        return ()

    def normalize(self) -> bool:
        """Rows are scaled to unit length."""
        return True

    def score(self, m: float, q: float) -> float:
        """r = m."""
        return m

    def steps(self, m: float, y: float) -> bool:
        """On a mistake."""
        return mistake(m, y)

    def step(self, r: Round) -> Step | ShapeStep | Projection:
        """w <- w + y x."""
        return Step(keep=1.0, eta=r.y)
