"""The loop that plays rounds: the only one in the project.

The blanks above `play` say what a round needs of its parts: a learner, an asker, a space, and a
reduction, which says what classes have to do with margins. `bind` fills them in and compiles the
result.
"""

import math

from .asking import ask, keep, wanted
from .bind import blank
from .scales import shaped, unit

# What is known of a row's label: -1 or +1, or the number of its class from 1 on, or
NONE = 0  # there is none: predict, and never ask
LATER = -2  # it may be asked for, and would come after the round

# Draws that are no draws: a probability lies above the first and never above the second.
GIVEN = -1.0  # the label is given: learn from it, whatever the asker says
NEVER = 2.0  # predict only

# Flags of a round's outcome. STRAINED: there was no step that would do all that it should.
ASKED, UPDATED, STRAINED = 1, 2, 4
CLASS = 3  # the index of the predicted class stands above these bits
REFUSED = -1  # instead of flags: the step left the finite numbers

Learner = Asker = State = Rows = blank  # the NamedTuples of parameters, arrays and rows

# the asker, beside those in `asking`
after = blank  # (a, past, r, q, t, now, life, asked) -> what to remember of the round
remaining = blank  # (a, past) -> rounds to come, or 0 if no end is known
passes = blank  # (a, m, y) -> does it pass this label on to the learner?

# the space, as its rows face one class or several
crowded = blank  # (s, rows, i) -> is there too little room for what row i may bring?
margin = blank  # (s, rows, i) -> m: <w, x>, or the gap between the two best scores
extent = blank  # (rows, i) -> <z, z>, z being x, or what a step on two classes moves along
spread = blank  # (s, rows, i) -> q, which belongs to m
limit = blank  # (s, zz) -> an upper bound of q for rows with <z, z> = zz
predicted = blank  # (s, m) -> index of the predicted class
copied = blank  # (s, scale, scores, i) -> None: the scores of all classes, into scores[i]
truth = blank  # (s, scale, m, y) -> (m, y) of the label's class, for the asker to pass on
due = blank  # (p, s, scale, m, y) -> does the learner step on this label?
age = blank  # (s, t) -> how old what leads the prediction is in round t, in rounds
life = blank  # (p, s, t, remaining) -> Life: how long the concept may last
learn = blank  # (p, s, rows, i, scale, m, q, y, t) -> flags of the step, or REFUSED


def play(learner, asker, past, state, block, labels, draws, times, before, normalize, full, out):
    """Play one round a row and return how many were played.

    Fewer than all: the next row, or the step on it, left the finite numbers, or a step on it may
    need more room than there is. Round i asks iff draws[i] < probability and labels[i] is not NONE;
    `past` is what the asker remembers, `times` are those of the rounds if it goes by them, and
    `before` counts the rounds before this block. With `full`, every margin quantity and probability
    is recorded; without, none is, and those that no decision needs are not even computed. The
    scores of many classes, and ages, are recorded where there is an array for them.
    """
    p, a, s, rows = Learner(*learner), Asker(*asker), State(*state), Rows(*block)
    margins, probabilities, flags, scores, ages = out
    for i in range(len(labels)):
        m, scale = margin(s, rows, i), 1.0
        if normalize:
            scale = unit(extent(rows, i))
            m /= scale
        if not math.isfinite(m):  # as it is for any row with a NaN or an infinity in it
            return i
        if len(scores) > 0:
            copied(s, scale, scores, i)

        t, y, u = before + i + 1, labels[i], draws[i]
        now, left = times[i] if len(times) > 0 else 0.0, life(p, s, t, remaining(a, past))
        most = limit(s, extent(rows, i)) / (scale * scale)
        q, noted = math.nan, len(past) > 0 and GIVEN < u < NEVER
        r, chance = ask(p, a, past, m, 0.0, t, now, left)
        if wanted(p, a, past, m, most, t, now, left, u, full, noted):
            q = shaped(scale, spread(s, rows, i))
            if not math.isfinite(q):
                return i
            r, chance = ask(p, a, past, m, q, t, now, left)
        asked = y != NONE and u < chance

        index, step = predicted(s, m), 0
        told = asked and y != LATER and passes(a, *truth(s, scale, m, y))
        if told and due(p, s, scale, m, y):
            if crowded(s, rows, i):  # nothing has changed so far: the round is played anew
                return i
            step = learn(p, s, rows, i, scale, m, q, y, t)
            if step == REFUSED:
                return i
        if full:
            margins[i], probabilities[i] = r, chance
        if len(ages) > 0:
            ages[i] = age(s, t)
        if noted:
            keep(past, after(a, past, r, q, t, now, left, asked))
        flags[i] = index << CLASS | ASKED * asked | step
    return len(labels)
