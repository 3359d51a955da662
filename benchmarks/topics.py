"""`python -m benchmarks.topics [NAME]`: texts as words, and as their leading singular vectors.

RCV1: 8,000 texts, each of the four largest topics against the rest; and a stream whose topic, of
these four, switches after 400 to 1,600 texts. 20 Newsgroups: all messages, and their group. Mail:
whether it is spam. Logistic regression learns as many labels, of random rows, and is refitted after
every 500 rows; it predicts rows before their labels, as `LeadingHistory` does. Its constant is the
best of three, in hindsight. Means of `--seeds` orders; the time includes directions and priors.
NAME is a part of the names of the streams to be played, such as words.
"""

import argparse
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from experiments.datasets import newsgroups, rcv1
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import LogisticRegression

from benchmarks import sets
from benchmarks.tables import show
from selectron import Budget, LeadingHistory, OnlineClassifier

N, TOPICS, EVERY, CONSTANTS = 8000, 4, 500, (1.0, 10.0, 100.0)
SHARES, SWITCHING_SHARES = (0.02, 0.05, 0.1), (0.05, 0.1, 0.2)

Stream = tuple[Any, np.ndarray]


def vectors(X: Any, number: int) -> np.ndarray:
    """Return the rows along their leading directions."""
    return TruncatedSVD(number, random_state=0).fit_transform(X)


@cache
def messages() -> Stream:
    """Return 20 Newsgroups in 768 directions, and the group of each message."""
    data = newsgroups()
    return vectors(data.X, 768), data.y


def switching(topics: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return the labels of a stream whose topic switches after 400 to 1,600 rows."""
    y, start, topic = np.zeros(len(topics), int), 0, 0
    while start < len(topics):
        end = start + int(random.integers(400, 1601))
        topic = (topic + 1 + int(random.integers(TOPICS - 1))) % TOPICS
        y[start:end] = topics[start:end, topic]
        start = end
    return y


def sources() -> dict[str, Any]:
    """Return functions that make the streams of a seed, by name, with the shares of labels."""
    data = rcv1()
    words, topics = data.X[:N], data.y[:N].toarray()
    topics = topics[:, np.argsort(-topics.sum(axis=0), kind="stable")[:TOPICS]]
    dense = vectors(words, 256)

    def rest(X: Any) -> Any:
        def streams(seed: int) -> Iterator[Stream]:
            order = np.random.default_rng(seed).permutation(N)
            for k in range(TOPICS):
                yield X[order], topics[order, k]

        return streams

    def switched(seed: int) -> Iterator[Stream]:
        order = np.random.default_rng(seed).permutation(N)
        yield dense[order], switching(topics[order], np.random.default_rng(10 + seed))

    def shuffled(X: Any, y: np.ndarray) -> Any:
        def streams(seed: int) -> Iterator[Stream]:
            order = np.random.default_rng(seed).permutation(len(y))
            yield X[order], y[order]

        return streams

    mail = sets.spam()

    def news(seed: int) -> Iterator[Stream]:
        return shuffled(*messages())(seed)

    return {
        "RCV1, 256 vectors": (rest(dense), SHARES),
        "RCV1, 256 vectors, switching": (switched, SWITCHING_SHARES),
        "RCV1, words": (rest(words), SHARES),
        "mail, words": (shuffled(mail.X, mail.y), SHARES),
        "20 Newsgroups, 768 vectors": (news, SHARES[:2]),
    }


def refitted(X: Any, y: np.ndarray, share: float, seed: int) -> float:
    """Return the accuracy of logistic regression with the best of three constants."""
    random = np.random.default_rng(seed)
    asked, classes = random.random(len(y)) < share, np.unique(y)
    right = np.zeros((len(CONSTANTS), len(y)))
    for start in range(0, len(y), EVERY):
        known, rows = np.flatnonzero(asked[:start]), slice(start, start + EVERY)
        usual = y[known[0]] if len(known) else classes[0]
        for row, constant in zip(right, CONSTANTS, strict=True):
            row[rows] = y[rows] == usual
            if len(np.unique(y[known])) > 1:
                model = LogisticRegression(C=constant, max_iter=300).fit(X[known], y[known])
                row[rows] = model.predict(X[rows]) == y[rows]
    return float(right.mean(axis=1).max())


def rows(part: str, seeds: int) -> Iterator[tuple[str, ...]]:
    """Yield the accuracies on each stream, and rows a second."""
    for name, (streams, shares) in sources().items():
        for share in shares if part in name else ():
            ours, theirs, played, seconds = [], [], 0, 0.0
            for seed in range(seeds):
                for X, y in streams(seed):
                    clf = OnlineClassifier(LeadingHistory(), Budget(rate=share), random_state=seed)
                    start = time.process_time()
                    ours.append(clf.run(X, y).accuracy)
                    seconds, played = seconds + time.process_time() - start, played + len(y)
                    theirs.append(refitted(X, y, share, seed))
            figures = f"{np.mean(ours):.3f}", f"{np.mean(theirs):.3f}"
            yield name, f"{share:.0%}", *figures, f"{played / seconds:,.0f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="?", default="")
    parser.add_argument("--seeds", type=int, default=2)
    head = "stream", "labels", "LeadingHistory", "logistic regression", "rows/s"
    options = parser.parse_args()
    show(head, rows(options.name, options.seeds))
