"""The loop that plays rounds: the only one in the project.

The functions above `play` say what a round needs of its three parts. They are blanks: `bind` fills
them with those of a learner, an asker and a space, and compiles the result.
"""

import math
from typing import Any

from .round import Round

# What is known of a row's label: -1, +1, or
NONE = 0  # there is none: predict, and never ask
LATER = 2  # it may be asked for, and would come after the round

# Draws that are no draws: a probability lies above the first and never above the second.
GIVEN = -1.0  # the label is given: learn from it, whatever the asker says
NEVER = 2.0  # predict only

# Flags of a round's outcome.
PREDICTED, ASKED, UPDATED = 1, 2, 4

# A product P x is spared only where the draw is further than this from both bounds on the
# probability, relatively; rounding in the bounds themselves is some 1e-15.
SLACK = 1e-9

SHORTEST = 2.3e-308  # of <x, x>: smaller numbers have fewer digits

LOST = -1e-3  # a q below this is no rounding of 0: P is not positive definite any more


def _blank(*_: Any) -> Any:
    raise NotImplementedError("this part of the loop is filled in by bind()")


Learner = Asker = State = Rows = _blank  # the NamedTuples of parameters, arrays and rows

# the learner
score = _blank  # (p, m, q) -> the margin quantity that is recorded and asked by
steps = _blank  # (p, m, y) -> does the learner step on this label?
step = _blank  # (p, round) -> Step or ShapeStep

# the asker
probability = _blank  # (a, r, q, t) -> probability of asking in round t = 1, 2, ...; monotone in q

# the space
inner = _blank  # (s, rows, i) -> <w, x> for row i
length = _blank  # (rows, i) -> <x, x>
form = _blank  # (s, rows, i) -> q
ceiling = _blank  # (s, xx) -> an upper bound of q for rows with <x, x> = xx
move = _blank  # (s, rows, i, scale, round, step) -> False if q, or what it led to, is not finite
count = _blank  # (s) -> number of steps so far
square = _blank  # (s) -> <w, w>


def unit(xx):
    """Factor that brings a row to unit length; NaN if <x, x> is not finite.

    0 for a zero row, and for one so short that <x, x> has lost its digits.
    """
    if not math.isfinite(xx):
        return math.nan
    return 1.0 / math.sqrt(xx) if xx >= SHORTEST else 0.0


def shaped(scale, q):
    """Return q for a row scaled by `scale`: not below 0, NaN where rounding has left nothing of it.

    P is positive definite, but its smallest eigenvalues drown in the rounding of its largest where
    rows are very long beside the prior.
    """
    q = scale * (scale * q)
    return max(q, 0.0) if q > LOST else math.nan


def ask(p, a, m, q, t):
    """Margin quantity and probability of asking, for a given q."""
    r = score(p, m, q)
    return r, probability(a, r, q, t)


def clear(u, chance, other):
    """Is it settled whether u < probability, wherever the probability lies between these two?

    Never where one of them is NaN, as it may be where the bound on q overflows.
    """
    if math.isnan(chance + other):
        return False
    return u < min(chance, other) * (1 - SLACK) or u >= max(chance, other) * (1 + SLACK)


def wanted(p, a, m, most, t, u, full):
    """Is q wanted, which is at most `most`? It costs a product P x in second order.

    The probability is monotone in q, so that its values at the bounds 0 and `most` enclose it: q
    matters to the record if they differ, and to the decision if they leave it open.
    """
    low, high = ask(p, a, m, 0.0, t), ask(p, a, m, most, t)
    return (full or not clear(u, low[1], high[1])) and low != high


def play(learner, asker, state, block, labels, draws, before, normalize, full, out):
    """Play one round a row and return how many were played.

    Fewer than all: the next row, or the step on it, left the finite numbers. Round i asks iff
    draws[i] < probability and labels[i] is not NONE; `before` counts the rounds before this block.
    With `full`, every margin quantity and probability is recorded; without, none is, and those
    that no decision needs are not even computed.
    """
    p, a, s, rows = Learner(*learner), Asker(*asker), State(*state), Rows(*block)
    margins, probabilities, flags = out
    for i in range(len(labels)):
        m = inner(s, rows, i)
        scale = 1.0
        if normalize:
            scale = unit(length(rows, i))
            m *= scale
        if not math.isfinite(m):  # as it is for any row with a NaN or an infinity in it
            return i

        t, y, u = before + i + 1, labels[i], draws[i]
        most = scale * (scale * ceiling(s, length(rows, i)))
        q = math.nan
        r, chance = ask(p, a, m, 0.0, t)
        if wanted(p, a, m, most, t, u, full):
            q = shaped(scale, form(s, rows, i))
            if not math.isfinite(q):
                return i
            r, chance = ask(p, a, m, q, t)
        asked = y != NONE and u < chance

        moved = asked and y != LATER and steps(p, m, y)
        if moved:
            if math.isnan(q):
                q = shaped(scale, form(s, rows, i))
            now = Round(m, q, float(y), count(s), square(s))
            if not move(s, rows, i, scale, now, step(p, now)):
                return i

        if full:
            margins[i], probabilities[i] = r, chance
        flags[i] = PREDICTED * (m >= 0) | ASKED * asked | UPDATED * moved
    return len(labels)
