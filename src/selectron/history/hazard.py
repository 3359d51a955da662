"""Hazard models: when concepts end.

The ensemble keeps posterior weights for several hazard models, and so learns which one fits. Under
the first of them the hazard rate is constant: a concept may end at any time. Under the others,
concepts have a typical length, and the probability of reaching the age a is

    S(a) = ENDLESS + (1 - ENDLESS) / (1 + (a / length)^SHARPNESS)        (a log-logistic law)

A few concepts never end, so that the ensemble does not wait for a switch that it missed. Concepts
with a typical length also end at any other time, with the hazard rate EXTRA_RATE.

Ages and gaps are in units of 1 / `switches`, the rounds in which one switch is expected.
"""

import math

import numpy as np

RATES = 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0  # constant hazard rates
RATE_PRIOR = 0.1, 0.1, 0.1, 0.2, 0.3, 0.1, 0.1
LENGTHS = tuple(0.1 * 1.2**j for j in range(26))  # typical lengths, up to 9.5
LENGTH_PRIOR = 0.3  # of all lengths together
SHARPNESS, ENDLESS, EXTRA_RATE = 16, 0.05, 0.1


def hazard_prior() -> np.ndarray:
    """Return the prior probability of each hazard model: first the rates, then the lengths."""
    lengths = np.full(len(LENGTHS), LENGTH_PRIOR / len(LENGTHS))
    return np.concatenate([(1 - LENGTH_PRIOR) * np.array(RATE_PRIOR), lengths])


def end_probability(model: int, age: float, gap: float, forgetting: bool) -> float:
    """Return the probability that a concept that began `age` ago has ended in the last `gap`.

    Forgetting experts have no age: under a typical length, their hazard rate is 1.
    """
    if model < len(RATES):
        return 1 - math.exp(-gap * RATES[model])
    if forgetting:
        return 1 - math.exp(-gap)
    length = LENGTHS[model - len(RATES)]
    lasted = survival(age / length) / survival(max(0.0, age - gap) / length)
    return 1 - math.exp(-gap * EXTRA_RATE) * lasted


def survival(part: float) -> float:
    """Return S(a), given a / length."""
    return ENDLESS + (1 - ENDLESS) / (1 + part**SHARPNESS)


def elapsed(model: int, age: float) -> float:
    """Return the fraction of its life, from 0 to 1, that a concept of this age has behind it.

    It is 0 under a constant hazard rate, and falls again past the typical length: such a concept
    does not keep to the length, or the switch was missed.
    """
    if model < len(RATES):
        return 0.0
    return max(0.0, 1 - abs(1 - age / LENGTHS[model - len(RATES)]))


def remaining_part(model: int, age: float, remaining: float) -> float:
    """Return the expected fraction of the remaining rounds over which the concept lasts."""
    if not remaining > 0:
        return 1.0
    if model < len(RATES):
        expected = RATES[model] * remaining
        return (1 - math.exp(-expected)) / expected
    return min(1.0, max(0.0, LENGTHS[model - len(RATES)] - age) / remaining)
