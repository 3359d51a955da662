"""The paper's learner for the sphere, and its step in the order of all that is left.

The step of the margin-perceptron, on a mistake: w <- w - <w, x> x  (eq. 1), for x of unit length.
It shortens w and leaves <w, w*> no smaller, so that the angle to any w* that fits gets smaller; the
longer the margin, the more so.

Source: Diakonikolas, Kontonis, Tzamos & Zarifis, "Self-Directed Linear Classification" (COLT 2023),
Algorithm 1; the step is Dunagan & Vempala's (STOC 2004).
"""

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from ..errors import SelectronError
from .plan import OPEN, Plan, Pool, Told
from .table import squares


class Greedy(NamedTuple):
    """Propose the row of the largest margin of all that are left, and step on a mistake.

    There is no proof for it, and it stalls where margins vanish.
    """

    def plan(self, pool: Pool, told: Told, carry: np.ndarray | None) -> tuple[np.ndarray, Plan]:
        """Return the plan after a mistake."""
        two_classes(told)
        w = start(pool, 0) if carry is None else stepped(pool, carry, told.missed)
        return w, by_margin(pool, told.left, w)


class Halves(NamedTuple):
    """What the learner for the sphere carries: one vector for each half of the pool."""

    vectors: tuple[np.ndarray, ...]
    stage: int  # how many buckets have been used up, and after them the two last plans


class Sphere(NamedTuple):
    """The paper's learner for points drawn evenly from the sphere: Algorithm 1.

    The pool is cut at random into halves, and each half into c d log log n buckets. In one bucket
    after the other, rows are proposed by decreasing margin up to the first mistake. In the end each
    half's vector proposes what the other half has left. Mistakes: O(d log log n), all rows told.
    """

    c: float = 1.6

    def plan(self, pool: Pool, told: Told, carry: Halves | None) -> tuple[Halves, Plan]:
        """Return the plan of the next bucket that has rows in it."""
        two_classes(told)
        n, d = pool.X.shape
        buckets = max(1, round(self.c * d * max(1.0, math.log(math.log(max(n, 3))))))
        if carry is None:
            carry = Halves((start(pool, 0), start(pool, 1)), -1)
        stage, vectors = carry.stage, list(carry.vectors)
        if len(told.missed) and stage < 2 * buckets:
            half = stage // buckets
            vectors[half] = stepped(pool, vectors[half], told.missed)
        lot = np.random.default_rng([pool.seed, 2]).permutation(n)
        parts = np.array_split(lot, 2)
        while True:
            stage += 1
            half, last = divmod(stage, buckets)[0], stage - 2 * buckets
            whole = last >= 0
            rows = parts[last] if whole else np.array_split(parts[half], buckets)[stage % buckets]
            rows = rows[told.codes[rows] == OPEN]
            if len(rows):
                break
        w = vectors[1 - last] if whole else vectors[half]
        plan = by_margin(pool, rows, w)
        return Halves(tuple(vectors), stage), plan._replace(patience=np.inf if whole else 1)


def two_classes(told: Told) -> None:
    """Refuse more: the paper tells two classes apart."""
    if told.classes > 2:
        raise SelectronError(
            f"There are {told.classes} classes, and this learner tells two apart: Confident takes "
            "any number."
        )


def start(pool: Pool, which: int) -> np.ndarray:
    """Return a random direction."""
    w = np.random.default_rng([pool.seed, 1, which]).normal(size=pool.X.shape[1])
    return w / np.linalg.norm(w)


def stepped(pool: Pool, w: np.ndarray, missed: np.ndarray) -> np.ndarray:
    """Return w after a mistake; nothing has changed without one."""
    for row in missed:
        x = dense(pool.X[[row]])[0]
        square = x @ x
        w = w - (w @ x / square) * x if square > 0 else w
    return w


def by_margin(pool: Pool, rows: np.ndarray, w: np.ndarray) -> Plan:
    """Return the plan to propose these rows by their distance from the boundary."""
    X = pool.X[rows]
    margins = X @ w
    far = margins / np.maximum(np.sqrt(squares(X)), 1e-300)
    return Plan(rows, (margins >= 0).astype(np.int32), np.abs(far), 1)


def dense(X: Any) -> np.ndarray:
    """Return rows as an array."""
    return X.toarray() if scipy.sparse.issparse(X) else X
