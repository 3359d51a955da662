"""The score g of pairs of activities, and its learning, through the engine of every other learner.

A pair that should score higher than another by a margin of 1 is a row Z with the label +1, Z being
the difference of their phi (section 5.3). An alarm is a round, too: its row is the difference of
the predicted pair and the best one that keeps the declared activity, and the asker decides.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from selectron import OnlineClassifier
from selectron.askers import Budget

from .features import Features, K, M, joint

LENGTH = 2000  # rows kept
GOLDEN = 0.6180339887498949  # multiples of it, modulo 1, are spread evenly
PER = Budget._fields.index("per")
LESS = -1  # the label of -Z: 0 < 1 is a mistake for learners that step on mistakes alone, too


class Pair(NamedTuple):
    """The numbers of the activities before and now."""

    before: int
    now: int


def value(first: np.ndarray, second: np.ndarray, penalty: float, pair: Pair) -> float:
    """Return g of a pair.

    >>> value(np.array([1.0, 2.0]), np.array([3.0, 4.0]), 0.5, Pair(0, 1))
    4.5
    """
    i, j = pair
    return float(first[i] + second[j] - (penalty if i != j else 0.0))


def best(
    first: np.ndarray, second: np.ndarray, penalty: float, without: Pair | None = None
) -> Pair | None:
    """Return the pair that scores best, other than `without`; None if there is no other.

    Whatever one pair rules out, the best one of two activities is among the three best of either.

    >>> best(np.array([1.0, 2.0]), np.array([3.0, 2.5]), penalty=1.0)
    Pair(before=1, now=1)
    """
    same = first + second
    found = [Pair(int(i), int(i)) for i in leading(same, 2)]
    ahead = [int(j) for j in leading(second, 3)]
    found += [Pair(int(i), j) for i in leading(first, 3) for j in ahead if i != j]
    return _highest(first, second, penalty, [pair for pair in found if pair != without])


def keeping(first: np.ndarray, second: np.ndarray, penalty: float, now: int) -> Pair:
    """Return the pair that scores best among those with the activity `now` in the end.

    >>> keeping(np.array([1.0, 2.0]), np.array([3.0, 2.5]), penalty=0.5, now=0)
    Pair(before=1, now=0)
    """
    pairs = [Pair(int(i), now) for i in leading(first, 2)] + [Pair(now, now)]
    return _highest(first, second, penalty, pairs) or Pair(now, now)


def leading(scores: np.ndarray, n: int) -> np.ndarray:
    """Return the indices of the n highest scores, or of all if there are no more."""
    if len(scores) <= n:
        return np.arange(len(scores))
    return np.argpartition(scores, len(scores) - n)[-n:]


def _highest(
    first: np.ndarray, second: np.ndarray, penalty: float, pairs: list[Pair]
) -> Pair | None:
    """Return the pair of a list that scores best; of those alike, the one with lower numbers."""
    scored = [(value(first, second, penalty, pair), pair) for pair in pairs]
    open_ones = [(-score, pair) for score, pair in scored if score > -np.inf]
    return min(open_ones)[1] if open_ones else None


class Replay:
    """The last rows that were learned, some of which come back with each new one.

    >>> replay = Replay(again=2)
    >>> [replay.add(np.full(K + 2 * M, i))[:, 0].tolist() for i in range(4)]
    [[0.0], [0.0, 1.0], [1.0, 1.0, 2.0], [0.0, 2.0, 3.0]]
    """

    def __init__(self, again: int):
        self.again = again  # rows that come back with each new one
        self.rows = np.zeros((LENGTH, K + 2 * M))  # the oldest is overwritten
        self.count = 0  # rows so far

    def add(self, row: np.ndarray) -> np.ndarray:
        """Keep a row; return some earlier ones, of all ages, and it as the last of them."""
        at, n = self.count % LENGTH, min(self.count, LENGTH - 1)
        first = self.count * self.again
        ages = [int(i * GOLDEN % 1 * n) for i in range(first, first + min(self.again, n))]
        self.rows[at] = row
        self.count += 1
        return self.rows[[*(at - 1 - age for age in ages), at]]

    def pack(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return the state as JSON can hold it, and arrays."""
        header = {"again": self.again, "count": self.count}
        return header, {"replay": self.rows[: self.count]}

    @classmethod
    def unpack(cls, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> "Replay":
        """Return what was packed."""
        replay, rows = cls(header["again"]), arrays["replay"]
        replay.count = header["count"]
        replay.rows[: replay.count] = rows  # ValueError if they are not of these features
        return replay


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
        self.shift = 0.0  # seconds by which the budget's clock is ahead
        self.clf = OnlineClassifier(
            learner,
            asker,
            classes=[LESS, 1],
            fit_intercept=False,
            normalize=False,
            max_open=1,  # answers come with the true pair, which makes another row
            random_state=seed,
        )
        self.clf.partial_fit(np.zeros((1, K + 2 * M)), [None])  # now it has weights, all of them 0

    def weights(self) -> np.ndarray:
        """Return Lambda: the weights of F_A, and those of F_S before and now."""
        return self.clf.coef_[0]

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
        self.clf.partial_fit(rows, np.full(len(rows), LESS))

    def ask(self, first: Features, second: Features, found: Found, time: float) -> float | None:
        """Play the round of an alarm; return the probability of raising it if it is raised."""
        row = joint(first, second, *found.pair)
        if found.keep is not None:
            row -= joint(first, second, *found.keep)
        decision = self.clf.decide(row, time + self.shift)
        return decision.ask_probability if decision.ask else None

    def set_back(self, before: float, now: float) -> None:
        """Begin the budget's next period now, though the clock went back: its own never does."""
        if isinstance(self.clf.asker, Budget) and before > now:
            period = self.clf.asker.numbers()[PER]
            self.shift += period * (math.floor((before - now) / period) + 1)
