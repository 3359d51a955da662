"""The record of a pass over a stream."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..engine.parameters import counted
from ..engine.round import ASKED, CLASS, STRAINED, UPDATED
from ..errors import SelectronError
from ..history.drift import Drifts
from .metrics import RunMetrics, Tally


def decode(index: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the classes of these indices; the last one for a class that is not named yet.

    >>> decode(np.array([1, 0]), np.array(["ham", "spam"]))
    array(['spam', 'ham'], dtype='<U4')
    """
    if not len(classes):
        return np.full(len(index), None, dtype=object)
    return classes[np.minimum(index, len(classes) - 1)]


def indices(codes: Any, many: bool) -> Any:
    """Return the indices of classes for their codes: -1, +1 of two, 1 to K of many.

    >>> indices(np.array([-1, 1]), many=False), indices(np.array([1, 3]), many=True)
    (array([0, 1]), array([0, 2]))
    """
    return codes - 1 if many else (codes > 0) * 1


def code_of(index: int, many: bool) -> int:
    """Return the code of the class of this index.

    >>> [code_of(index, many=False) for index in (0, 1)], code_of(1, many=True)
    ([-1, 1], 2)
    """
    return index + 1 if many else 2 * index - 1


NO_ALARMS = Drifts().pack()
EMPTY = np.zeros(0)  # times or probabilities where there are none


class Given(NamedTuple):
    """What comes with the rows of some rounds."""

    labels: np.ndarray  # codes
    times: np.ndarray = EMPTY  # in seconds, if the asker uses them
    weights: Any = None  # of the labels

    def part(self, rounds: slice) -> "Given":
        """Return what comes with some of the rounds."""
        weights = None if self.weights is None else self.weights[rounds]
        return Given(self.labels[rounds], self.times[rounds], weights)


class OneRound(NamedTuple):
    """Arrays of one element for a single round, which `decide` and `tell` fill again and again."""

    labels: np.ndarray
    draws: np.ndarray
    times: np.ndarray
    out: tuple


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """The outcome of rounds: arrays with one element a round.

    If margins and probabilities of asking were not recorded, both arrays are empty, and None in a
    `Run`. The properties decode `flags`. Where they were recorded, `scores` are the margins <w, x>
    of two classes (n, 1) or the scores of many (n, K), and `replay` computes `proba`. `earlier` is
    the number of steps on late labels that earlier runs had asked for. `drifts` lists the rounds in
    which drift began, by the alarms of these rounds: from 0 on, and below 0 in earlier runs.
    """

    margin: Any  # the learner's margin score before the step, (n_rows,); None if not recorded
    ask_probability: Any  # the probability of asking for the label, (n_rows,); None if not recorded
    flags: np.ndarray
    scores: Any = None  # (n_rows, n_classes); in a `Run`, None unless it is of `OnlineRanker`
    age: Any = None  # age of the leading expert, in rounds, (n_rows,); None if there are no experts
    evidence: Any = None  # log of the evidence of a switch, and the leader's age, (n_rows, 2)
    replay: Any = None
    earlier: int = 0
    drifts: Any = ()

    def arrays(self) -> tuple:
        """Return the arrays in the order in which the loop fills them."""
        record = self.margin, self.ask_probability, self.flags, self.scores
        return *record, self.age, self.evidence

    def part(self, rounds: slice) -> "Outcome":
        """Return a view of some of the rounds."""
        return Outcome(*(array[rounds] for array in self.arrays()))

    def filled(self, other: "Outcome") -> "Outcome":
        """Return a record whose empty arrays are replaced by those of another one."""
        pairs = zip(self.arrays(), other.arrays(), strict=True)
        return Outcome(*(own if len(own) else array for own, array in pairs))

    def __len__(self) -> int:
        """Return the number of rounds."""
        return len(self.flags)

    @cached_property
    def proba(self) -> Any:
        """Probabilities of the classes before the label, (n, n_classes); None if not recorded."""
        return None if self.replay is None else self.replay()

    @cached_property
    def index(self) -> np.ndarray:
        """Indices of the predicted classes, (n_rows,)."""
        return self.flags >> CLASS

    @cached_property
    def positive(self) -> np.ndarray:
        """Whether `classes[1]` was predicted, (n_rows,)."""
        return self.index == 1

    @cached_property
    def asked(self) -> np.ndarray:
        """Whether the label was asked for, (n_rows,)."""
        return self.flags & ASKED != 0

    @cached_property
    def updated(self) -> np.ndarray:
        """Whether the learner took a step, (n_rows,)."""
        return self.flags & UPDATED != 0

    @cached_property
    def strained(self) -> np.ndarray:
        """Whether no step met all of the learner's conditions: it took the best one, (n_rows,)."""
        return self.flags & STRAINED != 0


def detect(alarms: list[float], before: int, out: Outcome) -> tuple[list[float], Outcome]:
    """Return the state of `Drifts` after rounds with evidence, and these with their `drifts`.

    `alarms` is the state so far, and `before` the number of rounds, recorded or not.
    """
    drifts = Drifts.unpack(alarms)
    drifts.seen = before
    found = [at - before for at in drifts.add(out.evidence)]
    return drifts.pack(), replace(out, drifts=found)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Run(Outcome):
    """The outcome of rounds on labelled rows; only labels that were asked for influenced it.

    Each round has its `prediction`, whether the label was `asked` for, whether the prediction was
    `correct`, whether the learner `updated` its weights, the probabilities `proba`, and `margin`,
    `ask_probability`, `age` and `evidence`. The run as a whole has `mistakes`, `accuracy`,
    `label_rate`, `steps`, `drifts` and `metrics`. It also keeps what was given: `label`, `code`,
    `classes` and `max_support`. Labels serve for scoring only.

    `drifts` lists the rounds in which drift began, by the alarms of this run: -1 is the last
    round before it. On average, there is at most one false alarm in 2,000 rounds without drift.
    `selectron.evaluate.Drifts(rate)` takes another rate, and has the rounds of the alarms. The list
    is empty if the learner is no ensemble, or margins were not recorded.

    >>> from selectron import OnlineClassifier
    >>> run = OnlineClassifier().run([[1.0], [-2.0], [3.0]], ["up", "down", None])
    >>> run.prediction.tolist(), run.mistakes, run.accuracy, run.label_rate, run.steps
    (['up', 'up', 'up'], 1, 0.5, 0.6666666666666666, 2)
    """

    label: np.ndarray  # the labels as they were given, (n_rows,)
    code: np.ndarray  # (n_rows,): -1 or +1 of two classes, 1 to K of many, 0 where there is none
    classes: np.ndarray  # the classes, (n_classes,): an index is a place among them
    many: bool = False  # whether the classes have a score each, as more than two do
    max_support: int | None = None  # that of the classifier

    def __repr__(self) -> str:
        return (
            f"<Run: {counted(len(self), 'round')}, {self.accuracy:.1%} right, "
            f"{self.label_rate:.1%} of the labels asked for, {counted(self.steps, 'step')}>"
        )

    @cached_property
    def proba(self) -> Any:
        """Probabilities before the label, (n_rows, n_classes); None if margins are not recorded."""
        known = len(self.classes)
        return super().proba if known > 1 or self.replay is None else np.ones((len(self), known))

    @cached_property
    def index(self) -> np.ndarray:
        """Indices of the predicted classes, (n_rows,); with one class, that is always predicted."""
        return super().index if len(self.classes) != 1 else np.zeros(len(self), int)

    @cached_property
    def prediction(self) -> np.ndarray:
        """The predicted classes, (n_rows,)."""
        return decode(self.index, self.classes)

    @cached_property
    def labelled(self) -> np.ndarray:
        """Whether there is a label, (n_rows,)."""
        return self.code != 0

    @cached_property
    def label_index(self) -> np.ndarray:
        """Indices of the labels' classes, (n_rows,), of no meaning where there is no label."""
        return indices(self.code, self.many)

    @cached_property
    def correct(self) -> np.ndarray:
        """Whether the prediction was right, (n_rows,); False where there is no label."""
        return self.labelled & (self.index == self.label_index)

    @property
    def mistakes(self) -> int:
        """Number of wrong predictions, asked or not."""
        return int(self.labelled.sum() - self.correct.sum())

    @property
    def accuracy(self) -> float:
        """Share of right predictions among the rounds with a label; NaN if there are none."""
        labelled = int(self.labelled.sum())
        return int(self.correct.sum()) / labelled if labelled else math.nan

    @property
    def label_rate(self) -> float:
        """Share of rounds whose label was asked for; NaN if there are none."""
        return float(self.asked.mean()) if len(self) else math.nan

    def metrics(self) -> RunMetrics:
        """Return the metrics over all labels, and as estimated from the labels asked for.

        They are accuracy, that of the majority class, balanced accuracy, kappa, log loss, recall,
        precision and F1 of every class, the confusion table and the calibration: see
        `evaluate.Metrics`. In the estimate, an asked label has the weight 1 / probability of
        asking, and recall and precision have intervals. If margins were not recorded, the estimate
        is None and log loss NaN. Raises SelectronError if a row may be of several classes.
        """
        if self.label.ndim > 1:
            raise SelectronError("Rows of several classes have no confusion table.")
        true, estimated, names = Tally(), Tally(), self.classes.tolist()
        true.add_rows(self.labelled, self.label_index, self.index, 1.0, self.proba)
        if self.ask_probability is None:
            return RunMetrics(true.metrics(names), None)
        estimated.add_asked(self.labelled, self.label_index, self, self.proba)
        return RunMetrics(true.metrics(names), estimated.metrics(names))

    @property
    def steps(self) -> int:
        """Number of steps that the learner took, including those on late labels of earlier runs."""
        return int(self.updated.sum()) + self.earlier
