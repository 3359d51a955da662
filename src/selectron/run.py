"""The record of a pass over a stream."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Run:
    """What happened, one element a round; only asked labels have influenced it.

    `margin` is the margin quantity of the learner's paper before the round's step, and
    `probability` that of asking; both are None if they were not recorded. `label` is the label as
    it was given, which is used here for scoring, and `labelled` tells where there is one.
    """

    margin: np.ndarray | None
    probability: np.ndarray | None
    prediction: np.ndarray
    asked: np.ndarray
    updated: np.ndarray
    label: np.ndarray
    labelled: np.ndarray

    def __len__(self) -> int:
        """Return the number of rounds."""
        return len(self.prediction)

    @property
    def correct(self) -> np.ndarray:
        """Was the prediction right? False also where there is no label."""
        return self.labelled & (self.prediction == self.label)

    @property
    def mistakes(self) -> int:
        """Number of wrong predictions, asked or not."""
        return int(self.labelled.sum() - self.correct.sum())

    @property
    def accuracy(self) -> float:
        """Share of right predictions among the rounds with a label; NaN if there are none."""
        return float(self.correct.sum() / n) if (n := self.labelled.sum()) else float("nan")

    @property
    def label_rate(self) -> float:
        """Share of rounds whose label was asked for; NaN if there are none."""
        return float(self.asked.mean()) if len(self) else float("nan")

    @property
    def steps(self) -> int:
        """Number of steps that the learner took."""
        return int(self.updated.sum())
