"""`python -m benchmarks.drifting [STREAM ...]`: LeadingHistory on real streams, some at rest.

Its rivals are tuned in hindsight, stream by stream and share by share: their parameters, that of
their asker, and how rows are scaled, too. Files are read from `SELECTRON_DATA`.
"""

import sys
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse

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
from selectron.papers.lasec import meeting
from selectron.streams import datasets, shifting_classes, switching_gaussian

RATES = 0.05, 0.1, 0.2
SEEDS, ROWS = 5, 25_000  # draws, and more of them where a stream is short: so many rows at least
WORKERS = 2
DOUBTS, KAPPAS = np.geomspace(1e-5, 100, 15), np.linspace(0.02, 1, 15)
LASECS = [LASEC(b, b * ratio) for b in (0.1, 1, 10, 100) for ratio in (10, 100, 1000, 10_000)]
SOPS = [SecondOrderPerceptron(a) for a in (0.1, 1, 10, 100)]
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
    "LASEC-SS": ([LASEC(1, 100), LASEC(1, 1000), LASEC(1, 10_000)], Margin, DOUBTS[3::3]),
    "SOP-SS": ([SecondOrderPerceptron(1)], Margin, DOUBTS[3::3]),
    "BBQ": ([RLS(1)], BBQ, KAPPAS[::3]),
}


def of(name: str) -> Callable[[], tuple[Any, np.ndarray]]:
    """Return what reads a set whose classes are two."""

    def read() -> tuple[Any, np.ndarray]:
        data = getattr(datasets, name)()
        return data.X, np.where(data.y == data.classes[1], 1, -1)

    return read


def newsgroups() -> tuple[csr_matrix, np.ndarray]:
    """Return 20 Newsgroups in order of time; half of the groups matter, and others every 2,000."""
    data = datasets.newsgroups()
    return data.X, shifting_classes(data.y, every=2000, seed=0)


def a9a() -> tuple[np.ndarray, np.ndarray]:
    """Return a9a, dense."""
    data = datasets.a9a()
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


def stream(name: str, scaling: str) -> tuple[Any, np.ndarray]:
    """Return a stream, each feature standardised over all of it if told so."""
    if name not in read:
        read[name] = STREAMS[name]()
    X, y = read[name]
    if scaling == "standardised":
        X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    return X, y


def passed(name: str, scaling: str, learner: Any, asker: Any, seed: int) -> tuple[float, float]:
    """Play one pass: the share of labels, and accuracy."""
    X, y = stream(name, scaling)
    dual = issparse(X) and hasattr(learner, "shape")
    clf = OnlineClassifier(
        learner,
        asker,
        normalize=scaling == "unit length",
        kernel="linear" if dual else None,
        random_state=seed,
    )
    run = clf.run(X, y, margins=False)
    return run.label_rate, run.accuracy


def seeds(name: str) -> range:
    """Return the seeds of a stream's draws: others than the one that parameters are chosen by."""
    return range(1, 1 + max(SEEDS, -(-ROWS // len(stream(name, "")[1]))))


def play(calls: Sequence[dict[str, Any]]) -> np.ndarray:
    """Return shares of labels and accuracies of all these passes."""
    return np.array(each(passed, calls, workers=WORKERS, progress="passes"))


def ours(name: str) -> list[str]:
    """Return the accuracy of LeadingHistory at each rate, and the share of labels it takes."""
    n = len(stream(name, "")[1])
    budgets = [Budget(labels=round(rate * n), horizon=n) for rate in RATES]
    calls = [
        {"name": name, "scaling": "", "learner": LeadingHistory(), "asker": budget, "seed": seed}
        for budget, seed in product(budgets, seeds(name))
    ]
    return [shown(found) for found in play(calls).reshape(len(RATES), -1, 2)]


def theirs(name: str, learners: Sequence[Any], asker: Any, values: np.ndarray) -> list[str]:
    """Return the accuracy at each rate with the best parameters and scaling, in fresh draws.

    What is best one draw tells; it is played with others then, at the value that meets the rate.
    """
    sparse = issparse(stream(name, "")[0])
    scalings = ("", "unit length") if sparse else ("", "unit length", "standardised")
    ways = list(product(scalings, learners))
    curves = play(
        [
            {"name": name, "scaling": way[0], "learner": way[1], "asker": asker(value), "seed": 0}
            for way, value in product(ways, values.tolist())
        ]
    ).reshape(-1, len(values), 2)
    best = []
    for rate in RATES:
        met = [
            (*meeting(rate, values, *curve.T), way)
            for way, curve in zip(ways, curves, strict=True)
            if curve[:, 0].min() <= rate <= curve[:, 0].max()
        ]
        best.append(again(name, *max(met, key=lambda one: one[0])[1:], asker) if met else "-")
    return best


def again(name: str, value: float, way: tuple[str, Any], asker: Any) -> str:
    """Return mean accuracy and share of labels in draws that nothing was chosen by."""
    scaling, learner = way
    common = {"name": name, "scaling": scaling, "learner": learner, "asker": asker(value)}
    return shown(play([{**common, "seed": seed} for seed in seeds(name)]))


def shown(found: np.ndarray) -> str:
    """Return mean accuracy and share of labels as they are printed."""
    share, accuracy = found.mean(axis=0)
    return f"{accuracy:.3f} ({share:.3f})"


def main() -> None:
    """Print a table a stream; names of streams may follow the command."""
    for name in sys.argv[1:] or STREAMS:
        X, y = stream(name, "")
        print(f"| {name} | {' | '.join(f'{rate:.0%}' for rate in RATES)} |")
        print("|---|" + "---|" * len(RATES))
        print(f"| LeadingHistory | {' | '.join(ours(name))} |", flush=True)
        rivals = AT_REST if name in RESTING else LEAN if issparse(X) else RIVALS
        for rival, way in rivals.items():
            print(f"| {rival} | {' | '.join(theirs(name, *way))} |", flush=True)
        print(f"\nThe last label again is right on {(y[1:] == y[:-1]).mean():.3f}.\n", flush=True)


if __name__ == "__main__":
    main()
