"""Alarms: questions whether the user has switched to another activity without saying so."""

import math
from typing import NamedTuple

from ..engine.parameters import number


class Alarm(NamedTuple):
    """A question whether `activity` is worked on by now, and not the one that is declared."""

    id: int  # from 1 on
    time: float  # when it was raised
    activity: str
    declared: str | None
    since: float  # when the switch seems to have been
    score: float
    probability: float  # with which it was raised, as far as the threshold and the budget go


class Prediction(NamedTuple):
    """What the predictor makes of the stretch that ended at `time`."""

    time: float
    activity: str | None  # None if there are no activities yet
    score: float  # what the alarm's threshold is held against; 0 if the declared one is predicted
    declared: str | None
    alarm: Alarm | None


class Sure(NamedTuple):
    """Ask where the score passes a threshold: only then is an interruption worth it.

    It is the asker of alarms, alone or within a `Budget`.

    >>> Sure(0.5).probability(r=0.7, q=1.0, t=1)
    1.0
    """

    threshold: float

    def numbers(self):
        """Return the threshold, which must be a finite number from 0 on."""
        wanted = "from 0 on and finite"
        return (number(self, "threshold", lambda value: 0 <= value < math.inf, wanted),)

    def probability(self, r, q, t):
        """1 from the threshold on."""
        return 1.0 if r >= self.threshold else 0.0
