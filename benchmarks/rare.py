"""`python -m benchmarks.rare`: streams on which one row in a hundred to one in twenty is positive.

Logistic regression learns as many labels, refitted after every 50 rows with balanced weights of
classes: of random rows, and of those nearest to its boundary. Average precision, F1 and balanced
accuracy are those of predictions of rows before their labels, in the second half of a stream; means
of 3 seeds.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from experiments.datasets import rcv1
from sklearn.datasets import make_classification
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, balanced_accuracy_score, f1_score

from benchmarks.tables import show
from selectron import Budget, OnlineClassifier

N, EVERY, SEEDS, RATES = 8000, 50, 3, (0.02, 0.05, 0.1)
SHARES = {"1%": (0.008, 0.012), "2.5%": (0.02, 0.03), "5%": (0.045, 0.06)}  # of RCV1's topics
TOPICS = 2  # of each share, the rarest

Stream = tuple[str, Any, np.ndarray]


def streams(found: tuple[Any, np.ndarray, np.ndarray] | None) -> Iterator[Stream]:
    """Yield the name of a stream, rows, and whether each is positive."""
    for seed in range(SEEDS):
        for share in (0.01, 0.03):
            kinds: dict[str, Any] = {"n_informative": 8, "n_redundant": 4, "weights": [1 - share]}
            X, y = make_classification(N, 20, flip_y=0, class_sep=1.2, random_state=seed, **kinds)
            yield f"clusters, {share:.0%}", X, y > 0
        random = np.random.default_rng([seed, 1])
        X = random.standard_normal((N, 10))
        score = X.sum(axis=1) + 1.5 * random.standard_normal(N)
        yield "noisy Gaussian, 2%", X, score > np.quantile(score, 0.98)
        if found is None:
            continue
        words, vectors, topics = found
        order = random.permutation(N)
        for name, (least, most) in SHARES.items():
            share = topics.mean(axis=0)
            fits = [k for k in np.argsort(share, kind="stable") if least <= share[k] < most]
            for k in fits[:TOPICS]:
                yield f"RCV1 in 256 vectors, {name}", vectors[order], topics[order, k]
                yield f"RCV1 as words, {name}", words[order], topics[order, k]


def texts() -> tuple[Any, np.ndarray, np.ndarray]:
    """Return RCV1 as words and in singular vectors, and whether each text is of each topic."""
    data = rcv1()
    words = data.X[:N]
    return words, TruncatedSVD(256, random_state=0).fit_transform(words), data.y[:N].toarray()


def leading_history(
    X: Any, y: np.ndarray, rate: float, seed: int, class_weight: str | None = None
) -> np.ndarray:
    """Return the probability of +1 before each label."""
    clf = OnlineClassifier(asker=Budget(rate=rate), class_weight=class_weight, random_state=seed)
    run = clf.run(X, np.where(y, 1, -1))
    return (1 + run.margin) / 2


def refitted(X: Any, y: np.ndarray, rate: float, seed: int, nearest: bool) -> np.ndarray:
    """Return the probability of +1 before each label, by logistic regression."""
    random, asked, proba = np.random.default_rng(seed), [], np.full(N, 0.0)
    model = None
    for start in range(0, N, EVERY):
        rows = np.arange(start, start + EVERY)
        worth = random.random(EVERY)
        if model is not None:
            proba[rows] = model.predict_proba(X[rows])[:, 1]
            worth = -abs(proba[rows] - 0.5) if nearest else worth
        left = rate * (start + EVERY) - len(asked)
        asked += rows[np.argsort(-worth, kind="stable")[: round(left)]].tolist()
        if len(set(y[asked])) == 2:
            model = LogisticRegression(class_weight="balanced", max_iter=300)
            model.fit(X[asked], y[asked])
    return proba


def rows() -> Iterator[tuple[str, ...]]:
    """Yield a row for every stream and rate, and the means of all."""
    found: dict[tuple[str, str], list[list[float]]] = defaultdict(list)
    for seed, (name, X, y) in enumerate(
        streams(texts() if "SELECTRON_DATA" in os.environ else None)
    ):
        true = y[N // 2 :]
        for rate in RATES:
            scores = []
            for way in WAYS.values():
                proba = way(X, y, rate, seed)[N // 2 :]
                scores.append(average_precision_score(true, proba))
                scores += [each(true, proba > 0.5) for each in (f1_score, balanced_accuracy_score)]
            found[name, f"{rate:.0%}"].append(scores)
    means = {key: np.mean(scores, axis=0) for key, scores in found.items()}
    means["mean", ""] = np.mean(list(means.values()), axis=0)
    for key, mean in means.items():
        yield (*key, *(f"{ap:.3f} / {f1:.3f} / {ba:.3f}" for ap, f1, ba in mean.reshape(-1, 3)))


WAYS: dict[str, Callable[..., np.ndarray]] = {
    "LeadingHistory": leading_history,
    "the same, balanced": partial(leading_history, class_weight="balanced"),
    "random labels": partial(refitted, nearest=False),
    "labels nearest to the boundary": partial(refitted, nearest=True),
}

if __name__ == "__main__":
    show(["stream", "labels", *(f"{way}: AP / F1 / BA" for way in WAYS)], rows())
