"""The default: propose what is most certain, by the centre of the weights that fit so far.

After a mistake, the weights are fitted anew to all that has been told, and the rest is sorted anew.
On points of the sphere this makes about half the mistakes of the same order under steps of the
margin-perceptron, and it neither stalls nor minds labels that no halfspace fits. Where the pool
comes with kernel maps and neighbours (see `kernels`), each map has a centre of its own, and what is
said of a row is their mean, weighed by what each would have said of the rows that are told without
their labels. There, a plan ends with a tenth of the rows left even without a mistake: what right
proposals tell is news to a row nearby.

Where STUCK d mistakes have not told half of the rows that were left, though the fit errs on no more
than d of those that are told, the paper's learner for any points takes over until half are. So a
halving costs O(d) mistakes beside those that it is proved to cost, and a share of 1 - delta takes
log2(1/delta) halvings. With more errors than d, labels are taken for noise, of which nothing is
proved.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from ..errors import SelectronError
from .boosted import Boosted, Phase, takes
from .centre import Centre, Found, centre, left_out
from .nearest import away
from .plan import OPEN, Plan, Pool, Told

EVERY = 100  # up to so many mistakes there is a fit after each, then after one in a hundred
START = 0.01  # lam of the first fit
PART = 10  # with kernel maps, a plan ends after this part of the rows left
SURE = 0.9  # rows that every map tells with at least this probability do not weigh maps
FEW = 2  # features of the map of neighbours
LITTLE = 0.05  # weight of a map that is not fitted again until mistakes are half as many more
STEPS = 50  # of the EM algorithm
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
                return carry, planned(pool, told, rows, ahead, 1)
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
        return carry, planned(pool, told, rows, ahead, -1 if self.order == "worst" else 0)


def planned(pool: Pool, told: Told, rows: np.ndarray, ahead: np.ndarray, sign: int) -> Plan:
    """Return the plan for these rows: the most certain first, or last (-1), or as they are (0)."""
    gap, codes = best(ahead[rows])
    stretch = -(-len(rows) // PART) if pool.kernels else np.inf
    return Plan(
        rows, codes, sign * gap if sign else None, patience(told.mistakes), expit(-gap), stretch
    )


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
    far = away(pool.nearest, told.codes, told.classes) if pool.nearest else None
    found = []
    for i, (a, b) in enumerate(pairs(told.classes)):
        maps = pool.maps if far is None else (*pool.maps, far[a] - far[b])
        last = before[i] if i < len(before) else [Centre(np.zeros(X.shape[1]), START) for X in maps]
        found.append(parted(maps, versus(told, a, b), last, told.mistakes))
    carry = Fits((), len(told.left), told.mistakes) if carry is None else carry
    carry = carry._replace(centres=tuple(centres for centres, _ in found))
    return carry, scores([margins for _, margins in found], told.classes)


def parted(
    maps: Sequence[Any], signs: np.ndarray, last: Sequence[Centre], mistakes: int
) -> tuple[tuple[Centre, ...], np.ndarray]:
    """Return the centres of a pair of classes under every map, and the mean of their margins.

    A map that weighs little beside the plain one is not fitted again until there are half as many
    mistakes more; nor is one of a kernel whose own fit has more than a quarter as many errors as
    there were mistakes: where labels are noise, it costs much for little.
    """
    if len(maps) == 1:
        only = centre(maps[0], signs, last[0])
        return (only.centre,), only.margins
    centres, use = list(last), {}
    for i, X in enumerate(maps):
        if i == 0 or last[i].rests <= mistakes:
            one = centre(X, signs, last[i])
            centres[i] = one.centre._replace(rests=3 * mistakes // 2 + 1)
            if i == 0 or fits(one, signs, mistakes):
                use[i] = one
    weights = weighed(np.stack([alone(maps[i], signs, one) for i, one in use.items()]))
    for i, weight in zip(use, weights, strict=True):
        if weight > LITTLE:
            centres[i] = centres[i]._replace(rests=0)
    return tuple(centres), weights @ np.stack([one.margins for one in use.values()])


def fits(found: Found, signs: np.ndarray, mistakes: int) -> bool:
    """Has a map learned what it was told, or is it of a few features, hence fitted soon?"""
    errors = np.count_nonzero(signs * found.margins < 0)
    return len(found.centre.w) <= FEW or bool(4 * errors <= mistakes)


def alone(X: np.ndarray, signs: np.ndarray, found: Found) -> np.ndarray:
    """Return the probability of the label of each row told, had it not been told."""
    return expit(signs * left_out(X, signs, found))[signs != 0]


def weighed(right: np.ndarray) -> np.ndarray:
    """Return what each map weighs.

    `right` (maps, rows) is the probability of each row's label under each map, told of all labels
    but this. The weights are those of the mixture under which these labels are likeliest, each map
    beginning with a row to its credit.

    Source: stacking of Yao, Vehtari, Simpson & Gelman, "Using stacking to average Bayesian
    predictive distributions" (Bayesian Analysis 2018), by the EM algorithm.
    """
    right = np.maximum(right[:, right.min(axis=0) < SURE], 1e-300)
    k, n = right.shape
    weights = np.full(k, 1 / k)
    for _ in range(STEPS):
        credit = weights[:, None] * right
        weights = (1 + (credit / credit.sum(axis=0)).sum(axis=1)) / (k + n)
    return weights


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
