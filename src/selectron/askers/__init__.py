"""Askers: is this label worth asking for? Each is a NamedTuple of parameters and a pure function.

    numbers(self)                     the parameters as floats, checked
    probability(self, r, q, t)        probability of asking in round t = 1, 2, ...

`r` is the learner's margin quantity and q as in `Round`. The probability is compiled like a
learner's functions; along a learner's `score`, it is monotone in q. An asker may also have

    passes(self, m, y)                does the learner get to see this label?
    by_cuts(self)                     the learner steps where it `cuts`, as long as it has that
    worth(self, r, q, t)              what a `Budget` goes by, if not by the probability

One that remembers, as `Budget` does, has in place of a probability

    past(self)                              what is remembered before the first round: numbers
    chance(self, past, r, q, t, now, life)  probability of asking in round t, at time `now`
    after(...)                              what is remembered after it; `asked` comes last

`now` is in seconds; `life`, from 0 to 1, is how much of its life the concept may have ahead of it:
1 but for learners that expect it to end.
"""

from .budget import Budget
from .constant import Always, Fixed
from .margin import Margin, SecondOrderMargin
from .uncertainty import Uncertainty
from .variance import BBQ, BBQI, Disagreement

__all__ = [
    "BBQ",
    "BBQI",
    "Always",
    "Budget",
    "Disagreement",
    "Fixed",
    "Margin",
    "SecondOrderMargin",
    "Uncertainty",
]
