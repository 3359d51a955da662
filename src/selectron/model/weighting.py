"""Weights of labels: a label of weight w is learned w times in a row, in one round.

The experts of `LeadingHistory` learn it w times, but its posterior weights count it once.

A fraction is one more time with that probability, by a draw that depends on the round alone, so
that rounds may be cut anywhere, and the draws of the askers stay as they are.
"""

from typing import Any, NamedTuple

import numpy as np

from ..engine.loop import AGAIN, LATER, NONE
from ..engine.round import ASKED, STRAINED, UPDATED
from ..engine.rows import rows_of, taken
from .run import Outcome, indices

MOST = 1000.0  # of a weight
RAREST = 100.0  # of the weight of a class that balances its frequency
COPIES = 4096  # rows that are played at a time


class Weighting(NamedTuple):
    """What weights depend on: a seed, and the numbers of labels learned of every class.

    Frequencies are renewed after every round at first, later after 1/16 of the rounds or less, and
    after 256 at most: `renewed` is the round of the last time.
    """

    seed: int
    balanced: bool = False
    drawn: int = -1  # the last draw for a single label
    totals: tuple[int, ...] = ()
    factors: tuple[float, ...] = ()  # the weights of the classes
    renewed: int = 0

    @classmethod
    def of(cls, fields: Any) -> "Weighting":
        """Return the weighting of a file, whose tuples are lists."""
        own: Any = (tuple(field) if isinstance(field, list) else field for field in fields)
        return cls(*own)

    def at(self, before: int, classes: int) -> "Weighting":
        """Return the weighting after some rounds."""
        last = before - before % step(before)
        if not self.balanced or (last <= self.renewed and len(self.factors) == classes):
            return self
        totals = np.zeros(classes)
        totals[: len(self.totals)] = self.totals
        factors = np.minimum(RAREST, (totals.max() + 1) / (totals + 1))
        return self._replace(factors=tuple(factors.tolist()), renewed=last)

    def times(self, weights: np.ndarray, index: np.ndarray, draw: int) -> np.ndarray:
        """Return how often labels of classes `index` are learned; `draw` is the first one's."""
        weights = weights * np.array(self.factors)[index] if self.balanced else weights
        whole = np.floor(weights)
        if (whole == weights).all():
            return whole.astype(int)
        bits: Any = np.random.PCG64(self.seed)
        more = np.random.Generator(bits.advance(draw)).random(len(weights)) < weights - whole
        return whole.astype(int) + more

    def learned(self, index: np.ndarray) -> "Weighting":
        """Return the weighting after labels of these classes."""
        if not self.balanced:
            return self
        totals = np.bincount(index, minlength=len(self.totals))
        totals[: len(self.totals)] += np.array(self.totals, dtype=int)
        return self._replace(totals=tuple(totals.tolist()))


def step(before: int) -> int:
    """Return the number of rounds between two renewals of the frequencies.

    >>> [step(before) for before in (0, 31, 32, 100, 10**6)]
    [1, 1, 2, 4, 256]
    """
    return 1 << max(0, min(8, before.bit_length() - 5))


def rates(chances: np.ndarray, weights: Any) -> np.ndarray:
    """Return by what calibration divides: chances of asking, by the weights, 1 if empty."""
    if weights is None:
        return chances
    return (chances if len(chances) else 1.0) / np.maximum(weights, 1)


def play(
    model: Any, block: Any, rounds: tuple, start: int, out: Outcome, weights: np.ndarray
) -> None:
    """Play rows with labels of some weights.

    `weights` is overwritten by the numbers of times, and labels that are not learned by LATER.
    """
    n, first = len(weights), 0
    while first < n:
        before, last = model.rounds + start + first, n
        if model.weighting.balanced:
            last = min(n, first + step(before) - before % step(before))
        part = slice(first, last)
        labels = rounds[0][part]
        index = indices(labels, model.stacked)
        weighting = model.weighting.at(before, model.classes)
        times = weighting.times(weights[part], index, before)
        labels[(times == 0) & (labels != NONE)] = LATER
        _play_copies(model, block, rounds, start, out, times, part)
        learned = (out.flags[part] & ASKED != 0) & (times > 0)
        model.weighting = weighting.learned(index[learned])
        weights[part], first = times, last


def _play_copies(
    model: Any, block: Any, rounds: tuple, start: int, out: Outcome, times: np.ndarray, part: slice
) -> None:
    """Play some of the rows, each of them and its label `times` in a row, but at least once."""
    n, copies = len(times), np.maximum(times, 1)
    if copies.sum() > COPIES and n > 1:
        half = part.start + n // 2
        _play_copies(model, block, rounds, start, out, times[: n // 2], slice(part.start, half))
        _play_copies(model, block, rounds, start, out, times[n // 2 :], slice(half, part.stop))
        return
    labels, draws, moments = (of_rounds[part] for of_rounds in rounds)
    order, first = np.repeat(np.arange(n), copies), copies.cumsum() - copies
    drawn = np.full(len(order), AGAIN)
    drawn[first] = draws
    played = labels[order], drawn, moments[order] if len(moments) else moments
    rows, into = taken(rows_of(block, part.start, part.stop), order), out.part(part)
    kept = (len(into.margin) > 0, len(into.scores) > 0, len(into.age) > 0)
    record = model.outcome(len(order), *kept)
    model.play_block(rows, played, start + part.start, record)
    for whole, found in zip(into.arrays(), record.arrays(), strict=True):
        if len(whole):
            whole[:] = found[first]
    into.flags[:] |= np.bitwise_or.reduceat(record.flags & (UPDATED | STRAINED), first)
