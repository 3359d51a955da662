"""Cells of the grid in dual form, and what their models hold."""

import itertools

import numpy as np

from selectron.kernels import RBF, Linear, Polynomial
from selectron.learners import (
    AROW,
    CELLIP,
    LASEC,
    BudgetPerceptron,
    Forgetron,
    ObjectiveRegularized,
    Perceptron,
)
from selectron.model.compose import space_for
from selectron.spaces import state

from .grid import ASKERS, LEARNERS, SPACES, Case, named

OPTIONS = ({}, {"constant": False}, {"normalize": True}, {"normalize": False})


def spread():
    """Return (case, options): all but the learner that projects, with the options in turn."""
    own = "radius", "ensemble"  # these have spaces of their own
    learners = [one for one in LEARNERS.values() if not any(hasattr(one, name) for name in own)]
    turns, found = itertools.cycle(OPTIONS), []
    for learner in learners:
        for asker in ASKERS.values():
            cells = [Case(learner, asker, sparse, False) for sparse in SPACES.values()]
            found += [(case, next(turns)) for case in cells]
            next(turns)  # or each space would have the same two options always
    return found


def name_of(cell):
    case, options = cell
    space = "sparse" if case.sparse else "dense"
    text = ",".join(f"{key}={value}" for key, value in options.items())
    return f"{named(LEARNERS, case.learner)}-{named(ASKERS, case.asker)}-{space}-{text}"


# what is compiled: every storage, order and kind of kernel once, and both ways to drop examples
COMPILED = {
    "first-dense": (Perceptron(), False, RBF(0.03)),
    "first-sparse": (ObjectiveRegularized(alpha=0.5), True, Polynomial(2)),
    "second-dense": (LASEC(b=0.8, c=30.0), False, RBF(0.03)),
    "second-sparse": (AROW(r=0.6), True, Polynomial(2, 0.5)),
    "explicit": (CELLIP(gamma=0.2), True, Linear()),
    "random": (BudgetPerceptron(7), True, RBF(0.03)),
    "shrinking": (Forgetron(7), False, Polynomial(2)),
}


def space_of(learner, sparse, kernel, many=None):
    return space_for(learner, sparse, many, type(kernel), hasattr(learner, "budget"))


def held(model):
    return int(model.state.scalars[state.HELD])


def used(model):
    """Return copies of all of the state that later rounds depend on, of one vector."""
    s, n = model.state, held(model)
    of_rows = {"indices", "values", "x", "xx", "lengths", "coef", "born", "scales", "c"}
    left = {"kappa", "a", "wide", "triangle"}
    arrays = [s._asdict()[name] for name in s._fields if name not in left]
    cut = [array[:n] if name in of_rows else array for name, array in _named(s, left, arrays)]
    if model.sparse:  # slots may be wider than what they hold
        longest = int(s.lengths[:n].max(initial=0))
        cut = [array[:, :longest] if array.ndim == 2 else array for array in cut]
    triangle = s._asdict().get("triangle", np.empty(0))
    return [array.copy() for array in [*cut, triangle[: n * (n + 1) // 2]]]


def _named(s, left, arrays):
    return zip([name for name in s._fields if name not in left], arrays, strict=True)


def holdings(model):
    """Return how many examples are held, of each vector."""
    return model.state.scalars[..., state.HELD].astype(int)
