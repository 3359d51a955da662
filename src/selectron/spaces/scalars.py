"""The few numbers that a state keeps beside its vectors, in one array."""

COUNT = 0  # number of steps so far
SQUARE = 1  # <w, w>, kept by recurrence
BIAS = 2  # first order: the weight of the constant, if there is one
FACTOR = 3  # sparse rows, first order: w = factor * v
NOISE = 2  # second order: eps, added to P before each step
LARGEST = 3  # second order: an upper bound of the eigenvalues of P
TRACE = 4  # second order: the trace of P
FRESH = 5  # second order, sparse rows: P_jj of a feature that no step has touched
LENGTH = 6


def count(s):
    """Return the number of steps so far."""
    return s.scalars[COUNT]


def square(s):
    """<w, w>."""
    return s.scalars[SQUARE]


def squared_length_after(now, step):
    """<w, w> after a first-order step: |keep w + eta x|^2, without a pass over w."""
    after = step.keep * (step.keep * now.ww + 2 * step.eta * now.m) + step.eta * step.eta * now.q
    return max(after, 0.0) if after < 0 else after
