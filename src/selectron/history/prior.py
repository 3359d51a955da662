"""What former leaders of a ring knew, and what newborns have of it: dense rows.

A leader that makes room for a younger member leaves its second moment S_i = P + w w'. Of n leaders
with the mean S, and with w on the mean, the prior of a newborn has

    mean             m a b w
    second moment    (1 - m) P0 + m ((1 - a) (tr S / d) I + a S),    m = n / (n + FIRM)

P0 is the prior of a ring that has none. How far S counts is what is left when chance is taken out
(Ledoit & Wolf, "A well-conditioned estimator for large-dimensional covariance matrices", 2004):

    a = 1 - (mean |S_i|^2 - |S|^2) / (n - 1) / |S - (tr S / d) I|^2

where |S|^2 is the sum of the squares of its entries, and for the mean likewise

    b = 1 - (tr S - |w|^2) / (n - 1) / |w|^2

both 0 at least. So concepts that have something in common help each other, and others do no harm.
The constant's weight is left out. Every leader's S_i is in the units of its own birth: what is
handed down is how much a feature that varies as usual counts for.
"""

from typing import Any

from ..engine.bind import apart
from .posterior import FORMER, SQUARES
from .scaling import place

FIRM = 5.0  # leaders, after which they count by half, and by half what is thought at first
FEWEST = 3.0  # leaders that tell how far they differ


@apart
def remember(s: Any, k: int) -> None:
    """Add up what member k knows, a leader that makes room."""
    first = int(s.constant[0])
    for j in range(first, len(s.means)):
        s.means[j] += s.w[k, j]
        for i in range(first, j + 1):
            at = place(i, j)
            moment = s.triangle[k, at] + s.w[k, i] * s.w[k, j]
            s.former[at] += moment
            s.scalars[SQUARES] += square(moment, i, j)
    s.scalars[FORMER] += 1


def square(entry: float, i: int, j: int) -> float:
    """What an entry of a symmetric matrix adds to |S|^2."""
    return entry * entry * (2.0 if i < j else 1.0)


@apart
def inherit(s: Any, k: int) -> None:
    """Give member k, which has the prior of a ring without leaders, what they knew."""
    n, d, first = s.scalars[FORMER], len(s.w[k]), int(s.constant[0])
    if n < FEWEST:
        return
    total, mine = trace(s) / n, n / (n + FIRM)
    theirs = mine * likeness(s, total / (d - first))
    mean = theirs * direction(s, total) / n
    for j in range(first, d):
        s.w[k, j] = mean * s.means[j]
        for i in range(first, j + 1):
            at = place(i, j)
            own = (1 - mine) * s.triangle[k, at]
            if i == j:
                own += (mine - theirs) * total / (d - first)
            s.triangle[k, at] = own + theirs * s.former[at] / n - s.w[k, i] * s.w[k, j]


def trace(s: Any) -> Any:
    """Trace of the sum of second moments."""
    total = 0.0
    for j in range(int(s.constant[0]), len(s.means)):
        total += s.former[place(j, j)]
    return total


def likeness(s: Any, usual: float) -> Any:
    """a: how far the mean of second moments is more than chance, beside `usual` times I."""
    n, first, together, off = s.scalars[FORMER], int(s.constant[0]), 0.0, 0.0
    for j in range(first, len(s.means)):
        for i in range(first, j + 1):
            mean = s.former[place(i, j)] / n
            together += square(mean, i, j)
            off += square(mean - (usual if i == j else 0.0), i, j)
    chance = (s.scalars[SQUARES] / n - together) / (n - 1)
    return max(0.0, 1 - max(0.0, chance) / off) if off > 0 else 0.0


def direction(s: Any, total: float) -> Any:
    """b: how far the mean of w is more than chance; `total` is tr S."""
    n, length = s.scalars[FORMER], 0.0
    for j in range(int(s.constant[0]), len(s.means)):
        length += (s.means[j] / n) ** 2
    return max(0.0, 1 - (total - length) / (n - 1) / length) if length > 0 else 0.0
