"""Comparators found in hindsight, and a report of bounds and outcomes of a run."""

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.svm import LinearSVC

from ..engine.parameters import shown
from ..errors import SelectronError
from ..model.run import Run
from . import ellipsoid, large_margin, lasec, selective_sampling
from .quantities import Tradeoff, above_0, check, dense, listed, longest, rows, weighted_mistakes

SCALES = 2.0 ** np.arange(-8, 9)
SOFT = 0.01, 1.0, 100.0, 10_000.0  # C of the support vector machines


OUTCOMES: dict[str, Callable[[Run], float]] = {
    "steps": lambda run: run.steps,
    "mistakes asked for": large_margin.stepped_mistakes,
    "weighted mistakes": weighted_mistakes,
}


class Row(NamedTuple):
    """A bound and the outcome: `theorem` bounds the number of `what` by `bound`.

    >>> row = Row("Theorem 2", "mistakes", bound=12.5, outcome=9)
    >>> row.outcome <= row.bound
    True
    """

    theorem: str  # name of the paper's theorem
    what: str  # what is counted, such as mistakes
    bound: float  # what the theorem promises
    outcome: float  # what was counted


def seen(X: np.ndarray, constant: bool, normalize: bool) -> np.ndarray:
    """Return rows as a learner sees them: with a constant feature 1 in front, then at unit norm.

    >>> seen(np.array([[3.0, 4.0]]), constant=False, normalize=True)
    array([[0.6, 0.8]])
    """
    X = rows(X)
    X = np.hstack([np.ones((len(X), int(constant))), X])
    lengths = np.linalg.norm(X, axis=1, keepdims=True) if normalize else 1.0
    return X / np.where(lengths > 0, lengths, 1.0)


def comparator(
    X: np.ndarray, codes: np.ndarray, switches: Sequence[int] = (), C: float = 1.0
) -> np.ndarray:
    """Return comparators of shape (n, d), constant between `switches` (numbers of rows).

    Each is the linear support vector machine of its stretch, scaled to minimise the hinge loss plus
    a penalty on the norm. A stretch without labels keeps the comparator before. `codes` are -1, +1,
    or 0 for rows without a label. Raises SelectronError if these do not fit, or C is not finite.

    >>> X, codes = np.array([[1.0], [2.0], [1.0], [2.0]]), np.array([1, 1, -1, -1])
    >>> np.sign(comparator(X, codes, switches=[2])).ravel().tolist()
    [1.0, 1.0, -1.0, -1.0]
    """
    above_0(C=C)
    if math.isinf(C):
        raise SelectronError("C must be finite, got inf.")
    X, codes = rows(X), dense("codes", codes)
    if codes.shape != (len(X),):
        raise SelectronError(f"X has {len(X)} rows, and codes have the shape {codes.shape}.")
    U, u = np.zeros(X.shape), np.zeros(X.shape[1])
    cuts = list(switches) if isinstance(switches, Iterable) else [None]
    if not all(isinstance(at, int | np.integer) and 0 <= at <= len(X) for at in cuts):
        raise SelectronError(f"switches must be row numbers from 0 to {len(X)}, got {switches}.")
    for start, stop in itertools.pairwise(sorted({0, *cuts, len(X)})):
        labelled = start + np.flatnonzero(codes[start:stop])
        u = _fitted(X[labelled] * codes[labelled, None], C) if len(labelled) else u
        U[start:stop] = u
    return U


def _fitted(Z: np.ndarray, C: float) -> np.ndarray:
    """Return the weights for rows Z = y x; -Z is added so that there are two classes."""
    both = np.repeat([1, -1], len(Z))
    machine = LinearSVC(C=C, dual=False, fit_intercept=False, max_iter=10_000)
    u = machine.fit(np.vstack([Z, -Z]), both).coef_[0]
    scales = [*SCALES, *_to_margin_1(Z @ u)]
    costs = [s * s * (u @ u) + 2 * C * np.maximum(0, 1 - s * (Z @ u)).sum() for s in scales]
    return scales[int(np.argmin(costs))] * u


def _to_margin_1(margins: np.ndarray) -> list[float]:
    """Return the scale at which the smallest margin is 1, if it is positive."""
    least = float(margins.min(initial=math.inf))
    return [1 / least] if 0 < least < math.inf else []


def report(
    run: Run, X: np.ndarray, learner: Any, asker: Any, switches: Sequence[int] = ()
) -> list[Row]:
    """Return the bounds of the theorems on a learner under an asker, with the outcomes of a run.

    X are the rows as the learner saw them (`seen`), dense, and the run has its margins recorded.
    The comparators are found in hindsight, with a drift at `switches` where the theorem allows it,
    at several norms and degrees of softness; the smallest bound is returned. Learners are
    recognised by name; one without a theorem has no rows. Losses of all rounds are counted:
    otherwise u = 0 would be the best comparator. Raises SelectronError if these do not fit the run,
    or the learner or the asker is none.

    >>> from selectron import OnlineClassifier
    >>> from selectron.askers import Always
    >>> from selectron.learners import Perceptron
    >>> X, y = np.eye(4), np.array([-1, 1, -1, 1])
    >>> clf = OnlineClassifier(Perceptron(), fit_intercept=False)
    >>> [row] = report(clf.run(X, y), X, clf.learner, Always())
    >>> row.theorem, row.what, round(row.bound, 3), row.outcome
    ('Cesa-Bianchi, Gentile & Zaniboni 2004, theorem 1', 'steps', 4.0, 2.0)
    """
    for role, part in (("learner", learner), ("asker", asker)):
        if not isinstance(part, tuple):
            wanted = f"an object from selectron.{role}s, or a NamedTuple of your own"
            raise SelectronError(f"{role} must be {wanted}, got {shown(part)}.")
    X = rows(X)
    check(run, len(X))
    (run,) = listed(run)
    claims = [
        claim for claim in CLAIMS.get(type(learner).__name__, []) if claim.holds(learner, asker)
    ]
    if not claims or len(X) == 0:
        return []
    still, drifting = (
        [U for C in SOFT for U in _scaled(comparator(X, run.code, cuts, C), run, X)]
        for cuts in ((), switches)
    )
    return [
        Row(
            claim.theorem,
            claim.what,
            min(claim.bound(run, X, U, learner, asker) for U in pool),
            float(OUTCOMES[claim.what](run)),
        )
        for claim in claims
        for pool in [drifting if claim.drifts else [U[0] for U in still]]
    ]


def _scaled(U: np.ndarray, run: Run, X: np.ndarray) -> list[np.ndarray]:
    """Return the comparators at several norms, 1 among them, and at margin 1."""
    margins = (run.code * np.einsum("td,td->t", U, X))[run.updated]
    unit = 1 / longest(U) if longest(U) > 0 else 1.0
    return [scale * U for scale in (*SCALES, unit, *_to_margin_1(margins))]


class Claim(NamedTuple):
    """A theorem: the quantity bounded, whether comparators may drift, and its conditions."""

    theorem: str
    what: str
    drifts: bool
    bound: Callable[[Run, np.ndarray, np.ndarray, Any, Any], float]
    holds: Callable[[Any, Any], bool] = lambda learner, asker: True


MC, CGZ, YJY, SD = (
    "Moroshko & Crammer 2014, theorem",
    "Cesa-Bianchi, Gentile & Zaniboni 2004, theorem",
    "Yang, Jin & Ye 2009, theorem",
    "Shen & Dietterich 2009, theorem",
)
MARGINS = "Margin", "SecondOrderMargin"


def traded(
    names: Sequence[str], drifts: bool, bound: Callable[..., Tradeoff], askers: Sequence[str]
) -> list[Claim]:
    """Return a trade-off's claims: on steps, and on weighted mistakes under askers with b < inf."""
    return [
        Claim(names[0], "steps", drifts, lambda *given: bound(*given[:-1]).best()),
        Claim(
            names[-1], "weighted mistakes", drifts,
            lambda *given: bound(*given[:-1]).at(given[-1].b),
            lambda _, asker: type(asker).__name__ in askers and asker.b < math.inf,
        ),
    ]  # fmt: skip


def constrained(norm: int) -> list[Claim]:
    """Return the claim for a learner with weights in a ball."""
    return [
        Claim(
            f"{SD} 3.2", "mistakes asked for", True,
            lambda run, X, U, p, _: large_margin.theorem_3_2(run, X, U, p.beta, norm),
        )
    ]  # fmt: skip


REGULARIZED = [
    Claim(
        f"{SD} 3.1", "mistakes asked for", True,
        lambda run, X, U, p, _: large_margin.theorem_3_1(run, X, U, getattr(p, "alpha", 0.0)),
        lambda p, _: math.isinf(p.C),
    ),
    Claim(  # the soft margin of Lemma 5.1; without alpha, variant II
        f"{SD} 5.1", "mistakes asked for", False,
        lambda run, X, u, p, _: large_margin.theorem_5_1(run, X, u, getattr(p, "alpha", 0.0), p.C),
        lambda p, _: not math.isinf(p.C) and getattr(p, "variant", "II") == "II",
    ),
]  # fmt: skip

# By name, so that this package does not depend on the learners.
CLAIMS = {
    "Perceptron": traded(
        [f"{CGZ} 1"], False,
        lambda run, X, u, p: selective_sampling.theorem_1(run, X, u, True), MARGINS[:1],
    ),
    "SecondOrderPerceptron": traded(
        [f"{CGZ} 2"], False,
        lambda run, X, u, p: selective_sampling.theorem_2(run, X, u, p.a, True), MARGINS,
    ),
    "LASEC": traded(
        [f"{MC} 2", f"{MC} 4"], True,
        lambda run, X, U, p: lasec.theorem_4(run, X, U, p.b, p.c, True), MARGINS,
    ),
    "CELLIP": [
        Claim(
            f"{YJY} 2", "mistakes asked for", False,
            lambda run, X, u, p, _: ellipsoid.theorem_2(run, X, u, p.gamma, p.a, p.start, p.rho),
        ),
    ],
    "IELLIP": [
        Claim(
            f"{YJY} 3", "steps", False,
            lambda run, X, u, p, _: ellipsoid.theorem_3(run, X, u, p.gamma, p.c, p.b),
        ),
    ],
    "ObjectiveRegularized": REGULARIZED,
    "PassiveAggressive": REGULARIZED,
    "L1Constrained": constrained(1),
    "L2Constrained": constrained(2),
}  # fmt: skip
