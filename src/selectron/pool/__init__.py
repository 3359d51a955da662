"""Self-directed learning: label a whole pool with as few mistakes as possible.

SelfDirectedClassifier    proposes one row after the other; a person confirms or corrects
Confident                 the default learner: what is most certain comes first
Sphere, Boosted           the learners of the paper, for the sphere and for any points
Greedy                    the paper's step in the order of all that is left
InOrder                   the default's fits in random, given or worst order, to compare with
RadiallyIsotropic         a transformer: the linear map that spreads points evenly over the sphere
"""

from .boosted import Boosted
from .classifier import SelfDirectedClassifier
from .confident import Confident, InOrder
from .isotropic import RadiallyIsotropic
from .perceptron import Greedy, Sphere
from .record import PoolRun

__all__ = [
    "Boosted",
    "Confident",
    "Greedy",
    "InOrder",
    "PoolRun",
    "RadiallyIsotropic",
    "SelfDirectedClassifier",
    "Sphere",
]
