"""The score g of pairs of activities, and its learning, through the engine of every other learner.

A pair that should score higher than another by a margin of 1 is a row Z with the label +1, Z being
the difference of their phi (section 5.3). An alarm is a round, too: its row is the difference of
the predicted pair and the best one that keeps the declared activity, and the asker decides.
"""

from typing import Any, NamedTuple

import numpy as np

from ..askers.budget import Budget, Past
from ..engine.rows import Dense
from ..model.model import Model
from .features import Features, K, M, joint
from .pairs import Pair, best, keeping, value
from .replay import Replay

LESS = -1  # the label of -Z: 0 < 1 is a mistake for learners that step on mistakes alone, too


class Scores(NamedTuple):
    """What the activities score in two stretches, and what a switch costs."""

    first: np.ndarray
    second: np.ndarray
    penalty: float


class Found(NamedTuple):
    """The pair that scores best, and the best one that keeps the declared activity."""

    pair: Pair
    keep: Pair | None  # None if none is declared
    lead: float  # of the one over the other


class Scoring:
    """g with the weights as they are learned."""

    def __init__(self, learner: Any, asker: Any, seed: Any, replay: int):
        self.replay = Replay(replay)
        self.model = Model(
            learner,
            asker,
            width=K + 2 * M,
            constant=False,
            normalize=False,
            seed=seed,
            max_open=1,  # answers come with the true pair, which makes another row
        )

    def weights(self) -> np.ndarray:
        """Return Lambda: the weights of F_A, and those of F_S before and now."""
        return self.model.weights()

    def scores(self, first: Features, second: Features, n: int, shut: Any) -> Scores:
        """Score n activities, but for those that are shut."""
        weights = self.weights()
        one, two = first.scores(weights[:K], n), second.scores(weights[:K], n)
        closed = list(shut)
        one[closed] = two[closed] = -np.inf
        cost = weights[K : K + M] @ first.switch + weights[K + M :] @ second.switch
        return Scores(one, two, float(cost))

    def find(self, scores: Scores, declared: int | None) -> Found | None:
        """Predict; None if all activities are shut. Nothing better, the declared one is kept."""
        pair = best(*scores)
        if pair is None or declared is None or scores.second[declared] == -np.inf:
            return pair and Found(pair, None, value(*scores, pair))
        keep = keeping(*scores, declared)
        lead = value(*scores, pair) - value(*scores, keep)
        return Found(pair if lead > 0 else keep, keep, max(0.0, lead))

    def learn(self, first: Features, second: Features, pair: Pair, scores: Scores) -> None:
        """Step, if the learner does, so that this pair scores higher than its best rival."""
        rival = best(*scores, without=pair)
        if rival is None:
            return
        self.step(joint(first, second, *rival) - joint(first, second, *pair))

    def step(self, row: np.ndarray) -> None:
        """Learn -Z, after some earlier ones again."""
        rows = self.replay.add(row)
        self.model.learn(Dense(rows), np.full(len(rows), LESS, self.model.codes))

    def ask(self, first: Features, second: Features, found: Found, time: float) -> float | None:
        """Play the round of an alarm; return the probability of raising it if it is raised."""
        row = joint(first, second, *found.pair)
        if found.keep is not None:
            row -= joint(first, second, *found.keep)
        _, _, probability, ticket = self.model.decide(Dense(row[None]), time)
        return probability if ticket is not None else None

    def begin_period(self) -> None:
        """Let the budget's period begin anew with the next alarm, even if its time is earlier."""
        if isinstance(self.model.asker, Budget):
            self.model.past[Past._fields.index("window")] = -1.0
