"""`python -m benchmarks.words [mixed | vectors]`: texts as they are, a table of one column.

Bodies of 20 Newsgroups, of four groups and of all; Reuters stories of one topic, of the largest
eight. Rows in random order. `auto` is `OnlineClassifier(encoder="auto")` with a budget. Logistic
regression learns as many labels as it asked for, of random rows, and is refitted whenever their
number has grown by 30%, on scikit-learn's tf-idf weights of all texts; its constant is the best of
three, in hindsight. Both predict rows before their labels. Means of `SEEDS` orders, and their
standard errors.

With `mixed`, other columns stand next to the texts: numbers, half of them skewed, and categories of
twelve values. They are chance, or know a little of the class; or they decide it, and the texts are
chance. Logistic regression gets numbers standardised and categories one by one. With `vectors`, the
same numbers stand next to singular vectors of the texts, and 10% of the labels are asked for; there
logistic regression gets the better of features as they are and standardised ones.
"""

import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from experiments.datasets import newsgroups, reuters
from scipy.sparse import csr_array, hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import OneHotEncoder, StandardScaler, scale

from benchmarks.refits import logistic
from benchmarks.tables import show, with_errors
from benchmarks.topics import vectors
from selectron import Budget, OnlineClassifier

SEEDS, MOST, TOPICS = 5, 5000, 8
GROUPS = "alt.atheism", "comp.graphics", "rec.autos", "sci.med"
STREAMS = {
    "20 Newsgroups, four groups": (0.05, 0.1, 0.2),
    "20 Newsgroups": (0.1, 0.2),
    "Reuters, eight topics": (0.02, 0.05, 0.1),
}

DECIDE = -1.0  # in place of how much columns know
# numbers, categories, how much they know, and the share of labels
MIXED = [
    ("20 Newsgroups, four groups", 0, 0, 0.0, 0.05),
    ("20 Newsgroups, four groups", 2, 0, 0.0, 0.05),
    ("20 Newsgroups, four groups", 20, 2, 0.2, 0.05),
    ("20 Newsgroups, four groups", 0, 3, 0.0, 0.05),
    ("20 Newsgroups, four groups", 6, 0, DECIDE, 0.05),
    ("Reuters, eight topics", 0, 0, 0.0, 0.05),
    ("Reuters, eight topics", 2, 0, 0.0, 0.05),
    ("Reuters, eight topics", 20, 2, 0.2, 0.05),
    ("Reuters, eight topics", 0, 3, 0.0, 0.05),
]


LEADING = 100, 384  # singular vectors
NUMBERS = (0, 0.0), (2, 0.0), (10, 0.0), (10, 0.5), (6, DECIDE)  # next to them, what they know


class Keeping(TfidfVectorizer):
    """A vectorizer that keeps the texts."""

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Keep the texts, and return their tf-idf weights."""
        self.texts_ = np.array(list(raw_documents), dtype=object)
        return super().fit_transform(raw_documents, y)


@cache
def collection(name: str) -> tuple[np.ndarray, Any, np.ndarray]:
    """Return texts, their tf-idf weights, and their classes."""
    vectorizer = Keeping(sublinear_tf=True)
    data = (newsgroups if "News" in name else reuters)(vectorizer)
    if "News" in name:
        y = data.y
        rows = np.isin(y, GROUPS if "four" in name else data.classes)
    else:
        topics = data.y.toarray().astype(bool)
        largest = np.argsort(-topics[topics.sum(axis=1) == 1].sum(axis=0), kind="stable")[:TOPICS]
        y, rows = topics.argmax(axis=1), topics.sum(axis=1) == 1
        rows &= np.isin(y, largest)
    return vectorizer.texts_[rows], data.X[rows], y[rows]


def figures(name: str, share: float, seed: int) -> tuple[float, ...]:
    """Return the part of labels, the accuracy of `auto`, and of logistic regression."""
    texts, X, y = collection(name)
    order = np.random.default_rng(seed).permutation(len(y))[:MOST]
    clf = OnlineClassifier(asker=Budget(rate=share), encoder="auto", random_state=seed)
    run = clf.run(pa.table({"text": texts[order]}), y[order])
    theirs = logistic(X[order], y[order], run.asked.sum(), seed)
    return run.label_rate, run.accuracy, theirs


def rows() -> Iterator[tuple[str, ...]]:
    """Yield the accuracies on each stream."""
    for name, shares in STREAMS.items():
        for share in shares:
            found = [figures(name, share, seed) for seed in range(SEEDS)]
            labels = f"{np.mean(found, axis=0)[0]:.1%}"
            yield name, f"{share:.0%}", labels, *with_errors(found)[1:]


def others(y: np.ndarray, numbers: int, categories: int, knows: float, seed: int) -> dict:
    """Return columns that know so much of the classes."""
    rng, codes = np.random.default_rng(seed), np.unique(y, return_inverse=True)[1]
    means = knows * rng.normal(size=(numbers, codes.max() + 1))
    found: dict[str, Any] = {}
    for j in range(numbers):
        z = rng.normal(size=len(y)) + means[j][codes]
        found[f"number{j}"] = np.exp(z) if j % 2 else z
    for j in range(categories):
        shares = rng.dirichlet(np.full(12, 1.0 if knows else 1000.0), size=codes.max() + 1)
        found[f"category{j}"] = [f"v{rng.choice(12, p=shares[code])}" for code in codes]
    return found


def columns_of(
    y: np.ndarray, numbers: int, categories: int, knows: float, seed: int
) -> tuple[dict, np.ndarray]:
    """Return columns, and the classes, which they decide if that is what they know."""
    columns = others(y, numbers, categories, max(knows, 0.0), seed)
    if knows == DECIDE:
        rng, values = np.random.default_rng(seed + 100), scale(np.c_[*columns.values()])
        y = values @ rng.normal(size=numbers) + 0.3 * rng.normal(size=len(values)) > 0
    return columns, y


def next_to(name: str, numbers: int, categories: int, knows: float, share: float) -> list[str]:
    """Return the accuracies of `auto` and of logistic regression on texts next to columns."""
    texts, X, y = collection(name)
    found = []
    for seed in range(SEEDS):
        order = np.random.default_rng(seed).permutation(len(y))[:MOST]
        columns, classes = columns_of(y[order], numbers, categories, knows, seed)
        rows = [X[order]]
        scaled = [
            StandardScaler().fit_transform(np.c_[columns[f"number{j}"]]) for j in range(numbers)
        ]
        rows += [csr_array(one) for one in scaled]
        if categories:
            tags = np.column_stack([columns[f"category{j}"] for j in range(categories)])
            rows.append(csr_array(OneHotEncoder().fit_transform(tags)))
        clf = OnlineClassifier(asker=Budget(rate=share), encoder="auto", random_state=seed)
        run = clf.run(pa.table({"text": texts[order], **columns}), classes)
        stacked = csr_array(hstack(rows, format="csr"))
        found.append((run.accuracy, logistic(stacked, classes, run.asked.sum(), seed)))
    return with_errors(found)


def mixed() -> Iterator[tuple[str, ...]]:
    """Yield the accuracies on each table of texts and other columns."""
    for name, numbers, categories, knows, share in MIXED:
        given = f"{numbers} numbers, {categories} categories, {use(knows)}"
        found = next_to(name, numbers, categories, knows, share)
        yield name, given if numbers + categories else "", *found


def use(knows: float) -> str:
    """Return what columns are good for."""
    return "decide" if knows == DECIDE else "some use" if knows else "chance"


def next_to_vectors() -> Iterator[tuple[str, ...]]:
    """Yield the accuracies on singular vectors of texts, next to numbers."""
    _, words, y = collection(MIXED[0][0])
    for leading in LEADING:
        X = vectors(words, leading)
        for numbers, knows in NUMBERS:
            found = []
            for seed in range(SEEDS):
                order = np.random.default_rng(seed).permutation(len(y))[:MOST]
                columns, classes = columns_of(y[order], numbers, 0, knows, seed)
                rows = np.column_stack([X[order], *columns.values()])
                clf = OnlineClassifier(asker=Budget(rate=0.1), random_state=seed)
                run = clf.run(rows, classes)
                labels = run.asked.sum()
                theirs = [logistic(given, classes, labels, seed) for given in (rows, scale(rows))]
                found.append((run.accuracy, max(theirs)))
            given = f"{numbers} numbers, {use(knows)}" if numbers else ""
            yield f"{leading} vectors", given, *with_errors(found)


if __name__ == "__main__":
    if sys.argv[1:] == ["vectors"]:
        show(("rows", "next to", "default", "logistic regression"), next_to_vectors())
    elif sys.argv[1:] == ["mixed"]:
        show(("texts", "next to", "auto", "logistic regression"), mixed())
    else:
        show(("texts", "budget", "labels", "auto", "logistic regression"), rows())
