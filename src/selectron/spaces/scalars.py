"""The few numbers that a state keeps beside its vectors, in one array."""

COUNT = 0  # number of steps so far
SQUARE = 1  # <w, w>, kept by recurrence
BIAS = 2  # first order: the weight of the constant, if there is one
FACTOR = 3  # sparse rows, first order: w = factor * v
NOISE = 2  # second order: eps, added to P before each step
LARGEST = 3  # second order: an upper bound of the eigenvalues of P
FRESH = 4  # second order, sparse rows: P_jj of a feature that no step has touched
LENGTH = 5


def count(s):
    """Return the number of steps so far."""
    return s.scalars[COUNT]


def square(s):
    """<w, w>."""
    return s.scalars[SQUARE]
