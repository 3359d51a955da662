"""LeadingHistory, the default learner: an ensemble that follows drift, with nothing to tune."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import SHARE, Range, ranges
from ..engine.round import Round, ShapeStep
from .gaussian import inverse_mills
from .least_squares import LASEC

HALF = math.sqrt(0.5)
WIDE = 2048  # features, beyond which the default learner takes dense rows as sparse ones


@ranges(switches=SHARE, fourier=Range(lambda n: 0 <= n <= 1000, "from 0 to 1000", whole=True))
class LeadingHistory(NamedTuple):
    """Ensembles of Bayesian Perceptrons, each expert trained on all labels since its birth.

    Pick it if you do not want to tune parameters: it follows switches and drift. An expert is born
    every few labels. Predictions average over the experts by their posterior weights: old experts
    lead while the concept is stationary, new ones after a switch, and archived ones where a concept
    returns. The ensemble also learns the rate of wrong labels, the noise of margins and how often
    concepts end. On dense rows a second ensemble, on random Fourier features, learns curved
    concepts, and the priors follow powers of the covariance of all rows, labelled or not. With over
    256 features, P has 128 leading directions and a variance per feature. Askers get the score r =
    p(+1) - p(-1) and, as q, the mutual information of label and expert, in bits: `Uncertainty` and
    `Budget` use both. Many classes are learned one against the rest, next to a regression on their
    log-odds, which finds those that lie between others, and a linear discriminant analysis, which
    needs few labels of each.

    On dense rows features are standardised by all rows so far, so that their scales do not matter,
    nor, if there is a constant feature, their offsets. Sparse rows of up to 128 features, with the
    constant, are learned as dense ones. On wider sparse rows, such as words, P has the 32 leading
    directions of the rows and a variance per feature; priors have one scale for all features, or
    one for each feature, that of its values. Features that are 0 in most rows are not centred. On
    dense rows, Fourier features look less at such features.

    Parameters (the defaults need no tuning): `switches`, from 0 to 1, the prior mode of the number
    of switches per round; the ensemble considers hazard rates from 0.01 to 10 times that.
    `fourier`, the number of Fourier features, 0 for linear concepts; 60% of them if more than ten
    classes are known at the start, none with more than twenty. Weights of classes help on rare
    topics of text; elsewhere a threshold on the probabilities serves rare classes better.

    Source: this project. Experts are those of Solla & Winther (1998); births and weights follow
    Adams & MacKay, "Bayesian Online Changepoint Detection" (2007), and Herbster & Warmuth,
    "Tracking the Best Expert" (1998); the hazard is learned as in Wilson, Nassar & Gold, "Bayesian
    Online Learning of the Hazard Rate in Change-Point Problems" (2010); archived experts return as
    in Bousquet & Warmuth, "Tracking a Small Set of Experts by Mixing Past Posteriors" (2002);
    Fourier features are those of Rahimi & Recht, "Random Features for Large-Scale Kernel Machines"
    (2007), and feature scales are shrunk as in Efron & Morris, "Stein's Estimation Rule and Its
    Competitors" (1973).

    >>> from selectron import Budget, OnlineClassifier, streams
    >>> clf = OnlineClassifier(LeadingHistory(), asker=Budget(rate=0.1), random_state=0)
    >>> clf.run(*streams.switching_gaussian(2000, d=10)).mistakes
    337
    """

    switches: float = 0.0015
    fourier: float = 100

    def ensemble(self) -> bool:
        """Return True: an ensemble of experts learns."""
        return True

    def probability(self, r: float) -> float:
        """(1 + r) / 2."""
        return (1 + r) / 2

    def steps(self, m: float, y: float) -> bool:
        """Return True: every label counts."""
        return True

    @staticmethod
    def belief(m: float, q: float, drawn: tuple[float, float], noise: float) -> float:
        """Return an expert's p(+1) - p(-1), given how labels are drawn, and the margin noise.

        Labels drawn at random are +1 or -1 with the probabilities `drawn`, d+ and d-. Others are +1
        with Phi(m / sigma), sigma^2 = noise + q: (1 - d+ - d-) (2 Phi(m / sigma) - 1) + d+ - d-.
        """
        positive, negative = drawn
        known = (1 - positive - negative) * math.erf(m / math.sqrt(noise + q) * HALF)
        return known + positive - negative

    def step(self, r: Round, noise: float = 1.0) -> ShapeStep:
        """Return the Bayesian Perceptron's step, for labels of which some are drawn at random.

        The odds of such a label y are r.note: the larger, the smaller the step. P does not grow.
        """
        variance = noise + r.q
        z = r.y * r.m / math.sqrt(variance)
        h, above = inverse_mills(z)
        right = tail(z)
        trust = right / (r.note + right) if r.note > 0 else 1.0
        if trust < 1:
            h = h * trust
            above = max(0.0, h + z)
        return ShapeStep(eta=r.y * h / math.sqrt(variance), mu=1.0, nu=h * above / variance)


def tail(z: float) -> float:
    """Return Phi(z), the normal distribution function."""
    return math.erfc(-z * HALF) / 2


def default_for(
    width: int, sparse: bool, kernel: Any = None, sketch: int | None = None, ranks: bool = False
) -> Any:
    """Return the default learner for rows of this kind, LeadingHistory or else LASEC.

    LeadingHistory has no kernel and no sketch, cannot rank, and needs the eigenvectors of a d x d
    matrix on dense rows.

    >>> default_for(30, sparse=False), default_for(3000, sparse=False)
    (LeadingHistory(switches=0.0015, fourier=100), LASEC(b=1.0, c=1000.0))
    """
    wide = width > WIDE and not sparse
    other = wide or ranks or kernel is not None or sketch is not None
    return LASEC() if other else LeadingHistory()
