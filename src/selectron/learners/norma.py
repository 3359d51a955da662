"""NORMA: stochastic gradient descent on the regularised soft-margin loss."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number
from ..engine.round import Round, Step


class NORMA(NamedTuple):
    """NORMA: gradient steps on a regularised loss whose margin is learned (the nu-trick).

    The classic kernel learner that forgets: w shrinks with every label, right or wrong, so that a
    row fades at a fixed rate and may be dropped in the end. Pick it as a baseline, or for a steady
    rate of forgetting; it adapts more slowly than `ObjectiveRegularized`.

    Parameters: eta > 0, the learning rate; lam >= 0, the weight of the penalty on |w|^2, with
    eta lam < 1; nu from 0 to 1, the part of labels that end up below the margin; power from 0 to 1,
    where the t-th label has the rate eta t^-power: the theory sets 0.5 where nothing drifts.

    Source: Kivinen, Smola & Williamson, "Online Learning with Kernels" (IEEE Transactions on Signal
    Processing 52, 2004). Its offset b is a weight like any other here: that of the constant.

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> OnlineClassifier(NORMA(), fit_intercept=False).run(X, y).mistakes
    447
    """

    eta: float = 0.1
    lam: float = 0.01
    nu: float = 0.3
    power: float = 0.0

    def numbers(self) -> Any:
        """Return the parameters, which must be in their ranges."""
        eta = number(self, "eta", lambda eta: 0 < eta < math.inf, "above 0 and finite")
        wanted = f"from 0 to below 1 / eta = {1 / eta:g}"
        lam = number(self, "lam", lambda lam: 0 <= lam * eta < 1, wanted)
        nu = number(self, "nu", lambda nu: 0 <= nu <= 1, "from 0 to 1")
        power = number(self, "power", lambda power: 0 <= power <= 1, "from 0 to 1")
        return eta, lam, nu, power

    def steps(self, m: float, y: float) -> bool:
        """Return True: w shrinks with every label."""
        return True

    def step(self, r: Round) -> Step:
        """w <- (1 - eta_t lam) w, and + eta_t y x if y m <= rho, rho being the learner's note."""
        rate = rate_of(self, r)
        return Step(keep=1 - rate * self.lam, eta=rate * r.y if r.y * r.m <= r.note else 0.0)

    def noted(self, r: Round) -> float:
        """rho <- rho + eta_t nu, and - eta_t if y m <= rho."""
        return r.note + rate_of(self, r) * (self.nu - (r.y * r.m <= r.note))


def rate_of(p: Any, r: Round) -> float:
    """eta_t = eta t^-power, t counting labels from 1."""
    return p.eta * (r.k + 1) ** -p.power
