"""Posterior weights of the experts, and the noise of labels and of margins.

The weight of an expert is the posterior probability that the concept began when the expert did. It
is multiplied by the probability that the expert gave to each label, and the transition passes a
part of every weight to the newest expert: the hazard, times the likelihood ratio of a switch
(fixed share: Herbster & Warmuth 1998; run lengths: Adams & MacKay 2007). The hazard rate is
learned, too (Wilson, Nassar & Gold 2010): `s.posterior` holds joint weights of experts and rates.
A part goes to archived experts, which knew former concepts (mixing past posteriors: Bousquet &
Warmuth 2002), in proportion to the probability that they gave to the label.

Labels are wrong at a rate that is learned; the noise of margins makes those near the boundary wrong
more often: its variance is the geometric posterior mean over `NOISES`.
"""

import math
from typing import Any

import numpy as np

from ..engine.bind import noinline
from ..engine.parts import expert
from ..spaces.state import COUNT

KINDS = 4  # of priors
EXPERTS, FORGETTING = 9, 1  # how many; the first ones forget, and are never evicted
FIRST_EXPERTS = FORGETTING + KINDS
ARCHIVED = 4  # former leaders, which do not learn
ALL = EXPERTS + ARCHIVED
FORGETTING_PART, ARCHIVE_PART = 0.1, 0.2  # of the weight that a transition moves

RATES = 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0  # hazard rates, times `switches`
RATE_PRIOR = 0.1, 0.1, 0.1, 0.2, 0.3, 0.1, 0.1
LABEL_NOISE, PRIOR_LABELS = 0.01, 50.0  # prior rate of wrong labels, and the labels it counts as
NOISE_MEMORY, MOST_NOISE = 1000.0, 0.3  # labels that this rate averages over, and its upper limit

# Variances of the noise of margins, where a margin under the prior has a variance of about 3
NOISES = 0.03, 0.1, 0.3, 1.0, 3.0, 10.0
NOISE_PRIOR = 0.4, 0.2, 0.1, 0.1, 0.1, 0.1
NOISE_DISCOUNT = 0.001  # towards the prior, with each label

# Columns of `s.experts`: FIRST is the number of the label, BORN the round of birth (of an archived
# one: when it led last), KIND its prior, ORIGIN the archived expert that it was, or -1
WEIGHT, BORN, FIRST, ALIVE, KIND, ORIGIN, EVIDENCE = range(7)
# Places in `s.scalars`: labels so far, round of the last one, wrong labels of those counted, the
# leader, the round of the last succession; `NOISES`
LABELS, LAST, ERRORS, COUNTED, LEADER, SUCCEEDED, NOISE_WEIGHTS = range(7, 14)
SCALARS = NOISE_WEIGHTS + len(NOISES)
M, Q, BELIEF = range(3)  # columns of `s.predictions`, for the last row


def start_experts(experts: np.ndarray, shape: object) -> None:
    """Start the first experts: those that forget, and one with every prior."""
    experts[:FIRST_EXPERTS, ALIVE], experts[:FIRST_EXPERTS, WEIGHT] = 1.0, 1 / FIRST_EXPERTS
    experts[FORGETTING:FIRST_EXPERTS, KIND] = np.arange(KINDS)
    experts[:, ORIGIN] = -1.0


def start_posterior(posterior: np.ndarray, shape: object) -> None:
    """Set the weights of the first experts to the prior of the hazard rates."""
    posterior[:FIRST_EXPERTS] = np.array(RATE_PRIOR) / FIRST_EXPERTS


def start_scalars(scalars: np.ndarray, shape: object) -> None:
    """Set the noise of labels and of margins to their priors."""
    scalars[ERRORS], scalars[COUNTED] = PRIOR_LABELS * LABEL_NOISE, PRIOR_LABELS
    scalars[NOISE_WEIGHTS:] = NOISE_PRIOR


def leader(s: Any) -> int:
    """Return the expert with the largest weight, archived ones left out."""
    lead = 0
    for k in range(EXPERTS):
        lead = k if s.experts[k, WEIGHT] > s.experts[lead, WEIGHT] else lead
    return lead


def age(s: Any, t: float) -> float:
    """Return the rounds since the leader's birth."""
    return t - s.experts[leader(s), BORN]


def label_noise(s: Any) -> float:
    """Return the rate of wrong labels."""
    return min(MOST_NOISE, s.scalars[ERRORS] / s.scalars[COUNTED])


def mean_noise(s: Any) -> float:
    """Return the geometric posterior mean of the variance of the noise of margins."""
    total = 0.0
    for j in range(len(NOISES)):
        total += s.scalars[NOISE_WEIGHTS + j] * math.log(NOISES[j])
    return math.exp(total)


@noinline
def update_noise(s: Any, y: float) -> None:
    """Update the posterior of the noise of margins with label y, and discount it."""
    total = 0.0
    for j in range(len(NOISES)):
        s.scalars[NOISE_WEIGHTS + j] *= max(noise_likelihood(s, y, NOISES[j]), 1e-6)
        total += s.scalars[NOISE_WEIGHTS + j]
    for j in range(len(NOISES)):
        kept = (1 - NOISE_DISCOUNT) * s.scalars[NOISE_WEIGHTS + j] / total
        s.scalars[NOISE_WEIGHTS + j] = kept + NOISE_DISCOUNT * NOISE_PRIOR[j]


def noise_likelihood(s: Any, y: float, variance: float) -> float:
    """Return the probability of label y if all experts used this variance."""
    total, wrong = 0.0, label_noise(s)
    for k in range(len(s.experts)):
        if s.experts[k, ALIVE] > 0:
            m, q = s.predictions[k, M], max(s.predictions[k, Q], 0.0)
            total += s.experts[k, WEIGHT] * expert.belief(m, q, wrong, variance)
    return (1 + y * total) / 2


def likelihood(s: Any, k: int, y: float) -> float:
    """Return the probability that expert k gave to the label."""
    return max((1 + y * s.predictions[k, BELIEF]) / 2, 1e-6)


@noinline
def update_weights(s: Any, y: float) -> bool:
    """Update the posterior weights and the rate of wrong labels with label y.

    Return False if a weight is no longer finite.
    """
    total, off = 0.0, 0.0
    wrong = label_noise(s)
    for k in range(len(s.experts)):
        p = likelihood(s, k, y)
        part = scale_weight(s, k, p)
        total += part
        off += part * wrong * max(0.0, 1 - wrong - p) / ((1 - 2 * wrong) * max(p, wrong))
    if not (math.isfinite(total) and total > 0):
        return False
    for k in range(len(s.experts)):
        scale_weight(s, k, 1 / total)
    fewer = 1 - 1 / NOISE_MEMORY if s.scalars[COUNTED] >= NOISE_MEMORY else 1.0
    s.scalars[ERRORS] = max(1e-4, fewer * s.scalars[ERRORS] + max(0.0, off / total))
    s.scalars[COUNTED] = fewer * s.scalars[COUNTED] + 1
    return True


def scale_weight(s: Any, k: int, by: float) -> float:
    """Multiply the weight of expert k under every hazard rate, and return their sum."""
    total = 0.0
    for j in range(len(RATES)):
        s.posterior[k, j] *= by
        total += s.posterior[k, j]
    s.experts[k, WEIGHT] = total
    return total


def pass_weight(s: Any, k: int, heir: int) -> None:
    """Pass the weight of expert k to another."""
    for j in range(len(RATES)):
        s.posterior[heir, j] += s.posterior[k, j]
        s.posterior[k, j] = 0.0
    scale_weight(s, heir, 1.0)
    scale_weight(s, k, 1.0)


@noinline
def transition(s: Any, switches: float, gap: float, y: float) -> None:
    """Pass a part of every weight to the newest and to archived experts, by the hazard."""
    new, total, archived = newest(s), 0.0, 0.0
    for k in range(EXPERTS, ALL):
        archived += s.experts[k, ALIVE]
    for j in range(len(RATES)):
        ended, moved = 1 - math.exp(-switches * gap * RATES[j]), 0.0
        for k in range(ALL):
            if s.posterior[k, j] > 0:
                part = s.posterior[k, j] * ended
                s.posterior[k, j] -= part
                moved += part / likelihood(s, k, y)  # times the likelihood of the new expert
                total += s.posterior[k, j]
        left = 1.0 - FORGETTING_PART
        s.posterior[0, j] += FORGETTING_PART * moved / 2  # after a switch, of 1 / 2
        total += FORGETTING_PART * moved / 2
        for k in range(EXPERTS, ALL):
            if s.experts[k, ALIVE] > 0:
                back = ARCHIVE_PART / archived * moved * likelihood(s, k, y)
                s.posterior[k, j] += back
                total += back
                left -= ARCHIVE_PART / archived
        s.posterior[new, j] += left * moved / 2
        total += left * moved / 2
    for k in range(ALL):
        scale_weight(s, k, 1 / total)


def lasting(p: Any, s: Any, remaining: float) -> float:
    """Return the expected part of the remaining rounds over which the concept lasts."""
    total = 0.0
    for j in range(len(RATES)):
        ends, weight = RATES[j] * p.switches * remaining, 0.0
        for k in range(ALL):
            weight += s.posterior[k, j]
        total += weight * ((1 - math.exp(-ends)) / ends if ends > 0 else 1.0)
    return total


@noinline
def life(p: Any, s: Any, t: float, remaining: float) -> tuple[float, float]:
    """Return the expected part of the remaining rounds that the concept lasts, and the steps."""
    return lasting(p, s, remaining) if remaining > 0 else 1.0, s.scalars[COUNT]


def newest(s: Any) -> int:
    """Return the expert born last."""
    new = FORGETTING
    for k in range(FORGETTING, EXPERTS):
        if s.experts[k, ALIVE] > 0 and s.experts[k, FIRST] > s.experts[new, FIRST]:
            new = k
    return new


def free_slot(s: Any) -> int:
    """Return a free slot; if there is none, evict the expert with the least weight.

    The expert nearest in age inherits the weight.
    """
    least = FORGETTING
    for k in range(FORGETTING, EXPERTS):
        if s.experts[k, ALIVE] == 0:
            return k
        least = k if s.experts[k, WEIGHT] < s.experts[least, WEIGHT] else least
    heir, gap = -1, math.inf
    for k in range(FORGETTING, EXPERTS):
        between = abs(s.experts[k, FIRST] - s.experts[least, FIRST])
        older = between == gap and s.experts[k, FIRST] < s.experts[heir, FIRST]
        if k != least and (between < gap or older):
            heir, gap = k, between
    pass_weight(s, least, heir)
    return least


def returned(s: Any) -> int:
    """Return the archived expert with the largest weight."""
    best = EXPERTS
    for k in range(EXPERTS, ALL):
        best = k if s.experts[k, WEIGHT] > s.experts[best, WEIGHT] else best
    return best
