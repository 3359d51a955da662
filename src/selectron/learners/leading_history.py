"""LeadingHistory: the learner without knobs, which follows drift by itself."""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number
from ..engine.round import Round, ShapeStep
from .bayesian_perceptron import hazard

HALF = math.sqrt(0.5)


class LeadingHistory(NamedTuple):
    """A ring of Bayesian Perceptrons, each of which learns from its birth on; the best ones lead.

    Pick it where you would not know what to set: it follows switches and drift, and stands still
    where the concept does. Its members are born every few labels and learn from every label since;
    each has a share in the prediction by how well it has foretold labels. The old ones lead while
    the concept stands still, newborns take over after a switch. Members keep the labels that they
    learned from in mind, and consider some of them again after every new one. How many labels are
    wrong is learned as well, how noisy margins are, how often the concept switches or how long it
    lasts, and, on dense rows, what one concept has in common with the next. r is p(+1) - p(-1),
    from -1 to 1, and q what the label would tell about which member is right, in bits, plus the
    share of newcomers: what `Uncertainty` and `Budget` go by.

    On dense rows it costs as much as 9 second-order learners; members take each feature in a unit
    of its own, so that neither scale nor, beside a constant feature, offset matters. On sparse rows
    it costs as much as 9 learners of first order: there a weight's uncertainty is kept for each
    feature alone, and all features have the same unit.

    Parameters, of which none needs to be set: `switches` >= 0, the number of switches a round that
    is thought most likely at first (a hundredth of it to ten times as many are considered, and
    concepts that last for a tenth of the rounds between two to ten times as many); `replays`, how
    many earlier labels a member considers again after each new one.

    Source: its own; the members are those of Solla & Winther (1998) with the refinement of Minka,
    "Expectation Propagation" (UAI 2001); births and shares as in Adams & MacKay, "Bayesian Online
    Changepoint Detection" (2007), and Herbster & Warmuth, "Tracking the Best Expert" (1998); their
    rate is learned as in Wilson, Nassar & Gold, "Bayesian Online Learning of the Hazard Rate in
    Change-Point Problems" (2010), and with it the length of concepts; what concepts have in common
    is weighed as in Ledoit & Wolf, "A Well-Conditioned Estimator for Large-Dimensional Covariance
    Matrices" (2004), and how features differ in size as in Efron & Morris, "Stein's Estimation Rule
    and Its Competitors" (1973).

    >>> from selectron import OnlineClassifier
    >>> from selectron.askers import Budget
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(2000, d=10, seed=0)
    >>> clf = OnlineClassifier(LeadingHistory(), asker=Budget(rate=0.1), random_state=0)
    >>> clf.run(X, y).mistakes
    230
    """

    switches: float = 0.0015
    replays: float = 20

    def numbers(self) -> Any:
        """Return the parameters, which must not be below 0."""
        return (
            number(self, "switches", lambda share: 0 <= share <= 1, "from 0 to 1"),
            number(self, "replays", lambda n: 0 <= n <= 1000 and n == int(n), "of labels to 1000"),
        )

    def normalize(self) -> bool:
        """Rows are taken as they are: their length is allowed for."""
        return False

    def ensemble(self) -> bool:
        """An ensemble of experts learns."""
        return True

    def score(self, m: float, q: float) -> float:
        """r = p(+1) - p(-1)."""
        return m

    def steps(self, m: float, y: float) -> bool:
        """On every label."""
        return True

    @staticmethod
    def belief(m: float, q: float, wrong: float, noise: float) -> float:
        """A member's p(+1) - p(-1): 2 Phi(m / sigma) - 1, for labels of which some are wrong.

        sigma^2 is q and the noise of margins.
        """
        return (1 - 2 * wrong) * math.erf(m / math.sqrt(noise + q) * HALF)

    def step(self, r: Round, noise: float = 1.0) -> ShapeStep:
        """A member's step, as the Bayesian Perceptron's where a label is wrong at a rate r.note.

        A label that is likelier wrong than right moves w a little, and adds nothing to what is
        known.
        """
        variance = noise + r.q
        z = r.y * r.m / math.sqrt(variance)
        h, above = hazard(z)
        right = (1 - 2 * r.note) * tail(z)
        trust = right / (r.note + right) if r.note > 0 else 1.0
        if trust < 1:
            h = h * trust
            above = max(0.0, h + z)
        return ShapeStep(eta=r.y * h / math.sqrt(variance), mu=1.0, nu=h * above / variance)


def tail(z: float) -> float:
    """Phi(z), the normal distribution.

    >>> tail(0.0), tail(-40.0)
    (0.5, 0.0)
    """
    return math.erfc(-z * HALF) / 2
