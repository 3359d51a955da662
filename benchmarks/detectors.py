"""`python -m benchmarks.detectors [--alone]`: alarms of LeadingHistory and of River's detectors.

All use the same labels: those that LeadingHistory asks for within a budget. The detectors, with
their default settings, receive the mistakes of a Bayesian Perceptron that learns from these labels
and restarts at each alarm; `--alone` leaves them out. Letter is played if `SELECTRON_DATA` names
its folder.
"""

import os
import sys
from collections.abc import Callable, Iterable
from itertools import islice, product
from typing import Any, NamedTuple

import numpy as np
from experiments import datasets
from river import drift
from river.datasets import synth

from selectron import OnlineClassifier
from selectron.askers import Budget
from selectron.evaluate import Drifts
from selectron.learners import BayesianPerceptron, LeadingHistory
from selectron.streams import digits, switching_gaussian

WITHIN = 250  # rows after a switch in which drift must have begun
RATES = 0.1, 0.4
SEEDS = 10
N = 10_000


def one_hot(seed: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return four columns of three categories, and labels that do not depend on them."""
    random = np.random.default_rng(seed)
    return np.eye(3)[random.integers(0, 3, (N, 4))].reshape(N, 12), random.integers(0, classes, N)


def noisy(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a hyperplane at rest, with as much noise as signal."""
    random = np.random.default_rng(seed)
    X, w = random.standard_normal((N, 20)), random.standard_normal(20)
    return X, np.where(X @ w + np.linalg.norm(w) * random.standard_normal(N) >= 0, 1, -1)


def flipped(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a hyperplane at rest, with three labels of ten wrong."""
    random = np.random.default_rng(seed)
    X, w = random.standard_normal((N, 5)), random.standard_normal(5)
    return X, np.where((X @ w >= 0) == (random.random(N) < 0.3), -1, 1)


def generated(make: Callable, concepts: Iterable[int], rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return concepts of a generator of River, one after the other."""
    pairs = [pair for k in concepts for pair in islice(make(k), rows)]
    return np.array([list(x.values()) for x, _ in pairs], float), np.array([y for _, y in pairs])


def stagger(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return STAGGER's concepts in turn, one-hot."""
    X, y = generated(lambda k: synth.STAGGER(k % 3, seed=seed + k), range(10), 1000)
    return np.hstack([(column[:, None] == np.unique(column)) * 1.0 for column in X.T]), y


def letters(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Letter's 26 classes at random, at rest."""
    data = datasets.letter()
    return data.X[(order := np.random.default_rng(seed).permutation(len(data.y)))], data.y[order]


STREAMS: dict[str, tuple[int, Callable]] = {  # rows between two switches, and the stream of a seed
    "switching Gaussian": (500, lambda seed: switching_gaussian(N, every=500, seed=seed)),
    "20 features, every 500": (500, lambda seed: switching_gaussian(N, d=20, every=500, seed=seed)),
    "20 features": (1000, lambda seed: switching_gaussian(N, d=20, every=1000, seed=seed)),
    "digits, shifting": (500, lambda seed: digits(every=500, seed=seed)),
    "STAGGER": (1000, stagger),
    "hyperplane": (
        1000,
        lambda seed: generated(
            lambda k: synth.Hyperplane(seed=seed * 10 + k, n_drift_features=0), range(10), 1000
        ),
    ),
    "at rest: Gaussian": (N, lambda seed: switching_gaussian(N, d=20, every=N, seed=seed)),
    "at rest: noisy Gaussian": (N, noisy),
    "at rest: wrong labels": (N, flipped),
    "at rest: one-hot, 2 random classes": (N, lambda seed: one_hot(seed, 2)),
    "at rest: one-hot, 3 random classes": (N, lambda seed: one_hot(seed, 3)),
    "at rest: SEA": (
        N,
        lambda seed: generated(lambda k: synth.SEA(k, seed=seed, noise=0.1), [seed % 4], N),
    ),
    "at rest: radial basis functions": (
        N,
        lambda seed: generated(lambda _: synth.RandomRBF(seed, seed), [0], N),
    ),
}
if "SELECTRON_DATA" in os.environ:
    STREAMS["at rest: Letter"] = (20_000, letters)
DETECTORS: dict[str, Callable] = {
    "ADWIN": drift.ADWIN,
    "DDM": drift.binary.DDM,
    "Page-Hinkley": drift.PageHinkley,
}


class Found(NamedTuple):
    """Alarms compared with the true switches."""

    hits: float  # share of the switches that are detected
    delays: list[int]  # rows from the detected switches to where drift began
    waits: list[int]  # rows from the detected switches to the alarms
    alarms: float  # per thousand rows, without a switch


def compared(began: list[int], alarms: list[int], n: int, every: int) -> Found:
    """Match every switch with the first drift that began soon after it; others are false."""
    delays, waits = [], []
    for switch in range(every, n, every):
        soon = [pair for pair in zip(began, alarms, strict=True) if 0 <= pair[0] - switch < WITHIN]
        delays += [first - switch for first, _ in soon[:1]]
        waits += [alarm - switch for _, alarm in soon[:1]]
    hits = len(delays) / max(1, len(range(every, n, every)))
    return Found(hits, delays, waits, 1000 * (len(began) - len(delays)) / n)


def detected(detector: Any, X: np.ndarray, y: np.ndarray, asked: np.ndarray) -> list[int]:
    """Return the rows at which a detector raises an alarm, from mistakes on asked labels."""
    events: list[int] = []
    watched: OnlineClassifier | None = None
    for i in np.flatnonzero(asked).tolist():
        x, label = X[i : i + 1], y[i : i + 1]
        if watched is not None:
            detector.update(bool(watched.predict(x)[0] != label[0]))
        if watched is None or detector.drift_detected:
            events += [i] if watched is not None else []
            watched = OnlineClassifier(BayesianPerceptron(s0=0.5), fit_intercept=False)
        watched.partial_fit(x, label, classes=np.unique(y))
    return events


def played(stream: str, rate: float, seed: int) -> dict[str, Found]:
    """Play one pass, and return the outcome of each detector."""
    every, make = STREAMS[stream]
    X, y = make(seed)
    clf = OnlineClassifier(LeadingHistory(), Budget(rate), fit_intercept=False, random_state=seed)
    run = clf.run(X, y)
    drifts = Drifts()
    drifts.add(run.evidence)
    found = {"LeadingHistory": compared(drifts.rounds, drifts.alarms, len(y), every)}
    for name, detector in {} if "--alone" in sys.argv else DETECTORS.items():
        events = detected(detector(), X, y, run.asked)
        found[name] = compared(events, events, len(y), every)
    return found


def row(passes: list[Found]) -> str:
    """Return the means over passes, and the median of delays, as text."""
    late = []
    for name in ("delays", "waits"):
        rows = [rows for found in passes for rows in getattr(found, name)]
        late.append(f"{np.median(rows):.0f}" if rows else "-")
    hits, alarms = (
        np.mean([getattr(found, name) for found in passes]) for name in ("hits", "alarms")
    )
    return f"{hits:.0%} | {' | '.join(late)} | {alarms:.2f}"


def main() -> None:
    """Print a table of means over the seeds."""
    head = "began after, rows | alarm after, rows | false alarms per 1,000 rows"
    print(f"| stream, labels | detector | detected | {head} |")
    print("|---|---|---|---|---|---|")
    for stream, rate in product(STREAMS, RATES):
        passes = [played(stream, rate, seed) for seed in range(SEEDS)]
        for name in passes[0]:
            cells = row([found[name] for found in passes])
            print(f"| {stream}, {rate:.0%} | {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
