"""First-order Perceptrons: the plain, the shifting and the modified one."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number
from ..engine.round import Round, Step


class Perceptron(NamedTuple):
    """Perceptron: on a mistake, add y x to w, with x of unit length.

    The cheapest learner, and a robust one: it follows slow drift, since every mistake counts the
    same however late it comes. With the asker `Margin(b)` it is the selective-sampling
    Perceptron.

    Source: Cesa-Bianchi, Gentile & Zaniboni, "Worst-Case Analysis of Selective Sampling for
    Linear-Threshold Algorithms" (NIPS 2004), Figure 1.

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> OnlineClassifier(Perceptron(), fit_intercept=False).run(X, y).mistakes
    443
    """

    def numbers(self) -> Any:
        """Return no parameters."""
        return ()

    def normalize(self) -> bool:
        """Return True: rows are scaled to unit length."""
        return True

    def step(self, r: Round) -> Step:
        """w <- w + y x."""
        return Step(keep=1.0, eta=r.y)


class ShiftingPerceptron(NamedTuple):
    """Shifting Perceptron: on a mistake, w shrinks before y x is added, less and less so.

    Pick it where the concept shifts and a second-order learner is too expensive. It is a Perceptron
    whose earlier mistakes fade: after k mistakes, mistake i has the weight ~ (i/k)^lam.

    Parameters: lam > 0; the larger, the shorter the memory; near 0 it keeps the first mistake.

    Source: Cavallanti, Cesa-Bianchi & Gentile, "Tracking the best hyperplane with a simple budget
    Perceptron" (Machine Learning 69, 2007).

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> OnlineClassifier(ShiftingPerceptron(), fit_intercept=False).run(X, y).mistakes
    443
    """

    lam: float = 1.0

    def numbers(self) -> Any:
        """Return lam, which must be finite and above 0."""
        return (number(self, "lam", lambda lam: 0 < lam < math.inf, "above 0 and finite"),)

    def normalize(self) -> bool:
        """Return True: rows are scaled to unit length."""
        return True

    def step(self, r: Round) -> Step:
        """w <- (1 - l) w + l y x with l = lam / (lam + k), k counting the mistakes before."""
        part = self.lam / (self.lam + r.k)
        return Step(keep=1 - part, eta=part * r.y)


class ModifiedPerceptron(NamedTuple):
    """Modified Perceptron: on a mistake, subtract the component along x from w, once or twice.

    Pick it where labels are clean and only the direction of w counts: a small mistake makes a small
    step, so that it converges where the Perceptron keeps jumping. Its margins are a poor measure of
    confidence: with size 1, |w| never grows.

    Parameters: size 1 projects w onto the hyperplane of the row, size 2 reflects it there, which
    keeps its norm.

    Sources: Blum, Frieze, Kannan & Vempala, "A Polynomial-Time Algorithm for Learning Noisy Linear
    Threshold Functions" (Algorithmica 22, 1998) for size 1, which Dunagan & Vempala call the
    margin-perceptron; Dasgupta, Kalai & Monteleoni, "Analysis of Perceptron-Based Active Learning"
    (COLT 2005) for size 2.

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> OnlineClassifier(ModifiedPerceptron(), fit_intercept=False).run(X, y).mistakes
    512
    """

    size: int = 1

    def numbers(self) -> Any:
        """Return the size of the step, which must be 1 or 2."""
        return (number(self, "size", lambda size: size in (1, 2), "1 or 2"),)

    def normalize(self) -> bool:
        """Return True: rows are scaled to unit length."""
        return True

    def step(self, r: Round) -> Step:
        """w <- w - size m x / <x, x>; where w is still zero, or again, w <- y x / |x|."""
        if r.q == 0:
            return Step(keep=1.0, eta=0.0)
        return Step(keep=1.0, eta=r.y / math.sqrt(r.q) if r.ww == 0 else -self.size * r.m / r.q)
