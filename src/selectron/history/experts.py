"""How the ensemble predicts and learns, on dense and on sparse rows.

Every expert is a Gaussian over w, which starts from a prior at its birth and learns every label
since by assumed-density filtering. The ensemble averages their beliefs by the posterior weights.

Experts that do not forget store the sites of the last `STORED` labels: the factors of their
posterior with precision tau and mean nu / tau. A site can be removed, and refitted in the light of
later labels: expectation propagation (Minka 2001).

Under the prior, the margin of a mean row has the variance PRIOR_VARIANCE, whatever the scale of the
features; `dense` and `sparse` derive the variances of the weights from it.
"""

import math
from typing import Any, Protocol, cast

import numpy as np

from ..engine.bind import Part, noinline
from ..engine.parts import expert
from ..engine.round import REFUSED, UPDATED, Round
from ..engine.scales import unit
from ..spaces.state import COUNT, Field
from .drift import update_evidence
from .hazard import hazard_prior
from .posterior import (
    ALIVE,
    BELIEF,
    BORN,
    CURSOR,
    EVIDENCE,
    EXPERTS,
    FIRST,
    FORGETTING,
    LABELS,
    LAST,
    LEADER,
    NOISE,
    SCALARS,
    SUCCEEDED,
    WEIGHT,
    M,
    Q,
    free_slot,
    label_noise,
    leader,
    margin_noise,
    newest,
    start_experts,
    start_posterior,
    start_scalars,
    transition,
    update_noise,
    update_weights,
)

STORED = 256  # labels whose sites are stored
BIRTH_EVERY = 4  # labels between births
YOUNG = 30  # labels for which an expert is new
PRIOR_VARIANCE = 3.0
FORGETTING_ROUNDS = 8000.0  # in which a forgetting expert forgets
REFIT_WEIGHT = 0.02  # experts with a smaller weight refit no sites


class Vectors(Protocol):
    """What the ensemble expects of `dense` and `sparse`, which hold w and P of every expert k.

    Functions with a body are defaults, for a space that stores no rows.
    """

    @staticmethod
    def winsorised(s: Any, rows: Any, i: int) -> Any:
        """Return row i with outliers limited: a block of rows, and the index of the row in it."""
        return rows, i

    @staticmethod
    def margin_of(s: Any, k: int, rows: Any, i: int) -> tuple[float, float]:
        """Return the margin and the quadratic form of expert k for row i."""

    @staticmethod
    def step_expert(s: Any, k: int, rows: Any, i: int, eta: float, nu: float) -> bool:
        """w <- w + eta g, P <- P - nu g g' with g = P x; return whether all is finite."""

    @staticmethod
    def refit_site(p: Any, s: Any, k: int, slot: int, wrong: float) -> bool:
        """Refit a stored site of expert k, given the label noise; return whether all is finite."""
        return True

    @staticmethod
    def reset_to_prior(s: Any, k: int) -> None:
        """Set expert k to the prior, in the current feature scales."""

    @staticmethod
    def discount(s: Any, k: int, by: float) -> None:
        """w <- by w, P <- by^2 P + (1 - by^2) prior."""

    @staticmethod
    def copy_from(s: Any, k: int, other: int) -> None:
        """Copy w, P and the feature scales of another expert to expert k."""

    @staticmethod
    def store_row(s: Any, rows: Any, i: int, slot: int) -> bool:
        """Store the row, and update the feature scales; return whether all is finite."""

    @staticmethod
    def rescale(s: Any) -> None:
        """Bring all experts to the current feature scales."""

    @staticmethod
    def add_leader(s: Any, k: int) -> None:
        """Add expert k, a former leader, to the empirical prior."""


vectors = cast(type[Vectors], Part("space", Vectors))


SHARED = {  # fields of every ensemble's state
    "experts": Field(lambda r: (EXPERTS, 7), fill=start_experts),  # columns: see `posterior`
    # Joint weights of experts and hazard models
    "posterior": Field(lambda r: (EXPERTS, len(hazard_prior())), fill=start_posterior),
    "sites": Field(lambda r: (2, EXPERTS, STORED), power=[[[0]], [[1]]]),  # tau and nu
    "labels": Field(lambda r: (STORED,), power=1),
    "scalars": Field(lambda r: (SCALARS,), fill=start_scalars),
    "predictions": Field(lambda r: (EXPERTS + 1, 3)),  # of the last row: m, q, belief; q of all
    "constant": Field(lambda r: (1,)),  # 1.0 if there is a constant in front
}


def norms(squares: np.ndarray) -> np.ndarray:
    """Return the divisors that bring rows with these squared norms to unit length."""
    return np.array([unit(square) for square in squares.tolist()])


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
def inner(s: Any, rows: Any, i: int) -> float:
    """Return p(+1) - p(-1), the mean over the experts by their weights. Stores q as well."""
    total, information, wrong = 0.0, 0.0, label_noise(s)
    n, young = s.scalars[LABELS], 0.0
    clipped, place = vectors.winsorised(s, rows, i)
    for k in range(len(s.experts)):
        found, weight = s.predictions[k], s.experts[k, WEIGHT]
        if s.experts[k, ALIVE] > 0:
            found[M], found[Q] = vectors.margin_of(s, k, clipped, place)
            found[BELIEF] = expert.belief(found[M], max(found[Q], 0.0), wrong, margin_noise(s, k))
            total += weight * found[BELIEF]
            information -= weight * entropy(found[BELIEF])
            young += weight if k >= FORGETTING and 0 < s.experts[k, FIRST] > n - YOUNG else 0.0
    s.predictions[len(s.experts), 0] = max(0.0, information + entropy(total)) + young
    return total


def form(s: Any, rows: Any, i: int) -> float:
    """Return q of the last row: mutual information of label and expert, in bits, + young weight."""
    return s.predictions[len(s.experts), 0]


def ceiling(s: Any, xx: float) -> float:
    """Return an upper bound of q: a label has at most one bit, and no weight is above 1."""
    return 2.0 + 1e-9


@noinline
def learn(
    p: Any, s: Any, rows: Any, i: int, scale: float, m: float, q: float, y: float, t: float
) -> int:
    """Update all experts, their weights, the noise and the empirical prior with label y."""
    t = max(t, s.scalars[LAST])  # late labels may come out of order
    n, gap = s.scalars[LABELS] + 1, t - s.scalars[LAST]
    s.scalars[LABELS], s.scalars[LAST] = n, t
    slot = int(n) % STORED
    if not vectors.store_row(s, rows, i, slot):
        return REFUSED
    s.labels[slot] = y
    if n == 1:
        for k in range(len(s.experts)):
            if s.experts[k, ALIVE] > 0:
                vectors.reset_to_prior(s, k)
        inner(s, rows, i)
    update_noise(s, float(y))
    update_evidence(s, float(y), t)
    if not update_weights(s, float(y)):
        return REFUSED
    update_leader(s, t)
    if not update_experts(p, s, rows, i, slot, float(y), gap):
        return REFUSED
    vectors.rescale(s)
    if n % BIRTH_EVERY == 0:
        start_expert(s, free_slot(s), n, t)
    transition(s, p.switches, gap, t, float(y))
    restart_forgetting(s, int(n))
    s.scalars[COUNT] += 1
    return UPDATED


@noinline
def update_leader(s: Any, t: float) -> None:
    """Add a former leader to the empirical prior if its age is more than twice the new leader's.

    The new one must be born after the last succession, and the former one have learned YOUNG labels
    at least. Forgetting experts, which outlive concepts, take the new leader's round of birth.
    """
    lead, former = leader(s), int(s.scalars[LEADER])
    if lead < FORGETTING:
        return
    s.scalars[LEADER] = lead
    born = s.experts[lead, BORN]
    if born <= s.scalars[SUCCEEDED] or 2 * (t - born) >= t - s.experts[former, BORN]:
        return
    for k in range(FORGETTING):
        s.experts[k, BORN] = born
    if former >= FORGETTING and s.scalars[LABELS] - s.experts[former, FIRST] >= YOUNG:
        vectors.add_leader(s, former)
        s.scalars[SUCCEEDED] = t


def update_experts(p: Any, s: Any, rows: Any, i: int, slot: int, y: float, gap: float) -> bool:
    """Update every expert with label y; discount, or refit earlier sites. Return whether finite."""
    wrong, n, finite = label_noise(s), int(s.scalars[LABELS]), True
    for k in range(len(s.experts)):
        c = s.experts[k]
        if c[ALIVE] > 0:
            finite = finite and update_expert(p, s, k, rows, i, slot, y, wrong)
            if k < FORGETTING:
                vectors.discount(s, k, math.exp(-gap / FORGETTING_ROUNDS))
            elif c[WEIGHT] >= REFIT_WEIGHT:
                finite = finite and refit_sites(p, s, k, n, wrong)
    return finite


@noinline
def update_expert(
    p: Any, s: Any, k: int, rows: Any, i: int, slot: int, y: float, wrong: float
) -> bool:
    """Update expert k with label y (assumed-density filtering) and store its site.

    Return False if a parameter is no longer finite.
    """
    m, q = s.predictions[k, M], max(s.predictions[k, Q], 0.0)
    step = expert.step(p, Round(m, q, y, 0.0, 0.0, wrong), margin_noise(s, k))
    tau = step.nu / (1 - step.nu * q)
    s.sites[0, k, slot] = tau
    s.sites[1, k, slot] = step.eta * (1 + tau * q) + tau * m
    return math.isfinite(tau) and vectors.step_expert(s, k, rows, i, step.eta, step.nu)


def refit_sites(p: Any, s: Any, k: int, n: int, wrong: float) -> bool:
    """Refit the next `replays` sites of expert k, in turn; return whether all is finite."""
    c = s.experts[k]
    earlier = min(n - int(c[FIRST]), STORED) - 1  # all but the last label
    for _ in range(min(int(p.replays), earlier)):
        c[CURSOR] += 1
        if not vectors.refit_site(p, s, k, (n - 1 - int(c[CURSOR]) % earlier) % STORED, wrong):
            return False
    return True


def start_expert(s: Any, k: int, n: float, t: float) -> None:
    """Start a new expert in slot k."""
    vectors.reset_to_prior(s, k)
    c = s.experts[k]
    gap = t - s.experts[newest(s), BORN]
    c[BORN], c[FIRST], c[CURSOR], c[ALIVE], c[NOISE] = t, n, 0.0, 1.0, 0.0
    c[EVIDENCE] = math.log(max(gap, 1.0))
    s.sites[:, k, :] = 0.0


def restart_forgetting(s: Any, n: int) -> None:
    """Restart forgetting experts from the leader after 4, 16, 64 labels and so on.

    Otherwise the prior that they forget towards would date from the first label.
    """
    if n > 1 and n & (n - 1) == 0 and n % 3 == 1:
        for k in range(FORGETTING):
            vectors.copy_from(s, k, leader(s))
            s.experts[k, NOISE] = s.experts[leader(s), NOISE]
