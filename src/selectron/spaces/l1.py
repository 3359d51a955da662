"""First order in an L1 ball: the exact nearest point with margin 1 (eq. 3.9), and two spaces.

    minimise |v - w|^2 / 2   subject to   <v, z> >= 1,  |v|_1 <= beta          (z = y x)

v = soft(w + tau z, theta), tau, theta >= 0. With theta = 0 this is the passive-aggressive step; if
it leaves the ball, both constraints are tight. Then v = p - n with p, n >= 0, and every coordinate
of p and n is an entry

    u = max(0, a - t (1 - slope) - level)

where a and slope are w and z up to sign, in units of beta (u, a) and of the largest |z| (slope),
and t = tau |z|_max / beta. The entries sum to 1, which determines the level for every t; <u, slope>
is then a piecewise linear, increasing function of t, wanted to be 1 / (beta |z|_max). Newton's
method in a bracket ends on the right piece, where it is exact.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..engine.arithmetic import dot, reassociated, sparse_dot
from ..engine.bind import needs_refcounts, variant
from ..engine.round import Round
from . import dense_first, sparse_first
from .state import BIAS, COUNT, LENGTH, SQUARE, SUPPORT, Field, Limits, Table, numbers

ITERATIONS = 400  # of a search, never reached: bisection of doubles takes about 60
CONSTANT = -1  # as if it were a feature before all others
NEAR = 1e-14  # tolerance of the margin, in units of beta |z|_max; `refined` removes the rest


class Coordinates(NamedTuple):
    """The coordinates where w or x is not 0, after that of the constant."""

    of: np.ndarray  # the feature, or CONSTANT
    w: np.ndarray
    z: np.ndarray  # y x, for x scaled


class Found(NamedTuple):
    """The point found, and whether it has margin 1."""

    v: np.ndarray
    feasible: bool


class Entries(NamedTuple):
    """The coordinates of p and n that may be above 0."""

    of: np.ndarray  # which coordinate of v
    sign: np.ndarray  # 1.0 in p, -1.0 in n
    a: np.ndarray  # sign w / beta
    slope: np.ndarray  # sign z / |z|_max


class Spread(NamedTuple):
    """Moments of the slopes of the entries above 0, from the first of them to resolve near ties."""

    n: int
    first: float
    mean: float  # less `first`
    squares: float  # sum of squared deviations from the mean


@needs_refcounts
def nearest(c: Any, beta: float) -> Found:
    """Return the nearest point with margin 1, for a w in the ball whose margin is below 1.

    If no point of the ball has margin 1, return the corner with the largest margin: all weight on
    the first feature with the largest |z|. z = 0 changes nothing.
    """
    w, z = c.w, c.z
    j = heaviest(c)
    if j < 0:
        return Found(w.copy(), True)
    most = abs(z[j])
    if beta * most <= 1:
        v = np.zeros(len(z))
        v[j] = math.copysign(beta, z[j])
        return Found(v, False)
    want = 1 / (beta * most)
    t = passive(w, z, beta, most, want)
    v = w + t * beta * (z / most)
    v = v + passive(v, z, beta, most, want) * beta * (z / most)  # removes rounding errors
    if norm(v) <= beta:
        return Found(v, True)
    e = entries(w, z, beta, most)
    t, level = search(e, want, t)
    return Found(folded(e, refined(e, want, t, level), len(w), beta), True)


def heaviest(c: Any) -> int:
    """Return the place of the largest |z|, of the first feature if tied; -1 if z is 0."""
    best, most = -1, 0.0
    for i in range(len(c.z)):
        size = abs(c.z[i])
        if size > most or (size == most and best >= 0 and c.of[i] < c.of[best]):
            best, most = i, size
    return best


@reassociated
def passive(w: np.ndarray, z: Any, beta: float, most: float, want: float) -> float:
    """Return the t of the passive-aggressive step, which reaches the margin with theta = 0."""
    met, square = 0.0, 0.0
    for i in range(len(z)):
        slope = z[i] / most
        met += slope * (w[i] / beta)
        square += slope * slope
    return (want - met) / square


@reassociated
def norm(v: np.ndarray) -> float:
    """|v|_1."""
    total = 0.0
    for i in range(len(v)):
        total += abs(v[i])
    return total


@needs_refcounts
def entries(w: np.ndarray, z: Any, beta: float, most: float) -> Entries:
    """Return the entries: two for a coordinate where w and z differ in sign, none if both are 0."""
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
    """Return the t, not below `low`, at which <u, slope> is `want`, and its level.

    Starting from the last step's theta and tau would be no faster: rows differ too much.
    """
    high = 3 / (1 - want)  # as |w|_1 <= beta, t (1 - slope) <= 3 for all that is above 0
    t, level = low, -low
    for k in range(ITERATIONS):
        level = leveled(e, t, level)
        u = values(e, t, level)
        lacking, variance = want - dot(u, e.slope), spread(e, u).squares
        if abs(lacking) <= NEAR:
            break
        low, high = (t, high) if lacking > 0 else (low, t)
        newton = t + lacking / variance if variance > 0 else low
        t = newton if low < newton < high and k % 4 < 3 else low + (high - low) / 2
        if not low < t < high:
            break
    return t, level


@needs_refcounts
def leveled(e: Entries, t: float, level: float) -> float:
    """Return the level at which the entries sum to 1, by Newton's method from any level.

    The sum is convex and decreasing: after one iteration the level is too low and increases.
    """
    for k in range(ITERATIONS):
        count, total = above(e, t, level)
        if count == 0:
            level = np.max(e.a - t * (1 - e.slope)) - 1
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


@needs_refcounts
def values(e: Entries, t: float, level: float) -> np.ndarray:
    """Return u."""
    return np.maximum(0.0, e.a - t * (1 - e.slope) - level)


def spread(e: Entries, u: np.ndarray) -> Spread:
    """Return the moments of the slopes of the entries above 0."""
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
    """Return u after three more Newton steps, which remove rounding from both constraints."""
    u = values(e, t, level)
    for _ in range(3):
        s = spread(e, u)
        short, lacking = 1 - norm(u), want - dot(u, e.slope)
        by = (lacking - (s.first + s.mean) * short) / s.squares if s.squares > 0 else 0.0
        correct(e, u, s, short / s.n, by)
    return u


def correct(e: Entries, u: np.ndarray, s: Any, add: float, by: float) -> None:
    """u <- u + add + by (slope - its mean) where u > 0, shortened so that u stays above 0."""
    share = 1.0
    for i in range(len(u)):
        change = add + by * (e.slope[i] - s.first - s.mean)
        if u[i] > 0 and u[i] + share * change < 0:
            share = -u[i] / change
    for i in range(len(u)):
        if u[i] > 0:
            u[i] = max(0.0, u[i] + share * (add + by * (e.slope[i] - s.first - s.mean)))


@needs_refcounts
def folded(e: Entries, u: np.ndarray, n: int, beta: float) -> np.ndarray:
    """Return v, with n coordinates."""
    v = np.zeros(n)
    for i in range(len(u)):
        v[e.of[i]] += beta * e.sign[i] * u[i]
    return v


# The two spaces. A step on dense rows passes over w and x a few times; on sparse rows it touches
# only the non-zeros of w and x.


def moving(coordinates: Callable, put: Callable) -> Callable:
    """Return the step of a space with these functions."""

    def move(s: Any, rows: Any, i: int, scale: float, now: Round, step: Any) -> int:
        """w <- the nearest point of the ball with margin 1, for x scaled; 2 if there is none."""
        if not math.isfinite(step.radius * step.radius * now.q):  # nothing after it would be finite
            return 0
        c = coordinates(s, rows, i, now.y, scale)
        found = nearest(c, step.radius)
        put(s, c.of, found.v)
        s.scalars[SQUARE] = dot(found.v, found.v)
        s.scalars[COUNT] += 1
        return 1 if found.feasible else 2

    return move


@needs_refcounts
def with_constant(s: Any, rows: Any, y: float, scale: float, room: int) -> Coordinates:
    """Return room for coordinates, with that of the constant at the start."""
    c = Coordinates(np.empty(room, np.int64), np.zeros(room), np.zeros(room))
    c.of[0], c.w[0], c.z[0] = CONSTANT, s.scalars[BIAS], y * (rows.constant / scale)
    return c


@needs_refcounts
def dense_coordinates(s: Any, rows: Any, i: int, y: float, scale: float) -> Coordinates:
    """Return the constant and all coordinates where w or y x / scale is not 0."""
    c = with_constant(s, rows, y, scale, 1 + len(s.w))
    n = 1
    for j in range(len(s.w)):
        z = y * (rows.values[i, j] / scale)
        if s.w[j] != 0 or z != 0:
            c.of[n], c.w[n], c.z[n] = j, s.w[j], z
            n += 1
    return Coordinates(c.of[:n], c.w[:n], c.z[:n])


def dense_put(s: Any, of: np.ndarray, v: np.ndarray) -> None:
    """Write w; the constant comes first."""
    s.scalars[BIAS] = v[0]
    for k in range(1, len(of)):
        s.w[of[k]] = v[k]


dense = variant("dense_l1", dense_first, move=moving(dense_coordinates, dense_put))


def sparse_inner(s: Any, rows: Any, i: int) -> float:
    """Return <w, x>."""
    total = sparse_dot(s.w, rows.indices, rows.values, rows.indptr[i], rows.indptr[i + 1])
    return total + s.scalars[BIAS] * rows.constant


@needs_refcounts
def sparse_coordinates(s: Any, rows: Any, i: int, y: float, scale: float) -> Coordinates:
    """Return the constant, the support of w, and then the other non-zeros of x."""
    begin, end, n = rows.indptr[i], rows.indptr[i + 1], int(s.scalars[SUPPORT])
    c = with_constant(s, rows, y, scale, 1 + n + int(end - begin))
    for k in range(n):
        c.of[1 + k], c.w[1 + k] = s.support[k], s.w[s.support[k]]
    n += 1
    for k in range(begin, end):
        j, z = rows.indices[k], y * (rows.values[k] / scale)
        if s.w[j] != 0:
            c.z[1 + s.place[j]] = z
        elif z != 0:
            c.of[n], c.z[n] = j, z
            n += 1
    return Coordinates(c.of[:n], c.w[:n], c.z[:n])


def sparse_put(s: Any, of: np.ndarray, v: np.ndarray) -> None:
    """Write w and its support; the constant comes first."""
    s.scalars[BIAS] = v[0]
    n = 0
    for k in range(1, len(of)):
        j = of[k]
        s.w[j] = v[k]
        if v[k] != 0:
            s.support[n], s.place[j] = j, n
            n += 1
    s.scalars[SUPPORT] = n


def sound(s: Any) -> bool:
    """Return whether the support is that of w, which nothing checks in the loop."""
    if not TABLE.sound(s):
        return False
    support = s.support[: int(s.scalars[SUPPORT])]
    found = np.array_equal(np.sort(support), np.flatnonzero(s.w))
    return found and np.array_equal(s.place[support], np.arange(len(support)))


TABLE = Table(
    {
        "w": Field(lambda r: (r.width - 1,), power=1),  # without the constant's weight
        "support": Field(lambda r: (r.width - 1,), dtype=np.int32),  # where w is not 0, unordered
        "place": Field(lambda r: (r.width - 1,), dtype=np.int32),  # where in `support` that stands
        "scalars": numbers(
            LENGTH, {BIAS: 1, SQUARE: 2}, limits=(Limits(SUPPORT, lambda s: len(s.w)),)
        ),
    }
)
sparse = variant(
    "sparse_l1",
    sparse_first,
    **{name: getattr(TABLE, name) for name in ("State", "at", "start", "size", "scaled", "widen")},
    weights=dense_first.weights,
    inner=sparse_inner,
    move=moving(sparse_coordinates, sparse_put),
    sound=sound,
)
del sparse.score_all  # the contract's, which takes each state out of the stack
