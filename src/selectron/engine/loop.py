"""The one loop that plays rounds."""

import math
from typing import Any

from .parts import asker, classes, learner
from .round import ASKED, CLASS, REFUSED, Life
from .scales import shaped, unit

# The label of a row in the loop: -1 or +1, or the number of its class, from 1, or
NONE = 0  # no label: predict, and never ask
LATER = -2  # may be asked for, and comes after the round

# In place of a draw: every probability is above the first, and none above the second.
GIVEN = -1.0  # the label is given: learn from it, without regard to the asker
NEVER = 2.0  # predict only

# A product P x is skipped only if the relative distance of the draw from both bounds on the
# probability exceeds this; rounding errors of the bounds are about 1e-15.
SLACK = 1e-9


def play(
    parameters: Any,
    asking: Any,
    past: Any,
    state: Any,
    block: Any,
    labels: Any,
    draws: Any,
    times: Any,
    before: int,
    normalize: bool,
    full: bool,
    out: Any,
) -> int:
    """Play one round for each row and return the number of rounds played.

    It is less than the number of rows if the next row, or the step on it, is not finite, or if that
    step may need more room than there is. Round i asks iff draws[i] < probability and labels[i] is
    not NONE. `past` is what the asker remembers; `times` are the times of the rounds, or empty if
    the asker ignores them; `before` is the number of rounds before this block. With `full`, every
    margin score and probability is recorded; without, none is, and those that no decision needs are
    not computed. Scores (of two classes the margin) and ages are recorded if there is an array.
    """
    p, a = learner.Parameters(*parameters), asker.Parameters(*asking)
    s, rows = classes.State(*state), classes.Rows(*block)
    margins, probabilities, flags, scores, ages = out
    for i in range(len(labels)):
        m, scale = classes.margin(s, rows, i), 1.0
        if normalize:
            scale = unit(classes.extent(rows, i))
            m /= scale
        if not math.isfinite(m):  # true of any row with NaN or infinity
            return i
        if len(scores) > 0:
            classes.record_scores(s, m, scale, scores, i)

        t, y, u = before + i + 1, labels[i], draws[i]
        now = times[i] if len(times) > 0 else 0.0
        life = classes.life(p, s, t, asker.remaining(a, past))
        most = classes.limit(s, classes.extent(rows, i)) / (scale * scale)
        q, noted = math.nan, len(past) > 0 and GIVEN < u < NEVER
        r, chance = ask(p, a, past, m, 0.0, t, now, life)
        if wanted(p, a, past, m, most, t, now, life, u, full, noted):
            q = shaped(scale, classes.spread(s, rows, i))
            if not math.isfinite(q):
                return i
            r, chance = ask(p, a, past, m, q, t, now, life)
        asked = y != NONE and u < chance

        index, step = classes.predicted(s, m), 0
        learns = asked and y != LATER and passed(a, s, scale, m, y)
        if learns and classes.due(p, s, scale, m, y):
            if classes.needs_growth(s, rows, i):  # nothing has changed: repeat the round
                return i
            step = classes.learn(p, s, rows, i, scale, m, q, y, t)
            if step == REFUSED:
                return i
        if full:
            margins[i], probabilities[i] = r, chance
        if len(ages) > 0:
            ages[i] = classes.age(s, t)
        if noted:
            remember(past, asker.after(a, past, r, q, t, now, life, asked))
        flags[i] = index << CLASS | ASKED * asked | step
    return len(labels)


def ask(
    p: Any, a: Any, past: Any, m: float, q: float, t: int, now: float, life: Life
) -> tuple[float, float]:
    """Return the margin score and the probability of asking, for a given q."""
    r = learner.score(p, m, q)
    return r, asker.chance(a, past, r, q, t, now, life)


def wanted(
    p: Any,
    a: Any,
    past: Any,
    m: float,
    most: float,
    t: int,
    now: float,
    life: Life,
    u: float,
    full: bool,
    noted: bool,
) -> bool:
    """Return whether q, which is at most `most`, is needed; it costs P x in second order.

    The probability is monotone in q, so that its values at the bounds 0 and `most` enclose it. The
    record needs q if they differ, and the decision needs q if they do not settle it. An asker that
    remembers the round always needs q.
    """
    if noted:
        return True
    low = ask(p, a, past, m, 0.0, t, now, life)
    high = ask(p, a, past, m, most, t, now, life)
    return (full or not settled(u, low[1], high[1])) and low != high


def settled(u: float, chance: float, other: float) -> bool:
    """Return whether u < probability is the same for all probabilities between these two.

    False if one of them is NaN, as happens when the bound on q overflows.
    """
    if math.isnan(chance + other):
        return False
    return u < min(chance, other) * (1 - SLACK) or u >= max(chance, other) * (1 + SLACK)


def passed(a: Any, s: Any, scale: float, m: float, y: int) -> bool:
    """Return whether the asker passes the label on to the learner."""
    m, sign = classes.truth(s, scale, m, y)
    return asker.passes(a, m, sign)


def remember(past: Any, found: Any) -> None:
    """Store what the asker remembers."""
    for j in range(len(past)):
        past[j] = found[j]
