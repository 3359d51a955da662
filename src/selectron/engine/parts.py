"""The contracts of a learner and of a space, in primal or dual form; those of `loop` follow them.

Each protocol is the whole contract of a part; a function with a body is the default. The names at
the end stand for the real parts: `bind` replaces each by a namespace of functions, and type
checkers and editors can follow every call.

The first argument of a learner's or asker's functions, `p` or `a`, holds the parameters that
`numbers` returns, in the part's own type: `learner.Parameters(*numbers)`.
"""

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar, Protocol, cast

from .arithmetic import dot
from .bind import StandIn
from .round import (
    REFUSED,
    STRAINED,
    UPDATED,
    Old,
    Projection,
    Removal,
    Round,
    Shape,
    ShapeStep,
    Step,
    mistake,
    shaped,
)


class Learner(Protocol):
    """The size of a step: pure functions of a few scalars."""

    Parameters: ClassVar[Callable[..., Any]]  # the type of p

    def numbers(self) -> tuple[float, ...]:
        """Return the parameters as numbers; raise SelectronError if one is out of range."""

    def normalize(self) -> bool:
        """Return whether the paper scales every row to unit length."""
        return False

    def shape(self) -> Shape | None:
        """Return the initial P and eps; None in first order."""
        return None

    def radius(self) -> float | None:
        """Return the radius of the L1 ball around w; None if there is no ball."""
        return None

    def ensemble(self) -> bool:
        """Return whether an ensemble of experts learns, as in `history`."""
        return False

    def scale_free(self) -> bool:
        """Return whether steps move w alike if P is multiplied by any number."""
        return False

    def capacity(self) -> float:
        """Return the largest number of examples, in dual form; inf without a limit."""
        return math.inf

    def score(self, m: float, q: float) -> float:
        """Return the margin score r, which is recorded and which askers read."""
        return m

    def probability(self, r: float) -> float:
        """Return the learner's own probability of class +1, for two classes; NaN if it has none."""
        return math.nan

    def steps(self, m: float, y: float) -> bool:
        """Return whether the learner steps on this label: on mistakes, by default."""
        return mistake(m, y)

    def cuts(self, m: float, y: float) -> bool:
        """Return whether the label rules out any hypothesis, for askers that depend on it."""
        return learner.steps(self, m, y)

    def step(self, r: Round) -> Step | ShapeStep | Projection:
        """Return the coefficients of the step."""

    def feasible(self, r: Round) -> bool:
        """Return whether the step can meet its constraints; else the round is strained."""
        return True

    def noted(self, r: Round) -> float:
        """Return the learner's own number after the step."""
        return r.note

    def shrink(self, old: Old) -> Removal:
        """Return by how much w shrinks when an example is evicted."""
        return Removal(1.0, old.note)

    def at_random(self) -> bool:
        """Return whether the evicted example is chosen at random; else it is the oldest."""
        return False

    def ceded(self, losses: Any, q: float) -> float:
        """Return the threshold mu of an exact step with all classes, if it has one: see `MIRA`."""


class Expert(Learner, Protocol):
    """A learner whose steps are those of experts in an ensemble: see `history`."""

    switches: float
    fourier: float

    @staticmethod
    def belief(m: float, q: float, drawn: tuple[float, float], noise: float) -> float:
        """Return p(+1) - p(-1), given the probabilities of +1 and -1 that are drawn at random."""

    def step(self, r: Round, noise: float = 1.0) -> ShapeStep:
        """Return the assumed-density update for one label."""


class Space(Protocol):
    """Where w and P live: the only code that touches vectors.

    `s` is the state of one vector, `rows` a block, `i` a row in it.
    """

    State: Callable[..., Any]
    Rows: Callable[..., Any]
    shared: ClassVar[tuple[str, ...]] = ()  # fields of a state that all classes of a stack share

    @staticmethod
    def inner(s: Any, rows: Any, i: int) -> float:
        """Return <w, x>; it comes before what else is called on the row."""

    @staticmethod
    def squared_norm(rows: Any, i: int) -> float:
        """Return <x, x>."""

    @staticmethod
    def own_square(s: Any) -> float:
        """Return <w, w>, NaN if it is not kept."""
        return s.scalars[SQUARE]

    @staticmethod
    def quadratic_form(s: Any, rows: Any, i: int) -> float:
        """Return q: <x, x> in first order."""
        return space.squared_norm(rows, i)

    @staticmethod
    def upper_bound(s: Any, xx: float) -> float:
        """Return an upper bound of q for rows with <x, x> = xx: q itself in first order."""
        return xx

    @staticmethod
    def observe(s: Any, rows: Any, i: int, t: float) -> None:
        """Update the arrays that all classes share by the row of round t, before its label."""

    @staticmethod
    def move(s: Any, rows: Any, i: int, scale: float, now: Round, step: Any) -> int:
        """Step; return 0 if that was not finite, 2 if the margin cannot be reached, else 1."""

    @staticmethod
    def at(s: Any, k: int) -> Any:
        """Return the state of class k of a stack."""

    @staticmethod
    def needs_growth(s: Any, rows: Any, i: int) -> bool:
        """Return whether there is too little room for a step on row i."""
        return False

    @staticmethod
    def full(s: Any) -> bool:
        """Return whether the loop has to stop after a step, for the model to make room."""
        return False

    @staticmethod
    def evict(p: Any, s: Any, rows: Any) -> None:
        """Drop an example if there are too many."""

    @staticmethod
    def evidence(s: Any, t: float) -> tuple[float, float]:
        """Return the logarithm of the evidence that the concept switched, and the leader's age."""
        return 0.0, 0.0

    @staticmethod
    def lasting_and_steps(p: Any, s: Any, t: float, remaining: float) -> tuple[float, float]:
        """Return the part of the remaining rounds that the concept may last, and the steps."""
        return 0.0, s.scalars[COUNT]

    @staticmethod
    def learn(
        p: Any, s: Any, rows: Any, i: int, scale: float, m: float, q: float, y: float, t: float
    ) -> int:
        """Step on row i; q is NaN if it has not been needed yet. Return flags, or REFUSED."""
        if math.isnan(q):
            q = shaped(scale, space.quadratic_form(s, rows, i))
        k, ww, note = s.scalars[COUNT], space.own_square(s), s.scalars[NOTE]
        now = Round(m, q, float(y), k, ww, note)
        done = space.move(s, rows, i, scale, now, learner.step(p, now))
        if not done:
            return REFUSED
        s.scalars[NOTE] = learner.noted(p, now)
        space.evict(p, s, rows)
        if learner.scale_free(p) and space.largest(s) > VAST:
            space.rescale(s, 1 / VAST)
        return UPDATED if done == 1 and learner.feasible(p, now) else UPDATED | STRAINED

    @staticmethod
    def largest(s: Any) -> float:
        """Return an upper bound of the eigenvalues of P; in first order P = I."""
        return 1.0

    @staticmethod
    def rescale(s: Any, by: float) -> None:
        """P <- by P."""

    @staticmethod
    def add_examples(s: Any, n: int, g: Any, eta: float) -> None:
        """w <- w + eta sum_j g_j x_j over n + 1 stored examples; in dual form only."""

    # what follows from all rows, labelled or not: outside the loop

    @staticmethod
    def rows_left(s: Any, t: int) -> int:
        """Return the rows before the state is renewed, 0 if it is due before round t."""
        return NEVER_DUE

    @staticmethod
    def renew(states: list[Any], copies: list[Any]) -> None:
        """Renew copies of the states of all classes, which know the same of rows."""

    @staticmethod
    def adapted(s: Any, fresh: Any) -> Any:
        """Return `s`, a known class, when classes join that start as `fresh`.

        Arrays that depend on the number of classes are copied from `fresh`.
        """
        return s

    @staticmethod
    def informed(fresh: Any, other: Any) -> Any:
        """Return `fresh`, a new class, as if it had seen all rows so far, but no label of its own.

        Arrays that follow from rows, labelled or not, are copied from `other`, a known class.
        """
        return fresh

    # of a stack of vectors, one a class

    @staticmethod
    def score_all(s: Any, rows: Any, i: int) -> None:
        """Leave <w_k, x> of every class k in s.scores."""
        for k in range(len(s.scores)):
            s.scores[k] = space.inner(space.at(s, k), rows, i)

    @staticmethod
    def upper_bound_all(s: Any, xx: float) -> float:
        """Return an upper bound of q for every class."""
        most = 0.0
        for k in range(len(s.scores)):
            most = max(most, space.upper_bound(space.at(s, k), xx))
        return most

    @staticmethod
    def log_densities(s: Any, logs: Any) -> None:
        """Leave log p(k | row) of every class but for a constant; of ensembles only."""

    @staticmethod
    def learn_class(s: Any, k: int) -> None:
        """Learn that the row in view is of class k, for `log_densities`."""

    @staticmethod
    def opposite(step: Any) -> Any:
        """Return the step in the opposite direction."""
        return Step(step.keep, -step.eta)

    @staticmethod
    def shrunk(s: Any, rows: Any, i: int, step: Any) -> int:
        """Shrink a class that the step leaves out as much; return 0 if that was not finite."""
        if step.keep == 1.0:
            return 1
        now = Round(0.0, 0.0, 1.0, 0.0, s.scalars[SQUARE], 0.0)
        return space.move(s, rows, i, 1.0, now, Step(step.keep, 0.0))


class Storage(Protocol):
    """How examples are stored, in dual form."""

    @staticmethod
    def squared_norm(rows: Any, i: int) -> float:
        """Return k(x, x)."""

    @staticmethod
    def fill(s: Any, rows: Any, i: int) -> None:
        """Leave k(x_j, x) of row i and every stored example in s.kappa."""

    @staticmethod
    def among(s: Any, rows: Any, r: int) -> None:
        """Leave k(x_j, x_r) of all stored examples in s.kappa."""

    @staticmethod
    def put(s: Any, rows: Any, i: int, j: int) -> None:
        """Store row i in slot j."""

    @staticmethod
    def shift(s: Any, source: int, target: int) -> None:
        """Copy the example of one slot to another."""

    @staticmethod
    def too_long(s: Any, rows: Any, i: int) -> bool:
        """Return whether row i fits into no slot."""
        return False


class Kernel(Protocol):
    """An inner product in a space of more features."""

    Parameters: ClassVar[Callable[..., Any]]

    def numbers(self) -> tuple[float, ...]:
        """Return the parameters as numbers; raise SelectronError if one is out of range."""

    def value(self, xy: float, xx: float, yy: float) -> float:
        """Return k(x, y), given <x, y>, <x, x> and <y, y>."""

    @staticmethod
    def compare(numbers: Any, x: Any, xx: float, y: Any, yy: float) -> float:
        """Return k(x, y) of two dense rows; kernels that are functions of arrays replace it."""
        return kernel.value(kernel.Parameters(*numbers), dot(x, y), xx, yy)


NEVER_DUE = 1 << 62  # rows

# A P as large as this is divided by it, if the learner does not depend on the scale of P
VAST = 1e100

COUNT, SQUARE, NOTE = 0, 1, 5  # where a state's `scalars` hold them: see `spaces.state`

learner = cast(type[Learner], StandIn("learner", Learner))
expert = cast(type[Expert], StandIn("learner", Expert))
space = cast(type[Space], StandIn("space", Space))
storage = cast(type[Storage], StandIn("storage", Storage))
kernel = cast(type[Kernel], StandIn("kernel", Kernel))


def declared(part: Any, contract: type, name: str) -> Any:
    """Return what a part, or its module, has by this name, or else the default of its contract.

    >>> from selectron.learners import RLS, Perceptron
    >>> [declared(one, Learner, "shape")(one) for one in (Perceptron(), RLS(a=2.0))]
    [None, Shape(scale=0.5, noise=0.0)]
    """
    owner = part if isinstance(part, ModuleType) else type(part)
    found = getattr(owner, name, None)
    return getattr(contract, name) if found is None else found
