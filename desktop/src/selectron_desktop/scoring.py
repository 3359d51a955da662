"""The score g of pairs of activities, learned by any of Selectron's learners.

A pair that should score higher than another by a margin of 1 is a row Z with the label +1: the
difference of their phi (section 5.3). An alarm is a round, too: its row is the difference of the
predicted pair and the best pair that keeps the declared activity, and the asker decides.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from selectron import OnlineClassifier
from selectron.askers import Budget

from .features import Features, K, M, joint

LENGTH = 2000  # rows that are kept
GOLDEN = 0.6180339887498949  # its multiples, modulo 1, are spread evenly
PER = Budget._fields.index("per")
LESS = -1  # the label of -Z, so that a score of 0 is a mistake


class Pair(NamedTuple):
    """The numbers of the activities before and now."""

    before: int
    now: int


class Scores(NamedTuple):
    """The scores of the activities in two stretches, and the penalty of a switch."""

    first: np.ndarray
    second: np.ndarray
    penalty: float

    def of(self, pair: Pair) -> float:
        """Return g of a pair."""
        i, j = pair
        return float(self.first[i] + self.second[j] - (self.penalty if i != j else 0.0))

    def best(self, without: Pair | None = None) -> Pair | None:
        """Return the pair with the highest score except `without`; None if there is no other.

        Whichever pair is excluded, the best pair of two activities is among the best three of each.

        >>> Scores(np.array([1.0, 2.0]), np.array([3.0, 2.5]), penalty=1.0).best()
        Pair(before=1, now=1)
        """
        found = [Pair(int(i), int(i)) for i in leading(self.first + self.second, 2)]
        ahead = [int(j) for j in leading(self.second, 3)]
        found += [Pair(int(i), j) for i in leading(self.first, 3) for j in ahead if i != j]
        return self._highest([pair for pair in found if pair != without])

    def keeping(self, now: int) -> Pair:
        """Return the pair with the highest score among those that end with the activity `now`."""
        pairs = [*(Pair(int(i), now) for i in leading(self.first, 2)), Pair(now, now)]
        return self._highest(pairs) or Pair(now, now)

    def _highest(self, pairs: list[Pair]) -> Pair | None:
        """Return the pair with the highest score; of equal ones, that with the lowest numbers."""
        found = [(-self.of(pair), pair) for pair in pairs if self.of(pair) > -np.inf]
        return min(found)[1] if found else None


def leading(scores: np.ndarray, n: int) -> np.ndarray:
    """Return the indices of the n highest scores, or of all if there are not more."""
    if len(scores) <= n:
        return np.arange(len(scores))
    return np.argpartition(scores, len(scores) - n)[-n:]


class Replay:
    """The last rows that were learned, some of which are learned again with each new one."""

    def __init__(self, again: int):
        self.again = again  # rows that are returned with each new one
        self.rows = np.zeros((LENGTH, K + 2 * M))  # the oldest is overwritten
        self.count = 0  # rows so far

    def add(self, row: np.ndarray) -> np.ndarray:
        """Add a row; return some earlier ones, of all ages, and this one as the last."""
        at, n = self.count % LENGTH, min(self.count, LENGTH - 1)
        first = self.count * self.again
        ages = [int(i * GOLDEN % 1 * n) for i in range(first, first + min(self.again, n))]
        self.rows[at] = row
        self.count += 1
        return self.rows[[*(at - 1 - age for age in ages), at]]


class Found(NamedTuple):
    """The pair with the highest score, and the best one that keeps the declared activity."""

    pair: Pair
    keep: Pair | None  # None if none is declared
    lead: float  # the difference of their scores


class Scoring:
    """g, with the current weights."""

    def __init__(self, learner: Any, asker: Any, seed: Any, replay: int):
        self.replay = Replay(replay)
        self.shift = 0.0  # seconds by which the budget's clock is ahead
        self.clf = OnlineClassifier(
            learner,
            asker,
            classes=[LESS, 1],
            fit_intercept=False,
            normalize=False,
            max_open=1,  # an answer gives the true pair, which is another row
            random_state=seed,
        )
        self.clf.partial_fit(np.zeros((1, K + 2 * M)), [None])  # now the weights exist, and are 0

    def weights(self) -> np.ndarray:
        """Return Lambda: the weights of F_A, and those of F_S before and now."""
        return self.clf.coef_[0]

    def scores(self, first: Features, second: Features, n: int, shut: Any) -> Scores:
        """Return the scores of n activities; those of closed ones, `shut`, are -inf."""
        weights = self.weights()
        one, two = first.scores(weights[:K], n), second.scores(weights[:K], n)
        closed = list(shut)
        one[closed] = two[closed] = -np.inf
        cost = weights[K : K + M] @ first.switch + weights[K + M :] @ second.switch
        return Scores(one, two, float(cost))

    def find(self, scores: Scores, declared: int | None) -> Found | None:
        """Predict a pair; None if all activities are closed. Ties keep the declared activity."""
        pair = scores.best()
        if pair is None or declared is None or scores.second[declared] == -np.inf:
            return pair and Found(pair, None, scores.of(pair))
        keep = scores.keeping(declared)
        lead = scores.of(pair) - scores.of(keep)
        return Found(pair if lead > 0 else keep, keep, max(0.0, lead))

    def learn(self, first: Features, second: Features, pair: Pair, scores: Scores) -> None:
        """Learn that this pair should score higher than its best rival, and replay earlier rows."""
        rival = scores.best(without=pair)
        if rival is None:
            return
        rows = self.replay.add(joint(first, second, *rival) - joint(first, second, *pair))
        self.clf.partial_fit(rows, np.full(len(rows), LESS))

    def ask(self, first: Features, second: Features, found: Found, time: float) -> float | None:
        """Return the probability of the alarm that is raised now, None if none is raised."""
        row = joint(first, second, *found.pair)
        if found.keep is not None:
            row -= joint(first, second, *found.keep)
        decision = self.clf.decide(row, time + self.shift)
        return decision.ask_probability if decision.ask else None

    def set_back(self, before: float, now: float) -> None:
        """Begin the budget's next period now: its own clock never goes back."""
        if isinstance(self.clf.asker, Budget) and before > now:
            period = self.clf.asker.numbers()[PER]
            self.shift += period * (math.floor((before - now) / period) + 1)
