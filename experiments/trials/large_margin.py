"""Passes over four phases: parameters are chosen on two, and errors counted on the others."""

import copy
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.feature_extraction.text import CountVectorizer

from selectron import OnlineClassifier
from selectron.learners import PassiveAggressive
from selectron.selection import Game, InformationGain, lean_run
from selectron.specs import spec_of
from selectron.streams import four_phases

from .. import datasets

POINTS = 80  # of a curve over time
GROUPS: dict[str, tuple[Any, ...]] = {  # the classes P1, P2, N1 and N2
    "usps": (3, 7, 8, 9),
    "newsgroups": ("rec.sport.baseball", "rec.sport.hockey", "rec.autos", "rec.motorcycles"),
    "rcv1": ("CCAT", "ECAT", "GCAT", "MCAT"),
}
ROUNDS = {"usps": 500, "newsgroups": 800, "rcv1": 800}  # of a phase


@lru_cache(maxsize=4)
def rows(name: str) -> tuple[Any, np.ndarray]:
    """Return the rows of the four classes, and their classes; of texts, which words occur."""
    if name == "usps":
        data = datasets.usps()
        return data.X, data.y
    if name == "rcv1":
        data = datasets.rcv1()
        topics = np.isin(data.classes, GROUPS[name])
        relevant = data.y[:, topics].toarray()
        one = relevant.sum(axis=1) == 1  # stories of one topic alone
        return _occurring(data.X[one]), data.classes[topics][relevant[one].argmax(axis=1)]
    data = datasets.newsgroups(CountVectorizer(binary=True))
    some = np.isin(data.y, GROUPS[name])
    X = data.X[some]
    return _occurring(X[:, np.asarray(X.sum(axis=0)).ravel() >= 7]), data.y[some]


def _occurring(X: Any) -> Any:
    """Return 1 for what is not 0, in columns that occur."""
    X = X[:, np.flatnonzero(X.getnnz(axis=0))].copy()
    X.data[:] = 1.0
    return X


def stream(name: str, seed: int, n: int | None = None) -> tuple[Any, np.ndarray]:
    """Return the rows of the four phases, in their order, and their labels."""
    X, classes = rows(name)
    order, y = four_phases(classes, GROUPS[name], n or ROUNDS[name], seed)
    return X[order], y


def fitted(
    X: Any, y: np.ndarray, learners: list[Any], kernel: str | None = None
) -> tuple[list[OnlineClassifier], list[int]]:
    """Return the learners fitted to these rows, and their mistakes."""
    some = [
        OnlineClassifier(p, fit_intercept=False, kernel=kernel, random_state=0) for p in learners
    ]
    return some, [clf.run(X, y, margins=False).mistakes for clf in some]


def learned(X: Any, y: np.ndarray, learners: list[Any]) -> OnlineClassifier:
    """Return the learner with the fewest mistakes on these rows, fitted to them."""
    some, mistakes = fitted(X, y, learners)
    return some[int(np.argmin(mistakes))]


def passed(
    data: str, seed: int, learners: list[Any], kernel: str | None = None, n: int | None = None
) -> dict[str, Any]:
    """Choose a learner on the first half; return its mistakes so far in the second.

    `least` is the share of mistakes in the second half of the learner with the fewest there.
    """
    X, y = stream(data, seed, n)
    half = len(y) // 2
    some, mistakes = fitted(X[:half], y[:half], learners, kernel)
    runs = [clf.run(X[half:], y[half:], margins=False) for clf in some]
    chosen = int(np.argmin(mistakes))
    ends = np.linspace(half / POINTS, half, POINTS).astype(int)
    return {
        "chosen": spec_of(learners[chosen]),
        "ends": ends.tolist(),
        "mistakes": (~runs[chosen].correct).cumsum()[ends - 1].tolist(),
        "least": min(run.mistakes for run in runs) / (len(y) - half),
    }


def lean(
    data: str, seed: int, learners: list[Any], sigmas: list[float], n: int | None = None
) -> list[dict[str, float]]:
    """Choose a learner on the first half; predict in the second without its smallest weights.

    The weights left out sum to sigma. Return for each sigma the error, and how many weights
    predicted on average.
    """
    X, y = stream(data, seed, n)
    half = len(y) // 2
    clf = learned(X[:half], y[:half], learners)
    found = []
    for sigma in sigmas:
        run = lean_run(copy.deepcopy(clf), X[half:], y[half:], sigma)
        found.append({"error": 1 - run.lean.accuracy, "used": float(run.used.mean())})
    return found


def selected(
    data: str, seed: int, way: str, sizes: list[int], every: int, n: int | None = None
) -> list[dict[str, float]]:
    """Run Passive-Aggressive on the features that a selector keeps; return the error by size.

    The selector chooses again after `every` rows, by all rows before. Errors are those of the
    second half.
    """
    X, y = stream(data, seed, n)
    half, kinds = len(y) // 2, {"information gain": InformationGain, "game": Game}
    own = sizes if way == "game" else sizes[:1]  # information gain ranks alike for all sizes
    selectors: list[Any] = [kinds[way](k) for k in own]
    learners = [OnlineClassifier(PassiveAggressive(), fit_intercept=False) for _ in sizes]
    wrong = np.zeros(len(sizes))
    for start in range(0, len(y), every):
        part = slice(start, start + every)
        for i, (k, clf) in enumerate(zip(sizes, learners, strict=True)):
            selector = selectors[i % len(selectors)].set_params(k=k)
            run = clf.run(_kept(X[part], selector, start), y[part], classes=[-1, 1], margins=False)
            wrong[i] += (~run.correct).sum() if start >= half else 0
        for selector in selectors:
            selector.partial_fit(X[part], y[part])
    return [
        {"error": float(count / (len(y) - half)), "used": float(k)}
        for count, k in zip(wrong, sizes, strict=True)
    ]


def _kept(X: Any, selector: Any, before: int) -> Any:
    """Return rows with 0 for features that are not selected; all are before the first rows."""
    if before == 0:
        return X
    mask = selector.get_support().astype(float)
    return X.multiply(mask).tocsr() if issparse(X) else X * mask


def weights(data: str, seed: int, ways: dict[str, list[Any]]) -> dict[str, list[float]]:
    """Return |w| of each learner at the end, and the information gain over the whole."""
    X, y = stream(data, seed)
    half = len(y) // 2
    found = {"information gain": InformationGain().fit(X, y).scores_}
    for name, learners in ways.items():
        clf = learned(X[:half], y[:half], learners)
        clf.run(X[half:], y[half:], margins=False)
        found[name] = abs(clf.coef_[0])
    return {name: values.tolist() for name, values in found.items()}


def pictures() -> dict[str, list[float]]:
    """Return the absolute difference of the mean images of 3 and 8, and of 7 and 9."""
    X, classes = rows("usps")
    mean = {digit: X[classes == digit].mean(axis=0) for digit in (3, 7, 8, 9)}
    return {"3 and 8": abs(mean[3] - mean[8]).tolist(), "7 and 9": abs(mean[7] - mean[9]).tolist()}
