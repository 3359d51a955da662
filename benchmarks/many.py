"""Many classes, compared with scikit-learn; `python -m benchmarks.many`: accuracies.

Classes along a line; and correlated clouds with five labels for each class, where logistic
regression learns as many labels of random rows, and is refitted after every tenth of the rows; the
first tenth does not count. The first letters of Letter, with and without Fourier features, and with
one label of a further class after 1,000 rows, such as a typing error; these do not count.
"""

import warnings
from collections.abc import Iterator

import numpy as np
from experiments import datasets
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.preprocessing import scale

from benchmarks.ratio import ratio
from benchmarks.tables import show
from selectron import Budget, LeadingHistory, OnlineClassifier
from selectron.askers import Always
from selectron.learners import MIRA, PassiveAggressive

ROWS, WIDTH, CLASSES = 20_000, 16, 26  # the size of the Letter data


def letters(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return rows around centres, one per class, with the shape of the Letter data."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(CLASSES, WIDTH))
    y = rng.integers(CLASSES, size=ROWS)
    return centres[y] + 0.6 * rng.normal(size=(ROWS, WIDTH)), y


def many() -> Iterator[tuple[str, str, str]]:
    """Yield one epoch of multi-class learners, compared with scikit-learn's."""
    X, y = letters()
    theirs = SGDClassifier(
        loss="hinge", penalty=None, learning_rate="pa1", eta0=1.0, max_iter=1, tol=None
    )
    for name, learner, way in (
        ("PA-I, joint", PassiveAggressive(C=1.0), "joint"),
        ("PA-I, one against the rest", PassiveAggressive(C=1.0), "rest"),
        ("MIRA", MIRA(C=1.0), "joint"),
    ):
        clf = OnlineClassifier(learner, many=way)
        found = ratio(lambda: theirs.fit(X, y), lambda clf=clf: clf.fit(X, y), pairs=9)
        right = f"{clf.run(X, y).accuracy:.3f} right"
        speeds = f"{1e3 * found.ours:.1f} and {1e3 * found.theirs:.2f} ms; second epoch {right}"
        yield (name, f"{found.median:.1f} ({found.low:.1f}-{found.high:.1f})", speeds)


def ordered(classes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return 3,000 rows of 15 features, and classes that follow one another along a line."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(3000, 15)), rng.normal(size=15)
    m = X @ w / np.linalg.norm(w) + 0.25 * rng.normal(size=3000)
    return X, np.digitize(m, np.quantile(m, np.arange(1, classes) / classes))


def lines(seeds: int = 10) -> Iterator[tuple[str, ...]]:
    """Yield mean accuracies: of one learner for each class, of coupled ones, and with a budget."""
    for classes in (3, 5, 7):
        found = []
        for seed in range(seeds):
            X, y = ordered(classes, seed)
            ones = [OnlineClassifier(LeadingHistory(), Always()) for _ in range(classes)]
            margins = [one.run(X, y == k).margin for k, one in enumerate(ones)]
            both = [
                OnlineClassifier(asker=asker, classes=range(classes), random_state=seed).run(X, y)
                for asker in (Always(), Budget(rate=0.1))
            ]
            alone = np.mean(np.argmax(margins, axis=0) == y)
            found.append([alone, *(run.accuracy for run in both)])
        yield (str(classes), *(f"{mean:.3f}" for mean in np.mean(found, axis=0)))


def clouds(classes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return 4,000 rows of 30 correlated features around centres, one per class."""
    rng = np.random.default_rng(seed)
    y, mixing = rng.integers(classes, size=4000), np.eye(30) + rng.normal(size=(30, 30)) / 30**0.5
    return (rng.normal(size=(classes, 30))[y] + rng.normal(size=(4000, 30))) @ mixing, y


def few(seeds: int = 5) -> Iterator[tuple[str, ...]]:
    """Yield mean accuracies with five labels for each class."""
    for classes in (10, 30, 100):
        found = []
        for seed in range(seeds):
            X, y = clouds(classes, seed)
            clf = OnlineClassifier(asker=Budget(rate=classes * 5 / len(y)), random_state=seed)
            run = clf.run(X, y)
            asked = np.random.default_rng(seed).permutation(len(y))[: run.asked.sum()]
            late = run.correct[len(y) // 10 :].mean()
            found.append((late, refitted(X, y, np.sort(asked))))
        yield (str(classes), *(f"{mean:.3f}" for mean in np.mean(found, axis=0)))


def refitted(X: np.ndarray, y: np.ndarray, asked: np.ndarray) -> float:
    """Return the accuracy of logistic regression on rows after those whose labels it has."""
    Z, right = scale(X), 0
    for rows in np.array_split(np.arange(len(y)), 10)[1:]:
        known = asked[asked < rows[0]]
        model = LogisticRegression(max_iter=1000).fit(Z[known], y[known])
        right += (model.predict(Z[rows]) == y[rows]).sum()
    return right / (len(y) - len(y) // 10)


def curves(seeds: int = 3) -> Iterator[tuple[str, ...]]:
    """Yield mean accuracies without Fourier features, with them, and after one odd label."""
    data = datasets.letter()
    plays = (
        (LeadingHistory(fourier=0), False),
        (LeadingHistory(), False),
        (LeadingHistory(), True),
    )
    for number in (10, 12, 18):
        found, classes = [], data.classes[:number]
        for seed in range(seeds):
            rows = np.flatnonzero(np.isin(data.y, classes))
            X, y = (
                each[np.random.default_rng(seed).permutation(rows)] for each in (data.X, data.y)
            )
            for learner, odd in plays:
                clf = OnlineClassifier(learner, asker=Budget(rate=0.2), random_state=seed)
                clf.run(X[:1000], y[:1000])
                if odd:
                    clf.partial_fit(X[:1], ["?"])
                found.append(clf.run(X[1000:], y[1000:]).accuracy)
        means = np.reshape(found, (seeds, len(plays))).mean(axis=0)
        yield (str(number), *(f"{mean:.3f}" for mean in means))


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of scikit-learn, about few labels for each class
    show(("classes in a line", "one against the rest", "all three", "10% of the labels"), lines())
    show(("classes of clouds", "five labels for each", "logistic regression"), few())
    show(("first letters", "no Fourier features", "with them", "after one odd label"), curves())
