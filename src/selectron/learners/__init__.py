"""Learners: how far to step. Each is a NamedTuple of parameters and a few pure functions.

`engine.parts.Learner` is the whole contract, with its defaults. A learner has at least

    numbers(self)        the parameters as numbers, checked
    step(self, r)        the step: Step, ShapeStep or Projection, from the round's scalars alone

By default it uses rows as they are (`normalize`), steps on mistakes (`steps`), and gives the margin
to askers (`score`, which has the sign of m and is monotone in q). These and `step` are compiled;
they may use numbers, `math`, and functions like themselves. A `Step` is built with all of its
fields. A learner with a `shape` is of second order; one with a `radius` keeps w in an L1 ball.
"""

from .ellipsoid import CELLIP, IELLIP
from .gaussian import AROW, BayesianPerceptron
from .large_margin import (
    MIRA,
    NORMA,
    L1Constrained,
    L2Constrained,
    ObjectiveRegularized,
    PassiveAggressive,
)
from .leading_history import LeadingHistory
from .least_squares import LASEC, RLS, SecondOrderPerceptron
from .perceptron import (
    BudgetPerceptron,
    Forgetron,
    ModifiedPerceptron,
    Perceptron,
    ShiftingPerceptron,
)

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
