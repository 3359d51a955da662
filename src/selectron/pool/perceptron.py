"""The learners of the paper: for the sphere, for arbitrary points, and its update in greedy order.

The update of the modified perceptron, on a mistake: w <- w - <w, x> x  (eq. 1), for x of unit norm.

Source: Diakonikolas, Kontonis, Tzamos & Zarifis, "Self-Directed Linear Classification" (COLT 2023),
Algorithms 1 (`Sphere`) and 2 (`Boosted`); the update is Dunagan & Vempala's (STOC 2004).
"""

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse
from sklearn.utils.extmath import row_norms

from ..engine.parameters import PROPER_SHARE, Range, ranges
from ..errors import SelectronError
from .isotropic import forster, unit
from .session import OPEN, Plan, Pool, State

LONG = 4.0  # a phase fails after LONG k log k mistakes
WIDEST = 1_000  # features
WIDER = f"This learner takes dense rows of up to {WIDEST:,} features: use Confident."


class Greedy(NamedTuple):
    """Propose the row with the largest margin among all open rows, and update on a mistake.

    It has no mistake bound, and makes no progress if margins vanish.

    >>> from selectron.pool import SelfDirectedClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> options = {"features": "raw", "fit_intercept": False, "random_state": 0}
    >>> SelfDirectedClassifier(Greedy(), **options).run(X, X[:, 0] > 0).mistakes
    4
    """

    def plan(self, pool: Pool, state: State, carry: np.ndarray | None) -> tuple[np.ndarray, Plan]:
        """Return the carry and the next plan, after a mistake."""
        two_classes(state)
        w = start(pool, 0) if carry is None else stepped(pool, carry, state.missed)
        return w, by_margin(pool, state.left, w)


class Halves(NamedTuple):
    """The carry of `Sphere`: one weight vector for each half of the pool."""

    vectors: tuple[np.ndarray, ...]
    stage: int  # number of the bucket, then of the last two plans


@ranges(c=Range(lambda c: 0 < c < math.inf, "above 0"))
class Sphere(NamedTuple):
    """The learner for points drawn uniformly from the sphere: Algorithm 1.

    The pool is split at random into halves, and each half into c d log log n buckets. In each
    bucket, rows are proposed by decreasing margin up to the first mistake. At the end, each half's
    vector proposes the open rows of the other half. O(d log log n) mistakes.

    >>> from selectron.pool import SelfDirectedClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> options = {"features": "raw", "fit_intercept": False, "random_state": 0}
    >>> SelfDirectedClassifier(Sphere(), **options).run(X, X[:, 0] > 0).mistakes
    13
    """

    c: float = 1.6

    def plan(self, pool: Pool, state: State, carry: Halves | None) -> tuple[Halves, Plan]:
        """Return the plan for the next bucket that has open rows."""
        two_classes(state)
        if not narrow(pool):
            raise SelectronError(WIDER)
        n, d = pool.X.shape
        buckets = max(1, round(self.c * d * max(1.0, math.log(math.log(max(n, 3))))))
        if carry is None:
            carry = Halves((start(pool, 0), start(pool, 1)), -1)
        stage, vectors = carry.stage, list(carry.vectors)
        if len(state.missed) and stage < 2 * buckets:
            half = stage // buckets
            vectors[half] = stepped(pool, vectors[half], state.missed)
        lot = np.random.default_rng([pool.seed, 2]).permutation(n)
        parts = np.array_split(lot, 2)
        rows = lot[:0]
        while not len(rows):
            stage += 1
            half, last = stage // buckets, stage - 2 * buckets
            whole = last >= 0
            rows = parts[last] if whole else np.array_split(parts[half], buckets)[stage % buckets]
            rows = rows[state.codes[rows] == OPEN]
        plan = by_margin(pool, rows, vectors[1 - last] if whole else vectors[half])
        return Halves(tuple(vectors), stage), plan._replace(patience=np.inf if whole else 1)


def two_classes(state: State) -> None:
    """Raise SelectronError if there are more than two classes."""
    if state.classes > 2:
        raise SelectronError(
            f"There are {state.classes} classes, and this learner is for two: Confident takes "
            "any number."
        )


def start(pool: Pool, which: int) -> np.ndarray:
    """Return a random unit vector."""
    w = np.random.default_rng([pool.seed, 1, which]).normal(size=pool.X.shape[1])
    return w / np.linalg.norm(w)


def stepped(pool: Pool, w: np.ndarray, missed: np.ndarray) -> np.ndarray:
    """Return w after the update for each of the `missed` rows."""
    for row in missed:
        x = pool.X[[row]]
        x = (x.toarray() if scipy.sparse.issparse(x) else x)[0]
        square = x @ x
        w = w - (w @ x / square) * x if square > 0 else w
    return w


def by_margin(pool: Pool, rows: np.ndarray, w: np.ndarray) -> Plan:
    """Return the plan for these rows, by decreasing distance from the boundary."""
    X = pool.X[rows]
    margins = X @ w
    far = margins / np.maximum(row_norms(X), 1e-300)
    return Plan(rows, (margins >= 0).astype(np.int32), np.abs(far), 1)


class Phase(NamedTuple):
    """The carry of `Boosted`: the rows of a phase, their map, and the weights."""

    number: int
    rows: np.ndarray  # labelled and open
    matrix: np.ndarray  # (k, d): z = matrix x / |matrix x|
    w: np.ndarray  # (k,)
    missed: int  # mistakes in this phase

    def mapped(self, pool: Pool, rows: np.ndarray) -> np.ndarray:
        """Return the rows under the map, (n, k), at unit norm."""
        return unit(pool.X[rows] @ self.matrix.T)

    def updated(self, pool: Pool, missed: np.ndarray) -> "Phase":
        """Return the phase after the update for each of the `missed` rows."""
        w = self.w
        for z in self.mapped(pool, missed):
            w = w - (w @ z) * z
        length = np.linalg.norm(w)
        w = w / length if length > 0 else self.w  # only its direction matters
        return self._replace(w=w, missed=self.missed + len(missed))


@ranges(
    share=Range(lambda share: 0 < share <= 1, "above 0 and up to 1"),
    eps=PROPER_SHARE,
    most=Range(lambda most: most >= 1, "from 1 on", whole=True),
)
class Boosted(NamedTuple):
    """The learner for arbitrary points: Algorithm 2, boosted. Dense rows only.

    A phase finds a subspace V that contains at least a share of dim V / d of the open rows and can
    be put into radially isotropic position, within `eps`, in `most` steps. From a random w, the
    rows in V are proposed by decreasing margin, with an update and a new order after each mistake,
    until the `share` of them is labelled or mistakes are too many; the next phase takes the rest.
    O(d log(1/delta)) mistakes for a share of 1 - delta.

    >>> from selectron.pool import SelfDirectedClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> options = {"features": "raw", "fit_intercept": False, "random_state": 0}
    >>> SelfDirectedClassifier(Boosted(), **options).run(X, X[:, 0] > 0).mistakes
    5
    """

    share: float = 0.5
    eps: float = 0.01
    most: int = 200

    def plan(self, pool: Pool, state: State, carry: Phase | None) -> tuple[Phase, Plan]:
        """Return the carry and the next plan, after a mistake."""
        two_classes(state)
        if not narrow(pool):
            raise SelectronError(WIDER)
        phase = carry and carry.updated(pool, state.missed)
        if phase is None or self.over(phase, state):
            phase = opened(self, pool, state, phase.number + 1 if phase else 0)
        rows = phase.rows[state.codes[phase.rows] == OPEN]
        margins = phase.mapped(pool, rows) @ phase.w
        return phase, Plan(rows, (margins >= 0).astype(np.int32), np.abs(margins), 1)

    def over(self, phase: Phase, state: State) -> bool:
        """Return whether the phase is complete, or has failed."""
        k, done = len(phase.w), np.count_nonzero(state.codes[phase.rows] != OPEN)
        failed = phase.missed > LONG * k * math.log(k + 2)
        return bool(done >= max(1, self.share * len(phase.rows))) or failed


def narrow(pool: Pool) -> bool:
    """Return whether rows are dense, and of few features: buckets and maps grow with these."""
    return not scipy.sparse.issparse(pool.X) and pool.X.shape[1] <= WIDEST


def opened(learner: Boosted, pool: Pool, state: State, number: int) -> Phase:
    """Return a new phase of the open rows; rows of 0 belong to every phase."""
    rows = state.left
    X = pool.X[rows]
    zero = ~X.any(axis=1)
    random = np.random.default_rng([pool.seed, 3, number])
    if zero.all():
        return Phase(number, rows, np.zeros((1, X.shape[1])), np.ones(1), 0)
    found, position = forster(X[~zero], learner.eps, int(learner.most))
    inside = zero.copy()
    inside[~zero] = found.inside
    w = random.normal(size=len(found.basis))
    return Phase(number, rows[inside], position.matrix @ found.basis, w / np.linalg.norm(w), 0)
