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
from typing import Any

from ..engine.arithmetic import reassociated
from ..engine.bind import apart
from ..engine.parts import VAST, asker, classes, learner, space
from ..engine.round import REFUSED, STRAINED, UPDATED, Round
from ..engine.scales import shaped
from ..spaces.scalars import SQUARE
from .stack import BEST, COUNT, NOTE, SECOND


def share(normalize: Any) -> Any:
    """Return what each of two classes takes of w, so that their gap is what w gave.

    Where rows are brought to unit length, it is z that is, which is longer than x by sqrt(2).
    """
    return math.sqrt(0.5) if normalize else 0.5


def margin(s: Any, rows: Any, i: int) -> float:
    """Score every class, and return the gap between the two best."""
    space.score_all(s, rows, i)
    return gap(s.scores, s.ranks)


def gap(scores: Any, ranks: Any) -> float:
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


def two_best(scores: Any) -> tuple[float, float]:
    """The two best values: every fourth score by itself, so that none waits for the one before."""
    a = b = c = d = -math.inf, -math.inf
    fours = len(scores) - len(scores) % 4
    for k in range(0, fours, 4):
        a, b = better(a, scores[k]), better(b, scores[k + 1])
        c, d = better(c, scores[k + 2]), better(d, scores[k + 3])
    for k in range(fours, len(scores)):
        a = better(a, scores[k])
    return merged(merged(a, b), merged(c, d))


def better(pair: tuple[float, float], value: float) -> tuple[float, float]:
    """The two best of a pair, the better one first, and a value."""
    top, runner = pair
    lesser = top if top < value else value
    return (top if top > value else value), (runner if runner > lesser else lesser)


def merged(pair: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """The two best of two pairs."""
    top, runner = better(pair, other[0])
    return top, (runner if runner > other[1] else other[1])


@reassociated
def total(scores: Any) -> float:
    """Sum of the scores."""
    found = 0.0
    for k in range(len(scores)):
        found += scores[k]
    return found


def extent(rows: Any, i: int) -> float:
    """<z, z>."""
    return 2 * space.length(rows, i)


def spread(s: Any, rows: Any, i: int) -> float:
    """q of the two best classes."""
    best, second = space.at(s, s.ranks[BEST]), space.at(s, s.ranks[SECOND])
    return space.form(best, rows, i) + space.form(second, rows, i)


def limit(s: Any, zz: float) -> float:
    """No pair of classes has more than twice the largest q of one class."""
    return 2 * space.ceiling_all(s, zz / 2)


def predicted(s: Any, m: float) -> int:
    """The class with the best score."""
    return s.ranks[BEST]


def record_scores(s: Any, scale: float, scores: Any, i: int) -> None:
    """Record the scores of all classes."""
    for k in range(len(s.scores)):
        scores[i, k] = s.scores[k] / scale


def rivals(scores: Any, ranks: Any, relevant: Any, y: int) -> tuple[int, int]:
    """The label's class, and the best of the others."""
    b = y - 1
    return b, ranks[SECOND] if ranks[BEST] == b else ranks[BEST]


def versus(
    scores: Any, ranks: Any, relevant: Any, scale: float, y: int
) -> tuple[int, int, float, float]:
    """The pair that the label tells apart, (hi, lo, m, y); lo is -1 if there is none."""
    b, a = classes.rivals(scores, ranks, relevant, y)
    hi, lo = max(a, b), min(a, b)
    return hi, lo, (scores[hi] - scores[lo]) / scale, 1.0 if b == hi else -1.0


def truth(s: Any, scale: float, m: float, y: int) -> tuple[float, float]:
    """m and y of the pair that the label tells apart."""
    _, _, m, sign = versus(s.scores, s.ranks, s.relevant, scale, y)
    return m, sign


def square_all(s: Any) -> float:
    """<w, w> over all classes."""
    total = 0.0
    for k in range(len(s.scores)):
        total += s.scalars[k, SQUARE]
    return total


def due(p: Any, s: Any, scale: float, m: float, y: int) -> bool:
    """Does the learner step on the pair? There is none if all classes are relevant, or none is."""
    _, lo, m, sign = versus(s.scores, s.ranks, s.relevant, scale, y)
    return lo >= 0 and asker.trains(p, m, sign)


@apart
def learn(
    p: Any, s: Any, rows: Any, i: int, scale: float, m: float, q: float, y: int, t: float
) -> int:
    """Step on the pair that the label tells apart."""
    hi, lo, m, sign = versus(s.scores, s.ranks, s.relevant, scale, y)
    above, below = space.form(space.at(s, hi), rows, i), space.form(space.at(s, lo), rows, i)
    now = Round(m, shaped(scale, above + below), sign, s.tally[COUNT], square_all(s), s.tally[NOTE])
    way = learner.step(p, now)
    moved = part(p, s, rows, i, scale, hi, above, way)
    moved = moved and part(p, s, rows, i, scale, lo, below, space.opposite(way))
    if not (moved and rest(s, rows, i, scale, hi, lo, way)):
        return REFUSED
    if learner.scale_free(p):
        rescale(s)
    s.tally[COUNT] += 1
    s.tally[NOTE] = learner.noted(p, now)
    return UPDATED if learner.feasible(p, now) else UPDATED | STRAINED


def rescale(s: Any) -> None:
    """Divide P of all classes alike once that of one is vast."""
    most = 0.0
    for k in range(len(s.scores)):
        most = max(most, space.largest(space.at(s, k)))
    if most > VAST:
        for k in range(len(s.scores)):
            space.rescale(space.at(s, k), 1 / VAST)


@apart
def part(p: Any, s: Any, rows: Any, i: int, scale: float, k: int, q: float, way: Any) -> int:
    """Step with class k alone; `form` has been called for it, and gave q."""
    c = space.at(s, k)
    now = Round(s.scores[k] / scale, shaped(scale, q), 1.0, s.tally[COUNT], space.square(c), 0.0)
    done = space.move(c, rows, i, scale, now, way)
    space.evict(p, c, rows)
    return done


@apart
def rest(s: Any, rows: Any, i: int, scale: float, hi: int, lo: int, way: Any) -> bool:
    """Shrink the classes that do not take part, as those that do."""
    if space.still(way):
        return True
    for k in range(len(s.scores)):
        if k != hi and k != lo and not space.shrunk(space.at(s, k), rows, i, way):
            return False
    return True
