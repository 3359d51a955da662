"""Askers: is this label worth asking for? Each is a NamedTuple of parameters and a pure function.

    numbers(self)                     the parameters as floats, checked
    probability(self, r, q, t)        probability of asking in round t = 1, 2, ...

`r` is the learner's margin quantity and q as in `Round`. The probability is compiled like a
learner's functions; along a learner's `score`, it is monotone in q. An asker may also have

    passes(self, m, y)                does the learner get to see this label?
"""

from .constant import Always, Fixed
from .margin import Margin, SecondOrderMargin
from .variance import BBQ, BBQI, Disagreement

__all__ = ["BBQ", "BBQI", "Always", "Disagreement", "Fixed", "Margin", "SecondOrderMargin"]
