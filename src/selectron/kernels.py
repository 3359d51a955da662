"""Kernels: inner products in a space of more features, from those of the rows themselves.

    numbers(self)               the parameters as floats, or SelectronError if they are out of range
    value(self, xy, xx, yy)     k(x, y), given <x, y>, <x, x> and <y, y>

`value` is compiled like a learner's functions. Your own kernel is a NamedTuple with these two
methods; it must be positive semi-definite, which is not checked. If inner products are not enough,
pass a function k(x, y) of two 1-D arrays that Numba can compile; dense rows only.

What a learner calls x is phi(x), with <phi(x), phi(y)> = k(x, y): rows are scaled to unit length
there, and `fit_intercept=True` puts a 1 in front of x itself.
"""

import inspect
import math
from typing import Any, NamedTuple

from .engine.parameters import NOT_NEGATIVE, POSITIVE, Range, floats, ranges
from .errors import SelectronError

__all__ = ["RBF", "Linear", "Polynomial"]


@ranges()
class Linear(NamedTuple):
    """<x, y>: the same results as without a kernel, but stores the examples of steps, not weights.

    Use it for second-order learners on rows of thousands of features: they need no d x d matrix
    then. After k steps there are k examples and k (k + 1) / 2 numbers.

    >>> Linear().value(xy=3.0, xx=1.0, yy=9.0)
    3.0
    """

    def value(self, xy: float, xx: float, yy: float) -> float:
        """<x, y>."""
        return xy


@ranges(
    degree=Range(lambda n: 1 <= n <= 100, "from 1 to 100", whole=True),
    gamma=POSITIVE,
    coef0=NOT_NEGATIVE,
)
class Polynomial(NamedTuple):
    """(gamma <x, y> + coef0)^degree: products of up to `degree` features.

    Parameters: degree, whole and above 0; gamma > 0; coef0 >= 0, the weight of lower degrees.

    >>> Polynomial(degree=2).value(xy=2.0, xx=1.0, yy=9.0)
    9.0
    """

    degree: int = 3
    gamma: float = 1.0
    coef0: float = 1.0

    def value(self, xy: float, xx: float, yy: float) -> float:
        """(gamma <x, y> + coef0)^degree, multiplied out: `**` would raise where it overflows."""
        base, total = self.gamma * xy + self.coef0, 1.0
        for _ in range(int(self.degree)):
            total *= base
        return total


@ranges(gamma=POSITIVE)
class RBF(NamedTuple):
    """exp(-gamma |x - y|^2): similarity that decays with distance.

    A constant in front of the rows makes no difference, and phi(x) has unit norm.

    Parameters: gamma > 0; distances well below gamma^-0.5 count as near.

    >>> RBF(gamma=0.5).value(xy=1.0, xx=1.0, yy=1.0)
    1.0
    """

    gamma: float = 1.0

    def value(self, xy: float, xx: float, yy: float) -> float:
        """exp(-gamma (<x, x> + <y, y> - 2 <x, y>))."""
        distance = xx + yy - 2 * xy
        return math.exp(-self.gamma * distance) if not distance < 0 else 1.0


NAMED = {"linear": Linear(), "poly": Polynomial(), "polynomial": Polynomial(), "rbf": RBF()}


def kernel_of(given: Any) -> Any:
    """Return the kernel of a parameter `kernel`: a name, a NamedTuple, a function, or None.

    >>> kernel_of("rbf")
    RBF(gamma=1.0)
    """
    if given is None or (isinstance(given, str) and given in NAMED):
        return None if given is None else NAMED[given]
    function = getattr(given, "py_func", given)  # compiled by Numba already
    if hasattr(function, "__code__") and hasattr(function, "__globals__"):
        try:
            inspect.signature(function).bind(None, None)
        except TypeError as error:
            name = function.__name__
            raise SelectronError(
                f"The kernel {name} must be a function of two arrays: {error}."
            ) from error
        return function
    fields = isinstance(given, tuple) and hasattr(given, "_fields")
    if fields and callable(getattr(given, "numbers", None)) and hasattr(given, "value"):
        floats(given)
        return given
    raise SelectronError(
        'kernel must be "linear", "poly", "rbf", an object from selectron.kernels such as '
        f"RBF(gamma=0.5), or a function of two arrays, got {given!r}."
    )
