"""The ellipsoid method, classical (CELLIP) and improved (IELLIP)."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import NOT_NEGATIVE, POSITIVE, SHARE, Range, ranges
from ..engine.round import SHORTEST, Round, Shape, ShapeStep, mistake

DEEPEST = 1 - 1e-6  # depth of a cut that would miss the ellipsoid
POINT = 1e-120  # a q below this means a zero row, or an ellipsoid that is only a point


@ranges(
    gamma=POSITIVE,
    a=SHARE,
    start={"sound": 1, "talk": 0},
    rho=Range(lambda rho: 0 <= rho < 0.5, "from 0 to below 0.5"),
)
class CELLIP(NamedTuple):
    """CELLIP: an ellipsoid that holds every classifier with margin a * gamma, cut on each mistake.

    Pick it where the labels are known to be right and a margin is known: the best classifier is
    then certain to lie in the remaining ellipsoid. With the asker `Disagreement` it also cuts on
    every label with y m < a * gamma, where Theorem 1 holds too (alpha >= 0), and never asks for a
    label that follows from the others. Set a near 1 in that case: the smaller a * gamma is compared
    with the true margin, the more short vectors remain, and while 0 is in the ellipsoid, every
    label is asked for. Rows should have a norm of 1 at most. If a row cannot have the margin, the
    cut is as deep as possible, and the round counts as strained; use `IELLIP` then.

    Parameters: gamma > 0, the margin of the best classifier of norm 1; a from 0 to 1, the part of
    it that the learner must reach; start "sound", an ellipsoid that holds all classifiers within
    (1 - a) gamma of the best one, or "talk", the smaller one of the talk (see Source), which does
    not; rho from 0 to below 1/2, how far the centre goes beyond a cut of depth alpha, as a part of
    1 - alpha. The talk takes 0. For d weights (with the constant's), 1 / (d + 1) gives the smallest
    ellipsoid: up to ten times fewer mistakes with few features and a small margin, about as many as
    with 0 for fifty features. If rho is more than twice that, the ellipsoid grows from cut to cut,
    until a row is refused.

    Source: a talk by Yang, Jin & Ye, "Online Learning by Ellipsoid Method" (ICML 2009), Theorem 1
    with (1 - alpha) rho for the talk's rho, and the least mu that it allows; see
    docs/explanation/bounds.md.

    >>> from selectron import OnlineClassifier, streams
    >>> OnlineClassifier(CELLIP()).run(*streams.switching_gaussian(2000)).mistakes
    424
    """

    gamma: float = 0.1
    a: float = 0.5
    start: str = "sound"
    rho: float = 0.0

    def shape(self) -> Shape:
        """P_1 = l^2 I with l = 1 + (1 - a) gamma, the largest norm to hold; l I in the talk."""
        longest = 1 + (1 - self.a) * self.gamma
        talk = self.start in ("talk", 0)  # 0 in the loop, by `ranges`
        return Shape(scale=longest if talk else longest * longest, noise=0.0)

    def cuts(self, m: float, y: float) -> bool:
        """Return whether the half-space of the label cuts the ellipsoid at its centre or deeper."""
        return mistake(m, y) or y * m < self.a * self.gamma

    def feasible(self, r: Round) -> bool:
        """Return whether the half-space of the row meets the ellipsoid; False for a zero row."""
        return r.q > POINT and depth(self, r) < 1

    def step(self, r: Round) -> ShapeStep:
        """w <- w + y beta g / sqrt(q), P <- c ((1 - alpha^2) P - 2 beta (1 - alpha) g g' / q).

        beta = alpha + rho (1 - alpha) and c = (1 - rho)^2 / (1 - 2 rho), which is 1 for rho = 0.
        """
        if r.q <= POINT:
            return ShapeStep(eta=0.0, mu=1.0, nu=0.0)
        alpha = min(depth(self, r), DEEPEST)
        beta = alpha + self.rho * (1 - alpha)
        c = (1 - self.rho) ** 2 / (1 - 2 * self.rho)
        nu = 2 * beta * (1 - alpha) / r.q
        return ShapeStep(eta=r.y * beta / math.sqrt(r.q), mu=c * (1 - alpha * alpha), nu=c * nu)


def depth(p: Any, r: Round) -> float:
    """alpha = (a gamma - y m) / sqrt(q): 0 cuts through the centre, 1 leaves only a point."""
    return (p.a * p.gamma - r.y * r.m) / math.sqrt(r.q)


@ranges(
    gamma=NOT_NEGATIVE, c=Range(lambda c: 0 <= c < 1, "from 0 to below 1"), b=SHARE, p0=POSITIVE
)
class IELLIP(NamedTuple):
    """IELLIP: the ellipsoid method for data that no classifier separates.

    Pick it for its few large steps on nearly separable data, especially with many classes. By
    default the changes of P decay fast: after about twenty mistakes it hardly changes any more.

    Parameters: gamma >= 0, the margin that a step aims at; c from 0 to below 1 and b from 0 to 1,
    for the weight c b^k of the k-th mistake in P^-1, k from 0; p0 > 0, for P = p0 I at the start.
    The mistake bound, Theorem 3, requires c + b < 1; the talk's experiments take p0 = 0.1.

    Source: a talk by Yang, Jin & Ye, "Online Learning by Ellipsoid Method" (ICML 2009), whose
    formulas have no numbers: "Improved Ellipsoid Method (IELLIP) for Online Learning".

    >>> from selectron import OnlineClassifier, streams
    >>> OnlineClassifier(IELLIP()).run(*streams.switching_gaussian(2000)).mistakes
    433
    """

    gamma: float = 0.1
    c: float = 0.1
    b: float = 0.8
    p0: float = 1.0

    def shape(self) -> Shape:
        """P = p0 I."""
        return Shape(scale=self.p0, noise=0.0)

    def scale_free(self) -> bool:
        """Steps are the same for any p0: they divide by q = x' P x as often as they multiply."""
        return True

    def step(self, r: Round) -> ShapeStep:
        """w <- w + y alpha P x / sqrt(q), P^-1 <- (1 - c_k) P^-1 + c_k x x' / q, c_k = c b^k."""
        if r.q < SHORTEST:  # a zero row, or one so short that <x, x> has lost its digits
            return ShapeStep(eta=0.0, mu=1.0, nu=0.0)
        weight = self.c * self.b**r.k
        eta = r.y * (self.gamma - r.y * r.m) / r.q
        return ShapeStep(eta=eta, mu=1 / (1 - weight), nu=weight / ((1 - weight) * r.q))
