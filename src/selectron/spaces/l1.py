"""The nearest point with margin 1 in an L1 ball, exactly: what a step of eq. 3.9 amounts to.

    minimise |v - w|^2 / 2   subject to   <v, z> >= 1,  |v|_1 <= beta          (z = y x)

v = soft(w + tau z, theta), each of tau, theta >= 0 being 0 unless its constraint is tight. With
theta = 0 this is the passive-aggressive step; where that leaves the ball, both constraints are
tight. Then v = p - n with p, n >= 0, and every coordinate of p and n is an entry

    u = max(0, a - t (1 - slope) - level)

in units of beta for u and a, and of the largest |z| for slope; a and slope are w and z but for the
sign. The entries sum to 1, which gives the level for every t. Their <u, slope> then grows with t,
piecewise linearly, up to the 1 / (beta |z|_max) that is wanted: Newton's method in a bracket ends
on the right piece, where it is exact. t = tau |z|_max / beta multiplies 1 - slope, not slope, since
nothing that is left in the solution is large then, however large tau.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..engine.arithmetic import dot, reassociated
from ..engine.bind import allocating

MOST = 400  # rounds of a search, never met: halving a bracket of doubles takes some 60
CONSTANT = -1  # as if it were a feature before all others
NEAR = 1e-14  # of the margin in its unit, beta |z|_max: `refine` sees to the rest


class Coordinates(NamedTuple):
    """What a step is about: where w or x is not 0, and the constant in front of all."""

    of: np.ndarray  # the feature, or CONSTANT
    w: np.ndarray
    z: np.ndarray  # y x, for x scaled


class Found(NamedTuple):
    """The point, and whether it has margin 1."""

    v: np.ndarray
    feasible: bool


class Entries(NamedTuple):
    """The coordinates of p and n that may be above 0."""

    of: np.ndarray  # which coordinate of v
    sign: np.ndarray  # 1.0 in p, -1.0 in n
    a: np.ndarray  # sign w / beta
    slope: np.ndarray  # sign z / |z|_max


class Spread(NamedTuple):
    """The slopes of the entries above 0: counted from one of them, or near ties would be lost."""

    n: int
    first: float
    mean: float  # less `first`
    squares: float  # sum of squared deviations from the mean


def nearest(c: Any, beta: float) -> Found:
    """Return the point nearest to w, which is in the ball already and has not margin 1.

    If no point of the ball has margin 1, it is the corner with the largest margin: all weight on
    the largest |z|, on the first feature of several such. z = 0 changes nothing.
    """
    w, z = c.w, c.z
    j = heaviest(c)
    if j < 0:
        return Found(w.copy(), True)
    most = abs(z[j])
    if beta * most <= 1:
        return Found(corner(len(z), j, math.copysign(beta, z[j])), False)
    want = 1 / (beta * most)
    t = passive(w, z, beta, most, want)
    v = moved(w, z, t * beta, most)
    v = moved(v, z, passive(v, z, beta, most, want) * beta, most)  # which takes out the rounding
    if norm(v) <= beta:
        return Found(v, True)
    e = entries(w, z, beta, most)
    t, level = search(e, want, t)
    return Found(folded(e, refined(e, want, t, level), len(w), beta), True)


def heaviest(c: Any) -> int:
    """Return where |z| is largest, the first feature of several; -1 if z is 0."""
    best, most = -1, 0.0
    for i in range(len(c.z)):
        size = abs(c.z[i])
        if size > most or (size == most and best >= 0 and c.of[i] < c.of[best]):
            best, most = i, size
    return best


@allocating
def corner(n: int, j: int, weight: Any) -> Any:
    """Return this weight at j, and 0 elsewhere."""
    v = np.zeros(n)
    v[j] = weight
    return v


@reassociated
def passive(w: np.ndarray, z: Any, beta: float, most: float, want: float) -> float:
    """Return the t of the passive-aggressive step, at which the margin is met with theta = 0."""
    met, square = 0.0, 0.0
    for i in range(len(z)):
        slope = z[i] / most
        met += slope * (w[i] / beta)
        square += slope * slope
    return (want - met) / square


@allocating
def moved(w: np.ndarray, z: Any, by: float, most: float) -> np.ndarray:
    """w + by z / |z|_max."""
    v = np.empty(len(w))
    for i in range(len(w)):
        v[i] = w[i] + by * (z[i] / most)
    return v


@reassociated
def norm(v: np.ndarray) -> float:
    """|v|_1."""
    total = 0.0
    for i in range(len(v)):
        total += abs(v[i])
    return total


@allocating
def entries(w: np.ndarray, z: Any, beta: float, most: float) -> Entries:
    """Return the entries: two where w and z have opposite signs, none where both are 0."""
    room = 2 * len(w)
    e = Entries(np.empty(room, np.int64), np.empty(room), np.empty(room), np.empty(room))
    n = 0
    for i in range(len(w)):
        for sign in (1.0, -1.0):
            if sign * w[i] > 0 or sign * z[i] > 0:
                e.of[n], e.sign[n] = i, sign
                e.a[n], e.slope[n] = sign * w[i] / beta, sign * z[i] / most
                n += 1
    return Entries(e.of[:n], e.sign[:n], e.a[:n], e.slope[:n])


def search(e: Entries, want: float, low: float) -> tuple[float, float]:
    """Return the t at which <u, slope> is `want`, and its level; t is not below `low`.

    The last step's theta and tau are no better to start from than theta = 0 and the tau that is
    the answer for it: the rows differ too much.
    """
    high = 3 / (1 - want)  # as |w|_1 <= beta, t (1 - slope) <= 3 for all that is above 0
    t, level = low, -low
    for k in range(MOST):
        level = leveled(e, t, level)
        lacking, variance = lack(e, want, t, level)
        if abs(lacking) <= NEAR:
            break
        low, high = (t, high) if lacking > 0 else (low, t)
        newton = t + lacking / variance if variance > 0 else low
        t = newton if low < newton < high and k % 4 < 3 else low + (high - low) / 2
        if not low < t < high:
            break
    return t, level


def leveled(e: Entries, t: float, level: float) -> float:
    """Return the level at which the entries sum to 1; Newton's method, from any level.

    The sum is convex in the level, and falls: after one step the level is too low, and grows.
    """
    for k in range(MOST):
        count, total = above(e, t, level)
        if count == 0:
            level = top(e, t) - 1
            continue
        higher = level + (total - 1) / count
        if k > 0 and higher <= level:
            break
        level = higher
    return level


@reassociated
def above(e: Entries, t: float, level: float) -> tuple[int, float]:
    """Return how many entries are above 0, and their sum."""
    count, total = 0, 0.0
    for i in range(len(e.a)):
        u = e.a[i] - t * (1 - e.slope[i]) - level
        if u > 0:
            count += 1
            total += u
    return count, total


@reassociated
def top(e: Any, t: float) -> Any:
    """Return the largest of what the level is taken from."""
    highest = e.a[0] - t * (1 - e.slope[0])
    for i in range(1, len(e.a)):
        highest = max(highest, e.a[i] - t * (1 - e.slope[i]))
    return highest


def lack(e: Entries, want: float, t: float, level: float) -> tuple[float, float]:
    """Return what <u, slope> lacks, and how fast it grows with t."""
    u = values(e, t, level)
    return want - dot(u, e.slope), spread(e, u).squares


@allocating
def values(e: Entries, t: float, level: float) -> np.ndarray:
    """u."""
    u = np.empty(len(e.a))
    for i in range(len(u)):
        u[i] = max(0.0, e.a[i] - t * (1 - e.slope[i]) - level)
    return u


def spread(e: Entries, u: np.ndarray) -> Spread:
    """Return how the slopes of the entries above 0 are spread."""
    count, first, total, squares = 0, 0.0, 0.0, 0.0
    for i in range(len(u)):
        if u[i] > 0:
            first = e.slope[i] if count == 0 else first
            count += 1
            total += e.slope[i] - first
    for i in range(len(u)):
        if u[i] > 0:
            squares += (e.slope[i] - first - total / count) ** 2
    return Spread(count, first, total / count, squares)


def refined(e: Entries, want: float, t: float, level: float) -> np.ndarray:
    """Return u, with rounding taken out of both constraints: last steps of Newton's method."""
    u = values(e, t, level)
    for _ in range(3):
        s = spread(e, u)
        short, lacking = 1 - norm(u), want - dot(u, e.slope)
        by = (lacking - (s.first + s.mean) * short) / s.squares if s.squares > 0 else 0.0
        correct(e, u, s, short / s.n, by)
    return u


def correct(e: Entries, u: np.ndarray, s: Any, add: float, by: float) -> None:
    """u <- u + add + by (slope - its mean) where it is above 0, as far as all of that stays so."""
    share = 1.0
    for i in range(len(u)):
        change = add + by * (e.slope[i] - s.first - s.mean)
        if u[i] > 0 and u[i] + share * change < 0:
            share = -u[i] / change
    for i in range(len(u)):
        if u[i] > 0:
            u[i] = max(0.0, u[i] + share * (add + by * (e.slope[i] - s.first - s.mean)))


@allocating
def folded(e: Entries, u: np.ndarray, n: int, beta: float) -> np.ndarray:
    """Return v, of length n."""
    v = np.zeros(n)
    for i in range(len(u)):
        v[e.of[i]] += beta * e.sign[i] * u[i]
    return v
