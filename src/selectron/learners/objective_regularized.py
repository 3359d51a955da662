"""Passive-Aggressive learning with a penalty on the length of w."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number
from ..engine.round import Projection, Round, ShapeStep, Step, hinge


class ObjectiveRegularized(NamedTuple):
    """Objective-regularised large-margin learner: every step also shrinks w a little.

    Pick it over `PassiveAggressive` where the concept drifts: old rows fade by 1 / (1 + alpha) a
    step, and no feature keeps a weight that it no longer earns. Lower `C` where labels are wrong
    now and then (the soft margin); with C = inf every row gets its margin of 1.

    Parameters: alpha >= 0, the pull towards zero, which is weighed against staying close to w; C >
    0, the price of missing the margin, inf for none missed.

    Source: Shen & Dietterich, "A Family of Large Margin Linear Classifiers and Its Application in
    Dynamic Environments" (SDM 2009), Lemma 3.1, and Lemma 5.1 for the soft margin.

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> learner = ObjectiveRegularized(alpha=0.01, C=0.1)
    >>> run = OnlineClassifier(learner, fit_intercept=False).run(X, y)
    >>> run.mistakes
    426
    """

    alpha: float = 0.001
    C: float = math.inf

    def numbers(self) -> Any:
        """Return alpha, which must be finite and not below 0, and C, which must be above 0."""
        alpha = number(self, "alpha", lambda alpha: 0 <= alpha < math.inf, "from 0 on and finite")
        return alpha, number(self, "C", lambda C: C > 0, "above 0")

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
        """A zero row has no margin, which only the soft margin allows."""
        return r.q > 0 or math.inf > self.C

    def step(self, r: Round) -> Step | ShapeStep | Projection:
        """w <- (w + y tau x) / (1 + alpha), tau = (loss + alpha) / (q + (1 + alpha) / (2 C))."""
        norm = r.q + (1 + self.alpha) / (2 * self.C)
        if norm == 0:
            return Step(keep=1.0, eta=0.0)
        tau = (hinge(r.m, r.y) + self.alpha) / norm
        return Step(keep=1 / (1 + self.alpha), eta=r.y * tau / (1 + self.alpha))
