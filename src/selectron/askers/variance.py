"""Askers that go by the directions that labels have been asked in, by a row's variance."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number
from ..engine.round import mistake


class BBQ(NamedTuple):
    """BBQ: ask if the row's variance under the labels so far is above t^-kappa.

    Made for `RLS` on rows of unit length. It asks for what no label has told yet, wherever the
    margin lies: much at first, and hardly ever again once every direction is known. That makes it
    the best where the concept stands still, and blind where it moves.

    Parameters: kappa from 0 to 1; the larger, the more it asks.

    Source: Cesa-Bianchi, Gentile & Orabona, "Robust Bounds for Classification via Selective
    Sampling" (ICML 2009): x' A^-1 x = q / (1 + q), A counting the row itself.

    >>> BBQ(kappa=0.5).probability(r=0.1, q=0.25, t=16), BBQ(kappa=0.5).probability(0.1, 0.25, 36)
    (0.0, 1.0)
    """

    kappa: float

    def numbers(self) -> Any:
        """Return kappa, which must lie between 0 and 1."""
        return (number(self, "kappa", lambda kappa: 0 <= kappa <= 1, "from 0 to 1"),)

    def by_variance(self) -> Any:
        """Yes: q must be a row's variance."""
        return True

    def probability(self, r: float, q: float, t: int) -> float:
        """1 if q / (1 + q) > t^-kappa, else 0."""
        return 1.0 if q / (1 + q) > t**-self.kappa else 0.0


class BBQI(NamedTuple):
    """BBQ-I: ask as BBQ does, and let the learner have the label only if it was a mistake.

    The learner then knows less, so that it asks for longer; this is what helps where the concept
    moves. With `RLS` it is the BBQ-I of the LASEC paper.

    Parameters: kappa from 0 to 1; the larger, the more it asks.

    Source: Moroshko & Crammer, "Selective Sampling with Drift" (AISTATS 2014), section 5.

    >>> BBQI(kappa=0.5).passes(m=0.2, y=1.0), BBQI(kappa=0.5).passes(m=0.2, y=-1.0)
    (False, True)
    """

    kappa: float

    def numbers(self) -> Any:
        """Return kappa, which must lie between 0 and 1."""
        return (number(self, "kappa", lambda kappa: 0 <= kappa <= 1, "from 0 to 1"),)

    def by_variance(self) -> Any:
        """Yes: q must be a row's variance."""
        return True

    def probability(self, r: float, q: float, t: int) -> float:
        """1 if q / (1 + q) > t^-kappa, else 0."""
        return 1.0 if q / (1 + q) > t**-self.kappa else 0.0

    def passes(self, m: float, y: float) -> bool:
        """Mistakes only."""
        return mistake(m, y)


class Disagreement(NamedTuple):
    """Ask if two classifiers of the learner's ellipsoid differ on the row: |r| <= sqrt(q).

    Made for `CELLIP`, whose ellipsoid holds every good classifier: a label that is not asked for
    follows from the others. It works with every second-order learner, P being a measure of what is
    not known yet. In first order q = <x, x>, so that it asks where |w| may be below 1.

    Source: Yang, Jin & Ye, "Online Learning by Ellipsoid Method" (ICML 2009), which proposes it.

    >>> Disagreement().probability(r=-0.5, q=0.25, t=1), Disagreement().probability(0.6, 0.25, 1)
    (1.0, 0.0)
    """

    def numbers(self) -> Any:
        """Return no parameters."""
        return ()

    def by_variance(self) -> Any:
        """Yes: q must be a row's variance."""
        return True

    def probability(self, r: float, q: float, t: int) -> float:
        """1 if |r| <= sqrt(q), else 0."""
        return 1.0 if abs(r) <= math.sqrt(q) else 0.0
