"""How the loop asks: through the learner's score, and through what the asker remembers."""

import math

from .bind import blank

score = blank  # the learner: (p, m, q) -> the margin quantity that is recorded and asked by
probability = blank  # an asker that remembers nothing: (a, r, q, t) -> probability of asking
chance = blank  # any asker: (a, past, r, q, t, now, life) -> the same, for what it remembers
after = blank  # any asker: (a, past, r, q, t, now, life, asked) -> what to remember instead

# A product P x is spared only where the draw is further than this from both bounds on the
# probability, relatively; rounding in the bounds themselves is some 1e-15.
SLACK = 1e-9


def memoryless(a, past, r, q, t, now, life):
    """Probability of an asker that remembers nothing."""
    return probability(a, r, q, t)


def nothing(a, past, r, q, t, now, life, asked):
    """What such an asker remembers: no more than before."""
    return past


def ask(p, a, past, m, q, t, now, life):
    """Margin quantity and probability of asking, for a given q."""
    r = score(p, m, q)
    return r, chance(a, past, r, q, t, now, life)


def clear(u, chance, other):
    """Is it settled whether u < probability, wherever the probability lies between these two?

    Never where one of them is NaN, as it may be where the bound on q overflows.
    """
    if math.isnan(chance + other):
        return False
    return u < min(chance, other) * (1 - SLACK) or u >= max(chance, other) * (1 + SLACK)


def wanted(p, a, past, m, most, t, now, life, u, full, noted):
    """Is q wanted, which is at most `most`? It costs a product P x in second order.

    The probability is monotone in q, so that its values at the bounds 0 and `most` enclose it: q
    matters to the record if they differ, and to the decision if they leave it open. Where the asker
    takes note of the round, it matters in any case.
    """
    if noted:
        return True
    low = ask(p, a, past, m, 0.0, t, now, life)
    high = ask(p, a, past, m, most, t, now, life)
    return (full or not clear(u, low[1], high[1])) and low != high


def keep(past, found):
    """Write down what the asker remembers."""
    for j in range(len(past)):
        past[j] = found[j]
