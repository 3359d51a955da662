"""Many classes, jointly: a step moves the right class and its closest rival apart.

A class k has the score <w_k, x>. The label b and its rival a are ordered by number, lo < hi, and
the step goes along z = e_hi (x) x - e_lo (x) x, with m = score_hi - score_lo and y = +1 if b is hi:
so, in first order, two classes give what `binary` gives on rows sqrt(2) x, ties included. In second
order every class has a P of its own: q = q_hi + q_lo, and the step changes P of these two classes
only. That is the block form, K d^2 / 2 numbers, which leaves out how the weights of two classes
vary together; the exact joint one, with a matrix over all K d weights, is `exact.py`.

Sources: Crammer, Dekel, Keshet, Shalev-Shwartz & Singer, "Online Passive-Aggressive Algorithms"
(JMLR 2006), section 8; Yang, Jin & Ye, "Online Learning by Ellipsoid Method" (ICML 2009).
"""

import math

from ..engine.arithmetic import reassociated
from ..engine.bind import apart, blank
from ..engine.loop import REFUSED, STRAINED, UPDATED
from ..engine.round import Round, ShapeStep, Step
from ..engine.scales import shaped
from ..spaces.scalars import SQUARE
from .stack import BEST, COUNT, NOTE, SECOND

steps = step = feasible = noted = blank  # the learner
inner = length = form = ceiling = move = full = square = trim = blank  # the space
score_all = ceiling_all = blank  # the space, of all classes in a stack
still = shrunk = turned = blank  # the order, below
at = blank  # (s, k) -> what the space keeps of class k
rivals = blank  # (scores, ranks, relevant, y) -> the classes to tell apart: relevant, irrelevant


def share(normalize):
    """Return what each of two classes takes of w, so that their gap is what w gave.

    Where rows are brought to unit length, it is z that is, which is longer than x by sqrt(2).
    """
    return math.sqrt(0.5) if normalize else 0.5


def margin(s, rows, i):
    """Score every class, and return the gap between the two best."""
    score_all(s, rows, i)
    return gap(s.scores, s.ranks)


def one_by_one(s, rows, i):
    """Score every class: for spaces that have no quicker way to score all."""
    for k in range(len(s.scores)):
        s.scores[k] = inner(at(s, k), rows, i)


def gap(scores, ranks):
    """Rank the scores and return the gap between the two best; of equal ones, the last wins.

    It is given arrays, not the state, and there are no jumps that depend on the scores: the two
    best values come first, then their places.
    """
    top, runner = two_best(scores)
    best = second = 0
    for k in range(len(scores)):
        best = k if scores[k] == top else best
        second = k if scores[k] == runner else second
    if not top > runner:  # then both are the last of the equal ones
        second = 0
        for k in range(best):
            second = k if scores[k] == runner else second
    ranks[BEST], ranks[SECOND] = best, second
    return top - runner + 0.0 * total(scores)  # NaN if any score is


def two_best(scores):
    """The two best values: every fourth score by itself, so that none waits for the one before."""
    a = b = c = d = -math.inf, -math.inf
    fours = len(scores) - len(scores) % 4
    for k in range(0, fours, 4):
        a, b = better(a, scores[k]), better(b, scores[k + 1])
        c, d = better(c, scores[k + 2]), better(d, scores[k + 3])
    for k in range(fours, len(scores)):
        a = better(a, scores[k])
    return merged(merged(a, b), merged(c, d))


def better(pair, value):
    """The two best of a pair, the better one first, and a value."""
    top, runner = pair
    lesser = top if top < value else value
    return (top if top > value else value), (runner if runner > lesser else lesser)


def merged(pair, other):
    """The two best of two pairs."""
    top, runner = better(pair, other[0])
    return top, (runner if runner > other[1] else other[1])


@reassociated
def total(scores):
    """Sum of the scores."""
    found = 0.0
    for k in range(len(scores)):
        found += scores[k]
    return found


def extent(rows, i):
    """<z, z>."""
    return 2 * length(rows, i)


def spread(s, rows, i):
    """q of the two best classes."""
    return form(at(s, s.ranks[BEST]), rows, i) + form(at(s, s.ranks[SECOND]), rows, i)


def limit(s, zz):
    """No pair of classes has more than twice the largest q of one class."""
    return 2 * ceiling_all(s, zz / 2)


def ceilings(s, xx):
    """An upper bound of q for every class, for spaces that have no quicker one."""
    most = 0.0
    for k in range(len(s.scores)):
        most = max(most, ceiling(at(s, k), xx))
    return most


def crowded(s, rows, i):
    """Is there too little room with any class?"""
    found = False
    for k in range(len(s.scores)):
        found = found or full(at(s, k), rows, i)
    return found


def predicted(s, m):
    """The class with the best score."""
    return s.ranks[BEST]


def copied(s, scale, scores, i):
    """Record the scores of all classes."""
    for k in range(len(s.scores)):
        scores[i, k] = s.scores[k] / scale


def nearest(scores, ranks, relevant, y):
    """The label's class, and the best of the others."""
    b = y - 1
    return b, ranks[SECOND] if ranks[BEST] == b else ranks[BEST]


def versus(scores, ranks, relevant, scale, y):
    """The pair that the label tells apart, (hi, lo, m, y); lo is -1 if there is none."""
    b, a = rivals(scores, ranks, relevant, y)
    hi, lo = max(a, b), min(a, b)
    return hi, lo, (scores[hi] - scores[lo]) / scale, 1.0 if b == hi else -1.0


def truth(s, scale, m, y):
    """m and y of the pair that the label tells apart."""
    _, _, m, sign = versus(s.scores, s.ranks, s.relevant, scale, y)
    return m, sign


def square_all(s):
    """<w, w> over all classes."""
    total = 0.0
    for k in range(len(s.scores)):
        total += s.scalars[k, SQUARE]
    return total


def due(p, s, scale, m, y):
    """Does the learner step on the pair? There is none if all classes are relevant, or none is."""
    _, lo, m, sign = versus(s.scores, s.ranks, s.relevant, scale, y)
    return lo >= 0 and steps(p, m, sign)


@apart
def learn(p, s, rows, i, scale, m, q, y, t):
    """Step on the pair that the label tells apart."""
    hi, lo, m, sign = versus(s.scores, s.ranks, s.relevant, scale, y)
    above, below = form(at(s, hi), rows, i), form(at(s, lo), rows, i)
    now = Round(m, shaped(scale, above + below), sign, s.tally[COUNT], square_all(s), s.tally[NOTE])
    way = step(p, now)
    moved = part(p, s, rows, i, scale, hi, above, way)
    moved = moved and part(p, s, rows, i, scale, lo, below, turned(way))
    if not (moved and rest(s, rows, i, scale, hi, lo, way)):
        return REFUSED
    s.tally[COUNT] += 1
    s.tally[NOTE] = noted(p, now)
    return UPDATED if feasible(p, now) else UPDATED | STRAINED


@apart
def part(p, s, rows, i, scale, k, q, way):
    """Step with class k alone; `form` has been called for it, and gave q."""
    c = at(s, k)
    now = Round(s.scores[k] / scale, shaped(scale, q), 1.0, s.tally[COUNT], square(c), 0.0)
    done = move(c, rows, i, scale, now, way)
    trim(p, c, rows)
    return done


@apart
def rest(s, rows, i, scale, hi, lo, way):
    """Shrink the classes that do not take part, as those that do."""
    if still(way):
        return True
    for k in range(len(s.scores)):
        if k != hi and k != lo and not shrunk(at(s, k), rows, i, way):
            return False
    return True


def turned_first(way):
    """The same step for the class that is pushed back."""
    return Step(way.keep, -way.eta)


def turned_second(way):
    """The same step for the class that is pushed back."""
    return ShapeStep(-way.eta, way.mu, way.nu)


def still_first(way):
    """Do all other classes stay as they are?"""
    return way.keep == 1.0


def still_second(way):
    """All other classes stay as they are: nothing shrinks in second order."""
    return True


@apart
def shrunk_first(c, rows, i, way):
    """w_k <- keep w_k; True, or False if that was not finite."""
    return move(c, rows, i, 1.0, Round(0.0, 0.0, 1.0, 0.0, square(c), 0.0), Step(way.keep, 0.0))


def shrunk_second(c, rows, i, way):
    """Nothing shrinks in second order, so that this is not called."""
    return True
