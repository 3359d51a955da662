"""Second-order learners of the literature as a user would write them, for what they do to P.

Recursive least squares steps on every label; the ellipsoid methods scale P, the classical one by
numbers near 0; Solla & Winther's steps on every label with a nu that follows the margin.
"""

import math
from typing import NamedTuple

from selectron.engine.round import Shape, ShapeStep, mistake

NEAREST = 1 - 1e-6  # to 1, of alpha; at 1, P would be singular


class LeastSquares(NamedTuple):
    """Recursive least squares: P = (a I + sum of x x')^-1."""

    a: float = 1.0

    def numbers(self):
        return (float(self.a),)

    def shape(self):
        return Shape(scale=1 / self.a)

    def normalize(self):
        return False

    def score(self, m, q):
        return m / (1 + q)

    def steps(self, m, y):
        return True

    def step(self, r):
        return ShapeStep(eta=(r.y - r.m) / (1 + r.q), mu=1.0, nu=1 / (1 + r.q))


class Classical(NamedTuple):
    """The classical ellipsoid method (Yang, Jin & Ye 2009)."""

    gamma: float = 0.1
    a: float = 0.5

    def numbers(self):
        return float(self.gamma), float(self.a)

    def shape(self):
        return Shape(scale=(1 + (1 - self.a) * self.gamma) ** 2)

    def normalize(self):
        return True

    def score(self, m, q):
        return m

    def steps(self, m, y):
        return mistake(m, y)

    def step(self, r):
        s = math.sqrt(r.q)
        al = min((self.a * self.gamma - r.y * r.m) / s, NEAREST)
        return ShapeStep(eta=r.y * al / s, mu=1 - al * al, nu=2 * al * (1 - al) / r.q)


class Improved(NamedTuple):
    """The improved ellipsoid method (Yang, Jin & Ye 2009), with c_k = c b^k."""

    gamma: float = 0.1
    c: float = 0.1
    b: float = 0.8

    def numbers(self):
        return float(self.gamma), float(self.c), float(self.b)

    def shape(self):
        return Shape(scale=1.0)

    def normalize(self):
        return False

    def score(self, m, q):
        return m

    def steps(self, m, y):
        return mistake(m, y)

    def step(self, r):
        s, c = math.sqrt(r.q), self.c * self.b**r.k
        al = (self.gamma - r.y * r.m) / s
        return ShapeStep(eta=r.y * al / s, mu=1 / (1 - c), nu=c / ((1 - c) * r.q))


def hazard(z):
    """N(z) / Phi(z); by its continued fraction where both underflow."""
    if z > -5:
        return math.exp(-z * z / 2) / (math.sqrt(math.pi / 2) * math.erfc(-z / math.sqrt(2)))
    h = -z
    for k in range(40, 0, -1):
        h = -z + k / h
    return h


class Bayesian(NamedTuple):
    """The Bayesian Perceptron with a probit (Solla & Winther 1998)."""

    s0: float = 1.0

    def numbers(self):
        return (float(self.s0),)

    def shape(self):
        return Shape(scale=1.0)

    def normalize(self):
        return False

    def score(self, m, q):
        return m

    def steps(self, m, y):
        return True

    def step(self, r):
        sigma = math.sqrt(self.s0 * self.s0 + r.q)
        z = r.y * r.m / sigma
        h = hazard(z)
        return ShapeStep(eta=r.y * h / sigma, mu=1.0, nu=h * (h + z) / (sigma * sigma))


class Overshooting(NamedTuple):
    """Takes a little more than all of P along g, as a nu that was rounded may."""

    def numbers(self):
        return ()

    def shape(self):
        return Shape(scale=1.0)

    def normalize(self):
        return False

    def score(self, m, q):
        return m

    def steps(self, m, y):
        return True

    def step(self, r):
        return ShapeStep(eta=(r.y - r.m) / r.q, mu=1.0, nu=(1 + 1e-9) / r.q)
