"""AROW: adaptive regularisation of weights."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number
from ..engine.round import Projection, Round, Shape, ShapeStep, Step, hinge
from ..engine.scales import variance


class AROW(NamedTuple):
    """AROW: a Gaussian over w, which narrows where much has been seen.

    Pick it where the concept stands still and labels are noisy. Its confidence never falls again,
    so it collapses when the concept switches.

    Parameters: r > 0, the noise of a label; larger is calmer.

    Source: Crammer, Kulesza & Dredze, "Adaptive Regularization of Weight Vectors" (NIPS 2009).

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> run = OnlineClassifier(AROW(), fit_intercept=False).run(X, y)
    >>> run.mistakes
    613
    """

    r: float = 1.0

    def numbers(self) -> Any:
        """Return r, which must be finite and above 0."""
        return (number(self, "r", lambda r: 0 < r < math.inf, "above 0 and finite"),)

    def shape(self) -> Shape | None:
        """P = I."""
        return Shape(scale=1.0)

    def normalize(self) -> bool:
        """Rows are taken as they are."""
        return False

    def score(self, m: float, q: float) -> float:
        """r = m."""
        return m

    def steps(self, m: float, y: float) -> bool:
        """On a margin below 1."""
        return hinge(m, y) > 0

    def step(self, r: Round) -> Step | ShapeStep | Projection:
        """beta = 1 / (q + r), w <- w + y loss beta P x, P <- P - beta P x x' P."""
        beta = 1 / variance(r.q, self.r)
        return ShapeStep(eta=r.y * hinge(r.m, r.y) * beta, mu=1.0, nu=beta)
