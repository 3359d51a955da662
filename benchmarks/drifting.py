"""`python -m benchmarks.drifting [STREAM ...]`: LeadingHistory on real streams, some at rest.

Its rivals are tuned in hindsight, stream by stream and share by share: their parameters, how rows
are scaled, and, draw by draw, their asker's, so that they take the same share of labels.
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
SEEDS, ROWS = 5, 25_000  # draws, and more of them where a stream is short: so many rows at least
WORKERS = 2
PIECE = 500  # rows, after which it is looked whether a pass asks too much
HALVINGS, NEAR, FAIR = 12, 0.02, 0.1  # to meet a share of labels; what is enough; what is too far
LASECS = [LASEC(b, b * ratio) for b in (0.1, 1, 10, 100) for ratio in (10, 100, 1000, 10_000)]
SOPS = [SecondOrderPerceptron(a) for a in (0.1, 1, 10, 100)]
DOUBTS, KAPPAS = (1e-7, 1e4), (0.005, 1.0)  # what the asker's parameter may be
RIVALS = {
    "LASEC-SS": (LASECS, Margin, DOUBTS),
    "SOP-SS": (SOPS, Margin, DOUBTS),
    "Perceptron-SS": ([Perceptron()], Margin, DOUBTS),
    "BBQ": ([RLS(a) for a in (0.1, 1, 10)], BBQ, KAPPAS),
}
AT_REST = {  # where the best single learner is to be met
    **RIVALS,
    "Bayesian Perceptron": ([BayesianPerceptron(s0) for s0 in (0.1, 0.5, 2)], Margin, DOUBTS),
}
LEAN = {  # of texts, which take their time in dual form
    **RIVALS,
    "LASEC-SS": ([LASEC(1, 100), LASEC(1, 1000), LASEC(1, 10_000)], Margin, DOUBTS),
    "SOP-SS": ([SecondOrderPerceptron(1)], Margin, DOUBTS),
    "BBQ": ([RLS(1)], BBQ, KAPPAS),
}


def of(name: str) -> Callable[[], tuple[Any, np.ndarray]]:
    """Return what reads a set whose classes are two."""

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
    """What a pass came to, with this value of the asker's parameter."""

    value: float
    share: float
    accuracy: float


def stream(name: str, scaling: str) -> tuple[Any, np.ndarray]:
    """Return a stream, each feature standardised over all of it if told so."""
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
    """Play one pass: the share of labels, and accuracy; (1, 0) when the share exceeds `most`."""
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
    """Return the pass over a stream of these whose share of labels is nearest to the rate."""
    return nearest(lambda value: passed(name, way, asker(value), seed, 2 * rate), between, rate)


def nearest(play: Callable[[float], tuple[float, float]], between: Ends, rate: float) -> Met:
    """Return the pass whose share of labels is nearest to the rate, by halving where it can be."""
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
    """Return the seeds of a stream's draws: others than the one that parameters are chosen by."""
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
    """Return what the way that is best in one draw comes to in others, at one rate."""
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
    """Return mean accuracy and share of labels as they are printed."""
    return f"{np.mean(accuracies):.3f} ({np.mean(shares):.3f})"


def main() -> None:
    """Print a table a stream; names of streams may follow the command."""
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
