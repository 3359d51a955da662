"""Precision against recall by threshold, and time: the predictor and the batch method (5.4)."""

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from selectron.evaluate.plot import COLOURS, DASHES
from selectron_desktop.predictor import POLICIES, THRESHOLD, ActivityPredictor
from selectron_desktop.windows import Event

from .batch import BatchPredictor, Fitting
from .protocol import Outcome, play

THRESHOLDS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6)
EVERY = 50  # labels between two fits of the batch method


class Row(NamedTuple):
    """A method with a threshold, and its results."""

    method: str
    threshold: float
    outcome: Outcome
    fitting: Fitting = Fitting()  # of the batch method


def evaluate(
    events: Sequence[Event],
    truth: Sequence[Any],
    thresholds: Iterable[float] = THRESHOLDS,
    every: int = EVERY,
    learner: Any = None,
    seen: Callable[[Row], object] = lambda row: None,
) -> list[Row]:
    """Return a row for every method and threshold, each from a pass over the log.

    `truth` are spells, with `start`, `end` and `activity`, in order. The batch method is fitted
    after `every` label, which makes it faster and
    hardly less precise; 0 leaves it out. `seen`
    is called with each row as soon as it is computed.
    """
    rows = []
    for threshold in thresholds:
        for name, predictor in _methods(threshold, every, learner).items():
            outcome = play(predictor, events, truth)
            batch = isinstance(predictor, BatchPredictor)
            rows.append(Row(name, threshold, outcome, predictor.fitting if batch else Fitting()))
            seen(rows[-1])
    return rows


def policies(
    events: Sequence[Event],
    truth: Sequence[Any],
    answers: float = 0.3,
    threshold: float = THRESHOLD,
    seen: Callable[[Row], object] = lambda row: None,
) -> list[Row]:
    """Return the outcome of each policy for unanswered alarms, if only a share is answered."""
    rows = []
    for policy in POLICIES:
        predictor = ActivityPredictor(threshold=threshold, unanswered=policy, random_state=0)
        rows.append(Row(policy, threshold, play(predictor, events, truth, answers)))
        seen(rows[-1])
    return rows


def _methods(threshold: float, every: int, learner: Any) -> dict[str, Any]:
    methods: dict[str, Any] = {
        "online": ActivityPredictor(threshold=threshold, learner=learner, random_state=0)
    }
    if every:
        methods["batch"] = BatchPredictor(threshold=threshold, every=every)
        methods["batch, silent"] = BatchPredictor(threshold=threshold, every=every, silent=True)
    return methods


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a table of text."""
    head = "method         threshold  alarms  right  precision  recall  ms/vector  fits  ms/fit"
    return "\n".join([head, "-" * len(head), *map(_line, rows)])


def _line(row: Row) -> str:
    found = row.outcome
    _, count, seconds = row.fitting
    each = f"{1000 * seconds / count:7.1f}" if count else f"{'-':>7}"
    fits = f"{count:5}" if count else f"{'-':>5}"
    return (
        f"{row.method:<14} {row.threshold:9.2f}  {found.alarms:6}  {found.right:5}  "
        f"{found.precision:9.3f}  {found.recall:6.3f}  "
        f"{1000 * found.seconds / max(1, found.instances):9.3f} {fits} {each}"
    )


def precision_at(rows: Iterable[Row], method: str, recall: float) -> float:
    """Return the best precision of a method at this recall or more; NaN if it reaches none."""
    found = [row.outcome for row in rows if row.method == method]
    return max((one.precision for one in found if one.recall >= recall), default=math.nan)


def plot(rows: Sequence[Row], path: str | Path, title: str = "Forgotten switches") -> None:
    """Draw precision against recall, in the format of the file's ending."""
    from matplotlib.figure import Figure  # slow to import

    figure = Figure(figsize=(6, 4.5), layout="constrained")
    axes = figure.subplots()
    for i, method in enumerate(dict.fromkeys(row.method for row in rows)):
        own = sorted((row for row in rows if row.method == method), key=lambda row: row.threshold)
        found = [(row.outcome.recall, row.outcome.precision) for row in own]
        style: dict[str, Any] = {"color": COLOURS[i], "ls": DASHES[i], "marker": "os^v"[i]}
        axes.plot(*zip(*found, strict=True), label=method, lw=1.4, ms=4, **style)
    axes.set(title=title, xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.02))
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower left")
    figure.savefig(path, dpi=150)


def report(
    path: str | Path | None = None, seed: int = 0, every: int = EVERY, size: Any = None
) -> list[Row]:
    """Evaluate on a generated log, by default of the paper's size, printing rows as they come."""
    from .desks import generate
    from .projects import PAPER

    desk = generate(size or PAPER, seed)
    print(table([]))
    rows = evaluate(desk.events, desk.truth, every=every, seen=lambda row: print(_line(row)))
    if path is not None:
        plot(rows, path, f"Forgotten switches in a generated log of {(size or PAPER).days} days")
    return rows
