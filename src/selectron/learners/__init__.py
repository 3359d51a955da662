"""Learners: how far to step. Each is a NamedTuple of parameters and a few pure functions.

    numbers(self)        the parameters as floats, or SelectronError if they are out of range
    normalize(self)      does the paper scale every row to unit length?
    shape(self)          P and eps at the start: a learner that has it is of second order
    score(self, m, q)    the margin quantity that is recorded, and that askers go by
    steps(self, m, y)    does it step on this label?
    step(self, r)        where to: Step or ShapeStep, from the round's scalars alone

The last three are compiled, with what they call: numbers, `math`, and functions like themselves. A
`Step` is built with all of its fields. `score` has the sign of m and is monotone in q.
"""

from .arow import AROW
from .lasec import LASEC
from .passive_aggressive import PassiveAggressive
from .perceptron import Perceptron
from .second_order_perceptron import SecondOrderPerceptron

__all__ = ["AROW", "LASEC", "PassiveAggressive", "Perceptron", "SecondOrderPerceptron"]
