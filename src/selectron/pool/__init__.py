"""Self-directed learning: label a whole pool with as few mistakes as possible.

SelfDirectedClassifier    proposes a label for one row at a time; a person confirms or corrects
PoolRun                   the record of a session
Confident                 the default learner: the most certain row is next
Sphere, Boosted           the learners of the paper, for the sphere and for arbitrary points
Greedy                    the paper's update, with the row of largest margin next
InOrder                   the default's fits in random, given or worst order, for comparison
RadiallyIsotropic         a transformer: the linear map that spreads points evenly over the sphere
"""

from .classifier import SelfDirectedClassifier
from .confident import Confident, InOrder
from .isotropic import RadiallyIsotropic
from .perceptron import Boosted, Greedy, Sphere
from .session import PoolRun

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
