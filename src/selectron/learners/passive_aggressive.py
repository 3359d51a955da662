"""Passive-Aggressive learning: plain, I and II."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number
from ..engine.round import Projection, Round, ShapeStep, Step, hinge
from ..errors import SelectronError


class PassiveAggressive(NamedTuple):
    """Passive-Aggressive: the shortest step after which the label has margin 1.

    A strong first-order learner on clean data, on sparse text above all. Lower `C` where labels
    are noisy: variant "I" caps the step at C, variant "II" damps it. C = inf is the plain learner,
    in which every label is met exactly.

    Parameters: C > 0, and variant "I" or "II".

    Source: Crammer, Dekel, Keshet, Shalev-Shwartz & Singer, "Online Passive-Aggressive Algorithms"
    (JMLR 2006); the large-margin paper of Shen & Dietterich (SDM 2009) starts from it.

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> run = OnlineClassifier(PassiveAggressive(C=0.1), fit_intercept=False).run(X, y)
    >>> run.mistakes
    380
    """

    C: float = math.inf
    variant: str = "I"

    def numbers(self) -> Any:
        """Return C and 1 or 2 for the variant; C must be above 0, the variant "I" or "II"."""
        if not (isinstance(self.variant, str) and self.variant in ("I", "II")):
            raise SelectronError(
                f'PassiveAggressive: variant must be "I" or "II", got {self.variant!r}.'
            )
        return number(self, "C", lambda C: C > 0, "above 0"), float(len(self.variant))

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
        if r.q == 0:
            return Step(keep=1.0, eta=0.0)
        loss = hinge(r.m, r.y)
        if self.variant == 2:
            return Step(keep=1.0, eta=r.y * loss / (r.q + 1 / (2 * self.C)))
        return Step(keep=1.0, eta=r.y * min(self.C, loss / r.q))
