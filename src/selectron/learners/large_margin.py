"""Large-margin learners: the shortest step to a margin of 1, or a gradient step towards it."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import ABOVE_0, NOT_NEGATIVE, POSITIVE, SHARE, Range, number, ranges
from ..engine.round import Projection, Round, Step, hinge


@ranges(C=ABOVE_0, variant={"I": 1, "II": 2})
class PassiveAggressive(NamedTuple):
    """Passive-Aggressive: the shortest step after which the label has margin 1.

    A strong first-order learner on clean data, especially on sparse text. Lower `C` where labels
    are noisy: "I" caps the step at C, "II" damps it. With C = inf, a step always reaches margin 1.

    Parameters: C > 0, and variant "I" or "II".

    Source: Crammer, Dekel, Keshet, Shalev-Shwartz & Singer, "Online Passive-Aggressive Algorithms"
    (JMLR 2006); the large-margin paper of Shen & Dietterich (SDM 2009) starts from it.

    >>> from selectron import OnlineClassifier, streams
    >>> OnlineClassifier(PassiveAggressive(C=0.1)).run(*streams.switching_gaussian(2000)).mistakes
    384
    """

    C: float = math.inf
    variant: str = "I"

    def steps(self, m: float, y: float) -> bool:
        """Return whether the margin y m is below 1."""
        return hinge(m, y) > 0

    def step(self, r: Round) -> Step:
        """w <- w + y tau x; tau = 0 for a zero row, which cannot have a margin."""
        if r.q == 0:
            return Step(keep=1.0, eta=0.0)
        loss = hinge(r.m, r.y)
        if self.variant == "II" or self.variant == 2:  # 2 in the loop, by `ranges`
            return Step(keep=1.0, eta=r.y * loss / (r.q + 1 / (2 * self.C)))
        return Step(keep=1.0, eta=r.y * min(self.C, loss / r.q))


@ranges(C=ABOVE_0)
class MIRA(NamedTuple):
    """MIRA: the shortest step after which the right class leads each of the others by 1.

    Pick it over `PassiveAggressive` where several classes often score above the right one: one step
    lowers all of them. With two classes, it is `PassiveAggressive`.

    Parameters: C > 0, the largest step of the right class, in multiples of x; lower it where labels
    are noisy. With inf, every step reaches the margin.

    Source: Crammer & Singer, "Ultraconservative Online Algorithms for Multiclass Problems" (JMLR 3,
    2003), with a margin of 1, as in later work, instead of a correct sign.

    >>> from selectron import OnlineClassifier, streams
    >>> OnlineClassifier(MIRA(C=0.1)).run(*streams.switching_gaussian(2000)).mistakes
    384
    """

    C: float = math.inf

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


@ranges(alpha=NOT_NEGATIVE, C=ABOVE_0)
class ObjectiveRegularized(NamedTuple):
    """Objective-regularised large-margin learner: every step also shrinks w a little.

    Pick it over `PassiveAggressive` where the concept drifts: each step discounts old rows by
    1 / (1 + alpha). Lower `C` where some labels are wrong (the soft margin).

    Parameters: alpha >= 0, the weight of the penalty on |w|^2; C > 0, the weight of the loss: with
    inf, the hard margin, every row gets a margin of 1.

    Source: Shen & Dietterich, "A Family of Large Margin Linear Classifiers and Its Application in
    Dynamic Environments" (SDM 2009), Lemma 3.1, and Lemma 5.1 for the soft margin.

    >>> from selectron import OnlineClassifier, streams
    >>> clf = OnlineClassifier(ObjectiveRegularized(alpha=0.01, C=0.1))
    >>> clf.run(*streams.switching_gaussian(2000)).mistakes
    428
    """

    alpha: float = 0.001
    C: float = math.inf

    def steps(self, m: float, y: float) -> bool:
        """Return whether the margin y m is below 1."""
        return hinge(m, y) > 0

    def feasible(self, r: Round) -> bool:
        """Return False for a zero row under a hard margin, which it cannot have."""
        return r.q > 0 or math.inf > self.C

    def step(self, r: Round) -> Step:
        """w <- (w + y tau x) / (1 + alpha), tau = (loss + alpha) / (q + (1 + alpha) / (2 C))."""
        norm = r.q + (1 + self.alpha) / (2 * self.C)
        if norm == 0:
            return Step(keep=1.0, eta=0.0)
        tau = (hinge(r.m, r.y) + self.alpha) / norm
        return Step(keep=1 / (1 + self.alpha), eta=r.y * tau / (1 + self.alpha))


@ranges(beta=POSITIVE)
class L2Constrained(NamedTuple):
    """L2-norm constrained large-margin learner: the shortest step to margin 1 with |w| <= beta.

    Pick it over `PassiveAggressive` where the concept switches: once w is on the boundary of the
    ball, every step shrinks the part that old rows have in it. Only rows with a norm above 1 / beta
    can get a margin of 1; shorter ones get the largest in the ball, and the round is strained.

    Parameters: beta > 0, the largest norm of w.

    Source: Shen & Dietterich, "A Family of Large Margin Linear Classifiers and Its Application in
    Dynamic Environments" (SDM 2009), Lemma 3.2.

    >>> from selectron import OnlineClassifier, streams
    >>> OnlineClassifier(L2Constrained(beta=0.5)).run(*streams.switching_gaussian(2000)).mistakes
    586
    """

    beta: float

    def steps(self, m: float, y: float) -> bool:
        """Return whether the margin y m is below 1."""
        return hinge(m, y) > 0

    def feasible(self, r: Round) -> bool:
        """Return whether a point of the ball gives the row a margin of 1."""
        return self.beta * math.sqrt(r.q) > 1

    def step(self, r: Round) -> Step:
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


@ranges(beta=POSITIVE)
class L1Constrained(NamedTuple):
    """L1-norm constrained: the shortest step to margin 1 among weights with |w|_1 <= beta.

    Pick it for a few strong features among many irrelevant ones, which learners that use inner
    products only are slow to separate: weights that are not needed become exactly 0. A smaller
    `beta` keeps fewer weights, and forgets faster where the concept drifts. If no w in the ball
    gives a row margin 1, the step puts all weight on one feature; if often, `beta` is too small.

    Parameters: beta > 0 and finite, in units of 1 / feature.

    Source: Shen & Dietterich, "A Family of Large Margin Linear Classifiers and Its Application in
    Dynamic Environments" (SDM 2009), eq. 3.9.

    Here 3 of 200 features count; `PassiveAggressive` makes 323 mistakes, and no weight is 0.

    >>> import numpy as np
    >>> from selectron import OnlineClassifier
    >>> X = np.random.default_rng(0).normal(size=(2000, 200))
    >>> y = np.where(2 * X[:, 0] - X[:, 1] + X[:, 2] >= 0, 1, -1)
    >>> clf = OnlineClassifier(L1Constrained(beta=2.0), fit_intercept=False)
    >>> clf.run(X, y).mistakes, int((clf.coef_ == 0).sum())
    (250, 53)
    """

    beta: float

    def radius(self) -> float:
        """Return beta, the radius of the L1 ball that the weights stay in."""
        return self.beta

    def steps(self, m: float, y: float) -> bool:
        """Return whether the margin y m is below 1."""
        return hinge(m, y) > 0

    def step(self, r: Round) -> Projection:
        """w <- argmin |w' - w|^2 / 2 with y <w', x> >= 1 and |w'|_1 <= beta: eq. 3.9."""
        return Projection(self.beta)


class NORMA(NamedTuple):
    """NORMA: gradient steps on a regularised loss whose margin is learned (the nu-trick).

    The classic kernel learner that forgets: w shrinks with every label, so that rows are
    discounted at a fixed rate and may be dropped in the end. Pick it as a baseline, or for a steady
    rate of forgetting; it adapts more slowly than `ObjectiveRegularized`.

    Parameters: eta > 0, the learning rate; lam >= 0, the weight of the penalty on |w|^2, with
    eta lam < 1; nu from 0 to 1, the share of labels that end up below the margin; power from 0 to
    1, where the t-th label has the rate eta t^-power: the theory sets 0.5 without drift.

    Source: Kivinen, Smola & Williamson, "Online Learning with Kernels" (IEEE Transactions on Signal
    Processing 52, 2004). Its offset b is a weight like any other here: that of the constant.

    >>> from selectron import OnlineClassifier, streams
    >>> OnlineClassifier(NORMA()).run(*streams.switching_gaussian(2000)).mistakes
    470
    """

    eta: float = 0.1
    lam: float = 0.01
    nu: float = 0.3
    power: float = 0.0

    def numbers(self) -> tuple[float, ...]:
        """Return the parameters, which must be in their ranges."""
        eta = number(self, "eta", POSITIVE)
        below = Range(lambda lam: 0 <= lam * eta < 1, f"from 0 to below 1 / eta = {1 / eta:g}")
        lam = number(self, "lam", below)
        return eta, lam, number(self, "nu", SHARE), number(self, "power", SHARE)

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
