"""Passes over news, one topic against the rest, in dual form; LeadingHistory keeps variances."""

from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from selectron import OnlineClassifier
from selectron.learners import LeadingHistory

from .. import datasets

POINTS = 15  # of a curve over time: a point counts the stories since the one before


@lru_cache(maxsize=2)
def stories(data: str) -> datasets.Dataset:
    """Return a collection, rows of unit length; of Reuters-21578, stories with known topics."""
    found: datasets.Dataset = getattr(datasets, data)()
    if data == "rcv1":
        return found
    if data == "ohsumed":
        return datasets.Dataset(normalize(found.X), found.y, found.classes)
    known = found.part != ""
    return datasets.Dataset(found.X[known], found.y[known], found.classes)


def topics(data: str, n: int | None, most: int) -> list[str]:
    """Return the most frequent topics among the first n stories."""
    news = stories(data)
    frequency = np.asarray(news.y[:n].sum(axis=0)).ravel()
    order = np.argsort(-frequency, kind="stable")[:most]
    return [str(name) for name in news.classes[order]]


def passed(data: str, n: int | None, topic: str, learner: Any, asker: Any) -> dict[str, list[int]]:
    """Run the first n stories: hits, false alarms, misses and labels asked, by point."""
    news = stories(data)
    relevant = news.y[:n, news.classes == topic].toarray().ravel()
    kernel = None if isinstance(learner, LeadingHistory) else "linear"
    clf = OnlineClassifier(learner, asker, kernel=kernel, fit_intercept=False, random_state=0)
    run = clf.run(news.X[:n], np.where(relevant, 1, -1), margins=False, classes=[-1, 1])
    ends = np.linspace(0, len(relevant), POINTS + 1).astype(int)[:-1]
    counted = {
        "hits": run.positive & relevant,
        "alarms": run.positive & ~relevant,
        "misses": ~run.positive & relevant,
        "asked": run.asked,
    }
    found = {name: np.add.reduceat(of, ends, dtype=int).tolist() for name, of in counted.items()}
    return {**found, "rows": np.diff([*ends, len(relevant)]).tolist()}
