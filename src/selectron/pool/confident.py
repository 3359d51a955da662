"""The default: propose what is most certain, by the centre of the weights that fit so far.

After a mistake, the weights are fitted anew to all that has been told, and the rest is sorted anew.
On points of the sphere this makes about half the mistakes of the same order under steps of the
margin-perceptron, and it neither stalls nor minds labels that no halfspace fits. Where the pool
comes with kernel maps (see `kernels`), each has a centre of its own, and what is said of a row is
their mean, weighed by the evidence for each.

Where STUCK d mistakes have not told half of the rows that were left, though the fit errs on no more
than d of those that are told, the paper's learner for any points takes over until half are. So a
halving costs O(d) mistakes beside those that it is proved to cost, and a share of 1 - delta takes
log2(1/delta) halvings. With more errors than d, labels are taken for noise, of which nothing is
proved.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, softmax

from ..errors import SelectronError
from .boosted import Boosted, Phase, takes
from .centre import Centre, Found, centre
from .plan import OPEN, Plan, Pool, Told

EVERY = 100  # up to so many mistakes there is a fit after each, then after one in a hundred
START = 0.01  # lam of the first fit
EVENED = 10.0  # what the logarithm of the evidence is divided by, before it weighs a map
LEFT_OUT = 1e-4  # weight of a map that is not fitted again until mistakes are half as many more
STUCK = 8  # mistakes a feature before the rows left are half as many


class Fits(NamedTuple):
    """What is carried from plan to plan."""

    centres: tuple[tuple[Centre, ...], ...]  # of each map, for every pair in the order of `pairs`
    left: int  # rows at the last halving
    mistakes: int  # up to then
    phase: Phase | None = None  # of the paper's learner, if it has taken over


class Confident(NamedTuple):
    """Propose the row whose class is most certain.

    More than two classes are told apart pair by pair; what counts is how far the best class is
    ahead of the one that comes closest. There is a fit after each of the first 100 mistakes, and
    then whenever they have grown by a hundredth: where labels are noise, the number of fits grows
    with the logarithm of their number.
    """

    def plan(self, pool: Pool, told: Told, carry: Fits | None) -> tuple[Fits, Plan]:
        """Return the plan after a mistake."""
        rows = told.left
        if carry is not None and 2 * len(rows) <= carry.left:
            carry = carry._replace(left=len(rows), mistakes=told.mistakes, phase=None)
        if carry is None or carry.phase is None:
            carry, ahead = fitted(pool, told, carry)
            if not stuck(pool, told, carry, ahead):
                gap, codes = best(ahead[rows])
                return carry, Plan(rows, codes, gap, patience(told.mistakes), expit(-gap))
        phase, plan = Boosted().plan(pool, told, carry.phase)
        return carry._replace(phase=phase), plan


class InOrder(NamedTuple):
    """The same learner in another order: "random", "given" (as in the table) or "worst".

    The worst order is that of an adversary, who shows what is least certain next.
    """

    order: str = "random"

    def plan(self, pool: Pool, told: Told, carry: Fits | None) -> tuple[Fits, Plan]:
        """Return the plan after a mistake."""
        if self.order not in ("random", "given", "worst"):
            raise SelectronError(f'order must be "random", "given" or "worst", got {self.order!r}.')
        carry, ahead = fitted(pool, told, carry)
        rows = told.left
        if self.order == "random":
            lot = np.random.default_rng(pool.seed).permutation(len(told.codes))
            rows = lot[told.codes[lot] == OPEN]
        gap, codes = best(ahead[rows])
        keys = -gap if self.order == "worst" else None
        return carry, Plan(rows, codes, keys, patience(told.mistakes), expit(-gap))


def stuck(pool: Pool, told: Told, carry: Fits, ahead: np.ndarray) -> bool:
    """Is it time for the paper's learner: no progress, though the labels seem to fit?"""
    d, known = pool.X.shape[1], told.codes >= 0
    if told.mistakes - carry.mistakes <= STUCK * d or not takes(pool, told):
        return False
    return np.count_nonzero(best(ahead[known])[1] != told.codes[known]) <= d


def patience(mistakes: int) -> int:
    """Return how many mistakes there may be before the next fit."""
    return 1 if mistakes < EVERY else mistakes // EVERY


def fitted(pool: Pool, told: Told, carry: Fits | None) -> tuple[Fits, np.ndarray]:
    """Return the centres after what has been told, and the scores of every row."""
    d = pool.X.shape[1]
    if carry is None and (told.codes < 0).all():  # nothing is known: any direction will do
        start = np.random.default_rng([pool.seed, 1]).normal(size=d) / np.sqrt(d)
        return Fits((), len(told.codes), 0), scores([pool.X @ start], 2)
    before = carry.centres if carry else ()
    fresh = tuple(Centre(np.zeros(X.shape[1]), START) for X in pool.maps)
    found = []
    for i, (a, b) in enumerate(pairs(told.classes)):
        last = before[i] if i < len(before) else fresh
        found.append(parted(pool, versus(told, a, b), last, told.mistakes))
    carry = Fits((), len(told.left), told.mistakes) if carry is None else carry
    carry = carry._replace(centres=tuple(centres for centres, _ in found))
    return carry, scores([margins for _, margins in found], told.classes)


def parted(
    pool: Pool, signs: np.ndarray, last: tuple[Centre, ...], mistakes: int
) -> tuple[tuple[Centre, ...], np.ndarray]:
    """Return the centres of a pair of classes under every map, and the mean of their margins."""
    due = [i for i, one in enumerate(last) if one.rests <= mistakes]
    found = [centre(pool.maps[i], signs, last[i]) for i in due]
    mean, weights = weighed(found, mistakes)
    centres = list(last)
    for i, one, weight in zip(due, found, weights, strict=True):
        rests = 0 if weight > LEFT_OUT else 3 * mistakes // 2 + 1
        centres[i] = one.centre._replace(rests=rests)
    return tuple(centres), mean


def weighed(found: list[Found], mistakes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean of the margins under several maps, and what each weighs by its evidence.

    The evidence takes one map for the truth, and would soon give it all the weight; of several that
    are about as good, the mean is better. A map weighs nothing beside the plain one if its own fit
    leaves more than a quarter as many errors as there were mistakes: of labels that are noise,
    evidence tells likelihood, not errors.
    """
    if len(found) == 1:
        return found[0].margins, np.ones(1)
    weights = softmax(
        [
            one.evidence / EVENED if i == 0 or 4 * one.errors <= mistakes else -np.inf
            for i, one in enumerate(found)
        ]
    )
    return weights @ np.stack([one.margins for one in found]), weights


def pairs(classes: int) -> list[tuple[int, int]]:
    """Return all pairs of classes, those of a later class at the end.

    >>> pairs(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return [(a, b) for b in range(classes) for a in range(b)]


def versus(told: Told, a: int, b: int) -> np.ndarray:
    """Return -1 for class a, +1 for class b, 0 for all other rows."""
    return (told.codes == b).astype(np.int8) - (told.codes == a)


def scores(margins: list[np.ndarray], classes: int) -> np.ndarray:
    """Return how far every class is ahead of the one that comes closest to it, (n, classes)."""
    ahead = np.full((len(margins[0]), classes), np.inf)
    for (a, b), margin in zip(pairs(classes), margins, strict=True):
        ahead[:, a] = np.minimum(ahead[:, a], -margin)
        ahead[:, b] = np.minimum(ahead[:, b], margin)
    return ahead


def best(ahead: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how far the best class of a row is ahead, and its number; the last of equal ones."""
    last = ahead.shape[1] - 1
    return ahead.max(axis=1), (last - ahead[:, ::-1].argmax(axis=1)).astype(np.int32)
