"""Precision against recall by threshold, and time: the predictor and the batch method (5.4)."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from selectron_desktop.predictor import ActivityPredictor
from selectron_desktop.windows import Event

from .batch import BatchPredictor, Fitting
from .protocol import Outcome, play

THRESHOLDS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6)
EVERY = 50  # labels between two fits of the batch method
HEAD = "method         threshold  alarms  right  precision  recall  ms/vector  fits   ms/fit"


class Row(NamedTuple):
    """A method with a threshold, and its results; `str` gives a line of a table."""

    method: str
    threshold: float
    outcome: Outcome
    fitting: Fitting = Fitting()  # of the batch method

    def __str__(self) -> str:
        found, (_, count, seconds) = self.outcome, self.fitting
        fits = f"{count:5} {1000 * seconds / count:8.1f}" if count else ""
        each = 1000 * found.seconds / max(1, found.instances)
        return (
            f"{self.method:<14} {self.threshold:9.2f}  {found.alarms:6}  {found.right:5}  "
            f"{found.precision:9.3f}  {found.recall:6.3f}  {each:9.3f} {fits}"
        )


def evaluate(
    events: Sequence[Event],
    truth: Sequence[Any],
    thresholds: Iterable[float] = THRESHOLDS,
    every: int = EVERY,
    seen: Callable[[Row], object] = lambda row: None,
) -> list[Row]:
    """Return a row for every method and threshold, each from a pass over the log.

    `truth` are spells, with `start`, `end` and `activity`, in order. The batch method is fitted
    after `every` label, which is faster and hardly less precise; 0 omits it. `seen` is called with
    each row.
    """
    rows = []
    for threshold in thresholds:
        methods: list[tuple[str, Any]] = [
            ("online", ActivityPredictor(threshold=threshold, random_state=0))
        ]
        for name in ("batch", "batch, silent") if every else ():
            silent = name != "batch"
            methods.append((name, BatchPredictor(threshold=threshold, every=every, silent=silent)))
        for name, predictor in methods:
            outcome = play(predictor, events, truth)
            rows.append(Row(name, threshold, outcome, getattr(predictor, "fitting", Fitting())))
            seen(rows[-1])
    return rows


def plot(rows: Sequence[Row], path: str | Path, title: str = "Forgotten switches") -> None:
    """Draw precision against recall, in the format of the file's ending."""
    from .. import drawing  # slow to import

    figure, [[panel]] = drawing.panels(1)
    for i, method in enumerate(dict.fromkeys(row.method for row in rows)):
        own = sorted((row for row in rows if row.method == method), key=lambda row: row.threshold)
        found = [(row.outcome.recall, row.outcome.precision) for row in own]
        panel.plot(*zip(*found, strict=True), label=method, **drawing.style(i, points=True))
    panel.set(xlim=(0, 1), ylim=(0, 1.02))
    drawing.name_panel(panel, title, "recall", "precision")
    drawing.legend(figure, panel)
    figure.savefig(path, dpi=200)
