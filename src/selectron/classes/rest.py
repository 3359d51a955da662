"""Many classes, one against the rest: one learner for each class, with all others labelled -1.

The learners step independently. The class with the best score is predicted; the asker gets the gap
between the two best scores, and q of the best class. Memory: K times that of two classes. For
learners without a joint step, and for classes that overlap.

`coupled`, for ensembles: two further predictors see all classes together. No linear score is the
best where a class lies between others, as "medium" between "low" and "high", but the scores of all
classes show it. A multinomial logistic regression on their log-odds, l_k = log(p_k / (1 - p_k)),
and l_0 = 1, predicts p':

    p'_k  proportional to  exp(l_k + sum_j B_kj l_j),   B_kj ~ N(0, EFFECT^2) before all labels

Every label changes B by Newton's step. All classes share one covariance matrix of a row of B, with
the largest p'_k (1 - p'_k) as curvature, which widens between labels, but never beyond the prior.

With few labels of each class, the means of classes show more: p'' is that of a linear discriminant
analysis (`history.discriminant`), with its log densities times a sharpness, which follows labels by
Newton's step, too.

They are mixed by a weighted majority: a label halves the weights of those that predicted another
class. Probabilities would reward p' and p'' for calibration alone. If all that is known is that a
class is wrong, p' and p'' learn nothing, and their weights are halved.

    p <- p + share' (p' - p) + share'' (p'' - p)

A class takes part from its first label on: until then it changes nothing for the others.

Sources: Wolpert, "Stacked Generalization" (Neural Networks, 1992); Littlestone & Warmuth, "The
Weighted Majority Algorithm" (Information and Computation, 1994).
"""

import math
import sys
from typing import Any

import numpy as np

from ..engine.arithmetic import add_multiple, dot, multiply
from ..engine.bind import noinline, variant
from ..engine.loop import LATER, asker
from ..engine.parts import space
from ..engine.round import REFUSED
from . import joint
from .stack import BEST, TALLY_COUNT

EFFECT = 0.3  # the prior deviation of B
WIDENED = 1.002  # by this factor, so that 500 labels later a label counts 1 / e as much
# The first shares, what is shared out after a label, and what a mistake leaves of a weight
FIRST, SHARED_OUT, WRONG = 0.02, 0.005, 0.5
NEGLIGIBLE = 0.01  # share below which p' and p'' do not count
FIRST_SHARPNESS, LEAST_SHARPNESS, FIRST_CURVATURE = 0.5, 0.05, 5.0
UNLIKELY = 1e-20  # a probability whose logarithm is finite
LARGEST_SCORE = math.tanh(4)  # so that log-odds are at most 8
# Rows of `odds`: l, p', p'', and the covariance of a row of B times l
LOG_ODDS, COUPLED, DISCRIMINANT, PRODUCT = range(4)
MIXED = 2  # predictors whose shares come first in `shares`, in the order of the rows of `odds`
# The others: the sharpness, the curvature of its likelihood, the last round whose label changed the
# shares, and 1 for every class with labels
SHARPNESS, CURVATURE, LEARNED, MET = range(MIXED, MIXED + 4)

inner, predicted, rivals = joint.inner, joint.predicted, joint.rivals
record_scores, needs_growth, versus = joint.record_scores, joint.needs_growth, joint.versus
full, gap = joint.full, joint.gap


def share(normalize: Any) -> Any:
    """Return the share of w that each of two classes takes: all of it."""
    return 1.0


def squared_norm(rows: Any, i: int) -> float:
    """<x, x>."""
    return space.squared_norm(rows, i)


def quadratic_form(s: Any, rows: Any, i: int) -> float:
    """Return q of the best class."""
    return space.quadratic_form(space.at(s, s.ranks[BEST]), rows, i)


def upper_bound(s: Any, xx: float) -> float:
    """Return an upper bound of q for every class."""
    return space.upper_bound_all(s, xx)


def observe(s: Any, rows: Any, i: int, t: float) -> None:
    """Learn from the row alone, which classes share."""
    space.observe(space.at(s, 0), rows, i, t)


def age_and_evidence(s: Any, t: float) -> tuple[float, float, float]:
    """Return the mean age, a bound of the logarithm of the mean evidence, and the leader's age.

    The age in the best class would change with every row. The mean evidence of the K classes is at
    least the largest / K.
    """
    total, best, leading = 0.0, -math.inf, 0.0
    for k in range(len(s.scores)):
        found, age = space.evidence(space.at(s, k), t)
        total += age
        if found > best:
            best, leading = found, age
    return total / len(s.scores), best - math.log(len(s.scores)), leading


def lasting_and_steps(p: Any, s: Any, t: float, remaining: float) -> tuple[float, float]:
    """Return how long the concept of the best class may last, and the number of steps."""
    lasting, _ = space.lasting_and_steps(p, space.at(s, s.ranks[BEST]), t, remaining)
    return lasting, s.tally[TALLY_COUNT]


@noinline
def learn_label(
    p: Any, a: Any, s: Any, rows: Any, i: int, scale: float, m: float, q: float, y: int, t: int
) -> int:
    """Step in every class, with +1 for the class of the label; return flags, or REFUSED."""
    first, last = 0, len(s.scores)
    if y < LATER:  # all that is known is that this class is wrong
        first, last = LATER - y - 1, LATER - y
        m, sign = s.scores[first] / scale, -1.0
    else:
        _, _, m, sign = versus(s, scale, y)
    if not asker.passes(a, m, sign):
        return 0
    if needs_growth(s, rows, i):
        return REFUSED
    flags = 0
    for k in range(first, last):
        m, sign = s.scores[k] / scale, 1.0 if k == y - 1 else -1.0
        if asker.trains(p, m, sign):
            done = space.learn(p, space.at(s, k), rows, i, scale, m, math.nan, sign, t)
            if done == REFUSED:
                return REFUSED
            flags |= done
    s.tally[TALLY_COUNT] += 1 if flags else 0
    return flags


# Coupled classes


def fresh_coupling(classes: int) -> tuple[np.ndarray, ...]:
    """Return `odds`, `effects`, which is B, `spread`, its covariance, and `shares`."""
    odds = np.zeros((4, classes + 1))
    odds[LOG_ODDS, 0] = 1.0
    effects, spread = np.zeros((classes, classes + 1)), EFFECT**2 * np.eye(classes + 1)
    first = FIRST, FIRST, FIRST_SHARPNESS, FIRST_CURVATURE, -1.0
    return odds, effects, spread, np.array([*first, *np.zeros(classes)])


def inner_coupled(s: Any, rows: Any, i: int) -> float:
    """Score every class, mix in p' and p'', and return the gap between the two best."""
    space.score_all(s, rows, i)
    regress(s.scores, s.effects, s.odds, s.shares[MET:])
    space.log_densities(s, s.odds[DISCRIMINANT])
    soften(s.odds[DISCRIMINANT], s.shares[SHARPNESS])
    softmax(s.odds[DISCRIMINANT], s.shares[MET:])
    mix(s.scores, s.odds, s.shares)
    return gap(s.scores, s.ranks)


def soften(logs: Any, sharpness: float) -> None:
    """Multiply logarithms, which begin with the second number; they are 0 if one is not finite."""
    sound = True
    for k in range(1, len(logs)):
        sound = sound and math.isfinite(logs[k])
    for k in range(1, len(logs)):
        logs[k] = sharpness * logs[k] if sound else 0.0


def mix(scores: Any, odds: Any, shares: Any) -> None:
    """Mix the predictors by their shares."""
    for k in range(len(scores)):
        alone = scores[k]
        for v in range(MIXED):
            if shares[MET + k] and shares[v] >= NEGLIGIBLE:
                scores[k] += shares[v] * (2 * odds[COUPLED + v, k + 1] - 1 - alone)


@noinline
def regress(scores: Any, effects: Any, odds: Any, met: Any) -> None:
    """Leave the log-odds, and the probabilities with B, in `odds`."""
    for k in range(len(scores)):
        r = min(max(scores[k], -LARGEST_SCORE), LARGEST_SCORE)
        odds[LOG_ODDS, k + 1] = math.log((1 + r) / (1 - r)) if met[k] else 0.0
    for k in range(len(scores)):
        odds[COUPLED, k + 1] = odds[LOG_ODDS, k + 1] + dot(effects[k], odds[LOG_ODDS])
    softmax(odds[COUPLED], met)


def softmax(logs: Any, met: Any) -> None:
    """Replace log-odds, which begin with the second number, by probabilities; 0 if not met."""
    most, total = -math.inf, 0.0
    for k in range(len(met)):
        most = max(most, logs[k + 1]) if met[k] else most
    for k in range(len(met)):
        logs[k + 1] = math.exp(logs[k + 1] - most) if met[k] else 0.0
        total += logs[k + 1]
    for k in range(len(met)):
        logs[k + 1] = logs[k + 1] / total if met[k] else 0.0


@noinline
def learn_coupled(
    p: Any, a: Any, s: Any, rows: Any, i: int, scale: float, m: float, q: float, y: int, t: int
) -> int:
    """Step in every class and in both other predictors; return flags, or REFUSED."""
    flags = learn_label(p, a, s, rows, i, scale, m, q, y, t)
    if flags == REFUSED:
        return flags
    if y < LATER:  # p' and p'' learn nothing of a class that is wrong
        multiply(s.shares[:MIXED], WRONG)
        return flags
    if s.shares[MET + y - 1]:
        if t != s.shares[LEARNED]:  # not a copy of the row before
            s.shares[LEARNED] = t
            share_out(s.shares, s.odds, y)
        step_coupled(s.effects, s.spread, s.odds, y)
        sharpen(s.shares, s.odds[DISCRIMINANT], y)
    s.shares[MET + y - 1] = 1.0
    space.learn_class(s, y - 1)
    return flags


def share_out(shares: Any, odds: Any, y: int) -> None:
    """Update the shares by whether the label is the most probable class of each predictor."""
    alone, total = 1.0, 0.0
    for v in range(MIXED):
        alone -= shares[v]
        shares[v] *= left_by(odds[COUPLED + v], shares, y)
        total += shares[v]
    total += alone * left_by(odds[LOG_ODDS], shares, y)
    for v in range(MIXED):
        shares[v] = (1 - SHARED_OUT) * shares[v] / total + SHARED_OUT * FIRST


def left_by(odds: Any, shares: Any, y: int) -> float:
    """Return the factor of a predictor's weight after label y: `WRONG`, or 1 if it predicted y."""
    left = 1.0
    for k in range(1, len(odds)):
        if k != y and shares[MET + k - 1] and not odds[k] < odds[y]:
            left = WRONG
    return left


def sharpen(shares: Any, odds: Any, y: int) -> None:
    """Change the sharpness with label y, given p''."""
    mean, square, own = 0.0, 0.0, math.log(max(odds[y], UNLIKELY)) / shares[SHARPNESS]
    for k in range(1, len(odds)):
        log = math.log(max(odds[k], UNLIKELY)) / shares[SHARPNESS]
        mean += odds[k] * log
        square += odds[k] * log * log
    shares[CURVATURE] = max(1.0, (1 - SHARED_OUT) * shares[CURVATURE] + square - mean * mean)
    sharpness = shares[SHARPNESS] + (own - mean) / shares[CURVATURE]
    shares[SHARPNESS] = min(1.0, max(LEAST_SHARPNESS, sharpness))


@noinline
def step_coupled(effects: Any, spread: Any, odds: Any, y: int) -> None:
    """Change B and its covariance with label y."""
    widest, curvature = 0.0, 0.0
    for j in range(len(spread)):
        widest = max(widest, spread[j, j])
    for k in range(1, len(spread)):
        curvature = max(curvature, odds[COUPLED, k] * (1 - odds[COUPLED, k]))
    by = WIDENED if widest < EFFECT**2 else 1.0
    for j in range(len(spread)):
        odds[PRODUCT, j] = by * dot(spread[j], odds[LOG_ODDS])
    part = 1 / (1 + curvature * dot(odds[PRODUCT], odds[LOG_ODDS]))
    for j in range(len(spread)):
        for k in range(j + 1):  # exactly symmetric: what differs by rounding would grow
            taken = part * curvature * odds[PRODUCT, j] * odds[PRODUCT, k]
            spread[j, k] = spread[k, j] = by * spread[j, k] - taken
    for k in range(len(effects)):
        wrong = odds[COUPLED, k + 1] - (1.0 if k == y - 1 else 0.0)
        add_multiple(effects[k], odds[PRODUCT], -part * wrong)


coupled = variant(
    "coupled",
    sys.modules[__name__],
    inner=inner_coupled,
    learn_label=learn_coupled,
    coupling=fresh_coupling,
)
