"""Gaussians over w: the Bayesian Perceptron with the probit likelihood, and AROW."""

import math
from typing import NamedTuple

from ..engine.parameters import POSITIVE, ranges
from ..engine.round import Round, Shape, ShapeStep, hinge, variance

FAR = -5.0  # below, the normal distribution's tail is taken from its continued fraction
TERMS = 50  # of that fraction: more than enough for double precision at FAR and below


@ranges(s0=POSITIVE)
class BayesianPerceptron(NamedTuple):
    """Bayesian Perceptron: a Gaussian over w, matched to the posterior after every label.

    Pick it where the concept is stationary and you need calibrated probabilities: the predicted
    class has probability Phi(|r|). It also learns from correct predictions that were uncertain.

    Parameters: s0 > 0, the noise of a label, in units of the margin; the prior is P = I.

    Source: Solla & Winther, "Optimal Perceptron Learning: an On-line Bayesian Approach" (in On-line
    Learning in Neural Networks, 1998), as run in the large-margin paper of Shen & Dietterich.

    >>> from selectron import OnlineClassifier, streams
    >>> OnlineClassifier(BayesianPerceptron()).run(*streams.switching_gaussian(2000)).mistakes
    546
    """

    s0: float = 1.0

    def shape(self) -> Shape:
        """P = I."""
        return Shape(scale=1.0, noise=0.0)

    def score(self, m: float, q: float) -> float:
        """r = m / sqrt(s0^2 + q): class +1 has the probability Phi(r)."""
        return m / math.sqrt(self.s0 * self.s0 + q)

    def probability(self, r: float) -> float:
        """Phi(r)."""
        return math.erfc(-r / math.sqrt(2)) / 2

    def steps(self, m: float, y: float) -> bool:
        """Return True: every label counts."""
        return True

    def step(self, r: Round) -> ShapeStep:
        """z = y m / sigma, h = N(z) / Phi(z): w <- w + y h g / sigma, nu = h (h + z) / sigma^2."""
        total = variance(r.q, self.s0 * self.s0)
        z = r.y * r.m / math.sqrt(total)
        h, above = inverse_mills(z)
        return ShapeStep(eta=r.y * h / math.sqrt(total), mu=1.0, nu=h * above / total)


def inverse_mills(z: float) -> tuple[float, float]:
    """h = N(z) / Phi(z) and h + z, which lies between 0 and h.

    Far below 0, h + z = 1 / (x + 2 / (x + 3 / (x + ...))), x = -z: the sum would lose its digits.

    >>> inverse_mills(0.0), inverse_mills(-40.0)
    ((0.7978845608028654, 0.7978845608028654), (40.02496884720726, 0.024968847207263722))
    """
    if z > FAR:
        h = math.exp(-z * z / 2) / math.sqrt(2 * math.pi) / (math.erfc(-z / math.sqrt(2)) / 2)
        return h, h + z
    rest = 0.0
    for j in range(TERMS, 0, -1):
        rest = j / (rest - z)
    return rest - z, rest


@ranges(r=POSITIVE)
class AROW(NamedTuple):
    """AROW: a Gaussian over w that narrows along directions with many labels.

    Pick it where the concept is stationary and labels are noisy. Its variances never grow again, so
    it collapses when the concept switches.

    Parameters: r > 0, the noise of a label; the larger, the smaller the steps.

    Source: Crammer, Kulesza & Dredze, "Adaptive Regularization of Weight Vectors" (NIPS 2009).

    >>> from selectron import OnlineClassifier, streams
    >>> OnlineClassifier(AROW()).run(*streams.switching_gaussian(2000)).mistakes
    619
    """

    r: float = 1.0

    def shape(self) -> Shape:
        """P = I."""
        return Shape(scale=1.0)

    def steps(self, m: float, y: float) -> bool:
        """Return whether the margin y m is below 1."""
        return hinge(m, y) > 0

    def step(self, r: Round) -> ShapeStep:
        """beta = 1 / (q + r), w <- w + y loss beta P x, P <- P - beta P x x' P."""
        beta = 1 / variance(r.q, self.r)
        return ShapeStep(eta=r.y * hinge(r.m, r.y) * beta, mu=1.0, nu=beta)
