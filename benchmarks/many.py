"""Many classes, compared with scikit-learn."""

from collections.abc import Iterator

import numpy as np
from sklearn.linear_model import SGDClassifier

from benchmarks.ratio import ratio
from selectron import OnlineClassifier
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
