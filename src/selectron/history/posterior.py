"""Posterior weights of the experts, and the noise of labels and of margins.

The weight of an expert is the posterior probability that the concept began when the expert did. It
is multiplied by the probability that the expert gave to each label, and the transition passes a
part of every weight to the newest expert: the hazard, times the likelihood ratio of a switch
(fixed share: Herbster & Warmuth 1998; run lengths: Adams & MacKay 2007). The hazard rate is
learned, too (Wilson, Nassar & Gold 2010): weights are joint ones of experts and rates.
A part goes to archived experts, which knew former concepts (mixing past posteriors: Bousquet &
Warmuth 2002), in proportion to the probability that they gave to the label.

A part of the labels, which is learned, is drawn at random, by the base rates, so that few labels
of a rare class are wrong. The noise of margins makes labels near the boundary wrong more often: its
variance is the geometric posterior mean over `NOISES`.
"""

import math
from typing import Any

import numpy as np

from ..engine.bind import noinline
from ..engine.parts import expert
from ..spaces.state import COUNT

KINDS = 4  # of priors of Fourier features, and of sparse rows
EXPERTS, ARCHIVED = 9, 4  # how many learn; former leaders, which do not
ALL = EXPERTS + ARCHIVED
FORGETTING, REMEMBERING = 0, 1  # the expert that forgets, never evicted; the first of the others
FORGETTING_PART, ARCHIVE_PART = 0.1, 0.2  # of the weight that a transition moves

RATES = 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0  # hazard rates, times `switches`
RATE_PRIOR = 0.1, 0.1, 0.1, 0.2, 0.3, 0.1, 0.1
LABEL_NOISE, PRIOR_LABELS = 0.02, 50.0  # prior part drawn at random, and the labels it counts as
LABEL_NOISE_MEMORY, MOST_LABEL_NOISE = 1000.0, 0.6  # labels it is averaged over; its upper limit

# Variances of the noise of margins, where a margin under the prior has a variance of about 3
NOISES = 0.03, 0.1, 0.3, 1.0, 3.0, 10.0
NOISE_PRIOR = 0.4, 0.2, 0.1, 0.1, 0.1, 0.1
NOISE_DISCOUNT = 0.001  # towards the prior, with each label

OLDER = 2.0  # times as old as an expert are those that its evidence compares it with: see `drift`
MOST_EVIDENCE = 500.0  # so that its exponential is finite

# Columns of `experts`: from JOINT on, joint weights with every hazard rate, whose sum is WEIGHT;
# FIRST is the number of the label, BORN the round of birth (of an archived one: when it led last),
# KIND its prior, ORIGIN the archived expert that it was, or -1
WEIGHT, BORN, FIRST, ALIVE, KIND, ORIGIN, EVIDENCE, JOINT = range(8)
COLUMNS = JOINT + len(RATES)
# Places in `scalars`: labels so far, the latest round of one, the round of the label learned last;
# of the labels counted, how many there are, random ones, and +1; the leader, the round of the last
# succession; `NOISES`
LABELS, LAST, LEARNED, COUNTED, RANDOM, POSITIVE, LEADER, SUCCEEDED, NOISE_WEIGHTS = range(7, 16)
SCALARS = NOISE_WEIGHTS + len(NOISES)
START = {COUNTED: PRIOR_LABELS, RANDOM: PRIOR_LABELS * LABEL_NOISE, POSITIVE: PRIOR_LABELS / 2}
START |= dict(enumerate(NOISE_PRIOR, NOISE_WEIGHTS))
M, Q, BELIEF = range(3)  # columns of `predictions`, for the last row


def start_experts(experts: np.ndarray, shape: object, kinds: int) -> None:
    """Start the first experts: the one that forgets, and one with every prior."""
    first = REMEMBERING + kinds
    experts[:first, ALIVE], experts[:first, WEIGHT] = 1.0, 1 / first
    experts[REMEMBERING:first, KIND] = np.arange(kinds)
    experts[:, ORIGIN] = -1.0
    experts[:first, JOINT:] = np.array(RATE_PRIOR) / first


def leader(experts: Any) -> int:
    """Return the expert with the largest weight, archived ones left out."""
    return foremost(experts, WEIGHT, 0, EXPERTS)


def foremost(experts: Any, column: int, start: int, stop: int) -> int:
    """Return the first of the experts `start` to `stop` - 1 with the largest number in a column."""
    best = start
    for k in range(start, stop):
        best = k if experts[k, column] > experts[best, column] else best
    return best


def label_noise(scalars: Any) -> tuple[float, float]:
    """Return the probabilities that a label is drawn at random, and is +1, or -1."""
    positive = scalars[POSITIVE] / scalars[COUNTED]
    drawn = min(MOST_LABEL_NOISE, scalars[RANDOM] / scalars[COUNTED])
    return drawn * positive, drawn * (1 - positive)


def mean_noise(scalars: Any) -> float:
    """Return the geometric posterior mean of the variance of the noise of margins."""
    total = 0.0
    for j in range(len(NOISES)):
        total += scalars[NOISE_WEIGHTS + j] * math.log(NOISES[j])
    return math.exp(total)


@noinline
def update_noise(experts: Any, predictions: Any, scalars: Any, y: float) -> None:
    """Update the posterior of the noise of margins with label y, and discount it."""
    total = 0.0
    for j in range(len(NOISES)):
        p = noise_likelihood(experts, predictions, label_noise(scalars), y, NOISES[j])
        scalars[NOISE_WEIGHTS + j] *= max(p, 1e-6)
        total += scalars[NOISE_WEIGHTS + j]
    for j in range(len(NOISES)):
        kept = (1 - NOISE_DISCOUNT) * scalars[NOISE_WEIGHTS + j] / total
        scalars[NOISE_WEIGHTS + j] = kept + NOISE_DISCOUNT * NOISE_PRIOR[j]


def noise_likelihood(
    experts: Any, predictions: Any, drawn: tuple[float, float], y: float, variance: float
) -> float:
    """Return the probability of label y if all experts used this variance."""
    total = 0.0
    for k in range(ALL):
        if experts[k, ALIVE] > 0:
            m, q = predictions[k, M], max(predictions[k, Q], 0.0)
            total += experts[k, WEIGHT] * expert.belief(m, q, drawn, variance)
    return (1 + y * total) / 2


def likelihood(predictions: Any, k: int, y: float) -> float:
    """Return the probability that expert k gave to the label."""
    return max((1 + y * predictions[k, BELIEF]) / 2, 1e-6)


@noinline
def update_weights(experts: Any, predictions: Any, scalars: Any, y: float) -> None:
    """Update the posterior weights and the part of random labels with label y."""
    total, random = 0.0, 0.0
    positive, negative = label_noise(scalars)
    own = positive if y > 0 else negative
    for k in range(ALL):
        p = likelihood(predictions, k, y)
        part = scale_weight(experts, k, p)
        total += part
        random += part * own / max(p, own)
    for k in range(ALL):
        scale_weight(experts, k, 1 / total)
    full = scalars[COUNTED] >= LABEL_NOISE_MEMORY
    fewer = 1 - 1 / LABEL_NOISE_MEMORY if full else 1.0
    scalars[RANDOM] = max(1e-4, fewer * scalars[RANDOM] + random / total)
    scalars[POSITIVE] = fewer * scalars[POSITIVE] + (1.0 if y > 0 else 0.0)
    scalars[COUNTED] = fewer * scalars[COUNTED] + 1


@noinline
def update_evidence(experts: Any, predictions: Any, y: float, t: float) -> None:
    """Update the evidence of every expert with label y, before the weights are updated.

    The expert that forgets is among the older ones, but does not replace them.
    """
    for k in range(REMEMBERING, EXPERTS):
        weight, given, rivals = 0.0, 0.0, 0
        for j in range(EXPERTS):
            older = j != FORGETTING and t - experts[j, BORN] > OLDER * (t - experts[k, BORN])
            if experts[j, ALIVE] > 0 and (older or j == FORGETTING):
                weight += experts[j, WEIGHT]
                given += experts[j, WEIGHT] * likelihood(predictions, j, y)
                rivals += 1 if older else 0
        if experts[k, ALIVE] > 0 and rivals > 0 and given > 0:
            experts[k, EVIDENCE] += math.log(likelihood(predictions, k, y) * weight / given)


def evidence_of(experts: Any, t: float) -> tuple[float, float]:
    """Return the logarithm of the evidence that the concept has switched, and the leader's age.

    The evidence is 1 and that of the leader and of all experts at most twice as old, summed.
    """
    lead, total = leader(experts), 1.0
    age = t - experts[lead, BORN]
    for k in range(REMEMBERING, EXPERTS if lead != FORGETTING else 0):
        if experts[k, ALIVE] > 0 and t - experts[k, BORN] <= OLDER * age:
            total += math.exp(min(experts[k, EVIDENCE], MOST_EVIDENCE))
    return math.log(total), age


def scale_weight(experts: Any, k: int, by: float) -> float:
    """Multiply the weight of expert k under every hazard rate, and return their sum."""
    total = 0.0
    for j in range(JOINT, COLUMNS):
        experts[k, j] *= by
        total += experts[k, j]
    experts[k, WEIGHT] = total
    return total


def pass_weight(experts: Any, k: int, heir: int) -> None:
    """Pass the weight of expert k to another."""
    for j in range(JOINT, COLUMNS):
        experts[heir, j] += experts[k, j]
        experts[k, j] = 0.0
    scale_weight(experts, heir, 1.0)
    scale_weight(experts, k, 1.0)


@noinline
def transition(experts: Any, predictions: Any, switches: float, gap: float, y: float) -> None:
    """Pass a part of every weight to the newest and to archived experts, by the hazard."""
    new, total, archived = newest(experts), 0.0, 0.0
    for k in range(EXPERTS, ALL):
        archived += experts[k, ALIVE]
    for j in range(JOINT, COLUMNS):
        ended, moved = 1 - math.exp(-switches * gap * RATES[j - JOINT]), 0.0
        for k in range(ALL):
            if experts[k, j] > 0:
                part = experts[k, j] * ended
                experts[k, j] -= part
                moved += part / likelihood(predictions, k, y)  # times that of the new expert
                total += experts[k, j]
        left = 1.0 - FORGETTING_PART
        experts[FORGETTING, j] += FORGETTING_PART * moved / 2  # after a switch, of 1 / 2
        total += FORGETTING_PART * moved / 2
        for k in range(EXPERTS, ALL):
            if experts[k, ALIVE] > 0:
                back = ARCHIVE_PART / archived * moved * likelihood(predictions, k, y)
                experts[k, j] += back
                total += back
                left -= ARCHIVE_PART / archived
        experts[new, j] += left * moved / 2
        total += left * moved / 2
    for k in range(ALL):
        scale_weight(experts, k, 1 / total)


@noinline
def lasting_and_steps(p: Any, s: Any, t: float, remaining: float) -> tuple[float, float]:
    """Return the expected part of the remaining rounds that the concept lasts, and the steps."""
    if not remaining > 0:
        return 1.0, s.scalars[COUNT]
    part = 0.0
    for j in range(JOINT, COLUMNS):
        ends, weight = RATES[j - JOINT] * p.switches * remaining, 0.0
        for k in range(ALL):
            weight += s.experts[k, j]
        part += weight * ((1 - math.exp(-ends)) / ends if ends > 0 else 1.0)
    return part, s.scalars[COUNT]


def upper_bound(s: Any, xx: float) -> float:
    """Return an upper bound of q: a label has at most one bit."""
    return 1.0 + 1e-9


def newest(experts: Any) -> int:
    """Return the expert born last."""
    return foremost(experts, FIRST, REMEMBERING, EXPERTS)


def free_slot(experts: Any) -> int:
    """Return a free slot; if there is none, evict the expert with the least weight.

    The expert nearest in age inherits the weight. The oldest one of the present concept stays: only
    much later may it be worth more than the one that forgets.
    """
    for k in range(REMEMBERING, EXPERTS):
        if experts[k, ALIVE] == 0:
            return k
    kept, least = oldest(experts), -1
    for k in range(REMEMBERING, EXPERTS):
        if k != kept and (least < 0 or experts[k, WEIGHT] < experts[least, WEIGHT]):
            least = k
    heir, gap = -1, math.inf
    for k in range(REMEMBERING, EXPERTS):
        between = abs(experts[k, FIRST] - experts[least, FIRST])
        older = between == gap and experts[k, FIRST] < experts[heir, FIRST]
        if k != least and (between < gap or older):
            heir, gap = k, between
    pass_weight(experts, least, heir)
    return least


def oldest(experts: Any) -> int:
    """Return the expert born first since the last succession, the foremost of several; or -1."""
    best = -1
    for k in range(REMEMBERING, EXPERTS):
        one, other = experts[k], experts[best]
        if one[BORN] >= experts[FORGETTING, BORN] and (
            best < 0 or (one[FIRST], -one[WEIGHT]) < (other[FIRST], -other[WEIGHT])
        ):
            best = k
    return best
