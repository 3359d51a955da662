"""AROW: adaptive regularisation of weights."""

import math
from typing import NamedTuple

from ..engine.parameters import number
from ..engine.round import Shape, ShapeStep, hinge


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

    def numbers(self):
        """Return r, which must be finite and above 0."""
        return (number(self, "r", lambda r: 0 < r < math.inf, "above 0 and finite"),)

    def shape(self):
        """P = I."""
        return Shape(scale=1.0)

    def normalize(self):
        """Rows are taken as they are."""
        return False

    def score(self, m, q):
        """r = m."""
        return m

    def steps(self, m, y):
        """On a margin below 1."""
        return hinge(m, y) > 0

    def step(self, r):
        """beta = 1 / (q + r), w <- w + y loss beta P x, P <- P - beta P x x' P."""
        beta = 1 / (r.q + self.r)
        return ShapeStep(eta=r.y * hinge(r.m, r.y) * beta, mu=1.0, nu=beta)
