"""Comparators found in hindsight, and a report of bounds and outcomes of a run."""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.svm import LinearSVC

from ..errors import SelectronError
from ..estimator.parts import checked
from ..model.run import Run
from . import ellipsoid, large_margin, lasec, selective_sampling
from .quantities import above_0, array, check, longest, weighted_mistakes

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
    X = array("X", X, ensure_2d=True)
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
    X, codes = array("X", X, ensure_2d=True), array("codes", codes)
    if codes.shape != (len(X),):
        raise SelectronError(f"X has {len(X)} rows, and codes have the shape {codes.shape}.")
    if not np.isin(codes, (-1, 0, 1)).all():
        raise SelectronError("Codes must be -1, +1, or 0 for rows without a label.")
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
    recognised by name; one without a theorem has no rows. Losses of all rounds are counted, or
    u = 0 would be best. Raises SelectronError if X, the learner or the asker does not fit.

    >>> from selectron import OnlineClassifier, askers, learners
    >>> X, y = np.eye(4), np.array([-1, 1, -1, 1])
    >>> clf = OnlineClassifier(learners.Perceptron(), fit_intercept=False)
    >>> [row] = report(clf.run(X, y), X, clf.learner, askers.Always())
    >>> row.theorem, row.what, round(row.bound, 3), row.outcome
    ('Cesa-Bianchi, Gentile & Zaniboni 2004, theorem 1', 'steps', 4.0, 2.0)
    """
    checked(learner, "learner")
    checked(asker, "asker")
    X = array("X", X, ensure_2d=True)
    (run,) = check(run, len(X))
    claims = list(claims_on(learner, asker))
    if not claims:
        return []
    drifting = [U for C in SOFT for U in _scaled(comparator(X, run.code, switches, C), run, X)]
    still = [U[0] for C in SOFT for U in _scaled(comparator(X, run.code, (), C), run, X)]
    return [
        Row(
            claim.theorem,
            claim.what,
            min(claim.bound(run, X, U) for U in (drifting if claim.drifts else still)),
            float(OUTCOMES[claim.what](run)),
        )
        for claim in claims
    ]


def _scaled(U: np.ndarray, run: Run, X: np.ndarray) -> list[np.ndarray]:
    """Return the comparators at several norms, 1 among them, and at margin 1."""
    margins = (run.code * np.einsum("td,td->t", U, X))[run.updated]
    unit = 1 / longest(U) if longest(U) > 0 else 1.0
    return [scale * U for scale in (*SCALES, unit, *_to_margin_1(margins))]


class Claim(NamedTuple):
    """A theorem: the outcome that it bounds, whether its comparators may drift, and the bound."""

    theorem: str
    what: str
    drifts: bool
    bound: Callable[[Run, np.ndarray, np.ndarray], float]  # of a run, its rows, a comparator


MC, CGZ, YJY, SD = (
    "Moroshko & Crammer 2014, theorem",
    "Cesa-Bianchi, Gentile & Zaniboni 2004, theorem",
    "Yang, Jin & Ye 2009, theorem",
    "Shen & Dietterich 2009, theorem",
)
MARGINS = "Margin", "SecondOrderMargin"


def claims_on(p: Any, asker: Any) -> Iterator[Claim]:
    """Yield the theorems on a learner under an asker, both recognised by name, not by import."""
    stepped, alpha = "mistakes asked for", getattr(p, "alpha", 0.0)
    match kind := type(p).__name__:
        case "Perceptron":
            bound: Any = selective_sampling.theorem_1
            yield from traded([f"{CGZ} 1"], asker, MARGINS[:1], False, bound)
        case "SecondOrderPerceptron":
            bound = partial(selective_sampling.theorem_2, a=p.a)
            yield from traded([f"{CGZ} 2"], asker, MARGINS, False, bound)
        case "LASEC":
            bound = partial(lasec.theorem_4, b=p.b, c=p.c)
            yield from traded([f"{MC} 2", f"{MC} 4"], asker, MARGINS, True, bound)
        case "CELLIP":
            bound = partial(ellipsoid.theorem_2, gamma=p.gamma, a=p.a, start=p.start, rho=p.rho)
            yield Claim(f"{YJY} 2", stepped, False, bound)
        case "IELLIP":
            bound = partial(ellipsoid.theorem_3, gamma=p.gamma, c=p.c, b=p.b)
            yield Claim(f"{YJY} 3", "steps", False, bound)
        case "L1Constrained" | "L2Constrained":
            norm = 1 if kind == "L1Constrained" else 2
            bound = partial(large_margin.theorem_3_2, beta=p.beta, norm=norm)
            yield Claim(f"{SD} 3.2", stepped, True, bound)
        case "ObjectiveRegularized" | "PassiveAggressive" if math.isinf(p.C):
            bound = partial(large_margin.theorem_3_1, alpha=alpha)
            yield Claim(f"{SD} 3.1", stepped, True, bound)
        case "ObjectiveRegularized" | "PassiveAggressive" if getattr(p, "variant", "II") == "II":
            bound = partial(large_margin.theorem_5_1, alpha=alpha, C=p.C)
            yield Claim(f"{SD} 5.1", stepped, False, bound)


def traded(
    names: Sequence[str], asker: Any, askers: Sequence[str], drifts: bool, bound: Any
) -> Iterator[Claim]:
    """Yield a trade-off's claims: on steps, and on weighted mistakes under askers with b < inf."""
    found = partial(bound, everywhere=True)
    yield Claim(names[0], "steps", drifts, lambda *run: found(*run).best())
    if type(asker).__name__ in askers and asker.b < math.inf:
        yield Claim(names[-1], "weighted mistakes", drifts, lambda *run: found(*run).at(asker.b))
