"""Cost as the work grows: time a row, and memory, as a table and as pictures with log scales."""

import time
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

PICTURE = "docs/growth.png"


class Line(NamedTuple):
    """How the time of a row depends on one number."""

    learner: str
    by: str
    values: Sequence[float]
    seconds: list[float]  # a row


def growth() -> Iterator[Row]:
    """Yield time a row against one number after another; draw them in the end."""
    lines = []
    for learner, by, values, work in WORK:
        seconds = [timed(*work(value)) for value in values]
        lines.append(Line(learner, by, values, seconds))
        times = ", ".join(f"{1e6 * s:.3g}" for s in seconds)
        yield (
            f"{learner}, {by} {', '.join(f'{v:,g}' for v in values)}",
            f"{times} us a row",
            slope(lines[-1]),
        )
    draw(lines)


def slope(line: Line) -> str:
    """Return the power of the number that time grows with at the end of the line."""
    (x, far), (s, late) = line.values[-2:], line.seconds[-2:]
    return f"grows with the power {np.log(late / s) / np.log(far / x):.2f} at the end"


def timed(call: Callable[[], Any], rows: int) -> float:
    """Return seconds a row, the best of three after a first one."""
    call()
    times = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times) / rows


def passing(X: Any, y: Any, learner: Any, **options: Any) -> tuple[Callable[[], Any], int]:
    """Return a pass of a fresh classifier, and its number of rows."""
    classes = np.unique(y)
    options = {"fit_intercept": False, **options}
    return (
        lambda: OnlineClassifier(learner, **options).run(X, y, margins=False, classes=classes),
        len(y),
    )


def dense(learner: Any, work: float, **options: Any) -> Callable[[float], tuple]:
    """Return work on so many features; `work` is about how much it is in all."""

    def of(d: float) -> tuple[Callable[[], Any], int]:
        n = int(min(100_000, max(300, work / d)))
        return passing(*switching_gaussian(n, int(d)), learner, **options)

    return of


def non_zeros(k: float) -> tuple[Callable[[], Any], int]:
    """Return work on rows of so many values."""
    return passing(*text(10_000, 100_000, int(k)), Perceptron())


def classes(k: float) -> tuple[Callable[[], Any], int]:
    """Return work on so many classes, 16 features."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(int(k), 16))
    y = np.arange(20_000) % int(k)
    return passing(centres[y] + 0.6 * rng.normal(size=(len(y), 16)), y, PassiveAggressive())


def support(budget: float) -> tuple[Callable[[], Any], int]:
    """Return work with so many examples held."""
    X, y = switching_gaussian(max(3_000, 3 * int(budget)), 20, every=500)
    return passing(X, y, BudgetPerceptron(int(budget)), kernel="rbf")


def labels(rate: float) -> tuple[Callable[[], Any], int]:
    """Return work with such a share of labels."""
    X, y = switching_gaussian(10_000, 50)
    return passing(X, y, LeadingHistory(), asker=Budget(rate=rate), random_state=0)


def length(n: float) -> tuple[Callable[[], Any], int]:
    """Return work on so many rows."""
    return passing(*switching_gaussian(int(n), 50), LASEC())


FEW: dict[str, Any] = {"asker": Budget(rate=0.2), "random_state": 0}
WIDTHS = (10, 30, 100, 300, 1000)
WORK: list[tuple[str, str, Sequence[float], Callable[[float], tuple]]] = [
    ("Perceptron", "features", WIDTHS, dense(Perceptron(), 1e7)),
    ("LASEC", "features", WIDTHS, dense(LASEC(), 1e6)),
    ("LeadingHistory", "features", WIDTHS[:4], dense(LeadingHistory(), 3e5, **FEW)),
    ("Perceptron", "non-zeros", (10, 30, 100, 300, 1000), non_zeros),
    ("Passive-Aggressive", "classes", (3, 10, 30, 100, 300), classes),
    ("Budget Perceptron, RBF", "examples held", (30, 100, 300, 1000, 3000), support),
    ("LeadingHistory", "share of labels", (0.02, 0.05, 0.1, 0.2, 0.5, 1.0), labels),
    ("LASEC", "rows", (1_000, 10_000, 100_000, 300_000), length),
]  # fmt: skip


def draw(lines: Sequence[Line]) -> None:
    """Draw a panel for each number."""
    from matplotlib.figure import Figure

    several = list(dict.fromkeys(line.by for line in lines))
    figure = Figure(figsize=(10, 5.5), layout="constrained")
    panels = figure.subplots(2, 3, sharey=True)
    for panel, by in zip(panels.flat, several, strict=True):
        for line in (line for line in lines if line.by == by):
            colour = COLOURS[sorted({one.learner for one in lines}).index(line.learner)]
            micro = [1e6 * s for s in line.seconds]
            panel.loglog(line.values, micro, "o-", ms=4, color=colour, label=line.learner)
        panel.set_xlabel(by)
        panel.grid(alpha=0.3)
        panel.legend(fontsize=7, frameon=False)
    for panel in panels[:, 0]:
        panel.set_ylabel("microseconds a row")
    figure.savefig(PICTURE, dpi=120)
