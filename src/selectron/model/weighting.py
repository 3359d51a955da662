"""Weights of labels: a label of weight w is learned w times in a row, in one round.

A fraction is one more time with that probability, by a draw that depends on the round alone, so
that rounds may be cut anywhere, and the draws of the askers stay as they are.

The weight of a class multiplies those of its labels. For ensembles, it multiplies the probability
of the class instead, in predictions alone: they learn how frequent classes are from labels as they
are. Their posterior weights count a label of any weight once.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..engine.loop import AGAIN, LATER, NONE
from ..engine.round import ASKED, CLASS, STRAINED, UPDATED
from ..engine.rows import rows_of, taken
from .run import Outcome, indices

MOST = 1000.0  # of a weight
RAREST = 100.0  # of the weight of a class that balances its frequency
COPIES = 4096  # rows that are played at a time
TINY = 1e-300  # by which probabilities may be divided


class Weighting(NamedTuple):
    """What weights depend on: a seed, and the numbers of labels learned of every class.

    Frequencies are renewed after every round at first, later after 1/16 of the rounds or less, and
    after 256 at most: `renewed` is the round of the last time.
    """

    seed: int
    balanced: bool = False
    ensemble: bool = False  # whether one learns, as in `history`
    drawn: int = -1  # the last draw for a single label
    totals: tuple[int, ...] = ()
    factors: tuple[float, ...] = ()  # the weights of the classes
    renewed: int = 0

    @classmethod
    def read(cls, fields: Any) -> "Weighting":
        """Return the weighting of a file, whose tuples are lists."""
        own: Any = (tuple(field) if isinstance(field, list) else field for field in fields)
        return cls(*own)

    def given(self, weights: Mapping[Any, float], names: Sequence[Any]) -> "Weighting":
        """Return the weighting with these weights of classes; those not given are 1."""
        factors = [float(weights.get(name, 1.0)) for name in names]
        factors += [1.0] * (2 - len(names))  # not named yet
        return self._replace(factors=tuple(factors))

    def at(self, before: int, classes: int) -> "Weighting":
        """Return the weighting after some rounds."""
        last = before - before % renewal_interval(before)
        if not self.balanced or (last <= self.renewed and len(self.factors) == classes):
            return self
        totals = np.zeros(classes)
        totals[: len(self.totals)] = self.totals
        factors = np.minimum(RAREST, (totals.max() + 1) / (totals + 1))
        return self._replace(factors=tuple(factors.tolist()), renewed=last)

    @property
    def weighs(self) -> bool:
        """Whether classes have weights."""
        return self.balanced or bool(self.factors)

    @property
    def shifts(self) -> bool:
        """Whether they multiply probabilities, from which predictions follow, and not labels."""
        return self.ensemble and self.weighs

    def of(self, index: np.ndarray) -> np.ndarray:
        """Return the weights of classes; that of a new one is 1 until it is renewed, or given."""
        more = 1 + index.max(initial=0) - len(self.factors)
        return np.array(self.factors + (1.0,) * more)[index]

    def predict(self, out: tuple, proba: np.ndarray) -> None:
        """Overwrite scores, margins and predicted classes of an `Outcome` by p times the weights.

        Scores are then 2 p - 1 of every class, or of the second of two, of the new p.
        """
        margins, _, flags, scores, *_ = out
        found = proba * self.of(np.arange(proba.shape[1]))
        found /= np.maximum(found.cumsum(axis=1)[:, -1:], TINY)  # a sum in one order, always
        scores[:] = 2 * found[:, -scores.shape[1] :] - 1
        index, gap = (scores[:, 0] >= 0) * 1, scores[:, 0]
        if scores.shape[1] > 1:
            index = scores.shape[1] - 1 - scores[:, ::-1].argmax(axis=1)  # the last of equal ones
            gap = np.diff(np.sort(scores, axis=1)[:, -2:])[:, 0]
        flags[:] = flags & (1 << CLASS) - 1 | index << CLASS
        if len(margins):
            margins[:] = gap

    def times(self, weights: np.ndarray, index: np.ndarray, draw: int) -> np.ndarray:
        """Return how often labels of classes `index` are learned; `draw` is the first one's."""
        factors = self.of(index)
        weights = weights * (factors > 0 if self.shifts else factors)
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


def proba(scores: np.ndarray) -> np.ndarray:
    """Return the probabilities p of classes whose scores are 2 p - 1.

    >>> proba(np.array([[-0.5]])).tolist()
    [[0.75, 0.25]]
    """
    p = (1 + scores) / 2
    return p if scores.shape[1] > 1 else np.hstack([1 - p, p])


def renewal_interval(before: int) -> int:
    """Return the number of rounds between two renewals of the frequencies.

    >>> [renewal_interval(before) for before in (0, 31, 32, 100, 10**6)]
    [1, 1, 2, 4, 256]
    """
    return 1 << max(0, min(8, before.bit_length() - 5))


def ask_rates(chances: np.ndarray, weights: Any) -> np.ndarray:
    """Return by what calibration divides: chances of asking, by the weights, 1 if empty."""
    if weights is None:
        return chances
    return (chances if len(chances) else 1.0) / np.maximum(weights, 1)


def play_weighted(
    model: Any, block: Any, rounds: tuple, start: int, out: Outcome, weights: np.ndarray
) -> list[tuple[slice, Weighting]]:
    """Play rows with labels of some weights; return parts, and the weights of classes in each.

    `weights` is overwritten by the numbers of times, and labels that are not learned by LATER.
    """
    n, first, parts = len(weights), 0, []
    while first < n:
        before, last = model.rounds + start + first, n
        if model.weighting.balanced:
            last = min(n, first + renewal_interval(before) - before % renewal_interval(before))
        part = slice(first, last)
        labels = rounds[0][part]
        index = np.maximum(indices(labels, model.stacked), 0)  # any, where there is no label
        weighting = model.weighting = model.weighting.at(before, model.classes)
        times = weighting.times(weights[part], index, before)
        labels[(times == 0) & (labels != NONE)] = LATER
        _play_copies(model, block, rounds, start, out, times, part)
        learned = (out.flags[part] & ASKED != 0) & (times > 0)
        model.weighting = weighting.learned(index[learned])
        weights[part], first = times, last
        parts.append((part, weighting))
    return parts


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
