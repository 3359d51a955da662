"""Perceptrons that keep at most `budget` examples."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number
from ..engine.round import Old, Removal, Round, Step


class BudgetPerceptron(NamedTuple):
    """Randomized Budget Perceptron: a mistake beyond the budget evicts one example at random.

    Pick it with a kernel, where each mistake adds an example that all later rounds compute with:
    `budget` bounds the time and memory of a round. Forgetting also lets it follow a concept that
    shifts.

    Parameters: budget >= 1, how many examples are kept.

    Source: Cavallanti, Cesa-Bianchi & Gentile, "Tracking the best hyperplane with a simple budget
    Perceptron" (Machine Learning 69, 2007).

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> clf = OnlineClassifier(BudgetPerceptron(budget=100), fit_intercept=False, random_state=0)
    >>> clf.run(X, y).mistakes
    546
    """

    budget: int = 500

    def numbers(self) -> Any:
        """Return the budget, a whole number above 0."""
        return (number(self, "budget", whole, "that is whole and above 0"),)

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


class Forgetron(NamedTuple):
    """Forgetron: a mistake beyond the budget shrinks w and evicts the oldest example.

    Pick it over `BudgetPerceptron` where you need a guarantee on every stream: it shrinks w just
    enough for its mistake bound to hold after the eviction.

    Parameters: budget >= 1, how many examples are kept.

    Source: Dekel, Shalev-Shwartz & Singer, "The Forgetron: A Kernel-Based Perceptron on a Budget"
    (SIAM Journal on Computing 37, 2008), the self-tuned form.

    >>> from selectron import OnlineClassifier
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, seed=0)
    >>> OnlineClassifier(Forgetron(budget=100), fit_intercept=False).run(X, y).mistakes
    475
    """

    budget: int = 500

    def numbers(self) -> Any:
        """Return the budget, a whole number above 0."""
        return (number(self, "budget", whole, "that is whole and above 0"),)

    def capacity(self) -> float:
        """Return the budget."""
        return float(self.budget)

    def normalize(self) -> bool:
        """Return True: rows are scaled to unit length."""
        return True

    def step(self, r: Round) -> Step:
        """w <- w + y x."""
        return Step(keep=1.0, eta=r.y)

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


def whole(value: float) -> bool:
    """Return whether this is a whole number above 0."""
    return 0 < value < math.inf and value == int(value)
