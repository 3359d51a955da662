"""`python -m benchmarks.words`: texts as they are, a table of one column.

Bodies of 20 Newsgroups, of four groups and of all; Reuters stories of one topic, of the largest
eight. Rows in random order. `auto` is `OnlineClassifier(encoder="auto")` with a budget. Logistic
regression learns as many labels, of random rows, and is refitted after every 500 rows, on
scikit-learn's tf-idf weights of all texts; its constant is the best of three, in hindsight. Both
predict rows before their labels. Means of `SEEDS` orders.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from experiments.datasets import newsgroups, reuters
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.tables import show
from benchmarks.topics import refitted
from selectron import Budget, OnlineClassifier

SEEDS, MOST, TOPICS = 3, 5000, 8
GROUPS = "alt.atheism", "comp.graphics", "rec.autos", "sci.med"
STREAMS = {
    "20 Newsgroups, four groups": (0.05, 0.1, 0.2),
    "20 Newsgroups": (0.1, 0.2),
    "Reuters, eight topics": (0.02, 0.05, 0.1),
}


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


def figures(name: str, share: float, seed: int) -> tuple[float, float]:
    """Return the accuracy of `auto` and of logistic regression."""
    texts, X, y = collection(name)
    order = np.random.default_rng(seed).permutation(len(y))[:MOST]
    clf = OnlineClassifier(asker=Budget(rate=share), encoder="auto", random_state=seed)
    run = clf.run(pa.table({"text": texts[order]}), y[order])
    return run.accuracy, refitted(X[order], y[order], run.label_rate, seed)


def rows() -> Iterator[tuple[str, ...]]:
    """Yield the accuracies on each stream."""
    for name, shares in STREAMS.items():
        for share in shares:
            found = [figures(name, share, seed) for seed in range(SEEDS)]
            yield name, f"{share:.0%}", *(f"{mean:.3f}" for mean in np.mean(found, axis=0))


if __name__ == "__main__":
    show(("texts", "labels", "auto", "logistic regression"), rows())
