"""The shortest step to a margin of 1: Passive-Aggressive, and MIRA for many classes."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number
from ..engine.round import Round, Step, hinge
from ..errors import SelectronError


class PassiveAggressive(NamedTuple):
    """Passive-Aggressive: the shortest step after which the label has margin 1.

    A strong first-order learner on clean data, especially on sparse text. Lower `C` where labels
    are noisy: variant "I" caps the step at C, variant "II" damps it. C = inf is the plain learner,
    whose step always reaches a margin of 1.

    Parameters: C > 0, and variant "I" or "II".

    Source: Crammer, Dekel, Keshet, Shalev-Shwartz & Singer, "Online Passive-Aggressive Algorithms"
    (JMLR 2006); the large-margin paper of Shen & Dietterich (SDM 2009) starts from it.

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> OnlineClassifier(PassiveAggressive(C=0.1), fit_intercept=False).run(X, y).mistakes
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

    def steps(self, m: float, y: float) -> bool:
        """Return whether the margin y m is below 1."""
        return hinge(m, y) > 0

    def step(self, r: Round) -> Step:
        """w <- w + y tau x; tau = 0 for a zero row, which cannot have a margin."""
        if r.q == 0:
            return Step(keep=1.0, eta=0.0)
        loss = hinge(r.m, r.y)
        if self.variant == 2:
            return Step(keep=1.0, eta=r.y * loss / (r.q + 1 / (2 * self.C)))
        return Step(keep=1.0, eta=r.y * min(self.C, loss / r.q))


class MIRA(NamedTuple):
    """MIRA: of many classes, the shortest step after which the right one leads each by 1.

    Pick it over `PassiveAggressive` where several of many classes often score above the right one:
    one step lowers all of them. With two classes, it is `PassiveAggressive`.

    Parameters: C > 0, the largest step of the right class, in multiples of x; lower it where labels
    are noisy. With inf, every step reaches the margin.

    Source: Crammer & Singer, "Ultraconservative Online Algorithms for Multiclass Problems" (JMLR 3,
    2003), with the margin of 1 of later work in place of a correct sign.

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> OnlineClassifier(MIRA(C=0.1), fit_intercept=False).run(X, y).mistakes
    380
    """

    C: float = math.inf

    def numbers(self) -> Any:
        """Return C, which must be above 0."""
        return (number(self, "C", lambda C: C > 0, "above 0"),)

    def steps(self, m: float, y: float) -> bool:
        """Return whether the margin y m is below 1."""
        return hinge(m, y) > 0

    def step(self, r: Round) -> Step:
        """w <- w + y tau x; tau = 0 for a zero row, which cannot have a margin."""
        tau = min(self.C, hinge(r.m, r.y) / r.q) if r.q > 0 else 0.0
        return Step(keep=1.0, eta=r.y * tau)

    def ceded(self, losses: Any, q: float) -> float:
        """Return the threshold mu: class k cedes max(0, losses[k] - mu) / q of x to the right one.

        `losses` are those of the other classes, 1 minus the lead over each, in falling order; they
        are the dual variables' gradients at 0. All classes together cede min(mu / q, C).
        """
        total, mu = 0.0, 0.0
        for j in range(len(losses)):
            if losses[j] <= mu:  # as are all that follow
                break
            total += losses[j]
            mu = max(total / (j + 2), (total - q * self.C) / (j + 1))
        return mu
