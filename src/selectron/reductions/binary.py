"""Two classes: one vector w, and sign(m) is the predicted class."""

import math

from ..engine.bind import blank
from ..engine.loop import REFUSED, STRAINED, UPDATED
from ..engine.round import Round
from ..engine.scales import shaped

steps = step = feasible = noted = blank  # the learner
form = move = count = square = note = jot = trim = blank  # the space


def predicted(s, m):
    """Class 1 if m >= 0, else class 0: sign(0) = +1."""
    return 1 if m >= 0 else 0


def copied(s, scale, scores, i):
    """There are no scores but m."""


def truth(s, scale, m, y):
    """m and y as they are."""
    return m, y


def due(p, s, scale, m, y):
    """Does the learner step on this label?"""
    return steps(p, m, y)


def learn(p, s, rows, i, scale, m, q, y, t):
    """Step; q is NaN if it has not been needed yet."""
    if math.isnan(q):
        q = shaped(scale, form(s, rows, i))
    now = Round(m, q, float(y), count(s), square(s), note(s))
    done = move(s, rows, i, scale, now, step(p, now))
    if not done:
        return REFUSED
    jot(s, noted(p, now))
    trim(p, s, rows)
    return UPDATED if done == 1 and feasible(p, now) else UPDATED | STRAINED
