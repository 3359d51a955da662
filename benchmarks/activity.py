"""The activity predictor: time per vector, and learning one label compared with refitting."""

import time
from collections.abc import Callable, Iterator

import numpy as np
from experiments.activity.batch import BatchPredictor, linear
from experiments.activity.desks import generate
from experiments.activity.protocol import play
from experiments.activity.work import PAPER, Size

from benchmarks.retraining import fitted, libsvm
from selectron_desktop import ActivityPredictor
from selectron_desktop.scoring import LESS

LIBSVM = 4000  # rows beyond which the method of the paper takes minutes


def activity(size: Size = PAPER) -> Iterator[tuple[str, str, str]]:
    """Yield the figures of a pass over a log, of one step, and of fits to the log's examples."""
    desk = generate(size, 0)
    online, batch = ActivityPredictor(random_state=0), BatchPredictor(every=10**6)
    outcome = play(online, desk.events, desk.truth)
    each = 1000 * outcome.seconds / outcome.instances
    yield "a vector, end to end", f"{each:.3f} ms", f"{outcome.instances:,} vectors"
    play(batch, desk.events, desk.truth)
    Z = np.array(batch.scoring.rows)
    step = _step(online, Z)
    name, n = "learning a label, with seven that are replayed", len(Z)
    yield name, f"{1e6 * step:.0f} us", f"of {n:,} labels"
    for name, n, fit in _fits(Z):
        yield (
            f"learning a label: {name} fitted to {n:,} before it",
            f"{1000 * fit:.1f} ms",
            f"{fit / step:,.0f} times a label",
        )


def _step(online: ActivityPredictor, Z: np.ndarray) -> float:
    """Return the median time of learning a label, with the earlier ones that are replayed."""
    scoring = online.scoring

    def step(z: np.ndarray) -> None:
        rows = scoring.replay.add(-z)
        scoring.clf.partial_fit(rows, np.full(len(rows), LESS))

    return float(np.median([_seconds(lambda z=z: step(z)) for z in Z[-2000:]]))


def _fits(Z: np.ndarray) -> Iterator[tuple[str, int, float]]:
    """Yield a linear support vector machine, its number of examples, and the seconds of a fit."""
    for name, svm, n in (
        ("LinearSVC", linear(), len(Z) // 2),
        ("LinearSVC", linear(), len(Z)),
        ("SVC (LIBSVM)", libsvm(), LIBSVM),
    ):
        yield name, len(Z[:n]), fitted(svm, Z[:n])


def _seconds(call: Callable[[], object]) -> float:
    """Return the processor time of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start
