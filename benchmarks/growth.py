"""Cost as the work grows: time per row, and memory, as a table and as pictures with log scales."""

import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.passes import Row, text
from selectron import OnlineClassifier
from selectron.askers import Budget
from selectron.evaluate.plot import COLOURS
from selectron.learners import (
    LASEC,
    BudgetPerceptron,
    LeadingHistory,
    PassiveAggressive,
    Perceptron,
)
from selectron.streams import switching_gaussian

TIMES, MEMORY = "docs/growth.png", "docs/growth-memory.png"
Work = tuple[Callable[[], OnlineClassifier], int]


class Line(NamedTuple):
    """How a quantity depends on one number."""

    learner: str
    by: str
    values: Sequence[float]
    found: list[float]


def growth() -> Iterator[Row]:
    """Yield microseconds per row as one number grows after another; draw them in the end."""
    yield from grown("µs a row", "microseconds a row", TIMES, timed)


def growth_in_memory() -> Iterator[Row]:
    """Yield the kilobytes that a classifier keeps, in the same way."""
    yield from grown("kB", "kilobytes kept", MEMORY, kept)


def grown(
    unit: str, axis: str, picture: str, measured: Callable[[Callable, int], float]
) -> Iterator[Row]:
    """Yield the measurements of each kind of work as it grows, and draw them."""
    lines = []
    for learner, by, values, work in WORK:
        lines.append(Line(learner, by, values, [measured(*work(value)) for value in values]))
        yield (
            f"{learner}, {by} {', '.join(f'{v:,g}' for v in values)}",
            f"{', '.join(map(three_digits, lines[-1].found))} {unit}",
            slope(lines[-1]),
        )
    draw(lines, axis, picture)


def three_digits(number: float) -> str:
    """Return a number rounded to three digits.

    >>> three_digits(4028.0), three_digits(0.02327)
    ('4,030', '0.0233')
    """
    return f"{float(f'{number:.3g}'):,g}"


def slope(line: Line) -> str:
    """Return the exponent with which the quantity grows at the end of the line."""
    (x, far), (s, late) = line.values[-2:], line.found[-2:]
    power = round(np.log(late / s) / np.log(far / x), 2) + 0.0  # no -0.0
    return f"grows with the power {power:.2f} at the end"


def timed(call: Callable[[], Any], rows: int) -> float:
    """Return microseconds per row, the best of three after a warm-up."""
    call()
    times = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e6 * min(times) / rows


def kept(call: Callable[[], OnlineClassifier], rows: int) -> float:
    """Return the kilobytes that a pass allocates and keeps, without its record."""
    call()  # compiled and cached code does not depend on the work
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    clf = call()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert clf.n_rounds_ == rows
    return (after - before) / 1e3


def passing(X: Any, y: Any, learner: Any, **options: Any) -> Work:
    """Return a pass of a fresh classifier, and its number of rows."""
    classes = np.unique(y)
    options = {"fit_intercept": False, **options}

    def call() -> OnlineClassifier:
        clf = OnlineClassifier(learner, **options)
        clf.run(X, y, margins=False, classes=classes)
        return clf

    return call, len(y)


def dense(learner: Any, work: float, **options: Any) -> Callable[[float], Work]:
    """Return work on this number of features; `work` is about the total amount."""

    def of(d: float) -> Work:
        n = int(min(100_000, max(300, work / d)))
        return passing(*switching_gaussian(n, int(d)), learner, **options)

    return of


def non_zeros(k: float) -> Work:
    """Return work on rows with this number of values."""
    return passing(*text(10_000, 100_000, int(k)), Perceptron())


def classes(k: float) -> Work:
    """Return work on this number of classes, with 16 features."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(int(k), 16))
    y = np.arange(20_000) % int(k)
    return passing(centres[y] + 0.6 * rng.normal(size=(len(y), 16)), y, PassiveAggressive())


def support(budget: float) -> Work:
    """Return work with this number of examples held."""
    X, y = switching_gaussian(max(3_000, 3 * int(budget)), 20, every=500)
    return passing(X, y, BudgetPerceptron(int(budget)), kernel="rbf")


def labels(rate: float) -> Work:
    """Return work with this rate of labels."""
    X, y = switching_gaussian(10_000, 50)
    return passing(X, y, LeadingHistory(), asker=Budget(rate=rate), random_state=0)


def length(n: float) -> Work:
    """Return work on this number of rows."""
    return passing(*switching_gaussian(int(n), 50), LASEC())


FEW: dict[str, Any] = {"asker": Budget(rate=0.2), "random_state": 0}
WIDTHS = (10, 30, 100, 300, 1000)
WORK: list[tuple[str, str, Sequence[float], Callable[[float], Work]]] = [
    ("Perceptron", "features", WIDTHS, dense(Perceptron(), 1e7)),
    ("LASEC", "features", WIDTHS, dense(LASEC(), 1e6)),
    ("LeadingHistory", "features", WIDTHS[:4], dense(LeadingHistory(), 3e5, **FEW)),
    ("Perceptron", "non-zeros", (10, 30, 100, 300, 1000), non_zeros),
    ("Passive-Aggressive", "classes", (3, 10, 30, 100, 300), classes),
    ("Budget Perceptron, RBF", "examples held", (30, 100, 300, 1000, 3000), support),
    ("LeadingHistory", "share of labels", (0.02, 0.05, 0.1, 0.2, 0.5, 1.0), labels),
    ("LASEC", "rows", (1_000, 10_000, 100_000, 300_000), length),
]  # fmt: skip


def draw(lines: Sequence[Line], axis: str, picture: str) -> None:
    """Draw a panel for each number."""
    from matplotlib.figure import Figure

    several = list(dict.fromkeys(line.by for line in lines))
    figure = Figure(figsize=(10, 5.5), layout="constrained")
    panels = figure.subplots(2, 3, sharey=True)
    for panel, by in zip(panels.flat, several, strict=True):
        for line in (line for line in lines if line.by == by):
            colour = COLOURS[sorted({one.learner for one in lines}).index(line.learner)]
            panel.loglog(line.values, line.found, "o-", ms=4, color=colour, label=line.learner)
        panel.set_xlabel(by)
        panel.grid(alpha=0.3)
        panel.legend(fontsize=7, frameon=False)
    for panel in panels[:, 0]:
        panel.set_ylabel(axis)
    figure.savefig(picture, dpi=120)
