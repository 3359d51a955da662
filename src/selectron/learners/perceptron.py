"""The Perceptron, first order."""

from typing import NamedTuple

from ..engine.round import Step, mistake


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

    def numbers(self):
        """Return no parameters."""
        return ()

    def normalize(self):
        """Rows are scaled to unit length."""
        return True

    def score(self, m, q):
        """r = m."""
        return m

    def steps(self, m, y):
        """On a mistake."""
        return mistake(m, y)

    def step(self, r):
        """w <- w + y x."""
        return Step(keep=1.0, eta=r.y)
