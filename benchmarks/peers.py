"""Other libraries, each on the same task: a call that takes the whole stream once."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse


def scikit_epoch(X: Any, y: np.ndarray) -> Callable[[], object]:
    """Fit scikit-learn's compiled Perceptron for one epoch, without shuffling."""
    from sklearn.linear_model import SGDClassifier

    options = {"learning_rate": "constant", "eta0": 1.0, "penalty": None, "shuffle": False}
    clf = SGDClassifier(loss="perceptron", max_iter=1, tol=None, fit_intercept=False, **options)
    return lambda: clf.fit(X, y)


def vowpal_learning(X: Any, y: np.ndarray) -> Callable[[], object]:
    """Predict and learn parsed rows with Vowpal Wabbit."""
    from vowpalwabbit import Workspace

    vw = Workspace("--quiet --binary --noconstant -b 18")
    examples = [vw.parse(line) for line in vowpal_lines(X, y)]

    def call() -> None:
        for example in examples:
            vw.learn(example)

    return call


def vowpal_lines(X: Any, y: np.ndarray) -> list[str]:
    """Return rows in Vowpal Wabbit's text format, four digits per value."""
    return [
        f"{label} | " + " ".join(f"{j}:{v:.4f}" for j, v in row.items())
        for row, label in zip(dicts(X), y, strict=True)
    ]


def vowpal_file(path: str) -> Callable[[], object]:
    """Predict and learn from a text file with Vowpal Wabbit, as its command line does."""
    from vowpalwabbit import Workspace

    def call() -> None:
        Workspace(f"--quiet --binary --noconstant -b 18 -d {path} -p /dev/null").finish()

    return call


def river_learning(X: Any, y: np.ndarray) -> Callable[[], object]:
    """Predict and learn rows that are dicts already with River's Perceptron."""
    from river.linear_model import Perceptron

    rows, labels = dicts(X), (y > 0).tolist()

    def call() -> None:
        model = Perceptron()
        for row, label in zip(rows, labels, strict=True):
            model.predict_one(row)
            model.learn_one(row, label)

    return call


def dicts(X: Any) -> list[dict[int, float]]:
    """Return rows as dicts of their non-zero values."""
    rows = scipy.sparse.csr_array(X)
    parts = [slice(*pair) for pair in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)]
    return [dict(zip(rows.indices[p].tolist(), rows.data[p].tolist(), strict=True)) for p in parts]


ACTIVEML = "FixedUncertainty", "VariableUncertainty", "Split"


def activeml_deciding(X: np.ndarray, y: np.ndarray, strategy: str) -> Callable[[], object]:
    """Decide on rows one by one with scikit-activeml and a fitted classifier."""
    from skactiveml import stream
    from skactiveml.classifier import ParzenWindowClassifier

    clf = ParzenWindowClassifier(classes=[-1, 1], random_state=0).fit(X[:100], y[:100])
    classes = {"classes": [-1, 1]} if strategy == "FixedUncertainty" else {}

    def call() -> None:
        asker = getattr(stream, strategy)(random_state=0, **classes)
        for row in X[:, None, :]:
            asker.update(row, asker.query(row, clf=clf))

    return call
