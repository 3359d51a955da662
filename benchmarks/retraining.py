"""Seconds per instance as the paper counts them: the online predictor, and retraining.

The batch method is trained on all labels so far after each label. For a long log this would take
days: fits to some numbers of labels are timed, and times between them are interpolated linearly.
For the shortest log the full sequence is measured, too.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from experiments.activity.batch import BatchPredictor, both, linear
from experiments.activity.desks import generate
from experiments.activity.protocol import Outcome, play
from experiments.activity.work import PAPER, Size

from selectron_desktop import ActivityPredictor

DAYS = (7, 14, 31, 62, 123)
DAY = 86_400.0
LIMIT = 30.0  # seconds of a fit, above which no larger fit is timed


def retraining(size: Size = PAPER) -> Iterator[tuple[str, ...]]:
    """Yield, for logs of several lengths, milliseconds per instance and the ratio to online's."""
    desk = generate(size, 0)
    events, start = desk.events, desk.events[0].start
    logs = {days: [e for e in events if e.start < start + days * DAY] for days in DAYS}
    each(ActivityPredictor(random_state=0), events[:2_000], desk.truth)  # compile
    online = {
        days: each(ActivityPredictor(random_state=0), logs[days], desk.truth) for days in DAYS
    }
    batch = {days: BatchPredictor(threshold=0.3, every=50) for days in DAYS}
    played = {days: play(batch[days], logs[days], desk.truth) for days in DAYS}
    last = batch[DAYS[-1]]
    rows = np.array(last.scoring.rows)
    costs = [Cost(svm, rows) for svm in (linear, libsvm)]
    for days, outcome in played.items():
        scoring, labels = batch[days].scoring, len(batch[days].scoring.rows)
        alone = outcome.seconds - scoring.seconds
        found = [(alone + cost.of_all(labels)) / outcome.instances for cost in costs]
        yield (
            f"{days} days: {outcome.instances:,} instances, {labels:,} labels",
            f"{1000 * online[days]:.2f}",
            *(f"{1000 * seconds:.1f}: {seconds / online[days]:,.0f} times" for seconds in found),
        )
    yield (
        f"{DAYS[0]} days, every fit made",
        f"{1000 * online[DAYS[0]]:.2f}",
        *in_full(logs[DAYS[0]], desk.truth, online[DAYS[0]]),
    )


def in_full(events: Any, truth: Any, online: float) -> Iterator[str]:
    """Yield the times of the batch methods on a short log."""
    for svm in (linear, libsvm):
        seconds = each(BatchPredictor(threshold=0.3, every=1, svm=svm()), events, truth)
        yield f"{1000 * seconds:.1f}: {seconds / online:,.0f} times"


def each(predictor: Any, events: Any, truth: Any) -> float:
    """Return seconds per instance, end to end."""
    outcome: Outcome = play(predictor, events, truth)
    return outcome.seconds / outcome.instances


def libsvm() -> Any:
    """Return the paper's batch learner, LIBSVM with the linear kernel."""
    from sklearn.svm import SVC

    return SVC(kernel="linear", C=10.0)


class Cost:
    """The time of refitting after each label, by fits to 50 labels, 100, 200 and so on."""

    def __init__(self, svm: Callable[[], Any], rows: np.ndarray):
        self.sizes, self.seconds = [0], [0.0]
        n = 50
        while self.sizes[-1] < len(rows) and self.seconds[-1] < LIMIT:
            self.sizes.append(min(n, len(rows)))
            self.seconds.append(fitted(svm(), rows[: self.sizes[-1]]))
            n *= 2

    def of_all(self, labels: int) -> float:
        """Return the seconds of all fits from the first label to this many."""
        return float(np.interp(np.arange(1, labels + 1), self.sizes, self.seconds).sum())


def fitted(svm: Any, rows: np.ndarray) -> float:
    """Return the seconds of the processor that a fit takes."""
    start = time.process_time()
    svm.fit(*both(rows))
    return time.process_time() - start
