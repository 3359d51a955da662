"""Passive-Aggressive learning in a ball."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number
from ..engine.round import Projection, Round, ShapeStep, Step, hinge


class L2Constrained(NamedTuple):
    """L2-norm constrained large-margin learner: the shortest step to margin 1 with |w| <= beta.

    Pick it over `PassiveAggressive` where the concept switches: what w may hold is limited, so that
    a new row displaces old ones once the ball is full, and costs nothing before. beta is the price:
    a margin of 1 can only be had of rows longer than 1 / beta. On shorter ones w becomes the point
    of the ball with the largest margin, and the round is counted as strained.

    Parameters: beta > 0, the largest length of w.

    Source: Shen & Dietterich, "A Family of Large Margin Linear Classifiers and Its Application in
    Dynamic Environments" (SDM 2009), Lemma 3.2.

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> run = OnlineClassifier(L2Constrained(beta=0.5), fit_intercept=False).run(X, y)
    >>> run.mistakes
    582
    """

    beta: float

    def numbers(self) -> Any:
        """Return beta, which must be finite and above 0."""
        return (number(self, "beta", lambda beta: 0 < beta < math.inf, "above 0 and finite"),)

    def normalize(self) -> bool:
        """Rows are taken as they are."""
        return False

    def score(self, m: float, q: float) -> float:
        """r = m."""
        return m

    def steps(self, m: float, y: float) -> bool:
        """On a margin below 1."""
        return hinge(m, y) > 0

    def feasible(self, r: Round) -> bool:
        """Is there a point of the ball that gives the row a margin of 1?"""
        return self.beta * math.sqrt(r.q) > 1

    def step(self, r: Round) -> Step | ShapeStep | Projection:
        """w <- (w + y tau x) / Z, Z = max(1, sqrt((|w|^2 q - m^2) / (beta^2 q - 1)))."""
        if r.q == 0:
            return Step(keep=1.0, eta=0.0)
        length = math.sqrt(r.q)
        room = (self.beta * length - 1) * (self.beta * length + 1)
        if room <= 0:
            return Step(keep=0.0, eta=r.y * self.beta / length)
        across = max(0.0, r.ww * r.q - r.m * r.m)
        z = max(1.0, math.sqrt(across / room))
        tau = (hinge(r.m, r.y) + z - 1) / r.q
        return Step(keep=1 / z, eta=r.y * tau / z)
