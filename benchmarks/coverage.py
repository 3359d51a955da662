"""`python -m benchmarks.coverage`: how often the interval of accuracy covers, and how wide it is.

The interval is that of `selectron.evaluate.audited`, at 95%, from the labels that are asked for. It
is computed for whole streams, and for windows of 30 to 1,000 rows in the middle of a stream, where
there are no labels in advance. The constant of `model.audit` was chosen on other seeds.

`python -m benchmarks.coverage classes`: the same for the recall and precision of one class of two.
"""

import sys
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from selectron import OnlineClassifier
from selectron.askers import Budget, Margin
from selectron.evaluate import Audit, Estimate
from selectron.learners import LASEC, LeadingHistory
from selectron.model.metrics import Metrics, Tally
from selectron.streams import switching_gaussian

RATES, ROWS = (0.05, 0.1, 0.2), (30, 50, 100, 300, 1000, 10_000)
STREAMS = {30: 800, 50: 800, 100: 600, 300: 400, 1000: 300, 10_000: 120}
CLASSES = (  # rows, share of the class, distance of its mean from 0, about the part that is asked
    (300, 0.3, 1.0, 0.3),
    (1000, 0.05, 1.0, 0.2),
    (2000, 0.05, 1.0, 0.2),
    (2000, 0.3, 1.0, 0.1),
    (5000, 0.04, 1.5, 0.2),
    (5000, 0.3, 1.0, 0.1),
    (20_000, 0.04, 1.5, 0.1),
)
REPEATS = 600
FIRST_SEED, LONG = 5000, 6000  # rows of the streams that are cut into windows
LEARNERS: dict[str, Callable] = {
    "LeadingHistory": lambda rate: (LeadingHistory(), Budget(rate)),
    "LASEC": lambda rate: (LASEC(), Budget(rate, asker=Margin(0.1))),
}


def easy(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two classes that are far apart."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 10))
    X[:, 0] += np.where(random.random(n) < 0.5, 6, -6)
    return X, np.where(X[:, 0] >= 0, 1, -1)


def noisy(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a hyperplane with a margin noise of one and a half times the signal."""
    random = np.random.default_rng(seed)
    X, w = random.standard_normal((n, 10)), random.standard_normal(10)
    margins = X @ w + 1.5 * np.linalg.norm(w) * random.standard_normal(n)
    return X, np.where(margins >= 0, 1, -1)


KINDS: tuple[Callable, ...] = (
    lambda n, seed: switching_gaussian(n, d=20, every=n, seed=seed),
    lambda n, seed: switching_gaussian(n, d=20, every=max(50, n // 3), seed=seed),
    noisy,
    easy,
)


def played(learner: str, rate: float, n: int, i: int) -> Any:
    """Play stream i, each kind of stream in turn."""
    X, y = KINDS[i % len(KINDS)](n, FIRST_SEED + i)
    model, asker = LEARNERS[learner](rate)
    return OnlineClassifier(model, asker, random_state=i, classes=[-1, 1]).run(X, y)


def estimated(run: Any, rows: slice) -> tuple[Estimate, float]:
    """Return the estimate from the labels asked for in these rows, and the accuracy on them."""
    asked, audit = run.asked[rows], Audit()
    audit.add(run.ask_probability[rows][asked], ~run.correct[rows][asked])
    return audit.estimate(len(asked)), run.correct[rows].mean()


def whole(learner: str, rate: float, n: int) -> Iterator[tuple[Estimate, float]]:
    """Yield the estimates and accuracies of whole streams."""
    for i in range(STREAMS[n]):
        yield estimated(played(learner, rate, n, i), slice(None))


def windows(learner: str, rate: float, n: int) -> Iterator[tuple[Estimate, float]]:
    """Yield the estimates and accuracies of windows of longer streams."""
    for i in range(2 * len(KINDS)):
        run = played(learner, rate, LONG, i)
        for start in range(LONG // 6, LONG - n + 1, n):
            yield estimated(run, slice(start, start + n))


def classified(rng: Any, n: int, share: float, shift: float, rate: float) -> tuple[Metrics, ...]:
    """Return metrics of predictions by a threshold on noise, true and as estimated."""
    y, true, asked = (rng.random(n) < share) * 1, Tally(), Tally()
    margin = rng.normal(size=n) + shift * (2 * y - 1) - 0.5
    p, predicted = rate * (3 * np.exp(-1.5 * abs(margin)) + 0.1), (margin > 0) * 1
    ask = rng.random(n) < p
    true.add(y, predicted)
    asked.add(y[ask], predicted[ask], 1 / p[ask])
    return true.metrics([0, 1]), asked.metrics([0, 1])


def classes() -> None:
    """Print coverage and mean width of the intervals of recall and precision."""
    print(
        "| rows, share of the class, shift, rate | recall | precision | blank |\n|---|---|---|---|"
    )
    for setting in CLASSES:
        rng, cells, blank = np.random.default_rng(3), list[str](), list[str]()
        runs = [classified(rng, *setting) for _ in range(REPEATS)]
        for name in ("recall", "precision"):
            ends = np.array([getattr(found, f"{name}_interval")[1] for _, found in runs])
            exact = np.array([getattr(true, name)[1] for true, _ in runs])
            known = ~np.isnan(ends[:, 0])
            covers = (ends[:, 0] <= exact) & (exact <= ends[:, 1])
            width = np.diff(ends[known]).mean()
            cells.append(f"{covers[known].mean():.1%}, {width:.3f}")
            blank.append(f"{1 - known.mean():.0%}")
        print(f"| {setting} | {' | '.join(cells)} | {', '.join(blank)} |", flush=True)


def main() -> None:
    """Print coverage and mean width."""
    print("| learner, labels | rows | streams: covers, width | windows: covers, width |")
    print("|---|---|---|---|")
    for learner, rate, n in product(LEARNERS, RATES, ROWS):
        cells = []
        for kind in (whole, windows):
            found = list(kind(learner, rate, n)) if kind is whole or n < LONG else []
            covers = [e.low <= accuracy <= e.high for e, accuracy in found]
            widths = [e.high - e.low for e, _ in found]
            cells.append(f"{np.mean(covers):.1%}, {np.mean(widths):.3f}" if found else "-")
        print(f"| {learner}, {rate:.0%} | {n:,} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    classes() if sys.argv[1:] == ["classes"] else main()
