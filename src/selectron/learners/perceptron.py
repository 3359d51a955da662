"""First-order Perceptrons: three that keep all examples, and two within a budget of examples."""

import math
from typing import NamedTuple

from ..engine.parameters import POSITIVE, Range, ranges
from ..engine.round import Old, Removal, Round, Step


@ranges()
class Perceptron(NamedTuple):
    """Perceptron: on a mistake, add y x to w, with x of unit length.

    The cheapest learner, and a robust one: it follows slow drift, since late mistakes count as much
    as early ones. With `Margin(b)` it is the selective-sampling Perceptron.

    Source: Cesa-Bianchi, Gentile & Zaniboni, "Worst-Case Analysis of Selective Sampling for
    Linear-Threshold Algorithms" (NIPS 2004), Figure 1.

    >>> from selectron import OnlineClassifier, streams
    >>> OnlineClassifier(Perceptron()).run(*streams.switching_gaussian(2000)).mistakes
    467
    """

    def normalize(self) -> bool:
        """Return True: rows are scaled to unit length."""
        return True

    def step(self, r: Round) -> Step:
        """w <- w + y x."""
        return Step(keep=1.0, eta=r.y)


@ranges(lam=POSITIVE)
class ShiftingPerceptron(NamedTuple):
    """Shifting Perceptron: on a mistake, w shrinks (less each time) before y x is added.

    Pick it where the concept shifts and a second-order learner is too expensive. lam > 1 discounts
    early mistakes: after k mistakes, mistake i weighs ~ (i/k)^(lam - 1) times the last one.

    Parameters: lam > 0; the larger, the shorter the memory. lam = 1 weights all mistakes alike, as
    the Perceptron does; a smaller lam favours early mistakes, lam near 0 the first.

    Source: Cavallanti, Cesa-Bianchi & Gentile, "Tracking the best hyperplane with a simple budget
    Perceptron" (Machine Learning 69, 2007).

    >>> from selectron import OnlineClassifier, streams
    >>> OnlineClassifier(ShiftingPerceptron()).run(*streams.switching_gaussian(2000)).mistakes
    467
    """

    lam: float = 1.0

    def normalize(self) -> bool:
        """Return True: rows are scaled to unit length."""
        return True

    def step(self, r: Round) -> Step:
        """w <- (1 - l) w + l y x with l = lam / (lam + k), k counting the mistakes before."""
        part = self.lam / (self.lam + r.k)
        return Step(keep=1 - part, eta=part * r.y)


@ranges(size=Range(lambda size: size in (1, 2), "1 or 2"))
class ModifiedPerceptron(NamedTuple):
    """Modified Perceptron: on a mistake, subtract the component along x from w, once or twice.

    Pick it where labels are clean and only the direction of w matters: a small mistake makes a
    small step, so it converges where the Perceptron keeps jumping. Its margins are a poor measure
    of confidence: with size 1, |w| never grows.

    Parameters: size 1 projects w onto the hyperplane of the row, 2 reflects it, keeping its norm.

    Sources: Blum, Frieze, Kannan & Vempala, "A Polynomial-Time Algorithm for Learning Noisy Linear
    Threshold Functions" (Algorithmica 22, 1998) for size 1, which Dunagan & Vempala call the
    margin-perceptron; Dasgupta, Kalai & Monteleoni, "Analysis of Perceptron-Based Active Learning"
    (COLT 2005) for size 2.

    >>> from selectron import OnlineClassifier, streams
    >>> OnlineClassifier(ModifiedPerceptron()).run(*streams.switching_gaussian(2000)).mistakes
    531
    """

    size: int = 1

    def normalize(self) -> bool:
        """Return True: rows are scaled to unit length."""
        return True

    def step(self, r: Round) -> Step:
        """w <- w - size m x / <x, x>; where w is still zero, or again, w <- y x / |x|."""
        if r.q == 0:
            return Step(keep=1.0, eta=0.0)
        return Step(keep=1.0, eta=r.y / math.sqrt(r.q) if r.ww == 0 else -self.size * r.m / r.q)


@ranges(budget=Range(lambda budget: budget >= 1, "from 1 on", whole=True))
class BudgetPerceptron(NamedTuple):
    """Randomized Budget Perceptron: a mistake beyond the budget evicts one example at random.

    Pick it with a kernel, where each mistake adds an example that all later rounds have to use:
    `budget` bounds the time and memory of a round. Forgetting also helps where the concept shifts.

    Parameters: budget >= 1, how many examples are kept.

    Source: Cavallanti, Cesa-Bianchi & Gentile, "Tracking the best hyperplane with a simple budget
    Perceptron" (Machine Learning 69, 2007).

    >>> from selectron import OnlineClassifier, streams
    >>> clf = OnlineClassifier(BudgetPerceptron(budget=100), random_state=0)
    >>> clf.run(*streams.switching_gaussian(2000)).mistakes
    553
    """

    budget: int = 500

    def at_random(self) -> bool:
        """Return True: the evicted example is chosen at random."""
        return True

    def capacity(self) -> float:
        """Return the budget."""
        return float(self.budget)

    def normalize(self) -> bool:
        """Return True: rows are scaled to unit length."""
        return True

    def step(self, r: Round) -> Step:
        """w <- w + y x."""
        return Step(keep=1.0, eta=r.y)


class Forgetron(BudgetPerceptron):
    """Forgetron: a mistake beyond the budget shrinks w and evicts the oldest example.

    Pick it over `BudgetPerceptron` where you need a guarantee on every stream: it shrinks w just
    enough for its mistake bound to hold after the eviction.

    Parameters: budget >= 1, how many examples are kept.

    Source: Dekel, Shalev-Shwartz & Singer, "The Forgetron: A Kernel-Based Perceptron on a Budget"
    (SIAM Journal on Computing 37, 2008), the self-tuned form.

    >>> from selectron import OnlineClassifier, streams
    >>> OnlineClassifier(Forgetron(budget=100)).run(*streams.switching_gaussian(2000)).mistakes
    476
    """

    __slots__ = ()

    def at_random(self) -> bool:
        """Return False: the oldest example is evicted."""
        return False

    def shrink(self, old: Old) -> Removal:
        """Return the largest phi in (0, 1] with Psi(phi sigma, phi u) + Q <= 15/32 M.

        Psi(l, u) = l^2 + 2 l - 2 l u, for the weight sigma of the oldest example and its margin
        u = y f(x); Q, the learner's note, is the sum of Psi so far; M counts the mistakes.
        """
        square = old.sigma * old.sigma - 2 * old.sigma * old.u
        line, rest = 2 * old.sigma, old.note - 15 / 32 * old.k
        phi = 1.0
        if square + line + rest > 0:  # then it falls short of 1, and the parabola starts below 0
            phi = -2 * rest / (line + math.sqrt(line * line - 4 * square * rest))
        return Removal(keep=phi, note=old.note + phi * (phi * square + line))
