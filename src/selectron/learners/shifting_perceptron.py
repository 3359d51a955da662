"""The Shifting Perceptron."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number
from ..engine.round import Projection, Round, ShapeStep, Step, mistake


class ShiftingPerceptron(NamedTuple):
    """Shifting Perceptron: on a mistake, w shrinks before y x is added, less and less so.

    Pick it where the concept shifts and the Perceptron's old mistakes weigh too much, but a
    second-order learner is too dear. It is a Perceptron whose earlier mistakes fade as a power of
    their age: after k mistakes, mistake i has the weight ~ (i/k)^lam.

    Parameters: lam > 0; the larger, the shorter its memory; towards 0 it keeps its first mistake.

    Source: Cavallanti, Cesa-Bianchi & Gentile, "Tracking the best hyperplane with a simple budget
    Perceptron" (Machine Learning 69, 2007).

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> run = OnlineClassifier(ShiftingPerceptron(), fit_intercept=False).run(X, y)
    >>> run.mistakes
    443
    """

    lam: float = 1.0

    def numbers(self) -> Any:
        """Return lam, which must be finite and above 0."""
        return (number(self, "lam", lambda lam: 0 < lam < math.inf, "above 0 and finite"),)

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
        """w <- (1 - l) w + l y x with l = lam / (lam + k), k counting the mistakes before."""
        part = self.lam / (self.lam + r.k)
        return Step(keep=1 - part, eta=part * r.y)
