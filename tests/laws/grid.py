"""The grid: every learner under every asker on dense and on sparse rows, and streams to play.

A learner or an asker joins all the laws by one row in a table here.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import pytest

from selectron.askers import (
    BBQ,
    BBQI,
    AdaptiveMargin,
    Always,
    Budget,
    Disagreement,
    Fixed,
    Margin,
    SecondOrderMargin,
    Uncertainty,
)
from selectron.engine.bind import bind
from selectron.engine.loop import play
from selectron.engine.parts import Learner, declared
from selectron.engine.rows import Dense, Sparse
from selectron.errors import SelectronError
from selectron.learners import (
    AROW,
    CELLIP,
    IELLIP,
    LASEC,
    MIRA,
    NORMA,
    RLS,
    BayesianPerceptron,
    L1Constrained,
    L2Constrained,
    LeadingHistory,
    ModifiedPerceptron,
    ObjectiveRegularized,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    ShiftingPerceptron,
)
from selectron.model.compose import asker_type, check_pair, parts, space_for
from selectron.model.model import Model

LEARNERS = {
    "perceptron": Perceptron(),
    "pa": PassiveAggressive(),
    "pa-1": PassiveAggressive(C=0.1),
    "pa-2": PassiveAggressive(C=0.5, variant="II"),
    "sop": SecondOrderPerceptron(a=0.7),
    "lasec": LASEC(b=0.8, c=30.0),
    "lasec-still": LASEC(c=math.inf),
    "arow": AROW(r=0.6),
    "objective": ObjectiveRegularized(alpha=0.5),
    "objective-soft": ObjectiveRegularized(alpha=0.1, C=0.5),
    "shifting": ShiftingPerceptron(lam=2.0),
    "projecting": ModifiedPerceptron(),
    "reflecting": ModifiedPerceptron(size=2),
    "l1": L1Constrained(beta=2.0),
    "l2": L2Constrained(beta=0.8),
    "mira": MIRA(C=0.4),
    "norma": NORMA(lam=0.5, power=0.25),
    "rls": RLS(a=2.0),
    "cellip": CELLIP(gamma=0.2),
    "cellip-talk": CELLIP(start="talk"),
    "iellip": IELLIP(p0=0.5),
    "bayes": BayesianPerceptron(s0=0.7),
    "leading": LeadingHistory(switches=0.01, fourier=6),
}

ASKERS = {
    "always": Always(),
    "fixed": Fixed(p=0.6),
    "margin": Margin(b=0.3),
    "margin-inf": Margin(b=math.inf),
    "margin-2": SecondOrderMargin(b=0.4),
    "bbq": BBQ(kappa=0.6),
    "bbq-i": BBQI(kappa=0.45),
    "disagreement": Disagreement(),
    "uncertainty": Uncertainty(),
    "rate": Budget(rate=0.4),
    "labels": Budget(labels=20, horizon=50, asker=Margin(b=0.3)),
    "adaptive": AdaptiveMargin(beta=0.2),
}

SPACES = {"dense": False, "sparse": True}


class Case(NamedTuple):
    """One cell of the grid, as plain Python or compiled; `Case.model` is what the laws play."""

    learner: Any
    asker: Any
    sparse: bool
    compiled: bool
    sketched: bool = False  # in as many directions as there are weights, or more

    def model(self, width: int, **options: Any) -> Model:
        sketch = (40 if self.compiled else 8) if self.sketched else None
        options = {"sparse": self.sparse, "seed": 7, "sketch": sketch, **options}
        return Model(self.learner, self.asker, width=width, **options)

    def stream(self, **options: Any) -> "Stream":
        """Compiled, rows are long enough for the processor's wide registers."""
        size = {"n": 240, "width": 37} if self.compiled else {"n": 60, "width": 6}
        return stream(**{**size, **options})

    def block(self, values: np.ndarray) -> Dense | Sparse:
        return sparse_block(values) if self.sparse else Dense(np.ascontiguousarray(values))

    @property
    def kinds(self) -> tuple[type, Any, Any]:
        """Return what one compiled loop is made for."""
        space = space_for(self.learner, self.sparse, sketched=self.sketched)
        return type(self.learner), asker_type(self.asker), space

    @property
    def second_order(self) -> bool:
        return hasattr(self.learner, "shape")


def method(learner: Any, name: str) -> Callable:
    """Return a method of a learner, or the default."""
    return partial(declared(learner, Learner, name), learner)


def parameters(part: Any) -> Any:
    """Return the parameters as the loop holds them."""
    return getattr(part, "Parameters", type(part))(*part.numbers())


def named(table: dict[str, Any], value: Any) -> str:
    return next(name for name, found in table.items() if found is value)


def name_of(case: Case) -> str:
    way = "compiled" if case.compiled else "plain"
    space = "sketched-" * case.sketched + ("sparse" if case.sparse else "dense")
    return f"{named(LEARNERS, case.learner)}-{named(ASKERS, case.asker)}-{space}-{way}"


def fit(learner: Any, asker: Any) -> bool:
    """Is the pair one that is not refused?"""
    try:
        check_pair(learner, asker)
    except SelectronError:
        return False
    return True


def every(compiled: bool) -> list[Case]:
    """Return the whole grid, but for pairs of learner and asker that are refused."""
    return [
        Case(learner, asker, sparse, compiled)
        for learner in LEARNERS.values()
        for asker in ASKERS.values()
        for sparse in SPACES.values()
        if fit(learner, asker)
    ]


def joined(case: Case) -> set[tuple]:
    """Return what this cell brings together: a learner, an asker in an order, a space.

    A space counts where the asker goes by the row, so that the loop looks at all of it.
    """
    learner, asker, space = case.kinds
    blind = isinstance(case.asker, Always | Fixed)
    return {(learner,), (asker, space.order), *([] if blind else [(space,)])}


def cover() -> list[Case]:
    """Return all compiled cells of as few compositions as hold all that is to be joined: greedily.

    Compiling a composition is what costs; other parameters of the same classes come free.
    """
    cells = every(compiled=True)
    missing = set().union(*map(joined, cells))
    chosen: set[tuple] = set()
    while missing:
        best = max(cells, key=lambda case: len(joined(case) & missing))
        chosen.add(best.kinds)
        missing -= joined(best)
    return [case for case in cells if case.kinds in chosen]


def spread_out() -> list[Case]:
    """Return plain cells that join every learner with the margin asker and with every sixth other.

    They join each asker with learners of every kind; all of them would take a quarter of an hour.
    """
    numbers = {name: i for i, name in enumerate([*LEARNERS, *ASKERS])}
    return [
        case
        for case in every(compiled=False)
        if (numbers[named(LEARNERS, case.learner)] + numbers[named(ASKERS, case.asker)]) % 6 == 0
        or named(ASKERS, case.asker) == "margin"
    ]


def sketched() -> list[Case]:
    """Return cells of every learner of second order with a sketch, and two compiled."""
    second = [one for one in LEARNERS.values() if hasattr(one, "shape")]
    askers = itertools.cycle([ASKERS["margin"], ASKERS["margin-2"], ASKERS["rate"]])
    pairs = itertools.product(second, SPACES.values())
    plain = [Case(*pair[:1], next(askers), pair[1], False, True) for pair in pairs]
    some = LEARNERS["lasec"], ASKERS["margin-2"]
    return plain + [Case(*some, sparse, True, True) for sparse in SPACES.values()]


QUICK_COMPILED = ("perceptron-margin-dense", "pa-margin-2-sparse", "lasec-margin-2-sparse")


def quick(case: Case) -> bool:
    """Return whether `make test` plays a cell: three compiled, and each learner once plain."""
    name = name_of(case).rpartition("-")[0]
    if case.sketched:
        return not case.compiled and case.learner in (LEARNERS["lasec"], LEARNERS["arow"])
    return name in (QUICK_COMPILED if case.compiled else QUICK_PLAIN)


def one_each() -> set[str]:
    """Return the names of plain cells: each learner's with the asker, and space, used least."""
    used: Counter = Counter()
    for learner in LEARNERS.values():
        own = [case for case in spread_out() if case.learner is learner]
        best = min(own, key=lambda case: (used[named(ASKERS, case.asker)], used[case.sparse]))
        used.update([named(ASKERS, best.asker), best.sparse, name_of(best)])
    return {name.rpartition("-")[0] for name in map(str, used) if name.count("-") > 1}


def marked(cases: Iterable[Case]) -> list[Any]:
    """Return the cases as parameters, those that `make test` leaves out marked slow.

    Where none of the quick ones is among them, every eighth takes their place.
    """
    cases = list(cases)
    kept = [case for case in cases if quick(case)] or cases[::8]
    names = set(map(name_of, kept))
    return [pytest.param(case, marks=marks(case, name_of(case) in names)) for case in cases]


def marks(case: Case, kept: bool) -> Any:
    """Return the marker of a cell; machine code is compiled whatever the composition."""
    if not kept:
        return pytest.mark.slow
    return pytest.mark.compiles if case.compiled else ()


SKETCHED = sketched()
COVER = cover() + [case for case in SKETCHED if case.compiled]
GRID = spread_out() + [case for case in SKETCHED if not case.compiled] + COVER
QUICK_PLAIN = one_each()


@cache
def plain_loop(learner: type, asker: type, space: Any) -> Callable:
    """Return the loop as plain Python; like the compiled one, it does not warn of infinities."""
    return quiet(bind(play, parts(learner, asker, space)))


def quiet(function: Callable) -> Callable:
    def call(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*args)

    return call


class Stream(NamedTuple):
    """Rows and labels."""

    values: np.ndarray  # (n, width)
    labels: np.ndarray  # int8; 0 where there is none

    def part(self, start: int, stop: int) -> "Stream":
        return Stream(self.values[start:stop], self.labels[start:stop])


def stream(n: int, width: int, seed: int = 0, missing: float = 0.1, scale: float = 1.0) -> Stream:
    """Return correlated rows with holes, some of them zero, under a target that turns half-way."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, width)) * rng.uniform(0.3, 2.0, size=width)
    values[:, 0] += values[:, -1]
    values[rng.random((n, width)) < 0.4] = 0.0
    values[rng.random(n) < 0.05] = 0.0
    target = rng.normal(size=width)
    margins = values @ target
    margins[n // 2 :] -= 2 * values[n // 2 :, 0] * target[0]
    labels = np.where(margins + rng.normal(scale=0.3, size=n) >= 0, 1, -1)
    labels[rng.random(n) < missing] = 0
    return Stream(scale * values, labels.astype(np.int8))


def sparse_block(values: np.ndarray) -> Sparse:
    """Return the non-zeros of every row, by size: the order of indices is nobody's business."""
    found = [order[row[order] != 0] for row in values for order in [row.argsort(kind="stable")]]
    indices = np.concatenate([*found, np.empty(0)]).astype(np.int32)
    lengths = [len(row) for row in found]
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Sparse(indptr, indices, values[np.repeat(np.arange(len(values)), lengths), indices])


def chunks(n: int, sizes: Iterable[int]) -> list[tuple[int, int]]:
    """Cut n rows into pieces of these sizes, again and again."""
    sizes, cuts = list(sizes), [0]
    while cuts[-1] < n:
        cuts.append(min(n, cuts[-1] + sizes[(len(cuts) - 1) % len(sizes)]))
    return list(itertools.pairwise(cuts))
