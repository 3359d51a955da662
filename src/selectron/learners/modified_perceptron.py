"""The Modified Perceptron: projecting or reflecting."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number
from ..engine.round import Projection, Round, ShapeStep, Step, mistake


class ModifiedPerceptron(NamedTuple):
    """Modified Perceptron: on a mistake, take the part along x away from w, once or twice.

    Pick it where labels are clean and only the direction of w counts: a small mistake makes a small
    step, so that it settles where the Perceptron goes on jumping. Its margins say little of
    confidence: projecting, w only ever gets shorter.

    Parameters: size 1 projects w onto the hyperplane of the row, size 2 reflects it there, which
    keeps its length.

    Sources: Blum, Frieze, Kannan & Vempala, "A Polynomial-Time Algorithm for Learning Noisy Linear
    Threshold Functions" (Algorithmica 22, 1998) for size 1, which Dunagan & Vempala call the
    margin-perceptron; Dasgupta, Kalai & Monteleoni, "Analysis of Perceptron-Based Active Learning"
    (COLT 2005) for size 2.

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> run = OnlineClassifier(ModifiedPerceptron(), fit_intercept=False).run(X, y)
    >>> run.mistakes
    512
    """

    size: int = 1

    def numbers(self) -> Any:
        """Return the size of the step, which must be 1 or 2."""
        return (number(self, "size", lambda size: size in (1, 2), "1 or 2"),)

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
        """w <- w - size m x / <x, x>; where w is still zero, or again, w <- y x / |x|."""
        if r.q == 0:
            return Step(keep=1.0, eta=0.0)
        return Step(keep=1.0, eta=r.y / math.sqrt(r.q) if r.ww == 0 else -self.size * r.m / r.q)
