"""`python -m benchmarks.disagreement`: asking where classifiers disagree, with wrong labels.

Rows on the sphere, labelled by a direction with a margin; a part of the labels is wrong.
"""

from collections.abc import Iterator

import numpy as np

from benchmarks.tables import show
from selectron import OnlineClassifier
from selectron.askers import Budget, Disagreement
from selectron.learners import CELLIP, LeadingHistory

ROWS, D, MARGIN = 10_000, 10, 0.02
PAIRS = (CELLIP(gamma=MARGIN), Disagreement()), (LeadingHistory(), Budget(rate=0.05))


def disagreement() -> Iterator[tuple[str, str, str]]:
    """Yield (wrong labels and learner, accuracy in the end by the direction, labels asked for)."""
    for noise in (0.0, 0.01, 0.05, 0.1):
        rng = np.random.default_rng([7, int(100 * noise)])
        X, u = rng.normal(size=(ROWS, D)), rng.normal(size=D)
        X, u = X / np.linalg.norm(X, axis=1)[:, None], u / np.linalg.norm(u)
        X = X[np.abs(X @ u) > MARGIN]
        true = np.where(X @ u > 0, 1, -1)
        y = np.where(rng.random(len(true)) < noise, -true, true)
        for learner, asker in PAIRS:
            clf = OnlineClassifier(learner, asker, random_state=11, fit_intercept=False)
            run = clf.run(X, y)
            name = f"{noise:.0%} wrong: {type(learner).__name__}, {type(asker).__name__}"
            yield name, f"{np.mean(clf.predict(X) == true):.1%}", f"{run.asked.mean():.1%}"


if __name__ == "__main__":
    show(("Separable but for wrong labels", "right in the end", "asked"), disagreement())
