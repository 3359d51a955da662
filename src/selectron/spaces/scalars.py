"""The few numbers that a state keeps next to its vectors, in one array: where each is."""

from ..engine.parts import COUNT as COUNT  # number of steps so far
from ..engine.parts import NOTE as NOTE  # the learner's own number
from ..engine.parts import SQUARE as SQUARE  # <w, w>, kept by recurrence

BIAS = 2  # first order: the weight of the constant, if there is one
FACTOR = 3  # sparse rows, first order: w = factor * v
SUPPORT = 3  # sparse rows, w in an L1 ball: how many weights are not 0
NOISE = 2  # second order: eps, added to P before each step
LARGEST = 3  # second order: an upper bound of the eigenvalues of P
FRESH = 4  # second order, sparse rows: P_jj of a feature that no step has touched
SMALLEST = 6  # second order: a lower bound of the eigenvalues of P; 0 if only its sign is known
LENGTH = 7
HELD = 7  # stored examples: how many there are
LIMIT = 8  # stored examples: how many there may be
CHANCE = 9  # stored examples: the last number of the generator that chooses which one leaves
MIX = 3  # stored examples, second order: the weights of the terms of P are mix * c
DUAL_LENGTH = 10
