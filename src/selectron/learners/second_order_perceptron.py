"""The second-order Perceptron."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number
from ..engine.round import Projection, Round, Shape, ShapeStep, Step, mistake
from .least_squares import regress


class SecondOrderPerceptron(NamedTuple):
    """Second-order Perceptron: the Perceptron in coordinates whitened by its own mistakes.

    Pick it where the concept stands still and the features are correlated. It slows down as
    evidence gathers, hence falls behind when the concept drifts: then take `LASEC`. With the asker
    `SecondOrderMargin(b)` it is the paper's selective sampler, on rows of unit length and a = 1.

    Parameters: a > 0, the weight of the identity in the matrix A_0 = a I; P = A^-1.

    Source: Cesa-Bianchi, Gentile & Zaniboni, "Worst-Case Analysis of Selective Sampling for
    Linear-Threshold Algorithms" (NIPS 2004), Figure 2.

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> run = OnlineClassifier(SecondOrderPerceptron(), fit_intercept=False).run(X, y)
    >>> run.mistakes
    447
    """

    a: float = 1.0

    def numbers(self) -> Any:
        """Return a, which must be finite and above 0."""
        return (number(self, "a", lambda a: 0 < a < math.inf, "above 0 and finite"),)

    def shape(self) -> Shape | None:
        """P = I / a."""
        return Shape(scale=1 / self.a)

    def normalize(self) -> bool:
        """Rows are scaled to unit length."""
        return True

    def score(self, m: float, q: float) -> float:
        """r = v' (A + x x')^-1 x = m / (1 + q)."""
        return m / (1 + q)

    def steps(self, m: float, y: float) -> bool:
        """On a mistake."""
        return mistake(m, y)

    def step(self, r: Round) -> Step | ShapeStep | Projection:
        """A <- A + x x', v <- v + y x, by Sherman-Morrison."""
        return regress(r)
