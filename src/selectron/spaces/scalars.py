"""The few numbers that a state keeps beside its vectors, in one array.

The functions are those of every space that has none of its own by their names.
"""

COUNT = 0  # number of steps so far
SQUARE = 1  # <w, w>, kept by recurrence
BIAS = 2  # first order: the weight of the constant, if there is one
FACTOR = 3  # sparse rows, first order: w = factor * v
SUPPORT = 3  # sparse rows, w in an L1 ball: how many weights are not 0
NOISE = 2  # second order: eps, added to P before each step
LARGEST = 3  # second order: an upper bound of the eigenvalues of P
FRESH = 4  # second order, sparse rows: P_jj of a feature that no step has touched
NOTE = 5  # the learner's own number
SMALLEST = 6  # second order: a lower bound of the eigenvalues of P; 0 if only its sign is known
LENGTH = 7
HELD = 7  # stored examples: how many there are
LIMIT = 8  # stored examples: how many there may be
CHANCE = 9  # stored examples: the last number of the generator that chooses which one leaves
MIX = 3  # stored examples, second order: the weights of the terms of P are mix * c
DUAL_LENGTH = 10


def count(s):
    """Return the number of steps so far."""
    return s.scalars[COUNT]


def square(s):
    """<w, w>."""
    return s.scalars[SQUARE]


def note(s):
    """Return the learner's own number."""
    return s.scalars[NOTE]


def jot(s, value):
    """Keep the learner's own number."""
    s.scalars[NOTE] = value


def full(s, rows, i):
    """Is there too little room for what row i may bring? Not where the arrays do not grow."""
    return False


def trim(p, s, rows):
    """Forget what is beyond the budget, where there is one."""
