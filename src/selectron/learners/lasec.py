"""LASEC: last-step min-max with drift."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number
from ..engine.round import Projection, Round, Shape, ShapeStep, Step, mistake
from ..errors import SelectronError
from .least_squares import regress


class LASEC(NamedTuple):
    """LASEC: the second-order Perceptron, forgetting at a fixed rate.

    Pick it where the concept drifts or switches. It is a Kalman filter: 1/c is added to the
    variance of every weight before each step, so that old labels lose their say. With the asker
    `Margin(a)` it is LASEC-SS.

    Parameters: 0 < b < c. b is the prior precision; c is the inverse of the drift, and inf means
    none, which makes it the second-order Perceptron with a = b.

    Source: Moroshko & Crammer, "Selective Sampling with Drift" (AISTATS 2014), Figure 1. There
    D = P^-1 and e = P^-1 w; the same trajectory costs O(d^2) here, and only on a mistake.

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> run = OnlineClassifier(LASEC(b=1.0, c=1000.0), fit_intercept=False).run(X, y)
    >>> run.mistakes
    409
    """

    b: float = 1.0
    c: float = 1000.0

    def numbers(self) -> Any:
        """Return b and c, which must satisfy 0 < b < c."""
        b = number(self, "b", lambda b: 0 < b < math.inf, "above 0 and finite")
        c = number(self, "c", lambda c: c > 0, "above 0")
        if not b < c:
            raise SelectronError(f"LASEC: b must be below c, got b={b} and c={c}.")
        return b, c

    def shape(self) -> Shape | None:
        """P = D_0^-1 = (1/b - 1/c) I; D_0 of Figure 1."""
        return Shape(scale=1 / self.b - 1 / self.c, noise=1 / self.c)

    def normalize(self) -> bool:
        """Rows are taken as they are."""
        return False

    def score(self, m: float, q: float) -> float:
        """p = m / (1 + q), eq. (5)."""
        return m / (1 + q)

    def steps(self, m: float, y: float) -> bool:
        """On a mistake."""
        return mistake(m, y)

    def step(self, r: Round) -> Step | ShapeStep | Projection:
        """Eq. (2) and (3) by Sherman-Morrison."""
        return regress(r)
