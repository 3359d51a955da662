"""A contest: several learners and askers on one pass, with the same draws; curves and tables."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..askers import Always
from ..data.labels import OF_TWO, Order
from ..engine.rows import Sparse, extent
from ..errors import Refused
from ..model.audit import ROWS, SUMS, Audit, moments
from ..model.metrics import RunMetrics, Tally
from ..model.model import Model, Outcome
from ..model.widths import grows_by_row
from ..specs import spec_of
from ..streams.classes import LabelNumbers
from ..streams.readers import Chunk
from .tables import aligned

MOST_SHOWN = 12  # rows with drift that a line of text shows
BINS = 256  # of a curve at most; if there are more, neighbours are merged
WINDOWS = 40
TOO_FEW = "too few labels"

Played = tuple[Chunk, np.ndarray, list[Outcome]]  # a part of a chunk, and numbers of its labels


class Curve:
    """Sums of several quantities over consecutive bins of a stream, of equal length.

    >>> curve = Curve(1, size=2)
    >>> curve.add(np.array([[1.0, 0.0, 1.0, 1.0, 1.0]]))
    >>> curve.sums, curve.ends()
    (array([[1., 2., 1.]]), array([2, 4, 5]))
    """

    def __init__(self, quantities: int, size: int = 50):
        self.size = size
        self.rows = 0
        self.sums = np.zeros((quantities, 0))  # (quantities, bins)

    def add(self, values: np.ndarray) -> None:
        """Add rows: `values` has shape (quantities, rows)."""
        bins = (self.rows + np.arange(values.shape[1])) // self.size
        self.rows += values.shape[1]
        last = -(-self.rows // self.size)
        self.sums = np.pad(self.sums, ((0, 0), (0, last - self.sums.shape[1])))
        for total, value in zip(self.sums, values, strict=True):
            total += np.bincount(bins, value, minlength=last)
        while self.sums.shape[1] > BINS:
            even = np.pad(self.sums, ((0, 0), (0, self.sums.shape[1] % 2)))
            self.sums = even[:, ::2] + even[:, 1::2]
            self.size *= 2

    def ends(self) -> np.ndarray:
        """Return the number of rows up to the end of each bin."""
        return np.minimum(self.size * np.arange(1, self.sums.shape[1] + 1), self.rows)

    @property
    def window(self) -> int:
        """Number of bins in a window: about 40 windows make up the stream."""
        return max(1, self.sums.shape[1] // WINDOWS)

    def sliding(self, sums: np.ndarray) -> np.ndarray:
        """Return the sums over windows that end at each bin; `sums` is (quantities, bins)."""
        total = np.pad(sums.cumsum(axis=1), ((0, 0), (self.window, 0)))
        return total[:, self.window :] - total[:, : -self.window]


class Contestant:
    """A model, and its totals so far; its labels come `delay` rounds late, if that is given.

    Unless `calibrated`, outcomes have no probabilities. `weights` are those label weights that are
    not 1, by class name.
    """

    def __init__(
        self,
        model: Model,
        delay: int | None = None,
        calibrated: bool = True,
        weights: Mapping[str, float] | None = None,
    ):
        self.model, self.delay, self.calibrated = model, delay, calibrated or delay is not None
        self.weights = weights
        self.name, self.asker = spec_of(model.learner), spec_of(model.asker)
        self.title = f"{self.name}, {self.asker}"
        self.first = 0  # row of the stream that was played first, from 0
        self.rows = self.steps = 0
        self.unaskable, self.unasked = 0, 0  # rows with probability 0, the first of them from 1
        self.seconds = 0.0
        self.curve = Curve(4 + SUMS)  # right, labelled, asked, age; the sums of the audit
        self.audit = Audit()
        self.drifts: list[int] = []  # rows in which drift began, from 0; before this run, below 0
        self.true, self.estimated = Tally(), Tally()
        self.estimates = not isinstance(model.asker, Always)  # accuracy, from the labels asked for
        self.watches = model.aging  # whether the learner detects drift
        if delay is not None:  # no label is lost, however many are on their way
            model.max_open = max(model.max_open, delay + 1)
        model.prepare(self.calibrated)

    def play(
        self, chunk: Chunk, numbers: np.ndarray, names: Sequence[str], full: bool = False
    ) -> Outcome:
        """Play a chunk of rounds, given the numbers of labels and the names of the classes."""
        if self.weights:
            self.model.weighting = self.model.weighting.given(self.weights, names)
        if len(names) > self.model.classes:
            self.model.extend(len(names))
            self.model.prepare(self.calibrated)  # the third class has a loop of its own to compile
        self.first = self.first if self.rows else chunk.first
        start = time.perf_counter()
        rows: Any = chunk.rows
        full = full or self.estimates or self.watches
        if not (isinstance(rows, Sparse) and grows_by_row(self.model)):
            self.model.widen(chunk.width)
        delays = None if self.delay is None else np.full(len(numbers), self.delay)
        codes = numbers if self.model.stacked else OF_TWO[numbers]
        outcome = self.model.run(rows, codes, full, chunk.times, None, delays, self.calibrated)
        self.seconds += time.perf_counter() - start
        return outcome

    def add(self, outcome: Outcome, numbers: np.ndarray, scored: bool = False) -> None:
        """Add the outcome of a chunk to the totals, and its probabilities if it is `scored`."""
        labelled, true = numbers != 0, numbers - 1
        right = labelled & (outcome.index == true)
        proba = outcome.proba if scored else None
        self.true.add_rows(labelled, true, outcome.index, 1.0, proba)
        sums = np.zeros((SUMS, len(numbers)))
        if self.estimates:
            asked = labelled & outcome.asked
            p, mistake = outcome.ask_probability[asked], ~right[asked]
            self.audit.add(p, mistake)
            sums[:, asked] = moments(p, mistake.astype(float))
            self.estimated.add_asked(labelled, true, outcome, proba)
            never = np.flatnonzero(outcome.ask_probability == 0)
            if len(never) and not self.unaskable:
                self.unasked = self.first + self.rows + int(never[0]) + 1
            self.unaskable += len(never)
        age = outcome.age if self.watches else np.zeros(len(numbers))
        found = (self.rows + at for at in outcome.drifts)
        self.drifts += [at + self.first * (at >= 0) for at in found]
        self.curve.add(np.array([right, labelled, outcome.asked, age, *sums], dtype=float))
        self.rows += len(numbers)
        self.steps += int(outcome.updated.sum()) + outcome.earlier

    def result(self) -> dict[str, Any]:
        """Return the totals, by the names that the table and the JSON output use; rows from 1."""
        estimate, reason = self._estimate()
        right, labelled, asked = map(int, self.curve.sums[:3].sum(axis=1))
        return {
            "learner": self.name,
            "asker": self.asker,
            "accuracy": 1 - (labelled - right) / labelled if labelled else None,
            "estimate": estimate,
            "estimate_reason": reason,
            "label_rate": asked / self.rows if self.rows else None,
            "asked": asked,
            "mistakes": labelled - right,
            "drifts": [at + 1 for at in self.drifts] if self.watches else None,
            "steps": self.steps,
            "rows": self.rows,
            "rows_per_second": self.rows / self.seconds if self.seconds else None,
        }

    def metrics(self, classes: Sequence[str]) -> RunMetrics:
        """Return the metrics so far, estimated only where accuracy is."""
        names = list(classes[: self.model.classes])
        estimate = self.estimated.metrics(names) if self._estimate()[0] else None
        return RunMetrics(self.true.metrics(names), estimate)

    def _estimate(self) -> tuple[dict[str, float] | None, str | None]:
        """Return the estimate of accuracy, or None and why there is none."""
        if not self.estimates:
            return None, "every label is asked for"
        if not self.audit.sums.any() or self.rows < ROWS:
            return None, f"{TOO_FEW}: an interval takes {ROWS} rows"
        return self.audit.estimate(self.rows, self.unaskable)._asdict(), None


class Contest:
    """Contestants on one stream, its classes, and the encoder of its rows if they are tables.

    `enter(width, sparse)` returns the contestants when the first rows are known.
    """

    def __init__(
        self, classes: LabelNumbers, enter: Callable[[int, bool], list[Contestant]], encoder: Any
    ):
        self.classes, self.enter, self.encoder = classes, enter, encoder
        self.contestants: list[Contestant] = []
        self.order = Order()

    @property
    def rows(self) -> int:
        """Number of rows played."""
        return self.contestants[0].rows if self.contestants else 0

    def play(
        self,
        chunk: Chunk,
        full: bool = False,
        check: Callable[[Chunk, np.ndarray], None] | None = None,
        scored: bool = False,
    ) -> Iterator[Played]:
        """Play a chunk; yield its rows, encoded, in parts.

        `check` may refuse a part before it is played. If it is `scored`, contestants sum what
        metrics need of probabilities. In any case, the encoder has learned the rows played.
        """
        start = self.rows
        before: Any = self.encoder
        encoder = before and before.copy()
        try:
            for block in [chunk] if encoder is None else encode_chunk(chunk, encoder):
                for row, numbers, names in self.classes.parts(block.labels, block.first):
                    part = block.part(row, row + len(numbers))
                    if check is not None:
                        check(part, numbers)
                    yield part, numbers, self._play(part, numbers, names, full, scored)
        except Refused as error:
            raise Refused(self.rows - start + error.row, error.reason) from None
        finally:
            if encoder is not None and (played := self.rows - start) < len(chunk.labels):
                encoder = before
                if played:
                    encoder.partial_fit(chunk.part(0, played).rows)
            self.encoder = encoder

    def _play(
        self, part: Chunk, numbers: np.ndarray, names: list[str], full: bool, scored: bool
    ) -> list[Outcome]:
        if not self.contestants:
            sparse = isinstance(part.rows, Sparse)
            self.contestants = self.enter(1 if sparse else part.width, sparse)
        outcomes = [each.play(part, numbers, names, full or scored) for each in self.contestants]
        for contestant, outcome in zip(self.contestants, outcomes, strict=True):
            contestant.add(outcome, numbers, scored)
        self.order.add(numbers)
        return outcomes


def encode_chunk(chunk: Chunk, encoder: Any) -> Iterator[Chunk]:
    """Yield a chunk of a table as rows of numbers, a block for each width; the encoder learns."""
    row = 0
    for block in encoder.learn(chunk.rows):
        count, width = extent(block)
        width = encoder.width_ if isinstance(block, Sparse) else width
        yield chunk.part(row, row + count)._replace(rows=block, width=width)
        row += count


def results_table(results: Sequence[dict[str, Any]], recalls: dict[str, list[str]]) -> str:
    """Return the results as lines of text, with a column for the recall of each rare class."""
    head = ("learner", "asker", "accuracy", "estimated", *recalls, "asked", "mistakes", "steps")
    body = [
        (
            row["learner"],
            row["asker"],
            "-" if row["accuracy"] is None else f"{row['accuracy']:.4f}",
            _interval(row["estimate"], row["estimate_reason"]),
            *(cells[i] for cells in recalls.values()),
            f"{row['label_rate']:.2%}",
            f"{row['mistakes']:,}",
            f"{row['steps']:,}",
            f"{row['rows_per_second']:,.0f}",
        )
        for i, row in enumerate(results)
    ]
    lines: list[tuple[str, ...]] = [(*head, "rows/s"), *body]
    if all(line[3] == "-" for line in body):
        lines = [(*line[:3], *line[4:]) for line in lines]
    return aligned(lines, 2)


def drift_text(results: Sequence[dict[str, Any]]) -> str:
    """Return as text the rows in which learners detected drift; empty if none can."""
    lines = []
    for row in results:
        if row["drifts"]:
            early = [1 - at for at in row["drifts"] if at < 1]
            rows = f"{' and '.join(f'{n:,}' for n in early)} {'row' if early == [1] else 'rows'}"
            before = [f"{rows} before this run"] * bool(early)
            found = [f"{at:,}" for at in row["drifts"] if at > 0]
            shown = found if len(found) <= MOST_SHOWN else [*found[: MOST_SHOWN - 1], "..."]
            rows = f"in rows {', '.join(shown)} ({len(found)} times)"
            where = [rows] if len(found) > 1 else [f"in row {at}" for at in found]
            lines.append(f"{row['learner']} detected drift {', and '.join([*before, *where])}.")
        elif row["drifts"] is not None:
            lines.append(f"{row['learner']} detected no drift.")
    return "\n".join(lines)


def _interval(estimate: dict[str, float] | None, reason: str | None) -> str:
    """Return the 95% interval of accuracy from asked labels, if there are enough."""
    if estimate:
        return "{low:.3f} to {high:.3f}".format(**estimate)
    return TOO_FEW if reason and reason.startswith(TOO_FEW) else "-"
