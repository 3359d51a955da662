"""`python -m benchmarks.wide [NAME]`: accuracy on dense rows of more than 2,048 features.

The default learner takes them as sparse ones, and has a budget of 10% of the labels; LASEC, which
was the default for them, takes them as they are. Logistic regression learns as many labels as the
default asked for, of random rows, on features standardised by all rows, is refitted whenever the
number of labels has grown by 30%, and has the best of three constants, in hindsight. All predict
rows before their labels; means of `SEEDS` orders and their standard errors. The texts, of four of
the 20 Newsgroups, are projected on random directions. Spectra are also averaged to 500 values, to
compare with what dense rows get. NAME is a part of the names of the streams.
"""

import sys
from collections.abc import Iterator

import numpy as np
from scipy.ndimage import zoom
from sklearn.datasets import load_digits, make_classification
from sklearn.preprocessing import scale

from benchmarks.refits import logistic
from benchmarks.tables import show, with_errors
from benchmarks.words import collection
from selectron import Budget, OnlineClassifier
from selectron.learners import LASEC

SEEDS, SHARE, MOST = 5, 0.1, 2000

Stream = tuple[np.ndarray, np.ndarray]


def correlated(seed: int) -> Stream:
    """Return 2,400 features, of which 30 matter and 300 are mixtures of these."""
    return make_classification(
        MOST, 2400, n_informative=30, n_redundant=300, class_sep=2, random_state=seed
    )


def digits(seed: int) -> Stream:
    """Return digits of 48 x 48 pixels."""
    X, y = load_digits(return_X_y=True)
    return np.array([zoom(row.reshape(8, 8), 6, order=1).ravel() for row in X]), y


def spectra(seed: int) -> Stream:
    """Return curves of 2,500 values with a peak, whose place is the class, and an offset."""
    rng, t = np.random.default_rng(seed), np.linspace(0, 1, 2500)
    y = rng.integers(0, 3, MOST)
    heights, offset, slope = 1 + 0.2 * rng.normal(size=(3, MOST, 1))
    peak = heights * np.exp(-((t - 0.3 - 0.01 * y[:, None]) ** 2) / 0.001)
    other = np.exp(-((t - 0.6) ** 2) / 0.01)
    noise = 0.05 * rng.normal(size=(MOST, len(t)))
    return peak + other + 2.5 * (offset - 1) + 5 * (slope - 1) * t + noise, y


def averaged(seed: int) -> Stream:
    """Return these curves with the means of five neighbouring values, as dense rows."""
    X, y = spectra(seed)
    return X.reshape(MOST, -1, 5).mean(axis=2), y


def projected(seed: int) -> Stream:
    """Return 3,072 random directions of texts."""
    _, X, y = collection("20 Newsgroups, four groups")
    return X @ np.random.default_rng(0).normal(size=(X.shape[1], 3072)) / 3072**0.5, y


STREAMS = {
    "2,400 correlated features": correlated,
    "digits of 48 x 48 pixels": digits,
    "spectra of 2,500 values": spectra,
    "spectra, averaged to 500 values": averaged,
    "3,072 directions of texts": projected,
}


def rows(part: str) -> Iterator[tuple[str, ...]]:
    """Yield the part of the labels that the default learner asked for, and accuracies."""
    for name, stream in STREAMS.items():
        found = []
        for seed in range(SEEDS if part in name else 0):
            X, y = stream(seed)
            order = np.random.default_rng(seed).permutation(len(y))[:MOST]
            X, y = np.ascontiguousarray(X[order]), y[order]
            given = {"asker": Budget(rate=SHARE), "random_state": seed}
            ours = OnlineClassifier(**given).run(X, y)
            lasec = OnlineClassifier(LASEC(), **given).run(X, y)
            theirs = logistic(scale(X), y, ours.asked.sum(), seed)
            found.append((ours.label_rate, ours.accuracy, lasec.accuracy, theirs))
        if found:
            yield name, f"{np.mean(found, axis=0)[0]:.1%}", *with_errors(found)[1:]


if __name__ == "__main__":
    head = "rows", "labels", "default", "LASEC", "logistic regression"
    show(head, rows(*sys.argv[1:] or [""]))
