"""Askers with a constant probability."""

from typing import Any, NamedTuple

from ..engine.parameters import number


class Always(NamedTuple):
    """Ask for every label.

    >>> Always().probability(r=3.0, q=1.0, t=1)
    1.0
    """

    def numbers(self) -> Any:
        """Return no parameters."""
        return ()

    def probability(self, r: float, q: float, t: int) -> float:
        """1."""
        return 1.0


class Fixed(NamedTuple):
    """Ask with probability p, the baseline for other askers.

    Parameters: 0 <= p <= 1.

    >>> Fixed(0.1).probability(r=3.0, q=1.0, t=1)
    0.1
    """

    p: float

    def numbers(self) -> Any:
        """Return p, which must lie between 0 and 1."""
        return (number(self, "p", lambda p: 0 <= p <= 1, "from 0 to 1"),)

    def probability(self, r: float, q: float, t: int) -> float:
        """p."""
        return self.p
