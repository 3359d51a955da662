"""Calibration: the probability that a prediction is right, learned online from given labels.

With two classes, p(+1) = sigmoid(a z + b), z being the margin, or log(p / (1 - p)) if the learner
has a probability p of its own. With many, z is the gap between the two best scores, and the sigmoid
is the probability of the best class; the others share the rest in proportion to exp(a score). An
ensemble's scores are p(+1) - p(-1) of each class against the rest: their log-odds are taken.

(a, b) have a Gaussian posterior. Every label multiplies it by its likelihood (Laplace's
approximation along the gradient), to the power of its weight: 1 / probability of asking, at most
`CAP` times the mean. Between labels the posterior is discounted towards the prior, so that it
follows a learner that improves, or a concept that drifts. The prior has a = 0, and is as wide as
the mean |z| allows; for learners with probabilities, a = 1: they are taken as they are at first.

Sources: Platt, "Probabilistic Outputs for Support Vector Machines" (1999); Kulhavy & Zarrop, "On a
General Concept of Forgetting" (International Journal of Control, 1993); Ionides, "Truncated
Importance Sampling" (Journal of Computational and Graphical Statistics, 2008).
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..engine.bind import bind
from ..engine.loop import LATER
from ..engine.machine import compiled
from ..engine.parameters import floats
from ..engine.parts import Learner, declared, learner
from ..engine.round import ASKED
from ..learners import Perceptron
from .run import EMPTY

COUNT, WEIGHT, SCALE = 0, 1, 2  # labels so far; mean weight; mean |z|
A, B, AA, AB, BB = range(3, 8)  # the mean of (a, b) and its precision
SIZE = 8
CAP = 2.0  # of a weight, as a multiple of the mean
MEMORY = 300.0  # labels that the means are over
HORIZON, SHARE, FEWEST = 500.0, 0.35, 5.0  # labels that count: FEWEST + SHARE of all, or HORIZON
PLENTY, EVERY = 4096, 32  # after so many labels, learn from one in EVERY: it saves time
REACH = 4.0  # |z| is at most this multiple of its mean
SLOPE, OFFSET = 16.0, 1.0  # prior variances of a, in units of 1 / mean |z|, and of b
OWN_SLOPE, OWN_OFFSET, OWN_REACH = 1.0, 0.05, 20.0  # for a learner with probabilities
FLATTEST = 0.1  # the least slope, in units of 1 / mean |z|, so that rows keep their order
SURE = 1 - 1e-12  # the largest score of which log-odds are taken
LEAST, MOST = 1e-100, 1e100  # of z, so that its square is a number
FEW, CALL = 10_000, 500  # rows that are learned from without compiling; a call counts as CALL more
NO_PROBA = np.zeros((0, 0))
LEAD = 1.0 + 1e-14  # how far the predicted class is ahead of all others, at least


class Calibration(NamedTuple):
    """The calibration of a learner: `columns` is 1 for two classes, else their number."""

    learner: Any
    numbers: tuple  # of the learner, if it has probabilities
    columns: int
    own: bool  # whether the learner's own probabilities are calibrated, which need margin scores
    odds: bool  # whether log-odds of scores are
    s: np.ndarray

    def copy(self) -> "Calibration":
        """Return a copy with a state of its own."""
        return self._replace(s=self.s.copy())

    def learn(
        self, rounds: tuple, codes: np.ndarray, chances: np.ndarray, proba: np.ndarray = NO_PROBA
    ) -> None:
        """Learn from the labels asked for in some rounds, which are the arrays of an `Outcome`.

        `chances` are the probabilities of asking, or empty if all labels are given. `proba`
        (n, n_classes), unless it is empty, receives the probabilities before each label.
        """
        margins, _, flags, scores, *_ = rounds
        if self.odds:
            scores = 2 * np.arctanh(np.clip(scores, -SURE, SURE))
        kind: Any = type(self.learner) if self.own else Perceptron
        given = margins if self.own else EMPTY, scores, flags, codes, chances
        calibrator(kind, self.columns > 1)(self.numbers, self.s, *given, proba)

    def proba(self, rounds: tuple, codes: np.ndarray, chances: np.ndarray) -> np.ndarray:
        """Return the probabilities before each label, (n, n_classes), and change nothing."""
        found = np.empty((len(codes), max(2, self.columns)))
        self.copy().learn(rounds, codes, chances, found)
        return found

    def of_one(self, rounds: tuple, codes: np.ndarray) -> tuple[float, ...]:
        """Return the probability of every class in a single round, before its label."""
        if self.columns > 1:
            return tuple(self.proba(rounds, codes, EMPTY)[0].tolist())
        s, score = self.s.tolist(), rounds[3].item()
        z = log_odds(self.learner.probability(rounds[0].item())) if self.own else score
        return pair(chance(s[SCALE], s[A], s[B], z, self.own), 1 if score >= 0 else 0)


def start(learner: Any, columns: int) -> Calibration:
    """Return the calibration before the first label."""
    at_zero = declared(learner, Learner, "probability")(learner, 0.0)  # NaN: it has none
    own = columns == 1 and not math.isnan(at_zero)
    s = np.zeros(SIZE)
    s[A] = float(own)
    odds = columns > 1 and declared(learner, Learner, "ensemble")(learner)
    return Calibration(learner, floats(learner) if own else (), columns, own, odds, s)


def extended(old: Calibration, classes: int, by: float) -> Calibration:
    """Return the calibration of more classes, which starts from what was learned.

    `by` is the gap of two classes over their margin. How the probabilities of another learner than
    an ensemble become scores is not known: these start again.
    """
    new = start(old.learner, classes)
    if old.own and not new.odds:
        return new
    new.s[:] = old.s
    if old.columns == 1:
        new.s[SCALE], new.s[A], new.s[B] = by * old.s[SCALE], old.s[A] / by, 0.0
        new.s[AA], new.s[AB] = by * by * old.s[AA], 0.0
    return new


@cache
def calibrator(kind: type, many: bool) -> Callable[..., None]:
    """Return `calibrate` for a class of learners, and for two classes or many.

    The first rows are interpreted, as compiling takes .7 s; a call without rows compiles at once.
    """
    parts, name = {"learner": kind}, f"calibrate_{'many' if many else 'two'}_{kind.__name__}"
    fast, slow = compiled(calibrate, parts, name, kind.__name__), bind(calibrate, parts)
    seen = 0

    def call(*args: Any) -> None:
        nonlocal seen
        if seen < FEW:
            seen += CALL + len(args[3]) if len(args[3]) else FEW
        if seen >= FEW:
            fast(*args)
            return
        with np.errstate(all="ignore"):
            slow(*args)

    return call


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
    scores of a learner with probabilities, or empty. The others are as in `Calibration.learn`.
    """
    two, own = scores.shape[1] == 1, len(margins) > 0
    count = int(s[COUNT])
    for i in range(len(scores)):
        labelled = flags[i] & ASKED and codes[i] != LATER
        count += 1 if labelled else 0
        learns = labelled and (count <= PLENTY or count % EVERY == 0)
        if learns and codes[i] < LATER:  # another class than the best may be right or wrong
            learns = margin_of(scores, i)[1] == LATER - codes[i] - 1
        if not learns and len(proba) == 0:
            continue
        z, best = margin_of(scores, i)
        if own:
            z = log_odds(learner.probability(learner.Parameters(*parameters), margins[i]))
        if len(proba) > 0:
            fill(s, scores, best, z, own, proba, i)
        if learns:
            s[COUNT] = count
            right = codes[i] > 0 if two else codes[i] - 1 == best
            learn(s, z, own, 1.0 if right else 0.0, 1 / chances[i] if len(chances) > 0 else 1.0)
    s[COUNT] = count


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
    """Return log(p / (1 - p)), winsorised at -20 and 20.

    >>> log_odds(0.5), log_odds(1.0), log_odds(1e-50)
    (0.0, 20.0, -20.0)
    """
    if p <= 0 or p >= 1:
        return OWN_REACH if p > 0.5 else -OWN_REACH
    return limited(math.log(p / (1 - p)), OWN_REACH)


def sigmoid(x: float) -> float:
    """Return 1 / (1 + exp(-x))."""
    return (1 + math.tanh(x / 2)) / 2


def limited(z: float, reach: float) -> float:
    """Return z, winsorised."""
    return z if -reach <= z <= reach else reach if z > 0 else -reach


def chance(scale: float, a: float, b: float, z: float, own: bool) -> float:
    """Return the probability of +1, or of the best of many classes; it rises with z."""
    return sigmoid(slope(scale, a, own) * limited(z, OWN_REACH if own else REACH * scale) + b)


def slope(scale: float, a: float, own: bool) -> float:
    """Return a, or the least slope, as labels that were asked for because z is small say little."""
    return max(a, FLATTEST if own else FLATTEST / scale if scale > LEAST else 0.0)


def pair(p: float, best: int) -> tuple[float, float]:
    """Return the probabilities of two classes, given that of +1; the predicted one is ahead.

    >>> pair(0.75, 1), pair(0.75, 0)
    ((0.25, 0.75), (0.5, 0.5))
    """
    ahead = p > 0.5 if best == 1 else p <= 0.5
    p = p if ahead else LEAD / 2 if best == 1 else 0.5
    return 1 - p, p


def fill(s: Any, scores: Any, best: int, z: float, own: bool, proba: Any, i: int) -> None:
    """Write the probabilities of all classes; that of the predicted class is the largest."""
    p = chance(s[SCALE], s[A], s[B], z, own)
    if scores.shape[1] == 1:
        proba[i, 0], proba[i, 1] = pair(p, best)
        return
    if s[SCALE] == 0.0:  # no label yet: all are equal, but for the lead below
        p = 0.0
    second, total = scores[i, best] - z, 0.0
    for k in range(len(scores[i])):
        behind = max(-MOST, scores[i, k] - second)
        proba[i, k] = math.exp(min(0.0, slope(s[SCALE], s[A], own) * behind))
        total += proba[i, k] if k != best else 0.0
    if total == 0.0:  # before any margin the slope is so large that rounding counts
        total = len(scores[i]) - 1.0
        for k in range(len(scores[i])):
            proba[i, k] = 1.0
    p = max(p, LEAD / (1 + total))
    for k in range(len(scores[i])):
        proba[i, k] = p if k == best else (1 - p) * proba[i, k] / total


def learn(s: Any, z: float, own: bool, right: float, weight: float) -> None:
    """Update the posterior of (a, b) with one label: 1.0 if it is +1, or the predicted class."""
    count, mean, scale = s[COUNT], s[WEIGHT], s[SCALE]
    part = 1 / min(count, MEMORY)
    weight = weight if count == 1 else min(weight, CAP * mean)
    mean += part * (weight - mean)
    weight /= mean
    scale = max(scale + part * weight * (min(abs(z), MOST) - scale), LEAST)
    z = limited(z, OWN_REACH if own else REACH * scale)
    a, b, aa, ab, bb = discounted(s, count, scale, own)
    determinant = aa * bb - ab * ab
    by_a, by_b = (bb * z - ab) / determinant, (aa - ab * z) / determinant
    q, x = by_a * z + by_b, a * z + b
    found = most_likely(x, weight * q, right)
    p = sigmoid(found)
    h = weight * p * (1 - p)
    s[WEIGHT], s[SCALE] = mean, scale
    s[A], s[B] = a + by_a * (found - x) / q, b + by_b * (found - x) / q
    s[AA], s[AB], s[BB] = aa + h * z * z, ab + h * z, bb + h


def discounted(s: Any, count: float, scale: float, own: bool) -> tuple[float, ...]:
    """Return the posterior mixed with the prior in its natural parameters: A, B, AA, AB, BB."""
    keep = 0.0 if count == 1 else 1 - 1 / min(HORIZON, FEWEST + SHARE * count)
    new = (1 - keep) / OWN_SLOPE if own else (1 - keep) * scale * scale / SLOPE
    a, b, aa, ab, bb = s[A], s[B], s[AA], s[AB], s[BB]
    first = keep * (aa * a + ab * b) + (new if own else 0.0)
    other = keep * (ab * a + bb * b)
    aa, ab = keep * aa + new, keep * ab
    bb = keep * bb + (1 - keep) / (OWN_OFFSET if own else OFFSET)
    determinant = aa * bb - ab * ab
    a = (bb * first - ab * other) / determinant
    return a, (aa * other - ab * first) / determinant, aa, ab, bb


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
