"""Learners: how far to step. Each is a NamedTuple of parameters and a few pure functions.

    numbers(self)        the parameters as floats, or SelectronError if they are out of range
    normalize(self)      does the paper scale every row to unit length?
    shape(self)          P and eps at the start: a learner that has it is of second order
    radius(self)         that of the L1 ball that w stays in: a learner that has it projects
    score(self, m, q)    the margin quantity that is recorded, and that askers go by
    steps(self, m, y)    does it step on this label?
    step(self, r)        where to: Step, ShapeStep or Projection, from the round's scalars alone

The last three are compiled, with what they call: numbers, `math`, and functions like themselves. A
`Step` is built with all of its fields. `score` has the sign of m and is monotone in q. A learner
may also have

    cuts(self, m, y)     does it step on this label under an asker with `by_cuts`? Else as `steps`
    feasible(self, r)    can the step do all that it should? Rounds where it cannot are counted
    noted(self, r)       a number of its own after the step, which is `r.note` in the next round
    shrink(self, old)    by how much w shrinks where an example is dropped: Removal
    at_random(self)      is that example chosen at random? Else it is the oldest
    ceded(...)           see `MIRA`, which has it
"""

from .arow import AROW
from .bayesian_perceptron import BayesianPerceptron
from .budgeted import BudgetPerceptron, Forgetron
from .ellipsoid import CELLIP, IELLIP
from .l1_constrained import L1Constrained
from .l2_constrained import L2Constrained
from .lasec import LASEC
from .leading_history import LeadingHistory
from .least_squares import RLS
from .mira import MIRA
from .modified_perceptron import ModifiedPerceptron
from .norma import NORMA
from .objective_regularized import ObjectiveRegularized
from .passive_aggressive import PassiveAggressive
from .perceptron import Perceptron
from .second_order_perceptron import SecondOrderPerceptron
from .shifting_perceptron import ShiftingPerceptron

__all__ = [
    "AROW",
    "CELLIP",
    "IELLIP",
    "LASEC",
    "MIRA",
    "NORMA",
    "RLS",
    "BayesianPerceptron",
    "BudgetPerceptron",
    "Forgetron",
    "L1Constrained",
    "L2Constrained",
    "LeadingHistory",
    "ModifiedPerceptron",
    "ObjectiveRegularized",
    "PassiveAggressive",
    "Perceptron",
    "SecondOrderPerceptron",
    "ShiftingPerceptron",
]
