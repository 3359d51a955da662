"""`python -m benchmarks.newsgroups`: the large-margin paper's timings, 3,200 messages."""

import time
from collections.abc import Iterator

from experiments.trials.large_margin import stream

from benchmarks.tables import show
from selectron import OnlineClassifier
from selectron.learners import L1Constrained, L2Constrained, ObjectiveRegularized

LEARNERS = ObjectiveRegularized(alpha=0.01), L2Constrained(beta=1.0), L1Constrained(beta=20.0)
TIMES = 5


def newsgroups() -> Iterator[tuple[str, str, str]]:
    """Yield (learner, seconds for all rows, rows), the best of several passes."""
    X, y = stream("newsgroups", 0)
    for learner in LEARNERS:
        taken = []
        for _ in range(TIMES + 1):  # the first one compiles
            clf = OnlineClassifier(learner, fit_intercept=False)
            start = time.perf_counter()
            clf.run(X, y, margins=False)
            taken.append(time.perf_counter() - start)
        yield type(learner).__name__, f"{min(taken[1:]):.4f} s", f"{len(y):,}"


if __name__ == "__main__":
    show(("Large-margin learners, 20 Newsgroups", "one pass", "rows"), newsgroups())
