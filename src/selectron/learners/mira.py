"""MIRA: the shortest step that puts the right class ahead of all others."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number
from ..engine.round import Projection, Round, ShapeStep, Step, hinge


class MIRA(NamedTuple):
    """MIRA: of many classes, the shortest step after which the right one leads each by 1.

    Pick it over `PassiveAggressive` where there are many classes and several of them are in the
    way at once: one step pushes back all of them. Of two classes, it is `PassiveAggressive`.

    Parameters: C > 0, the most by which a label may move the right class, in multiples of x; lower
    it where labels are noisy. inf meets every label exactly.

    Source: Crammer & Singer, "Ultraconservative Online Algorithms for Multiclass Problems" (JMLR 3,
    2003), with the margin of 1 of later work in place of a correct sign.

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> run = OnlineClassifier(MIRA(C=0.1), fit_intercept=False).run(X, y)
    >>> run.mistakes
    380
    """

    C: float = math.inf

    def numbers(self) -> Any:
        """Return C, which must be above 0."""
        return (number(self, "C", lambda C: C > 0, "above 0"),)

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
        """w <- w + y tau x; a zero row can be given no margin, and teaches nothing."""
        tau = min(self.C, hinge(r.m, r.y) / r.q) if r.q > 0 else 0.0
        return Step(keep=1.0, eta=r.y * tau)

    def at_once(self) -> bool:
        """One step moves all classes."""
        return True

    def ceded(self, losses: Any, q: float) -> float:
        """Return the threshold mu: class k cedes max(0, losses[k] - mu) / q of x to the right one.

        `losses` are those of the other classes, 1 minus the lead over each, in falling order; they
        are the dual variables' gradients at 0. What is ceded in all is mu / q, or C where that is
        less.
        """
        total, mu = 0.0, 0.0
        for j in range(len(losses)):
            if losses[j] <= mu:  # as are all that follow
                break
            total += losses[j]
            mu = max(total / (j + 2), (total - q * self.C) / (j + 1))
        return mu
