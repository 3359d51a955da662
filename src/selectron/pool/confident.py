"""The default learner: propose the most certain row, by a logistic fit to the labels so far.

After a mistake, the weights are refitted to all labels and the open rows are sorted again. With
kernel maps and neighbours (see `kernels`), each map has its own fit, and a row's score is the mean
of their margins, weighted by leave-one-out predictions of the labels. A plan then ends after a
tenth of the open rows even without a mistake: confirmed proposals inform those of nearby rows.

If STUCK d mistakes have not halved the open rows, although the fit errs on no more than d labelled
rows, `Boosted` takes over until they are halved: a halving costs at most O(d) mistakes more than
the proven bound. With more than d errors, the labels are assumed to be noisy.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from ..engine.parameters import ranges
from .centre import Centre, centre, left_out
from .features import by_class
from .perceptron import Boosted, Phase, narrow
from .session import OPEN, Plan, Pool, State

EVERY = 100  # mistakes up to which each causes a fit; beyond, one in a hundred does
START = 0.01  # lam of the first fit
PART = 10  # with kernel maps, a plan ends after one in PART of the open rows
SURE = 0.9  # rows that every map predicts with this probability have no influence on the weights
OF_NEIGHBOURS = 2  # features of the map of neighbours
LITTLE = 0.05  # weight up to which a map is not refitted until mistakes have grown by half
STEPS = 50  # of the EM algorithm
STUCK = 8  # mistakes per feature within which the open rows should be halved


class Fits(NamedTuple):
    """The carry of `Confident` and `InOrder`."""

    centres: tuple[tuple[Centre, ...], ...]  # of every map, for each of `pairs`
    left: int  # open rows at the last halving
    mistakes: int  # at the last halving
    phase: Phase | None = None  # of `Boosted`, if it has taken over


class Confident(NamedTuple):
    """Propose the row whose class is most certain.

    With more than two classes there is a fit for each pair; the certainty of a class is its
    smallest margin over the others. There is a fit after each of the first 100 mistakes, and then
    whenever mistakes have grown by a hundredth.

    >>> from selectron.pool import SelfDirectedClassifier
    >>> X, y = np.linspace(-1, 1, 40)[:, None], np.arange(40) >= 20
    >>> SelfDirectedClassifier(Confident(), random_state=0).run(X, y).mistakes
    2
    """

    def plan(self, pool: Pool, state: State, carry: Fits | None) -> tuple[Fits, Plan]:
        """Return the carry and the next plan, after a mistake."""
        rows = state.left
        if carry is not None and 2 * len(rows) <= carry.left:
            carry = carry._replace(left=len(rows), mistakes=state.mistakes, phase=None)
        if carry is None or carry.phase is None:
            carry, ahead = fitted(pool, state, carry)
            if not stuck(pool, state, carry, ahead):
                return carry, planned(pool, state, rows, ahead, 1)
        phase, plan = Boosted().plan(pool, state, carry.phase)
        return carry._replace(phase=phase), plan


@ranges(order={"random": 0, "given": 1, "worst": 2})
class InOrder(NamedTuple):
    """The fits of `Confident` in another order: "random", "given" (as in the table) or "worst".

    The worst order is adversarial: the least certain row is next.

    >>> from selectron.pool import SelfDirectedClassifier
    >>> X, y = np.linspace(-1, 1, 40)[:, None], np.arange(40) >= 20
    >>> SelfDirectedClassifier(InOrder("worst"), random_state=0).run(X, y).mistakes
    6
    """

    order: str = "random"

    def plan(self, pool: Pool, state: State, carry: Fits | None) -> tuple[Fits, Plan]:
        """Return the carry and the next plan, after a mistake."""
        carry, ahead = fitted(pool, state, carry)
        rows = state.left
        if self.order == "random":
            lot = np.random.default_rng(pool.seed).permutation(len(state.codes))
            rows = lot[state.codes[lot] == OPEN]
        return carry, planned(pool, state, rows, ahead, -1 if self.order == "worst" else 0)


def planned(pool: Pool, state: State, rows: np.ndarray, ahead: np.ndarray, sign: int) -> Plan:
    """Return the plan for rows by certainty, decreasing (1) or increasing (-1), or as given (0)."""
    gap, codes = best(ahead[rows])
    stretch = -(-len(rows) // PART) if pool.kernels else np.inf
    patience = max(1, state.mistakes // EVERY)
    return Plan(rows, codes, sign * gap, patience, expit(-gap), stretch)


def stuck(pool: Pool, state: State, carry: Fits, ahead: np.ndarray) -> bool:
    """Return whether `Boosted` should take over: no progress, although the labels are separable."""
    d, known = pool.X.shape[1], state.codes >= 0
    if state.mistakes - carry.mistakes <= STUCK * d or state.classes > 2 or not narrow(pool):
        return False
    return np.count_nonzero(best(ahead[known])[1] != state.codes[known]) <= d


def fitted(pool: Pool, state: State, carry: Fits | None) -> tuple[Fits, np.ndarray]:
    """Return the carry with refitted centres, and the scores of every row, (n, classes)."""
    d = pool.X.shape[1]
    if carry is None and (state.codes < 0).all():  # no labels: any direction will do
        start = np.random.default_rng([pool.seed, 1]).normal(size=d) / np.sqrt(d)
        return Fits((), len(state.codes), 0), scores([pool.X @ start], 2)
    before = carry.centres if carry else ()
    known = [by_class(near, state.codes, state.classes) for near in pool.nearest]
    far = np.stack(known, axis=2) if known else None  # (classes, n, lists of neighbours)
    found = []
    for i, (a, b) in enumerate(pairs(state.classes)):
        maps = pool.maps if far is None else (*pool.maps, far[a] - far[b])
        last = before[i] if i < len(before) else [Centre(np.zeros(X.shape[1]), START) for X in maps]
        signs = (state.codes == b).astype(np.int8) - (state.codes == a)
        found.append(parted(maps, signs, last, state.mistakes))
    carry = Fits((), len(state.left), state.mistakes) if carry is None else carry
    carry = carry._replace(centres=tuple(centres for centres, _ in found))
    return carry, scores([margins for _, margins in found], state.classes)


def parted(
    maps: Sequence[Any], signs: np.ndarray, last: Sequence[Centre], mistakes: int
) -> tuple[tuple[Centre, ...], np.ndarray]:
    """Return the centres of a pair of classes under every map, and their mean margins, (n,).

    A map of little weight is not refitted until mistakes have grown by half, nor is a kernel map
    whose fit errs on more labels than a quarter of the mistakes, as with noisy labels.
    """
    if len(maps) == 1:
        only, fit = centre(maps[0], signs, last[0])
        return (only,), fit.margins
    centres, use, right = list(last), {}, []
    for i, X in enumerate(maps):
        if i and last[i].rests > mistakes:
            continue
        found, fit = centre(X, signs, last[i])
        centres[i] = found._replace(rests=3 * mistakes // 2 + 1)
        errors = np.count_nonzero(signs * fit.margins < 0)
        fits = i == 0 or X.shape[1] <= OF_NEIGHBOURS or 4 * errors <= mistakes
        if fits and (margins := left_out(X, signs, fit)) is not None:
            use[i] = fit.margins
            right.append(expit(signs * margins)[signs != 0])
    weights = weighed(np.stack(right))
    for i, weight in zip(use, weights, strict=True):
        if weight > LITTLE:
            centres[i] = centres[i]._replace(rests=0)
    return tuple(centres), weights @ np.stack(list(use.values()))


def weighed(right: np.ndarray) -> np.ndarray:
    """Return the weights of the maps, (maps,), that maximise the likelihood of their mixture.

    `right` (maps, rows) is the leave-one-out probability of each row's label under each map. Each
    map starts with a pseudocount of 1. Source: Yao, Vehtari, Simpson & Gelman, "Using stacking
    to average Bayesian predictive distributions" (Bayesian Analysis 2018), by the EM algorithm.
    """
    right = np.maximum(right[:, right.min(axis=0) < SURE], 1e-300)
    k, n = right.shape
    weights = np.full(k, 1 / k)
    for _ in range(STEPS):
        credit = weights[:, None] * right
        weights = (1 + (credit / credit.sum(axis=0)).sum(axis=1)) / (k + n)
    return weights


def pairs(classes: int) -> list[tuple[int, int]]:
    """Return all pairs of classes, ordered by the later class."""
    return [(a, b) for b in range(classes) for a in range(b)]


def scores(margins: list[np.ndarray], classes: int) -> np.ndarray:
    """Return the smallest margin of every class over another one, (n, classes)."""
    ahead = np.full((len(margins[0]), classes), np.inf)
    for (a, b), margin in zip(pairs(classes), margins, strict=True):
        ahead[:, a] = np.minimum(ahead[:, a], -margin)
        ahead[:, b] = np.minimum(ahead[:, b], margin)
    return ahead


def best(ahead: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest score of each row and its class code, the last of equal ones."""
    last = ahead.shape[1] - 1
    return ahead.max(axis=1), (last - ahead[:, ::-1].argmax(axis=1)).astype(np.int32)
