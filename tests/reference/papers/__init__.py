"""The papers' pseudo-code, transcribed literally: explicit matrices, every inverse as written.

A learner is a function of (state, x, its parameters) that returns (r, q, update): the margin
quantity r, the quadratic form q that askers know as x' A^-1 x, and a function of the label that
returns the next state, or None if there is no update. The first state is None. The arithmetic is
that of x: double, or long double where a transcription is ill-conditioned. An asker is a function
of (r, q, t, its parameters) that returns the probability of asking in round t = 1, 2, ...
"""

from .arow import arow, arow_objective
from .bayesian import bayesian_perceptron
from .bbq import bbq, rls
from .drift import lasec, only_mistakes
from .ellipsoid import cellip, disagreement, iellip
from .large_margin import l2_constrained, objective_regularized
from .mira import mira
from .norma import norma
from .passive_aggressive import passive_aggressive
from .perceptrons import modified_perceptron, shifting_perceptron
from .rounds import everything, play, prepare
from .selective_sampling import (
    always,
    fixed,
    margin,
    perceptron,
    second_order_margin,
    second_order_perceptron,
)

__all__ = [
    "always",
    "arow",
    "arow_objective",
    "bayesian_perceptron",
    "bbq",
    "cellip",
    "disagreement",
    "everything",
    "fixed",
    "iellip",
    "l2_constrained",
    "lasec",
    "margin",
    "mira",
    "modified_perceptron",
    "norma",
    "objective_regularized",
    "only_mistakes",
    "passive_aggressive",
    "perceptron",
    "play",
    "prepare",
    "rls",
    "second_order_margin",
    "second_order_perceptron",
    "shifting_perceptron",
]
