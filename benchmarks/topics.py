"""`python -m benchmarks.topics [NAME]`: texts as words, and as their leading singular vectors.

RCV1: 8,000 texts, each of the four largest topics against the rest; and a stream whose topic, of
these four, switches after 400 to 1,600 texts. 20 Newsgroups: all messages, and their group. Mail:
whether it is spam. `LeadingHistory` has a budget. Logistic regression learns as many labels as it
asked for, of random rows, never forgets one, and is refitted whenever their number has grown by
30%; its constant is the best of three, in hindsight. Both predict rows before their labels. Means
of `--seeds` orders and their standard errors; the time includes directions and priors. NAME is a
part of the names of the streams to be played, such as words.
"""

import argparse
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from experiments.datasets import newsgroups, rcv1
from sklearn.decomposition import TruncatedSVD

from benchmarks import sets
from benchmarks.refits import logistic
from benchmarks.tables import show, with_errors
from selectron import Budget, LeadingHistory, OnlineClassifier

N, TOPICS = 8000, 4
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


def rows(part: str, seeds: int) -> Iterator[tuple[str, ...]]:
    """Yield the labels asked for, the accuracies on each stream, and rows a second."""
    for name, (streams, shares) in sources().items():
        for share in shares if part in name else ():
            found, played, seconds = [], 0, 0.0
            for seed in range(seeds):
                each = []
                for X, y in streams(seed):
                    clf = OnlineClassifier(LeadingHistory(), Budget(rate=share), random_state=seed)
                    start = time.process_time()
                    run = clf.run(X, y)
                    seconds, played = seconds + time.process_time() - start, played + len(y)
                    theirs = logistic(X, y, run.asked.sum(), seed)
                    each.append((run.label_rate, run.accuracy, theirs))
                found.append(np.mean(each, axis=0))
            labels = f"{np.mean(found, axis=0)[0]:.1%}"
            yield name, f"{share:.0%}", labels, *with_errors(found)[1:], f"{played / seconds:,.0f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="?", default="")
    parser.add_argument("--seeds", type=int, default=5)
    head = "stream", "budget", "labels", "LeadingHistory", "logistic regression", "rows/s"
    options = parser.parse_args()
    show(head, rows(options.name, options.seeds))
