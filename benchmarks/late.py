"""`python -m benchmarks.late [--choose]`: labels that come late, at a tenth of the labels.

Accuracy of `LeadingHistory` with the default budget, whose worth counts the less, the more labels
are on their way; of the same without that; and of random rows. Concepts switch every 1,000 rows.
`--choose` takes the seeds on which the constant of `askers.budget` was chosen.
"""

import sys
import time
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import numpy as np
from river.datasets import synth

import selectron.askers.budget
from selectron import OnlineClassifier
from selectron.askers import Budget
from selectron.learners import LeadingHistory
from selectron.streams import switching_gaussian

N, EVERY, RATE = 10_000, 1000, 0.1
DELAYS = 0, 50, 200, 500
SEEDS, CHOOSING = range(10, 15), range(3)


def joined(make: Callable, concepts: Iterable[int], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a stream of River's generators, one for each concept."""
    pairs = [
        pair for i, k in enumerate(concepts) for pair in islice(make(k, seed * 100 + i), EVERY)
    ]
    return np.array([list(x.values()) for x, _ in pairs], float), np.array([y for _, y in pairs])


def order(classes: int, seed: int) -> list[int]:
    """Return concepts at random, none twice in a row."""
    random, found = np.random.default_rng(seed), [0]
    while len(found) < N // EVERY:
        found.append(int((found[-1] + random.integers(1, classes)) % classes))
    return found


def stagger(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return STAGGER's three concepts in turn, one-hot."""
    X, y = joined(lambda k, s: synth.STAGGER(k, seed=s), [i % 3 for i in range(N // EVERY)], seed)
    return np.hstack([(column[:, None] == np.unique(column)) * 1.0 for column in X.T]), y


STREAMS: dict[str, Callable[[int], Any]] = {
    "STAGGER": stagger,
    "SEA": lambda seed: joined(lambda k, s: synth.SEA(k, seed=s, noise=0.1), order(4, seed), seed),
    "Agrawal": lambda seed: joined(lambda k, s: synth.Agrawal(k, seed=s), order(10, seed), seed),
    "hyperplane": lambda seed: joined(
        lambda k, _: synth.Hyperplane(seed=seed * 10 + k, n_drift_features=0), order(10, seed), seed
    ),
    "switching Gaussian": lambda seed: switching_gaussian(N, d=20, every=EVERY, seed=seed),
    "Gaussian at rest": lambda seed: switching_gaussian(N, d=20, every=N, seed=seed),
}
ASKERS: dict[str, tuple[float, dict[str, Any]]] = {  # what replaces STALE, and a budget's options
    "default": (selectron.askers.budget.STALE, {}),
    "worth as it is": (1e9, {}),
    "random rows": (1e9, {"saved": 0, "audits": 1}),
}


def row(stream: str, asker: str, seeds: Iterable[int]) -> list[str]:
    """Return mean accuracies at all delays, and rows a second with the second of them."""
    stale, options = ASKERS[asker]
    selectron.askers.budget.STALE = stale  # before its code is compiled
    cells = []
    for delay in DELAYS:
        found = []
        for seed in seeds:
            X, y = STREAMS[stream](seed)
            clf = OnlineClassifier(LeadingHistory(), Budget(RATE, **options), random_state=seed)
            run = clf.run(X, y, delay=delay)
            found.append(run.accuracy)
        cells.append(f"{np.mean(found):.3f}")
    return cells


def speed() -> None:
    """Print how fast labels that are late are learned, compared with labels that come at once."""
    X, y = switching_gaussian(20_000, seed=0)
    for delay in (None, 0, 1, 10, 200):
        times = []
        for _ in range(3):
            clf = OnlineClassifier(LeadingHistory(), Budget(RATE), random_state=0)
            clf.run(X[:10], y[:10])
            start = time.process_time()
            clf.run(X, y, delay=delay)
            times.append(time.process_time() - start)
        print(f"delay {delay}: {len(y) / min(times):,.0f} rows/s")


def main() -> None:
    """Print a table, and speeds."""
    from selectron.model import compose

    seeds = CHOOSING if "--choose" in sys.argv else SEEDS
    print(f"| stream | asker | {' | '.join(f'{delay} rows late' for delay in DELAYS)} |")
    print("|---|---|" + "---|" * len(DELAYS))
    for asker in ASKERS:
        compose._loop.cache_clear()
        for stream in STREAMS:
            print(f"| {stream} | {asker} | {' | '.join(row(stream, asker, seeds))} |", flush=True)
    compose._loop.cache_clear()
    speed()


if __name__ == "__main__":
    main()
