"""Recursive least squares, and the learners that share its step."""

from typing import NamedTuple

from ..engine.parameters import ABOVE_0, POSITIVE, number, ranges
from ..engine.round import Round, Shape, ShapeStep, variance
from ..errors import SelectronError


def regress(r: Round) -> ShapeStep:
    """Fit w to y: A <- A + x x' and A w <- A w + y x, by Sherman-Morrison."""
    total = variance(r.q, 1.0)
    return ShapeStep(eta=(r.y - r.m) / total, mu=1.0, nu=1 / total)


@ranges(a=POSITIVE)
class RLS(NamedTuple):
    """RLS: ridge regression on the labels, updated with each.

    Pick it where the concept is stationary. It steps on every label, and is the learner for the
    asker `BBQ`; with `BBQI` it learns from mistakes only.

    Parameters: a > 0, the weight of the identity in the matrix A_0 = a I; P = A^-1.

    Source: Cesa-Bianchi, Gentile & Orabona, "Robust Bounds for Classification via Selective
    Sampling" (ICML 2009).

    >>> from selectron import OnlineClassifier, streams
    >>> OnlineClassifier(RLS()).run(*streams.switching_gaussian(2000)).mistakes
    665
    """

    a: float = 1.0

    def shape(self) -> Shape:
        """P = I / a."""
        return Shape(scale=1 / self.a, noise=0.0)

    def score(self, m: float, q: float) -> float:
        """r = v' (A + x x')^-1 x = m / (1 + q)."""
        return m / (1 + q)

    def steps(self, m: float, y: float) -> bool:
        """Return True: every label counts."""
        return True

    def step(self, r: Round) -> ShapeStep:
        """A <- A + x x', v <- v + y x."""
        return regress(r)


@ranges(a=POSITIVE)
class SecondOrderPerceptron(NamedTuple):
    """Second-order Perceptron: the Perceptron in coordinates whitened by its own mistakes.

    Pick it where the concept is stationary and the features are correlated. Its steps get smaller
    with every mistake, so it falls behind when the concept drifts: use `LASEC` then. With the asker
    `SecondOrderMargin(b)`, rows of unit length and a = 1, it is the paper's selective sampler.

    Parameters: a > 0, the weight of the identity in the matrix A_0 = a I; P = A^-1.

    Source: Cesa-Bianchi, Gentile & Zaniboni, "Worst-Case Analysis of Selective Sampling for
    Linear-Threshold Algorithms" (NIPS 2004), Figure 2.

    >>> from selectron import OnlineClassifier, streams
    >>> OnlineClassifier(SecondOrderPerceptron()).run(*streams.switching_gaussian(2000)).mistakes
    457
    """

    a: float = 1.0

    def shape(self) -> Shape:
        """P = I / a."""
        return Shape(scale=1 / self.a)

    def normalize(self) -> bool:
        """Return True: rows are scaled to unit length."""
        return True

    def score(self, m: float, q: float) -> float:
        """r = v' (A + x x')^-1 x = m / (1 + q)."""
        return m / (1 + q)

    def step(self, r: Round) -> ShapeStep:
        """A <- A + x x', v <- v + y x, by Sherman-Morrison."""
        return regress(r)


class LASEC(NamedTuple):
    """LASEC: the second-order Perceptron, forgetting at a fixed rate.

    Pick it where the concept drifts or switches. It is a Kalman filter: each step first adds 1/c to
    the variance of every weight, which discounts old labels. With `Margin(a)` it is LASEC-SS.

    Parameters: 0 < b < c. b is the prior precision; c is the inverse of the drift, and inf means
    none, which makes it the second-order Perceptron with a = b.

    Source: Moroshko & Crammer, "Selective Sampling with Drift" (AISTATS 2014), Figure 1. There
    D = P^-1 and e = P^-1 w; the same trajectory costs O(d^2) here, and only on a mistake.

    >>> from selectron import OnlineClassifier, streams
    >>> OnlineClassifier(LASEC(b=1.0, c=1000.0)).run(*streams.switching_gaussian(2000)).mistakes
    402
    """

    b: float = 1.0
    c: float = 1000.0

    def numbers(self) -> tuple[float, ...]:
        """Return b and c, which must satisfy 0 < b < c."""
        b, c = number(self, "b", POSITIVE), number(self, "c", ABOVE_0)
        if not b < c:
            raise SelectronError(f"LASEC: b must be below c, got b={b} and c={c}.")
        return b, c

    def shape(self) -> Shape:
        """P = D_0^-1 = (1/b - 1/c) I; D_0 of Figure 1."""
        return Shape(scale=1 / self.b - 1 / self.c, noise=1 / self.c)

    def score(self, m: float, q: float) -> float:
        """p = m / (1 + q), eq. (5)."""
        return m / (1 + q)

    def step(self, r: Round) -> ShapeStep:
        """Eq. (2) and (3) by Sherman-Morrison."""
        return regress(r)
