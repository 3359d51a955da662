"""Posterior weights of the experts, and the noise of labels and of margins.

The weight of an expert is the posterior probability that the concept began when the expert did. It
is multiplied by the probability that the expert gave to each label, and the transition passes a
part of every weight to the newest expert: the hazard, times the likelihood ratio of a switch
(fixed share: Herbster & Warmuth 1998; run lengths: Adams & MacKay 2007). The hazard is learned, too
(Wilson, Nassar & Gold 2010): `s.posterior` holds joint weights of experts and hazard models.

Labels are wrong at a rate that is learned; the noise of margins makes those near the boundary wrong
more often. The first experts each keep a variance of this noise for life, so that one of them fits
from the first label on where the concept stands still; others use the posterior mean over `NOISES`.
"""

import math
from typing import Any

import numpy as np

from ..engine.bind import noinline
from ..engine.parts import expert
from ..engine.round import Life
from ..spaces.state import COUNT
from .hazard import elapsed, end_probability, hazard_prior, remaining_part

EXPERTS, FORGETTING = 9, 1  # how many; the first ones forget, and are never evicted
FORGETTING_PART = 0.1  # of the weight that a transition moves, to forgetting experts
LABEL_NOISE, PRIOR_LABELS = 0.01, 50.0  # prior rate of wrong labels, and the labels it counts as
NOISE_MEMORY, MOST_NOISE = 1000.0, 0.3  # labels that this rate averages over, and its upper limit

# Variances of the noise of margins, where a margin under the prior has a variance of about 3
FIRST_NOISES = 0.03, 0.3, 3.0  # of the first experts
NOISES = 0.03, 0.1, 0.3, 1.0, 3.0, 10.0
NOISE_PRIOR = 0.4, 0.2, 0.1, 0.1, 0.1, 0.1
NOISE_DISCOUNT = 0.001  # towards the prior, with each label

# Columns of `s.experts`: FIRST is the number of the label, BORN the round of birth
WEIGHT, BORN, FIRST, CURSOR, ALIVE, NOISE, EVIDENCE = range(7)
# Places in `s.scalars`: labels so far, round of the last one, wrong labels of those counted, the
# leader, the round of the last succession; leaders in the empirical prior, their |S_i|^2; `NOISES`
LABELS, LAST, ERRORS, COUNTED, LEADER, SUCCEEDED, LEADERS, SQUARES, NOISE_WEIGHTS = range(7, 16)
SCALARS = NOISE_WEIGHTS + len(NOISES)
M, Q, BELIEF = range(3)  # columns of `s.predictions`, for the last row


def start_experts(experts: np.ndarray, shape: object) -> None:
    """Start the first experts: those that forget, and one for each of `FIRST_NOISES`."""
    begun = FORGETTING + len(FIRST_NOISES)
    experts[:begun, ALIVE] = 1.0
    experts[:begun, WEIGHT] = 1 / begun
    experts[FORGETTING:begun, NOISE] = FIRST_NOISES


def start_posterior(posterior: np.ndarray, shape: object) -> None:
    """Set the weights of the first experts to the prior of the hazard models."""
    begun = FORGETTING + len(FIRST_NOISES)
    posterior[:begun] = 1 / begun * hazard_prior()


def start_scalars(scalars: np.ndarray, shape: object) -> None:
    """Set the noise of labels and of margins to their priors."""
    scalars[ERRORS], scalars[COUNTED] = PRIOR_LABELS * LABEL_NOISE, PRIOR_LABELS
    scalars[NOISE_WEIGHTS:] = NOISE_PRIOR


def leader(s: Any) -> int:
    """Return the expert with the largest weight."""
    lead = 0
    for k in range(len(s.experts)):
        lead = k if s.experts[k, WEIGHT] > s.experts[lead, WEIGHT] else lead
    return lead


def age(s: Any, t: float) -> float:
    """Return the rounds since the leader's birth."""
    return t - s.experts[leader(s), BORN]


def label_noise(s: Any) -> float:
    """Return the rate of wrong labels."""
    return min(MOST_NOISE, s.scalars[ERRORS] / s.scalars[COUNTED])


def margin_noise(s: Any, k: int) -> float:
    """Return the variance of the noise of margins that expert k uses."""
    return s.experts[k, NOISE] if s.experts[k, NOISE] > 0 else mean_noise(s)


def mean_noise(s: Any) -> float:
    """Return the geometric posterior mean of that variance."""
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
    """Multiply the weight of expert k under every hazard model, and return their sum."""
    total = 0.0
    for j in range(s.posterior.shape[1]):
        s.posterior[k, j] *= by
        total += s.posterior[k, j]
    s.experts[k, WEIGHT] = total
    return total


@noinline
def transition(s: Any, switches: float, gap: float, t: float, y: float) -> None:
    """Pass a part of every weight to the newest expert, by the hazard since the last label."""
    new, total = newest(s), 0.0
    for j in range(s.posterior.shape[1]):
        moved = 0.0
        for k in range(len(s.experts)):
            if s.posterior[k, j] > 0:
                age = switches * (t - s.experts[k, BORN])
                ended = end_probability(j, age, switches * gap, k < FORGETTING)
                part = s.posterior[k, j] * ended
                s.posterior[k, j] -= part
                moved += part * (1 / (2 * likelihood(s, k, y)))  # 1 / 2 after a switch
                total += s.posterior[k, j]
        total += moved
        for k in range(FORGETTING):
            s.posterior[k, j] += FORGETTING_PART * moved / FORGETTING
        s.posterior[new, j] += (1 - FORGETTING_PART) * moved
    for k in range(len(s.experts)):
        scale_weight(s, k, 1 / total)


@noinline
def life(p: Any, s: Any, t: float, remaining: float) -> Life:
    """Return how long the concept is expected to last, with that many rounds remaining."""
    passed, lasting = 0.0, 0.0
    for k in range(FORGETTING, len(s.experts)):
        age = p.switches * (t - s.experts[k, BORN])
        for j in range(s.posterior.shape[1]):
            passed += s.posterior[k, j] * elapsed(j, age)
            lasting += s.posterior[k, j] * remaining_part(j, age, p.switches * remaining)
    return Life(1 - passed, lasting, s.scalars[COUNT])


def newest(s: Any) -> int:
    """Return the expert born last."""
    new = FORGETTING
    for k in range(FORGETTING, len(s.experts)):
        if s.experts[k, ALIVE] > 0 and s.experts[k, FIRST] > s.experts[new, FIRST]:
            new = k
    return new


def free_slot(s: Any) -> int:
    """Return a free slot; if there is none, evict the expert with the least weight.

    The expert nearest in age inherits the weight.
    """
    least = FORGETTING
    for k in range(FORGETTING, len(s.experts)):
        if s.experts[k, ALIVE] == 0:
            return k
        least = k if s.experts[k, WEIGHT] < s.experts[least, WEIGHT] else least
    heir, gap = -1, math.inf
    for k in range(FORGETTING, len(s.experts)):
        between = abs(s.experts[k, FIRST] - s.experts[least, FIRST])
        older = between == gap and s.experts[k, FIRST] < s.experts[heir, FIRST]
        if k != least and (between < gap or older):
            heir, gap = k, between
    for j in range(s.posterior.shape[1]):
        s.posterior[heir, j] += s.posterior[least, j]
        s.posterior[least, j] = 0.0
    scale_weight(s, heir, 1.0)
    scale_weight(s, least, 1.0)
    return least
