"""Two cores: sweeps in processes, and independent models in threads."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

import numpy as np

from benchmarks.limits import c_dense
from benchmarks.passes import Row, Stream
from benchmarks.passes import model as perceptron
from benchmarks.second import model
from selectron import OnlineClassifier
from selectron.askers import Budget
from selectron.evaluate.sweep import sweep
from selectron.learners import LASEC, LeadingHistory
from selectron.streams import switching_gaussian

TASKS, SEEDS = 8, 500


def cores() -> Iterator[Row]:
    """Yield (name, speedup with two, times of a run with one and with two)."""
    X, y = switching_gaussian(100_000, 50)
    yield threaded("passes in C, d=50, in threads: the processor's limit", c_dense(X, y))
    yield threaded("models, Perceptron, d=50, in threads", perceptron(Stream("", X, y, 0)))
    X, y = switching_gaussian(20_000, 256)
    yield threaded("models, LASEC, d=256, in threads", model(LASEC(), X, y))
    for tasks in (8, 32):
        with ProcessPoolExecutor(1) as one, ProcessPoolExecutor(2) as two:
            for executor in (one, two):  # processes start, and load compiled code
                list(executor.map(passed, range(2)))
            alone, both = (best(partial(swept, executor, tasks), 3) for executor in (one, two))
        yield shown(f"{tasks} passes of LeadingHistory in running processes", alone, both)
    alone, both = (best(partial(whole, workers), 1) for workers in (1, 2))
    yield shown(
        f"sweep() of {SEEDS} passes of LeadingHistory, including the start of its processes",
        alone,
        both,
    )


def threaded(what: str, call: Callable[[], object]) -> Row:
    """Make the same call in one thread, and in two."""
    with ThreadPoolExecutor(2) as threads:
        alone = best(lambda: [call() for _ in range(TASKS)])
        both = best(lambda: list(threads.map(lambda _: call(), range(TASKS))))
    return shown(f"{TASKS} {what}", alone, both)


def swept(executor: ProcessPoolExecutor, tasks: int) -> list[float]:
    """Play this number of passes."""
    return list(executor.map(passed, range(tasks)))


def whole(workers: int) -> object:
    """Sweep over a stream, as a user does."""
    X, y = switching_gaussian(10_000, 50, seed=0)
    return sweep(X, y, [LeadingHistory()], [Budget(rate=0.2)], range(SEEDS), workers=workers)


def passed(seed: int) -> float:
    """Play one pass, as a trial of a sweep does."""
    X, y = switching_gaussian(10_000, 50, seed=seed)
    clf = OnlineClassifier(LeadingHistory(), asker=Budget(rate=0.2), random_state=seed)
    return clf.run(X, y, margins=False).accuracy


def best(call: Callable[[], object], times: int = 5) -> float:
    """Return the shortest of several runs, in seconds: the one with both cores free."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return float(np.min(found))


def shown(what: str, alone: float, both: float) -> Row:
    """Return the figures as a row of the table."""
    return what, f"{alone / both:.2f}", f"{alone:.2f} s and {both:.2f} s"
