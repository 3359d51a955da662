"""Recursive least squares, whose step the second-order Perceptron and LASEC share."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number
from ..engine.round import Projection, Round, Shape, ShapeStep, Step
from ..engine.scales import variance


def regress(r: Round) -> ShapeStep:
    """Fit w to y: A <- A + x x' and A w <- A w + y x, by Sherman-Morrison."""
    total = variance(r.q, 1.0)
    return ShapeStep(eta=(r.y - r.m) / total, mu=1.0, nu=1 / total)


class RLS(NamedTuple):
    """RLS: ridge regression on the labels, brought up to date with each.

    Pick it where the concept stands still and every label counts, mistake or not. It is the learner
    of the asker `BBQ`; with `BBQI` it learns from mistakes only.

    Parameters: a > 0, the weight of the identity in the matrix A_0 = a I; P = A^-1.

    Source: Cesa-Bianchi, Gentile & Orabona, "Robust Bounds for Classification via Selective
    Sampling" (ICML 2009).

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> run = OnlineClassifier(RLS(), fit_intercept=False).run(X, y)
    >>> run.mistakes
    665
    """

    a: float = 1.0

    def numbers(self) -> Any:
        """Return a, which must be finite and above 0."""
        return (number(self, "a", lambda a: 0 < a < math.inf, "above 0 and finite"),)

    def shape(self) -> Shape | None:
        """P = I / a."""
        return Shape(scale=1 / self.a, noise=0.0)

    def normalize(self) -> bool:
        """Rows are taken as they are."""
        return False

    def score(self, m: float, q: float) -> float:
        """r = v' (A + x x')^-1 x = m / (1 + q)."""
        return m / (1 + q)

    def steps(self, m: float, y: float) -> bool:
        """On every label."""
        return True

    def step(self, r: Round) -> Step | ShapeStep | Projection:
        """A <- A + x x', v <- v + y x."""
        return regress(r)
