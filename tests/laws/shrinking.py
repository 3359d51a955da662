"""Two learners as a user would write them; both shrink w at every step."""

import math
from typing import NamedTuple

from selectron.engine.round import Step, hinge, mistake
from selectron.parameters import number


class Regularized(NamedTuple):
    """w <- (w + y tau x) / (1 + alpha) with tau = (loss + alpha) / q."""

    alpha: float = 0.5

    def numbers(self):
        return (number(self, "alpha", lambda alpha: 0 <= alpha < math.inf, "from 0 on"),)

    def normalize(self):
        return False

    def score(self, m, q):
        return m

    def steps(self, m, y):
        return hinge(m, y) > 0

    def step(self, r):
        keep = 1 / (1 + self.alpha)
        if r.q == 0:
            return Step(keep=1.0, eta=0.0)
        return Step(keep=keep, eta=keep * r.y * (hinge(r.m, r.y) + self.alpha) / r.q)


class Shifting(NamedTuple):
    """w <- (1 - l) w + l y x with l = lam / (lam + k): nothing is kept at the first step."""

    lam: float = 1.0

    def numbers(self):
        return (number(self, "lam", lambda lam: 0 < lam < math.inf, "above 0"),)

    def normalize(self):
        return True

    def score(self, m, q):
        return m

    def steps(self, m, y):
        return mistake(m, y)

    def step(self, r):
        rate = self.lam / (self.lam + r.k)
        return Step(keep=1 - rate, eta=rate * r.y)
