"""What a learner of a pool says: the order in which rows are to be proposed, and when to ask again.

A learner is a NamedTuple of parameters with one method,

    plan(pool, told, carry) -> (carry, Plan)

which is called when the plan before is used up, or has met as many mistakes as it bears, or told as
many rows. `carry` is whatever the learner keeps between two plans, None before the first: it is
never changed in place, so that going back means taking up an older one. All draws come from
`pool.seed` and what has been told, so that the same answers lead to the same plans.
"""

from typing import Any, NamedTuple

import numpy as np

from .nearest import Nearest

OPEN = -1  # the code of a row that has not been told
PASSED = -2  # the code of one that nobody can tell


class Pool(NamedTuple):
    """The rows, as the learner sees them."""

    X: Any  # (n, d), dense or CSR, of mean square length 1
    seed: int
    kernels: tuple[np.ndarray, ...] = ()  # other maps of the rows, each (n, k)
    nearest: tuple[Nearest, ...] = ()  # neighbours under several scales

    @property
    def maps(self) -> tuple[Any, ...]:
        """Return all maps of the rows, the plain one first."""
        return self.X, *self.kernels


class Told(NamedTuple):
    """What has been told so far."""

    codes: np.ndarray  # (n,), the number of the class of each row, from 0 on, OPEN, or PASSED
    classes: int
    mistakes: int
    missed: np.ndarray  # the rows that the plan before was wrong about

    @property
    def signs(self) -> np.ndarray:
        """Return -1 or +1 for rows of the two classes, 0 for those without one."""
        return np.where(self.codes < 0, 0, 2 * self.codes - 1).astype(np.int8)

    @property
    def left(self) -> np.ndarray:
        """Return the numbers of the open rows."""
        return np.flatnonzero(self.codes == OPEN)


class Plan(NamedTuple):
    """Which rows to propose next, and as what.

    `keys` sort the rows, the largest first; None takes them as they are. `doubts` are the learner's
    own probabilities of being wrong, None if it has none.
    """

    rows: np.ndarray
    codes: np.ndarray  # the proposal for each of these rows
    keys: np.ndarray | None = None
    patience: float = np.inf  # mistakes after which there is to be another plan
    doubts: np.ndarray | None = None
    stretch: float = np.inf  # rows told after which there is to be another plan


class Queue:
    """The rows of a plan in their order, sorted as far as they are asked for.

    The next part is chosen in one pass over what is left, and each part is four times as long as
    the one before: a row costs O(1) however far one goes.
    """

    FIRST = 4_096

    def __init__(self, plan: Plan):
        self.plan = plan
        self.order = np.empty(0, np.int64) if plan.keys is not None else np.arange(len(plan.rows))
        self.rest = np.arange(len(plan.rows) if plan.keys is not None else 0)
        self.part = self.FIRST

    def __len__(self) -> int:
        return len(self.plan.rows)

    def span(self, start: int, stop: int) -> np.ndarray:
        """Return positions in the plan's arrays: of the rows from `start` to `stop` in order."""
        while len(self.order) < min(stop, len(self)):
            self._sort_more()
        return self.order[start:stop]

    def ready(self, start: int) -> int:
        """Return up to where there is an order, beyond `start` if there are rows left."""
        self.span(start, start + 1)
        return len(self.order)

    def _sort_more(self) -> None:
        keys: Any = self.plan.keys
        self.part, size = 4 * self.part, min(self.part, len(self.rest))
        parted = self.rest
        if size < len(self.rest):
            parted = self.rest[np.argpartition(-keys[self.rest], size - 1)]
        chosen, self.rest = np.sort(parted[:size]), parted[size:]
        chosen = chosen[np.argsort(-keys[chosen], kind="stable")]
        self.order = np.concatenate([self.order, chosen])
