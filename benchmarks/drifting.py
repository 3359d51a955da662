"""`python -m benchmarks.drifting [STREAM ...]`: LeadingHistory on real streams, some stationary.

The other methods are tuned in hindsight for each stream and rate: their parameters, and the scaling
of rows. Their asker's parameter is fitted to each draw, so that all use the same rate of labels.
Files are read from `SELECTRON_DATA`.
"""

import math
import sys
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from experiments import datasets
from scipy.sparse import csr_matrix, issparse

from benchmarks import sets
from selectron import OnlineClassifier
from selectron.askers import BBQ, Budget, Margin
from selectron.evaluate.each import each
from selectron.learners import (
    LASEC,
    RLS,
    BayesianPerceptron,
    LeadingHistory,
    Perceptron,
    SecondOrderPerceptron,
)
from selectron.streams import shifting_classes, switching_gaussian

RATES = 0.05, 0.1, 0.2
SEEDS, ROWS = 5, 25_000  # draws, or more, until a short stream has this number of rows
WORKERS = 2
PIECE = 500  # rows, after which a pass that asks too much is stopped
HALVINGS, NEAR, FAIR = (
    12,
    0.02,
    0.1,
)  # trials to meet a rate; relative tolerance; relative error that is too large
LASECS = [LASEC(b, b * ratio) for b in (0.1, 1, 10, 100) for ratio in (10, 100, 1000, 10_000)]
SOPS = [SecondOrderPerceptron(a) for a in (0.1, 1, 10, 100)]
DOUBTS, KAPPAS = (1e-7, 1e4), (0.005, 1.0)  # range of the asker's parameter
RIVALS = {
    "LASEC-SS": (LASECS, Margin, DOUBTS),
    "SOP-SS": (SOPS, Margin, DOUBTS),
    "Perceptron-SS": ([Perceptron()], Margin, DOUBTS),
    "BBQ": ([RLS(a) for a in (0.1, 1, 10)], BBQ, KAPPAS),
}
AT_REST = {  # compared with the best single learner
    **RIVALS,
    "Bayesian Perceptron": ([BayesianPerceptron(s0) for s0 in (0.1, 0.5, 2)], Margin, DOUBTS),
}
LEAN = {  # of texts, which are slow in dual form
    **RIVALS,
    "LASEC-SS": ([LASEC(1, 100), LASEC(1, 1000), LASEC(1, 10_000)], Margin, DOUBTS),
    "SOP-SS": ([SecondOrderPerceptron(1)], Margin, DOUBTS),
    "BBQ": ([RLS(1)], BBQ, KAPPAS),
}


def of(name: str) -> Callable[[], tuple[Any, np.ndarray]]:
    """Return the reader of a set with two classes."""

    def read() -> tuple[Any, np.ndarray]:
        data = getattr(sets, name)()
        return data.X, np.where(data.y == data.classes[1], 1, -1)

    return read


def newsgroups() -> tuple[csr_matrix, np.ndarray]:
    """Return 20 Newsgroups in order of time; half of the groups matter, and others every 2,000."""
    data = datasets.newsgroups()
    return data.X, shifting_classes(data.y, every=2000, seed=0)


def a9a() -> tuple[np.ndarray, np.ndarray]:
    """Return a9a, dense."""
    data = sets.a9a()
    return data.X.toarray(), np.where(data.y == data.classes[1], 1, -1)


def threes() -> tuple[np.ndarray, np.ndarray]:
    """Return 3 against 8 of USPS, in random order."""
    data = datasets.usps()
    rows = np.random.default_rng(0).permutation(np.flatnonzero(np.isin(data.y, (3, 8))))
    return data.X[rows], np.where(data.y[rows] == 3, 1, -1)


RESTING = {
    "Gaussian": lambda: switching_gaussian(10_000, every=10_000, seed=0),
    "a9a": a9a,
    "USPS 3/8": threes,
}
STREAMS = {
    "Elec2": of("electricity"),
    "weather": of("weather"),
    "Luxembourg": of("luxembourg"),
    "chess": of("chess"),
    "spam corpus": of("spam"),
    "20 Newsgroups": newsgroups,
    **RESTING,
}
read: dict[str, tuple[Any, np.ndarray]] = {}
Ends = tuple[float, float]


class Way(NamedTuple):
    """How rows are scaled, and what learns from them."""

    scaling: str
    learner: Any


class Met(NamedTuple):
    """The result of a pass with this value of the asker's parameter."""

    value: float
    share: float
    accuracy: float


def stream(name: str, scaling: str) -> tuple[Any, np.ndarray]:
    """Return a stream, with each feature standardised over all of it on request."""
    if name not in read:
        read[name] = STREAMS[name]()
    X, y = read[name]
    if scaling == "standardised":
        X = standardised(X)
    return X, y


def standardised(X: np.ndarray) -> np.ndarray:
    """Return features of mean 0 and variance 1, constant ones as 0."""
    return (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)


def passed(name: str, way: Way, asker: Any, seed: int, most: float = 1.0) -> tuple[float, float]:
    """Play one pass over a stream of these: see `played`."""
    return played(*stream(name, way.scaling), way, asker, seed, most)


def played(
    X: Any, y: np.ndarray, way: Way, asker: Any, seed: int, most: float = 1.0
) -> tuple[float, float]:
    """Play one pass; return the rate of labels and accuracy, (1, 0) if the rate exceeds `most`."""
    n, asked, right = len(y), 0.0, 0.0
    clf = OnlineClassifier(
        way.learner,
        asker,
        normalize=way.scaling == "unit length",
        kernel="linear" if issparse(X) and hasattr(way.learner, "shape") else None,
        random_state=seed,
    )
    for start in range(0, n, PIECE):
        rows = slice(start, min(n, start + PIECE))
        run, size = clf.run(X[rows], y[rows], margins=False), rows.stop - start
        asked, right = asked + run.label_rate * size, right + run.accuracy * size
        if asked > most * n:
            return 1.0, 0.0
    return asked / n, right / n


def met(name: str, way: Way, asker: Any, between: Ends, rate: float, seed: int) -> Met:
    """Return the pass over a stream of these whose rate of labels is nearest to `rate`."""
    return nearest(lambda value: passed(name, way, asker(value), seed, 2 * rate), between, rate)


def nearest(play: Callable[[float], tuple[float, float]], between: Ends, rate: float) -> Met:
    """Return the pass whose rate of labels is nearest to `rate`, by bisection if possible."""
    low, high = between
    closest = Met(low, math.inf, 0.0)
    for _ in range(HALVINGS):
        value = math.sqrt(low * high)
        share, accuracy = play(value)
        if abs(share - rate) < abs(closest.share - rate):
            closest = Met(value, share, accuracy)
        if abs(share - rate) <= NEAR * rate:
            break
        low, high = (value, high) if share < rate else (low, value)
    return closest


def seeds(name: str) -> range:
    """Return the seeds of a stream's draws: not the one on which parameters are chosen."""
    return range(1, 1 + max(SEEDS, -(-ROWS // len(stream(name, "")[1]))))


def ours(name: str, **options: float) -> list[str]:
    """Return the accuracy of LeadingHistory at each rate, and the share of labels it takes."""
    n, way = len(stream(name, "")[1]), Way("", LeadingHistory())
    budgets = [Budget(labels=round(rate * n), horizon=n, **options) for rate in RATES]
    calls = [
        {"name": name, "way": way, "asker": budget, "seed": seed}
        for budget, seed in product(budgets, seeds(name))
    ]
    found = np.array(each(passed, calls, workers=WORKERS, progress="passes"))
    return [shown(*part.T) for part in found.reshape(len(RATES), -1, 2)]


def theirs(name: str, learners: Sequence[Any], asker: Any, ends: Ends) -> list[str]:
    """Return the accuracy at each rate with the best parameters and scaling, in fresh draws."""
    sparse = issparse(stream(name, "")[0])
    scalings = ("", "unit length") if sparse else ("", "unit length", "standardised")
    ways = [Way(*way) for way in product(scalings, learners)]
    return [best(name, ways, asker, ends, rate) for rate in RATES]


def best(name: str, ways: Sequence[Way], asker: Any, ends: Ends, rate: float) -> str:
    """Return the accuracy in other draws of the way that is best in one draw, at one rate."""
    common = {"name": name, "asker": asker, "rate": rate}
    tries = sought([{**common, "way": way, "between": ends, "seed": 0} for way in ways])
    fair = [i for i, one in enumerate(tries) if abs(one.share - rate) <= FAIR * rate]
    if not fair:
        return "-"
    i = max(fair, key=lambda i: tries[i].accuracy)
    about = max(ends[0], tries[i].value / 4), min(ends[1], tries[i].value * 4)
    draws = [{**common, "way": ways[i], "between": about, "seed": seed} for seed in seeds(name)]
    passes = sought(draws)
    return shown([one.share for one in passes], [one.accuracy for one in passes])


def sought(calls: Sequence[dict[str, Any]]) -> list[Met]:
    """Return the passes that `met` finds."""
    return [Met(*one) for one in each(met, calls, workers=WORKERS, progress="passes")]


def shown(shares: Sequence[float], accuracies: Sequence[float]) -> str:
    """Return mean accuracy and rate of labels as text."""
    return f"{np.mean(accuracies):.3f} ({np.mean(shares):.3f})"


def main() -> None:
    """Print a table per stream; names of streams may follow the command."""
    for name in sys.argv[1:] or STREAMS:
        X, y = stream(name, "")
        print(f"| {name} | {' | '.join(f'{rate:.0%}' for rate in RATES)} |")
        print("|---|" + "---|" * len(RATES))
        print(f"| LeadingHistory | {' | '.join(ours(name))} |", flush=True)
        print(f"| the same without audits | {' | '.join(ours(name, audits=0))} |", flush=True)
        rivals = AT_REST if name in RESTING else LEAN if issparse(X) else RIVALS
        for rival, way in rivals.items():
            print(f"| {rival} | {' | '.join(theirs(name, *way))} |", flush=True)
        print(f"\nThe last label again is right on {(y[1:] == y[:-1]).mean():.3f}.\n", flush=True)


if __name__ == "__main__":
    main()
