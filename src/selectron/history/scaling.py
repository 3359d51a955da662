"""In what units the members of a ring take features: dense rows.

The size of a feature is its variance over its mean absolute deviation: large beside most of what it
deviates by where it is rarely other than usual, so that a pixel that is seldom on, or a rare word,
counts by how bright it is when it is on. A standard deviation would blow it up.

Few rows do not tell much of a size. The variance of its logarithm over n rows is about CHANCE / n,
and what sizes differ by beyond that is believed (Efron & Morris 1973):

    log size = usual + a (log own - usual),    a = 1 - (CHANCE / n) / variance of log own

where usual is the mean of log own, and a is 0 at least: features that are alike have one unit.

What is further off than FAR sizes is taken to be so far off: beyond six standard deviations of a
Gaussian feature, and more where tails are heavy. So one absurd value, or -999 for what is missing
now and then, neither moves members far nor spoils the unit. Where labelled rows are far off one
after the other, each doubles how far the next may be: then the size has changed.

Members keep up with what is learned of sizes. Where one is `ratio` times what a member took it for,
the member's w_j becomes ratio w_j, and the variance v that its prior should have had is put right:
what it knows is multiplied by exp(-tau w_j^2 / 2) with tau = (1 - 1 / ratio^2) / v. So it has
learned all its labels as if it had been born with that unit, at the cost of one step.
"""

import math
from typing import Any

from ..engine.scales import SHORTEST
from ..spaces.dense_second import update
from .experts import PRIOR
from .posterior import ALIVE, LABELS

CHANCE = 3.0  # 0.6 for a Gaussian feature, more for one with tails
TURN = 1.5  # a unit that is off by so much is put right
FAR, SETTLED = 5.0, 8.0  # sizes from the mean that a feature may be off; labels that tell of sizes


def measure(s: Any) -> None:
    """Take the units of now from all labelled rows so far."""
    d, first, n, now = s.sums.shape[1], int(s.constant[0]), s.scalars[LABELS], len(s.members)
    usual, total = typical(s), 0.0
    believed = differing(s, usual)
    for j in range(d):
        own = size_of(s, j)
        s.units[0, now, j] = s.sums[0, j] / n if first == 1 and j > 0 else 0.0
        s.units[1, now, j] = 1.0
        if j >= first and usual > 0:
            ratio = (own / usual) ** believed if own > 0 else 1.0
            s.units[1, now, j] = 1 / (usual * ratio)
            total += variance(s, j) * s.units[1, now, j] ** 2
    if total > 0:
        for j in range(first, d):
            s.units[1, now, j] *= math.sqrt((d - first) / total)


def typical(s: Any) -> float:
    """The geometric mean of all sizes; the root mean square where nothing varies yet."""
    together, squares = 0.0, 0.0
    d, first = s.sums.shape[1], int(s.constant[0])
    for j in range(first, d):
        together += size_of(s, j)
        squares += (s.sums[0, j] / s.scalars[LABELS]) ** 2
    if not together > 0:
        return math.sqrt(squares / max(1, d - first)) if squares >= SHORTEST else 0.0
    logs, count = 0.0, 0
    for j in range(first, d):
        if size_of(s, j) > 0:
            logs += math.log(size_of(s, j) / together)
            count += 1
    return together * math.exp(logs / count)


def differing(s: Any, usual: float) -> float:
    """a: how far sizes differ beyond chance."""
    apart, others = 0.0, -1
    for j in range(int(s.constant[0]), s.sums.shape[1]):
        if size_of(s, j) > 0:
            apart += math.log(size_of(s, j) / usual) ** 2
            others += 1
    return max(0.0, 1 - CHANCE / s.scalars[LABELS] * others / apart) if apart > 0 else 0.0


def size_of(s: Any, j: int) -> float:
    """Size of feature j; 0 if it does not vary."""
    apart = s.sums[2, j] / s.scalars[LABELS]
    spread = variance(s, j)
    return spread / apart if spread >= SHORTEST and apart > 0 else 0.0


def variance(s: Any, j: int) -> float:
    """Variance of feature j, or its mean square where there is no constant."""
    return s.sums[1, j] / s.scalars[LABELS]


def reached(s: Any, j: int) -> float:
    """How far from the mean feature j may be: FAR times its size, or anywhere if none is known."""
    own = size_of(s, j) if s.scalars[LABELS] >= SETTLED else 0.0
    return FAR * own if own > 0 else math.inf


def near(s: Any, j: int, value: float, reach: float) -> float:
    """The value of feature j, or the nearest one that is within this reach of the mean."""
    mean = s.constant[0] * s.sums[0, j] / max(1.0, s.scalars[LABELS])
    return min(max(value, mean - reach), mean + reach)


def rescale(s: Any) -> None:
    """Let all members take features in units that are about those of now."""
    now = len(s.members)
    for k in range(now):
        if s.members[k, ALIVE] > 0:
            for j in range(int(s.constant[0]), s.sums.shape[1]):
                ratio = s.units[1, k, j] / s.units[1, now, j]
                if ratio > TURN or ratio < 1 / TURN:
                    resize(s, k, j, ratio)


def resize(s: Any, k: int, j: int, ratio: float) -> None:
    """Let member k take the size of feature j to be `ratio` times what it took it for.

    With P and v as they are before, 1 + tau ratio^2 P_jj = 1 + (ratio^2 - 1) P_jj / v.
    """
    t, g, w = s.triangle[k], s.g[k], s.w[k]
    d = len(w)
    for i in range(d):
        g[i] = t[place(i, j)]
    own, old = g[j], w[j]
    if not own > 0:
        return
    more = 1 + (ratio * ratio - 1) * own / drawn(s, j)
    more = max(more, least(s, t, g, j, ratio))
    nu = (1 - 1 / more) / own
    for i in range(d):
        w[i] -= nu * old * g[i]
    update(t, g, 0.0, 1.0, 1.0, nu)
    for i in range(d):  # as P - nu g g' would have it, but for its rounding
        t[place(i, j)] = ratio / more * g[i]
    t[place(j, j)] *= ratio
    w[j] = ratio / more * old
    s.units[1, k, j] /= ratio


def least(s: Any, t: Any, g: Any, j: int, ratio: float) -> float:
    """What 1 + tau ratio^2 P_jj must be, for no variance to grow beyond that of a prior.

    Former leaders may have handed down more, which cannot be told from what was learned.
    """
    most = min(1.0, ratio * ratio)
    for i in range(len(g)):
        if i != j and g[i] != 0:
            room = g[j] * max(0.0, drawn(s, i) - t[place(i, i)])
            most = max(most, 1 / (1 + room / g[i] / g[i]))
    return most


def drawn(s: Any, j: int) -> float:
    """Variance of weight j under the prior of a ring that has no former leaders."""
    first = int(s.constant[0])
    return PRIOR / 2 if j < first else PRIOR / (s.sums.shape[1] - first)


def place(i: int, j: int) -> int:
    """Where the triangle has P_ij."""
    return i * (i + 1) // 2 + j if i > j else j * (j + 1) // 2 + i
