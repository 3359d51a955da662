"""The record of a pass over a stream."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .engine.loop import ASKED, PREDICTED, UPDATED


def named(positive: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the second class where `positive`, the first elsewhere.

    >>> named(np.array([True, False]), np.array(["ham", "spam"]))
    array(['spam', 'ham'], dtype='<U4')
    """
    return np.where(positive, classes[1], classes[0]).astype(classes.dtype, copy=False)


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """What happened in rounds: arrays of one element a round.

    `margin` is the margin quantity of the learner's paper before the round's step, and
    `probability` that of asking; if they were not recorded, both are empty, and None in a `Run`.
    `flags` is what the properties are made of.
    """

    margin: np.ndarray | None
    probability: np.ndarray | None
    flags: np.ndarray

    def __len__(self) -> int:
        """Return the number of rounds."""
        return len(self.flags)

    @cached_property
    def positive(self) -> np.ndarray:
        """Was `classes[1]` predicted?"""
        return self.flags & PREDICTED != 0

    @cached_property
    def asked(self) -> np.ndarray:
        """Was the label asked for?"""
        return self.flags & ASKED != 0

    @cached_property
    def updated(self) -> np.ndarray:
        """Did the learner step?"""
        return self.flags & UPDATED != 0


@dataclass(frozen=True, eq=False, repr=False)
class Run(Outcome):
    """The outcome of rounds on labelled rows; only asked labels have influenced it.

    `label` is the label as it was given, and `code` -1 or +1 for it, or 0 where there is none; they
    serve for scoring here.

    >>> from selectron import OnlineClassifier
    >>> run = OnlineClassifier().run([[1.0], [-2.0], [3.0]], ["up", "down", None])
    >>> run.prediction.tolist(), run.mistakes, run.accuracy, run.label_rate, run.steps
    (['up', 'up', 'up'], 1, 0.5, 0.6666666666666666, 1)
    """

    label: np.ndarray
    code: np.ndarray
    classes: np.ndarray

    def __repr__(self) -> str:
        return (
            f"<Run: {len(self):,} rounds, {self.accuracy:.1%} right, "
            f"{self.label_rate:.1%} of the labels asked for, {self.steps:,} steps>"
        )

    @cached_property
    def prediction(self) -> np.ndarray:
        """The predicted classes."""
        return named(self.positive, self.classes)

    @cached_property
    def labelled(self) -> np.ndarray:
        """Is there a label?"""
        return self.code != 0

    @cached_property
    def correct(self) -> np.ndarray:
        """Was the prediction right? False also where there is no label."""
        return self.labelled & (self.positive == (self.code > 0))

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

    @property
    def steps(self) -> int:
        """Number of steps that the learner took."""
        return int(self.updated.sum())
