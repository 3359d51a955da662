"""`python -m benchmarks.elastic`: is anything between an L1 and an L2 constraint worth having?

The elastic net keeps share |w|_1 + (1 - share) ||w||^2 / 2 below a limit. Its step is the nearest
point with margin 1 within that limit: soft thresholding by one multiplier, margin 1 by another,
both found by bisection. Four phases of USPS as in `experiments/large_margin.py`; the limit is
chosen on the first two, and the errors are those of the others.
"""

from collections.abc import Iterator

import numba
import numpy as np
from experiments.trials.large_margin import stream

from benchmarks.tables import show

SHARES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
LIMITS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0)
TRIALS, HALVINGS = 5, 40


@numba.njit(cache=True)
def shrunk(v, by, share):
    """Return the minimiser of ||u - v||^2 / 2 + by N(u)."""
    return np.sign(v) * np.maximum(np.abs(v) - by * share, 0.0) / (1 + by * (1 - share))


@numba.njit(cache=True)
def size(w, share):
    """Return N(w)."""
    return share * np.abs(w).sum() + (1 - share) * (w @ w) / 2


@numba.njit(cache=True)
def to_margin(w, z, by, share):
    """Return the minimiser with margin <u, z> of 1 or more."""
    found = shrunk(w, by, share)
    if found @ z >= 1:
        return found
    low, high = 0.0, 1.0
    while shrunk(w + high * z, by, share) @ z < 1 and high < 1e9:
        high *= 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if shrunk(w + middle * z, by, share) @ z < 1:
            low = middle
        else:
            high = middle
    return shrunk(w + high * z, by, share)


@numba.njit(cache=True)
def step(w, z, limit, share):
    """Return the nearest point with margin 1 and N of `limit` at most, or close to both."""
    found = to_margin(w, z, 0.0, share)
    if size(found, share) <= limit:
        return found
    low, high = 0.0, 1e4
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if size(to_margin(w, z, middle, share), share) > limit:
            low = middle
        else:
            high = middle
    return to_margin(w, z, high, share)


@numba.njit(cache=True)
def mistakes(X, y, limit, share):
    """Return the mistakes in the first and in the second half."""
    w, wrong = np.zeros(X.shape[1]), np.zeros(2)
    for i in range(len(X)):
        z = y[i] * X[i]
        margin = w @ z
        wrong[2 * i // len(X)] += margin < 0 or (margin == 0 and y[i] < 0)
        if margin < 1 and z @ z > 0:
            w = step(w, z, limit, share)
    return wrong


def elastic() -> Iterator[tuple[str, str, str]]:
    """Yield (share of L1, mean error, errors of the trials)."""
    streams = [stream("usps", trial) for trial in range(TRIALS)]
    for share in SHARES:
        errors = []
        for X, y in streams:
            halves = np.array([mistakes(X, y.astype(float), limit, share) for limit in LIMITS])
            errors.append(halves[halves[:, 0].argmin(), 1] / (len(y) // 2))
        yield f"{share:g}", f"{np.mean(errors):.2%}", ", ".join(f"{e:.1%}" for e in errors)


if __name__ == "__main__":
    show(("Share of L1", "error", "trials"), elastic())
