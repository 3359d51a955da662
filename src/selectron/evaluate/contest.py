"""A contest: several learners and askers on one pass, with the same draws; curves and tables."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..history.drift import Drifts
from ..model.model import Model, Outcome
from ..model.run import indices
from ..specs import written
from ..streams.readers import Chunk
from .audit import ROWS, SUMS, Audit, moments

MOST_SHOWN = 12  # rows with drift that a line of text shows
BINS = 256  # of a curve at most; if there are more, neighbours are merged
FEW = "too few labels"


class Curve:
    """Sums of several quantities over consecutive bins of a stream, of equal length.

    >>> curve = Curve(1, size=2)
    >>> curve.add(np.array([[1.0, 0.0, 1.0, 1.0, 1.0]]))
    >>> curve.sums()
    array([[1., 2., 1.]])
    >>> curve.ends()
    array([2, 4, 5])
    """

    def __init__(self, quantities: int, size: int = 50):
        self.size = size
        self.rows = 0
        self._sums = np.zeros((quantities, 0))

    def add(self, values: np.ndarray) -> None:
        """Add rows: `values` has shape (quantities, rows)."""
        bins = (self.rows + np.arange(values.shape[1])) // self.size
        self.rows += values.shape[1]
        last = -(-self.rows // self.size)
        sums = np.zeros((len(values), last))
        sums[:, : self._sums.shape[1]] = self._sums
        for total, value in zip(sums, values, strict=True):
            total += np.bincount(bins, value, minlength=last)
        self._sums = sums
        while self._sums.shape[1] > BINS:
            even = np.pad(self._sums, ((0, 0), (0, self._sums.shape[1] % 2)))
            self._sums = even[:, ::2] + even[:, 1::2]
            self.size *= 2

    def sums(self) -> np.ndarray:
        """Return the sums, of shape (quantities, bins)."""
        return self._sums.copy()

    def ends(self) -> np.ndarray:
        """Return the number of rows up to the end of each bin."""
        ends = self.size * np.arange(1, self._sums.shape[1] + 1)
        return np.minimum(ends, self.rows)


class Contestant:
    """A model, and its totals so far."""

    def __init__(self, model: Model):
        self.model = model
        self.name, self.asker = written(model.learner), written(model.asker)
        self.rows = self.labelled = self.mistakes = self.asked = self.steps = 0
        self.seconds = 0.0
        self.curve = Curve(4 + SUMS)  # right, labelled, asked, age; the sums of the audit
        self.audit, self.drifts = Audit(), Drifts()
        model.prepare()

    @property
    def audits(self) -> bool:
        """Whether accuracy is estimated from asked labels: every row must have a chance."""
        return getattr(self.model.asker, "audits", 0) > 0

    @property
    def watches(self) -> bool:
        """Whether the learner detects drift."""
        return self.model.aging

    def play(
        self, chunk: Chunk, labels: np.ndarray, full: bool = False, classes: int = 2
    ) -> Outcome:
        """Play a chunk of rounds, with codes for labels, of a number of classes."""
        start = time.perf_counter()
        if self.model.sparse:
            self.model.widen(chunk.width)
        self.model.extend(classes)
        full = full or self.audits or self.watches
        outcome = self.model.run(chunk.rows, labels, full, chunk.times)
        self.seconds += time.perf_counter() - start
        return outcome

    def add(self, outcome: Outcome, labels: np.ndarray) -> None:
        """Add the outcome of a chunk to the totals."""
        labelled = labels != 0
        right = labelled & (outcome.index == indices(labels, self.model.stacked))
        sums = np.zeros((SUMS, len(labels)))
        if self.audits:
            asked = labelled & outcome.asked
            self.audit.add(outcome.ask_probability[asked], ~right[asked])
            sums[:, asked] = moments(outcome.ask_probability[asked], ~right[asked] * 1.0)
        age = outcome.age if self.watches else np.zeros(len(labels))
        self.drifts.add(age)
        self.curve.add(np.array([right, labelled, outcome.asked, age, *sums], dtype=float))
        self.rows += len(labels)
        self.labelled += int(labelled.sum())
        self.mistakes += int(labelled.sum() - right.sum())
        self.asked += int(outcome.asked.sum())
        self.steps += int(outcome.updated.sum())

    def result(self) -> dict[str, Any]:
        """Return the totals, by the names that the table and the JSON output use."""
        estimate, reason = self._estimate()
        return {
            "learner": self.name,
            "asker": self.asker,
            "accuracy": 1 - self.mistakes / self.labelled if self.labelled else None,
            "estimate": estimate,
            "estimate_reason": reason,
            "label_rate": self.asked / self.rows if self.rows else None,
            "asked": self.asked,
            "mistakes": self.mistakes,
            "drifts": self.drifts.rounds if self.watches else None,
            "steps": self.steps,
            "rows": self.rows,
            "rows_per_second": self.rows / self.seconds if self.seconds else None,
        }

    def _estimate(self) -> tuple[dict[str, float] | None, str | None]:
        """Return the estimate of accuracy, or None and why there is none."""
        if not self.audits:
            return None, "the asker makes no audits: a budget does"
        if not self.asked or self.rows < ROWS:
            return None, f"{FEW}: an interval takes {ROWS} rows"
        return self.audit.estimate()._asdict(), None


def table(results: Sequence[dict[str, Any]]) -> str:
    """Return the results as lines of text."""
    head = ("learner", "asker", "accuracy", "estimated", "asked", "mistakes", "steps", "rows/s")
    body = [
        (
            row["learner"],
            row["asker"],
            "-" if row["accuracy"] is None else f"{row['accuracy']:.4f}",
            _interval(row["estimate"], row["estimate_reason"]),
            f"{row['label_rate']:.2%}",
            f"{row['mistakes']:,}",
            f"{row['steps']:,}",
            f"{row['rows_per_second']:,.0f}",
        )
        for row in results
    ]
    lines: list[tuple[str, ...]] = [head, *body]
    if all(line[3] == "-" for line in body):
        lines = [(*line[:3], *line[4:]) for line in lines]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, tuple("-" * width for width in widths))
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def detected(results: Sequence[dict[str, Any]]) -> str:
    """Return as text the rows in which learners detected drift; empty if none can."""
    lines = []
    for row in results:
        if row["drifts"] is not None:
            found = [f"{at:,}" for at in row["drifts"]]
            shown = found if len(found) <= MOST_SHOWN else [*found[: MOST_SHOWN - 1], "..."]
            lines.append(
                f"{row['learner']} detected drift in rows {', '.join(shown)} ({len(found)} times)."
                if found
                else f"{row['learner']} detected no drift."
            )
    return "\n".join(lines)


def _interval(estimate: dict[str, float] | None, reason: str | None) -> str:
    """Return the 95% interval of accuracy from asked labels, if they are enough."""
    if estimate:
        return "{low:.3f} to {high:.3f}".format(**estimate)
    return FEW if reason and reason.startswith(FEW) else "-"
