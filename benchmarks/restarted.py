"""`python -m benchmarks.restarted`: what it costs `LeadingHistory` to find switches itself.

Against it plays a `LeadingHistory` that starts again at every switch of the concept, with as many
labels in all. The streams are those of `benchmarks.streams` whose switches are abrupt.
"""

from itertools import pairwise

import numpy as np

from benchmarks.streams import SEEDS, STREAMS, N, lasting, leading
from benchmarks.tables import show
from selectron import Budget, OnlineClassifier

PIECES = {"sine": 4, "mixed": 4, "STAGGER": 10, "SEA": 4, "Agrawal": 4}  # of equal length
SHARES = 0.05, 0.1, 0.2
CLOSE = 0.002  # of the rows: the difference in labels that is accepted


def switches(name: str, seed: int) -> np.ndarray:
    """Return the rows with which concepts begin, but for the first."""
    if name in PIECES:
        return np.arange(1, PIECES[name]) * (N // PIECES[name])
    random = np.random.default_rng(seed)
    random.standard_normal((N, 20))  # the rows, which are drawn first
    return np.flatnonzero(np.diff(lasting(random, False))) + 1


def restarted(X: np.ndarray, y: np.ndarray, cuts: list[int], rate: float, seed: int) -> np.ndarray:
    """Return accuracy and share of labels of learners that start again at every switch."""
    found = np.zeros(2)
    for start, stop in pairwise([0, *cuts, N]):
        clf = OnlineClassifier(asker=Budget(rate=rate), classes=[-1, 1], random_state=seed)
        run = clf.run(X[start:stop], y[start:stop])
        found += (stop - start) / N * np.array([run.accuracy, run.asked.mean()])
    return found


def gap(name: str, share: float, seed: int) -> float:
    """Return by how many points of accuracy `LeadingHistory` is ahead of one that starts again."""
    X, y = STREAMS[name](seed, False)
    run = leading(None, X, y, share, seed)
    wanted, rate = run.asked.mean(), share
    for _ in range(5):
        accuracy, asked = restarted(X, y, switches(name, seed).tolist(), rate, seed)
        if abs(asked - wanted) < CLOSE:
            break
        rate = min(1.0, rate * wanted / asked)
    return 100 * float(run.accuracy - accuracy)


def main() -> None:
    """Print a table of means, and the mean of all streams."""
    names = [*PIECES, "Gaussian, abrupt"]
    table = np.array([[[gap(n, s, seed) for seed in SEEDS] for s in SHARES] for n in names])
    means = [*table.mean(axis=2), table.mean(axis=(0, 2))]
    rows = [
        (name, *(f"{x:+.1f}" for x in row))
        for name, row in zip([*names, "mean"], means, strict=True)
    ]
    show(("ahead of one that starts again", *(f"{share:.0%}" for share in SHARES)), rows)


if __name__ == "__main__":
    main()
