"""The time of a run: it is taken from the system once, and goes on evenly from there."""

import time
from collections.abc import Callable

# on Linux a clock that counts while the machine is suspended, elsewhere the one there is
STEADY = getattr(time, "CLOCK_BOOTTIME", None)


def elapsed() -> float:
    """Return seconds of a clock that nobody sets."""
    return time.monotonic() if STEADY is None else time.clock_gettime(STEADY)


class Clock:
    """Seconds since 1970, as the system had them at the start; setting its clock changes nothing.

    >>> seconds = iter([5.0, 7.5])
    >>> Clock(lambda: 1000.0, lambda: next(seconds))()
    1002.5
    """

    def __init__(
        self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = elapsed
    ):
        self.steady = steady
        self.ahead = wall() - steady()

    def __call__(self) -> float:
        """Return the time."""
        return self.ahead + self.steady()
