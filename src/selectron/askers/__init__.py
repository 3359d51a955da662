"""Askers: the probability of asking. Each is a NamedTuple of parameters and pure functions.

`engine.loop.Asker` is the whole contract. Most askers have only `numbers`, the checked parameters,
and `probability(r, q, t)`: the probability of asking in round t = 1, 2, ..., given the margin score
r and the quadratic form q. It is compiled like a learner's functions. With r from a learner's
`score`, at a fixed margin, it is monotone in q. `Budget` ranks rows by another asker's, or `worth`.
"""

from .budget import Budget
from .margin import AdaptiveMargin, Always, Fixed, Margin, SecondOrderMargin
from .uncertainty import BBQ, BBQI, Disagreement, Uncertainty

__all__ = [
    "BBQ",
    "BBQI",
    "AdaptiveMargin",
    "Always",
    "Budget",
    "Disagreement",
    "Fixed",
    "Margin",
    "SecondOrderMargin",
    "Uncertainty",
]
