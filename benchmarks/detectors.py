"""`python -m benchmarks.detectors`: drift alarms of LeadingHistory and of River's detectors.

All use the same labels: those that LeadingHistory asks for within a budget. The detectors, with
their default settings, receive the mistakes of a Bayesian Perceptron that learns from these labels
and restarts at each alarm.
"""

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from river import drift

from selectron import OnlineClassifier
from selectron.askers import Budget
from selectron.evaluate import Drifts
from selectron.learners import BayesianPerceptron, LeadingHistory
from selectron.streams import digits, switching_gaussian

EVERY, WITHIN = 500, 250  # rows between switches, and after a switch in which an alarm detects it
RATES = 0.1, 0.4
SEEDS = 10
STREAMS: dict[str, Callable] = {
    "switching Gaussian": lambda seed: switching_gaussian(10_000, every=EVERY, seed=seed),
    "digits, shifting": lambda seed: digits(every=EVERY, seed=seed),
}
DETECTORS: dict[str, Callable] = {
    "ADWIN": drift.ADWIN,
    "DDM": drift.binary.DDM,
    "Page-Hinkley": drift.PageHinkley,
}


class Found(NamedTuple):
    """Alarms compared with the true switches."""

    hits: float  # share of the switches that are detected
    delays: list[int]  # detection delays of the detected switches, in rows
    alarms: float  # per thousand rows, without a switch


def compared(events: Iterable[int], n: int) -> Found:
    """Match every switch with the first alarm soon after it; all others are false alarms."""
    events = np.array(sorted(events), dtype=int)
    delays = []
    for switch in range(EVERY, n, EVERY):
        after = events[(events >= switch) & (events < switch + WITHIN)] - switch
        delays += after[:1].tolist()
    switches = len(range(EVERY, n, EVERY))
    return Found(len(delays) / switches, delays, 1000 * (len(events) - len(delays)) / n)


def detected(detector: Any, X: np.ndarray, y: np.ndarray, asked: np.ndarray) -> list[int]:
    """Return the rows at which a detector raises an alarm, from mistakes on asked labels."""
    events: list[int] = []
    watched: OnlineClassifier | None = None
    for i in np.flatnonzero(asked).tolist():
        x, label = X[i : i + 1], y[i : i + 1]
        if watched is not None:
            detector.update(bool(watched.predict(x)[0] != label[0]))
        if watched is None or detector.drift_detected:
            events += [i] if watched is not None else []
            watched = OnlineClassifier(BayesianPerceptron(s0=0.5), fit_intercept=False)
        watched.partial_fit(x, label, classes=[-1, 1])
    return events


def played(stream: str, rate: float, seed: int) -> dict[str, Found]:
    """Play one pass, and return the outcome of each detector."""
    X, y = STREAMS[stream](seed)
    clf = OnlineClassifier(LeadingHistory(), Budget(rate), fit_intercept=False, random_state=seed)
    run = clf.run(X, y)
    drifts = Drifts()
    drifts.add(run.age)
    found = {"LeadingHistory": compared(drifts.rounds, len(y))}
    for name, detector in DETECTORS.items():
        found[name] = compared(detected(detector(), X, y, run.asked), len(y))
    return found


def row(passes: list[Found]) -> str:
    """Return the means over passes, and the median of delays, as text."""
    delays = [delay for found in passes for delay in found.delays]
    late = f"{np.median(delays):.0f}" if delays else "-"
    hits, alarms = (
        np.mean([getattr(found, name) for found in passes]) for name in ("hits", "alarms")
    )
    return f"{hits:.0%} | {late} | {alarms:.2f}"


def main() -> None:
    """Print a table of means over the seeds."""
    print("| stream, labels | detector | detected | delay, rows | false alarms per 1,000 rows |")
    print("|---|---|---|---|---|")
    for stream, rate in product(STREAMS, RATES):
        passes = [played(stream, rate, seed) for seed in range(SEEDS)]
        for name in passes[0]:
            print(f"| {stream}, {rate:.0%} | {name} | {row([found[name] for found in passes])} |")


if __name__ == "__main__":
    main()
