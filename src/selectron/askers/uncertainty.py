"""Askers by the uncertainty about a row, given the labels so far."""

import math
from typing import Any, NamedTuple

from ..engine.loop import READS_BELIEF, READS_FORM, READS_VARIANCE
from ..engine.parameters import NOT_NEGATIVE, SHARE, ranges
from ..engine.parts import learner
from ..engine.round import mistake


@ranges(doubt=NOT_NEGATIVE)
class Uncertainty(NamedTuple):
    """Ask with probability (1 - |r|)^1.5 + doubt q, at most 1.

    Made for `LeadingHistory`, for which 1 - |r| is twice the probability of the less likely class,
    and q the mutual information of label and expert, in bits. Other learners give neither and are
    refused, except within a `Budget`, which only ranks rows: there r near 0 counts in the same way,
    and from |r| = 1 on only q does.

    Parameters: doubt >= 0, the weight of q.

    >>> Uncertainty().probability(r=-0.75, q=0.25, t=1)
    0.25
    """

    doubt: float = 0.5

    def reads(self) -> str:
        """Return READS_BELIEF: r is p(+1) - p(-1), and q is in bits."""
        return READS_BELIEF

    def probability(self, r: float, q: float, t: int) -> float:
        """(1 - |r|)^1.5 + doubt q."""
        return min(1.0, max(0.0, 1.0 - abs(r)) ** 1.5 + self.doubt * q)

    def worth(self, r: float, q: float, t: int) -> float:
        """Return the same without the limit of 1, for budgets."""
        return max(0.0, 1.0 - abs(r)) ** 1.5 + self.doubt * q

    def surprise(self, r: float, q: float, t: int) -> float:
        """Return q: bursts are for doubt about which expert is right, not for hard rows."""
        return q


@ranges(kappa=SHARE)
class BBQ(NamedTuple):
    """BBQ: ask if the row's variance given the labels so far is above t^-kappa.

    Made for `RLS` on rows of unit length. It asks along directions with few labels, whatever the
    margin: often at first, and hardly ever once all directions are known. That makes it the best
    asker where the concept is stationary, but blind to drift.

    Parameters: kappa from 0 to 1; the larger, the more it asks.

    Source: Cesa-Bianchi, Gentile & Orabona, "Robust Bounds for Classification via Selective
    Sampling" (ICML 2009): x' A^-1 x = q / (1 + q), A counting the row itself.

    >>> BBQ(kappa=0.5).probability(r=0.1, q=0.25, t=16), BBQ(kappa=0.5).probability(0.1, 0.25, 36)
    (0.0, 1.0)
    """

    kappa: float

    def reads(self) -> str:
        """Return READS_VARIANCE: q is the variance of a row given the labels so far."""
        return READS_VARIANCE

    def probability(self, r: float, q: float, t: int) -> float:
        """1 if q / (1 + q) > t^-kappa, else 0."""
        return 1.0 if q / (1 + q) > t**-self.kappa else 0.0


class BBQI(BBQ):
    """BBQ-I: ask as BBQ does, and update the learner only on a mistake.

    The variance then falls more slowly, so that it asks for longer, which helps under drift. With
    `RLS` it is the BBQ-I of the LASEC paper.

    Parameters: kappa from 0 to 1; the larger, the more it asks.

    Source: Moroshko & Crammer, "Selective Sampling with Drift" (AISTATS 2014), section 5.

    >>> BBQI(kappa=0.5).passes(m=0.2, y=1.0), BBQI(kappa=0.5).passes(m=0.2, y=-1.0)
    (False, True)
    """

    __slots__ = ()

    def passes(self, m: float, y: float) -> bool:
        """Return whether the label is a mistake, the only kind that the learner gets."""
        return mistake(m, y)


@ranges(margin=NOT_NEGATIVE)
class Disagreement(NamedTuple):
    """Ask if two classifiers of the learner's ellipsoid differ on the row: |r| <= sqrt(q) - margin.

    Made for `CELLIP`, whose ellipsoid {z: (z - w)' P^-1 (z - w) <= 1} holds the best classifier u:
    where labels are right and u has the margin gamma on every row, a label that is not asked for
    follows from the others, as |<u, x> - r| <= sqrt(q). Under this asker CELLIP cuts on every label
    with a margin below a * gamma, not on mistakes alone. The larger a * gamma, the fewer labels: on
    20,000 points of the unit circle with a margin of 0.2, `CELLIP(0.2, a=0.9)` asks for 0.7% of the
    labels, or 0.2% with margin=0.2, but with a = 0.5 for all of them.

    With other second-order learners, P measures uncertainty. In first order q = <x, x>, so that it
    asks where |<w, x>| <= |x|.

    Parameters: margin >= 0, the margin of the best classifier of norm 1; 0 if not known.

    Source: Yang, Jin & Ye, "Online Learning by Ellipsoid Method" (ICML 2009), with margin 0.

    >>> Disagreement().probability(r=-0.5, q=0.25, t=1), Disagreement().probability(0.6, 0.25, 1)
    (1.0, 0.0)
    >>> Disagreement(margin=0.1).probability(r=-0.45, q=0.25, t=1)
    0.0
    """

    margin: float = 0.0

    @staticmethod
    def trains(p: Any, m: float, y: float) -> bool:
        """Return whether the label rules anything out, by the learner's `cuts`."""
        return learner.cuts(p, m, y)

    def reads(self) -> str:
        """Return READS_FORM: q measures the uncertainty about a row."""
        return READS_FORM

    def probability(self, r: float, q: float, t: int) -> float:
        """1 if |r| <= sqrt(q) - margin, else 0."""
        return 1.0 if abs(r) <= math.sqrt(q) - self.margin else 0.0
