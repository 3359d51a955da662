"""The sums over vectors, in whatever order suits the processor."""


def reassociated(function):
    """Let the compiler reorder the sums of this function, and of nothing else.

    The order is fixed once compiled, so that a row gives the same bits alone as in a block.
    Infinities and NaN keep their meaning.
    """
    function.fastmath = frozenset({"reassoc", "contract"})
    return function


@reassociated
def dot(u, v):
    """<u, v>."""
    total = 0.0
    for j in range(len(v)):
        total += u[j] * v[j]
    return total


@reassociated
def row_dot(u, rows, i):
    """<u, row i>."""
    total = 0.0
    for j in range(rows.shape[1]):
        total += u[j] * rows[i, j]
    return total


@reassociated
def row_square(rows, i):
    """<row i, row i>."""
    total = 0.0
    for j in range(rows.shape[1]):
        total += rows[i, j] * rows[i, j]
    return total


@reassociated
def sparse_dot(u, indices, values, start, stop):
    """<u, x>, x having these values at these indices, from `start` to `stop`."""
    total = 0.0
    for j in range(start, stop):
        total += u[indices[j]] * values[j]
    return total


@reassociated
def span_square(values, start, stop):
    """Sum of squares from `start` to `stop`."""
    total = 0.0
    for j in range(start, stop):
        total += values[j] * values[j]
    return total
