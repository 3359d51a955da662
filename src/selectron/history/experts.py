"""How an ensemble of experts predicts and learns, on dense and on sparse rows.

Every expert is a Gaussian over w, which starts from a prior at its birth and learns every label
since by assumed-density filtering. The ensemble averages their beliefs by the posterior weights.
"""

import math
from statistics import NormalDist
from typing import Any, Protocol, cast

import numpy as np

from ..engine.bind import StandIn, noinline
from ..engine.parts import Space, expert
from ..engine.round import Round, unit
from ..spaces.state import COUNT
from .posterior import (
    ALIVE,
    ALL,
    BELIEF,
    BORN,
    EVIDENCE,
    EXPERTS,
    FIRST,
    FORGETTING,
    KIND,
    LABELS,
    LAST,
    LEADER,
    LEARNED,
    ORIGIN,
    SUCCEEDED,
    WEIGHT,
    M,
    Q,
    foremost,
    free_slot,
    label_noise,
    leader,
    mean_noise,
    newest,
    pass_weight,
    transition,
    update_evidence,
    update_noise,
    update_weights,
)
from .vectors import PRIOR_VARIANCE, copy_from, discount, margin_of, reset_to_prior, step_expert

OTHER = 2  # births, one of which takes the next kind of prior
BIRTH_EVERY = 4  # labels between births
YOUNG = 30  # labels without which a former leader is not archived
FORGETTING_ROUNDS = 8000.0  # in which the forgetting expert forgets
HEARD = 1e-3  # experts with a smaller weight are asked only when there is a label
LATE_LABELS = 10.0  # of other classes that count, at most, for a class that is met late
RETURNING = 0.1  # weight with which an archived expert is revived


class Ensembles(Space, Protocol):
    """What `dense` and `sparse` add: how rows are looked at, and what else predicts."""

    @staticmethod
    def look(s: Any, rows: Any, i: int) -> None:
        """Leave what all classes need of row i, in arrays that they share."""

    @staticmethod
    def belief(s: Any, rows: Any, i: int) -> float:
        """Return p(+1) - p(-1) for the row in view, NaN if it is not finite."""


ensembles = cast(type[Ensembles], StandIn("space", Ensembles))


def inner(s: Any, rows: Any, i: int) -> float:
    """Return p(+1) - p(-1), and leave what learning needs."""
    ensembles.look(s, rows, i)
    return ensembles.belief(s, rows, i)


def score_all(s: Any, rows: Any, i: int) -> None:
    """Leave p(+1) - p(-1) of every class in s.scores."""
    ensembles.look(ensembles.at(s, 0), rows, i)
    for k in range(len(s.scores)):
        s.scores[k] = ensembles.belief(ensembles.at(s, k), rows, i)


def norms(squares: np.ndarray) -> np.ndarray:
    """Return the divisors that bring rows with these squared norms to unit length."""
    return np.array([unit(square) for square in squares.tolist()])


def start_late(s: Any, other: Any, constant: bool) -> None:
    """Start the ensemble of a class that is met late: every label so far was of another class.

    So its margins are negative at first, if there is a constant to carry that; but no more than
    LATE_LABELS such labels count, so that it is learned fast.
    """
    s.scalars[LAST] = other.scalars[LAST]
    rate = 1 / (2 + min(other.scalars[LABELS], LATE_LABELS))
    if constant:
        variance = (PRIOR_VARIANCE + mean_noise(s.scalars)) / (1 + PRIOR_VARIANCE)
        s.a[:, 0] = NormalDist(0, math.sqrt(variance)).inv_cdf(rate)


def entropy(m: float) -> float:
    """Return the entropy, in bits, of a label with p(+1) - p(-1) = m.

    >>> entropy(0.0), entropy(1.0)
    (1.0, 0.0)
    """
    p = (1 - abs(m)) / 2
    if p <= 0:
        return 0.0
    return -(p * math.log(p) + (1 - p) * math.log(1 - p)) / math.log(2)


@noinline
def predict(s: Any, rows: Any, i: int, least: float) -> float:
    """Return p(+1) - p(-1), the mean over the experts with a weight of at least `least`.

    Stores q, too: the mutual information of label and expert, in bits. If all experts predict, as
    before a label, those whose numbers would not be finite know nothing.
    """
    total, information, heard = 0.0, 0.0, 0.0
    drawn, noise = label_noise(s.scalars), mean_noise(s.scalars)
    for k in range(ALL):
        found, weight = s.predictions[k], s.experts[k, WEIGHT]
        if s.experts[k, ALIVE] > 0 and weight >= least:
            found[M], found[Q] = margin_of(s, k, rows, i)
            found[BELIEF] = expert.belief(found[M], max(found[Q], 0.0), drawn, noise)
            if least == 0 and not math.isfinite(found[BELIEF]):
                found[M], found[Q], found[BELIEF] = 0.0, math.inf, 0.0
            total += weight * found[BELIEF]
            heard += weight
            information -= weight * entropy(found[BELIEF])
    mean = total / heard
    s.predictions[ALL, 0] = max(0.0, information / heard + entropy(mean))
    return mean


@noinline
def update(p: Any, s: Any, rows: Any, i: int, y: float, t: float) -> None:
    """Update all experts, their weights and the noise with label y.

    All experts must have predicted this row before. A copy of a label, see `model.weighting`, is
    learned by the experts alone: the youngest, which follow any label, would predict it best.
    """
    if is_copy(s, t):
        update_experts(p, s, rows, i, y, 0.0)
        return
    s.scalars[LEARNED] = t
    t = max(t, s.scalars[LAST])  # late labels may come out of order
    n, gap = s.scalars[LABELS] + 1, t - s.scalars[LAST]
    s.scalars[LABELS], s.scalars[LAST] = n, t
    update_noise(s.experts, s.predictions, s.scalars, y)
    update_evidence(s.experts, s.predictions, y, t)
    update_weights(s.experts, s.predictions, s.scalars, y)
    update_leader(s, t)
    update_experts(p, s, rows, i, y, gap)
    if n % BIRTH_EVERY == 0:
        start_expert(s, free_slot(s.experts), n, t)
    transition(s.experts, s.predictions, p.switches, gap, y)
    count = int(n)  # 4, 16, 64...: else it would forget towards a prior of the first label
    if count > 1 and count & (count - 1) == 0 and count % 3 == 1:
        copy_from(s, FORGETTING, leader(s.experts))
    s.scalars[COUNT] += 1


def is_copy(s: Any, t: float) -> bool:
    """Return whether the label of round t has been learned just before."""
    return t == s.scalars[LEARNED]


@noinline
def update_leader(s: Any, t: float) -> None:
    """Archive the former leader if its age is more than twice the new leader's.

    The new one must be born after the last succession, and the former one have learned YOUNG labels
    at least. The forgetting expert, which outlives concepts, takes the new leader's round of birth.
    """
    lead, former = leader(s.experts), int(s.scalars[LEADER])
    if lead == FORGETTING:
        return
    s.scalars[LEADER] = lead
    born = s.experts[lead, BORN]
    if born <= s.scalars[SUCCEEDED] or 2 * (t - born) >= t - s.experts[former, BORN]:
        return
    s.experts[FORGETTING, BORN] = born
    if former != FORGETTING and s.scalars[LABELS] - s.experts[former, FIRST] >= YOUNG:
        archive(s, former, t)
        s.scalars[SUCCEEDED] = t


def archive(s: Any, former: int, t: float) -> None:
    """Archive an expert, in place of the one that it was in the archive, or of the oldest."""
    at = int(s.experts[former, ORIGIN])
    if at < EXPERTS:
        at = EXPERTS
        for k in range(EXPERTS, ALL):
            at = k if s.experts[k, BORN] < s.experts[at, BORN] else at
    copy_from(s, at, former)
    s.experts[at, BORN], s.experts[at, ALIVE] = t, 1.0
    for k in range(EXPERTS):  # which replaced expert they were no longer matters
        if k != former and int(s.experts[k, ORIGIN]) == at:
            s.experts[k, ORIGIN] = -1.0


@noinline
def update_experts(p: Any, s: Any, rows: Any, i: int, y: float, gap: float) -> None:
    """Update every expert with label y (assumed-density filtering).

    One whose numbers are no longer finite starts again, so that no label is refused.
    """
    drawn, noise = label_noise(s.scalars), mean_noise(s.scalars)
    odds = (drawn[0] if y > 0 else drawn[1]) / (1 - drawn[0] - drawn[1])
    for k in range(EXPERTS):
        if s.experts[k, ALIVE] > 0:
            m, q = s.predictions[k, M], max(s.predictions[k, Q], 0.0)
            step = expert.step(p, Round(m, q, y, 0.0, 0.0, odds), noise)
            if not step_expert(s, k, rows, i, step.eta, step.nu):
                reset_to_prior(s, k, int(s.experts[k, KIND]))
            if k == FORGETTING:
                discount(s, k, math.exp(-gap / FORGETTING_ROUNDS))


def start_expert(s: Any, k: int, n: float, t: float) -> None:
    """Start a new expert in slot k: an archived one that gained weight, or from a prior."""
    lead, back, c = leader(s.experts), foremost(s.experts, WEIGHT, EXPERTS, ALL), s.experts[k]
    gap = t - s.experts[newest(s.experts), BORN]
    c[BORN], c[FIRST], c[ALIVE], c[ORIGIN] = t, n, 1.0, -1.0
    c[EVIDENCE] = math.log(max(gap, 1.0))
    if s.experts[back, WEIGHT] >= RETURNING:
        copy_from(s, k, back)
        c[ORIGIN] = back
        pass_weight(s.experts, back, k)
        return
    births = int(n) // BIRTH_EVERY
    c[KIND] = births // OTHER % len(s.priors) if births % OTHER == 0 else s.experts[lead, KIND]
    reset_to_prior(s, k, int(c[KIND]))
