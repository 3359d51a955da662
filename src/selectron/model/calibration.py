"""Calibration: the probability that a prediction is right, learned online from given labels.

With two classes and the margin m, p(+1) = sigmoid(a z + b) with z = m. If the learner has a
probability p of its own, z = log(p / (1 - p)). With many classes, z is the gap between the two best
scores, and the sigmoid is the probability of the best class; the others share the rest in
proportion to exp(a score).

(a, b) have a Gaussian posterior. Every label multiplies it by its likelihood (Laplace's
approximation along the gradient), to the power of its weight: 1 / probability of asking, at most
`CAP` times the mean. Between labels the posterior is discounted towards the prior, so that it
follows a learner that improves, or a concept that drifts. The prior has a = 0, and is as wide as
the mean |m| allows; for learners with probabilities, a = 1: they are taken as they are at first.

Sources: Platt, "Probabilistic Outputs for Support Vector Machines" (1999); Kulhavy & Zarrop, "On a
General Concept of Forgetting" (International Journal of Control, 1993); Ionides, "Truncated
Importance Sampling" (Journal of Computational and Graphical Statistics, 2008).
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..engine.loop import LATER
from ..engine.machine import compiled
from ..engine.parts import learner
from ..engine.round import ASKED
from ..learners import Perceptron

COUNT, WEIGHT, SCALE = 0, 1, 2  # labels so far; mean weight; mean |z|
A, B, AA, AB, BB = range(3, 8)  # the mean of (a, b) and its precision
SIZE = 8
CAP = 2.0  # of a weight, as a multiple of the mean
MEMORY = 300.0  # labels that the means are over
HORIZON, SHARE, FEWEST = 500.0, 0.4, 5.0  # labels that count: FEWEST + SHARE of all, or HORIZON
REACH = 4.0  # |z| is at most this multiple of its mean
SLOPE, OFFSET = 16.0, 1.0  # prior variances of a, in units of 1 / mean |z|, and of b
OWN_SLOPE, OWN_OFFSET, OWN_REACH = 0.5, 0.05, 20.0  # for a learner with probabilities
LEAST, MOST = 1e-100, 1e100  # of z, so that its square is a number
NONE, NOTHING = np.zeros(0), np.zeros((0, 0))
LEAD = 1.0 + 1e-9  # how far the predicted class is ahead of all others, at least


class Calibration(NamedTuple):
    """The calibration of a model: what it depends on, and its state `s`."""

    kind: type  # of the learner, if it has probabilities of its own
    numbers: tuple  # its parameters
    columns: int  # scores of a row: 1 of two classes, else K
    s: np.ndarray

    @property
    def own(self) -> bool:
        """Whether the learner has probabilities of its own."""
        return self.columns == 1 and hasattr(self.kind, "probability")

    def copy(self) -> "Calibration":
        """Return a copy with a state of its own."""
        return self._replace(s=self.s.copy())

    def learn(
        self, rounds: tuple, codes: np.ndarray, chances: np.ndarray, proba: np.ndarray = NOTHING
    ) -> None:
        """Learn from the labels asked for in some rounds, the arrays of an `Outcome`.

        `chances` are the probabilities of asking, or empty if all labels are given. `proba`
        (n, n_classes), unless it is empty, receives the probabilities before each label.
        """
        margins, _, flags, scores, _ = rounds
        margins = margins if self.own else NONE
        found = kernel(self.kind if self.own else Perceptron, self.columns > 1)
        numbers = self.numbers if self.own else ()
        found(numbers, self.s, margins, scores, flags, codes, chances, proba)

    def proba(self, rounds: tuple, codes: np.ndarray, chances: np.ndarray) -> np.ndarray:
        """Return the probabilities before each label, (n, n_classes), and change nothing."""
        found = np.empty((len(codes), max(2, self.columns)))
        self.copy().learn(rounds, codes, chances, found)
        return found


def start(learner: Any, columns: int) -> Calibration:
    """Return the calibration before the first label."""
    return Calibration(type(learner), learner.numbers(), columns, np.zeros(SIZE))


@cache
def kernel(kind: type, many: bool) -> Callable[..., None]:
    """Return `calibrate`, compiled for a class of learners, and for two classes or many."""
    name = f"calibrate_{'many' if many else 'two'}_{kind.__name__}"
    return compiled(calibrate, {"learner": kind}, name, kind.__name__)


def calibrate(
    parameters: Any,
    s: Any,
    margins: Any,
    scores: Any,
    flags: Any,
    codes: Any,
    chances: Any,
    proba: Any,
) -> None:
    """Learn from every label that was asked for, in the order of the rows.

    `scores` (n, 1) are margins of two classes, or (n, K) scores of many; `margins` are the margin
    scores of a learner with probabilities, and else empty. `chances` are probabilities of asking, or
    empty if all labels are given. If `proba` (n, max(2, K)) is not empty, it receives the
    probabilities of the classes before each label.
    """
    two, own = scores.shape[1] == 1, len(margins) > 0
    for i in range(len(scores)):
        z, best = margin_of(scores, i)
        if own:
            z = log_odds(learner.probability(learner.Parameters(*parameters), margins[i]))
        if len(proba) > 0:
            fill(s, scores, best, limited(s, z, own), own, proba, i)
        if flags[i] & ASKED and codes[i] != LATER:
            right = codes[i] > 0 if two else codes[i] - 1 == best
            learn(s, z, own, 1.0 if right else 0.0, 1 / chances[i] if len(chances) > 0 else 1.0)


def margin_of(scores: Any, i: int) -> tuple[float, int]:
    """Return the margin of two classes, or the gap of many; and the predicted class."""
    if scores.shape[1] == 1:
        return scores[i, 0], 1 if scores[i, 0] >= 0 else 0
    best, second = 0, -math.inf
    for k in range(1, scores.shape[1]):
        if scores[i, k] >= scores[i, best]:
            best, second = k, scores[i, best]
        else:
            second = max(second, scores[i, k])
    return scores[i, best] - second, best


def log_odds(p: float) -> float:
    """Return log(p / (1 - p)), within the reach.

    >>> log_odds(0.5), log_odds(1.0)
    (0.0, 20.0)
    """
    if p <= 0 or p >= 1:
        return OWN_REACH if p > 0.5 else -OWN_REACH
    return math.log(p / (1 - p))


def limited(s: Any, z: float, own: bool) -> float:
    """Return z, winsorised."""
    reach = OWN_REACH if own or s[COUNT] == 0 else REACH * s[SCALE]
    return max(-reach, min(reach, z))


def sigmoid(x: float) -> float:
    """Return 1 / (1 + exp(-x)).

    >>> sigmoid(0.0)
    0.5
    """
    return 1 / (1 + math.exp(-max(-40.0, min(40.0, x))))


def slope(s: Any, own: bool) -> float:
    """Return a, which has its prior mean before the first label."""
    return 1.0 if own and s[COUNT] == 0 else s[A]


def fill(s: Any, scores: Any, best: int, z: float, own: bool, proba: Any, i: int) -> None:
    """Write the probabilities of all classes; that of the predicted class is the largest."""
    a, n = slope(s, own), proba.shape[1]
    p, total = sigmoid(a * z + s[B]), 1.0
    if scores.shape[1] == 1:
        p = p if best == 1 else 1 - p
        proba[i, 1 - best] = 1.0
    else:
        total, second = 0.0, -math.inf
        for k in range(n):
            second = scores[i, k] if k != best and scores[i, k] > second else second
        for k in range(n):
            if k != best:
                proba[i, k] = math.exp(max(a, 0.0) * max(-MOST, scores[i, k] - second))
                total += proba[i, k]
    p = max(p, LEAD / (1 + total))
    for k in range(n):
        proba[i, k] = p if k == best else (1 - p) * proba[i, k] / total


def learn(s: Any, z: float, own: bool, right: float, weight: float) -> None:
    """Update the posterior of (a, b) with one label: 1.0 if it is +1, or the predicted class."""
    s[COUNT] += 1
    part = 1 / min(s[COUNT], MEMORY)
    weight = weight if s[COUNT] == 1 else min(weight, CAP * s[WEIGHT])
    s[WEIGHT] += part * (weight - s[WEIGHT])
    weight /= s[WEIGHT]
    s[SCALE] += part * min(1.0, weight) * (min(abs(z), MOST) - s[SCALE])
    s[SCALE] = max(s[SCALE], LEAST)
    z = limited(s, z, own)
    discount(s, own)
    determinant = s[AA] * s[BB] - s[AB] * s[AB]
    by_a, by_b = (s[BB] * z - s[AB]) / determinant, (s[AA] - s[AB] * z) / determinant
    q, x = by_a * z + by_b, s[A] * z + s[B]
    found = most_likely(x, weight * q, right)
    s[A] += by_a * (found - x) / q
    s[B] += by_b * (found - x) / q
    p = sigmoid(found)
    h = weight * p * (1 - p)
    s[AA] += h * z * z
    s[AB] += h * z
    s[BB] += h


def discount(s: Any, own: bool) -> None:
    """Mix the posterior with the prior, in its natural parameters."""
    keep = 0.0 if s[COUNT] == 1 else 1 - 1 / min(HORIZON, FEWEST + SHARE * s[COUNT])
    new = (1 - keep) / OWN_SLOPE if own else (1 - keep) * s[SCALE] * s[SCALE] / SLOPE
    first = keep * (s[AA] * s[A] + s[AB] * s[B]) + (new if own else 0.0)
    other = keep * (s[AB] * s[A] + s[BB] * s[B])
    s[AA], s[AB] = keep * s[AA] + new, keep * s[AB]
    s[BB] = keep * s[BB] + (1 - keep) / (OWN_OFFSET if own else OFFSET)
    determinant = s[AA] * s[BB] - s[AB] * s[AB]
    s[A] = (s[BB] * first - s[AB] * other) / determinant
    s[B] = (s[AA] * other - s[AB] * first) / determinant


def most_likely(x: float, q: float, right: float) -> float:
    """Return the posterior mode of a + b z, with mean x and (weighted) variance q before the label.

    >>> round(most_likely(0.0, 1.0, 1.0), 4)
    0.4011
    """
    far = x + q * (right - sigmoid(x))  # the mode lies between x and this
    found, low, high = x, min(x, far), max(x, far)
    for _ in range(20):
        p = sigmoid(found)
        step = (found - x - q * (right - p)) / (1 + q * p * (1 - p))
        found = min(max(found - step, low), high)
        if abs(step) < 1e-3:
            break
    return found
