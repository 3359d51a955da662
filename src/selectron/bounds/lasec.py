"""LASEC: mistakes against a sequence of comparators that drifts.

Source: Moroshko & Crammer, "Selective Sampling with Drift" (AISTATS 2014), section 4, corrected as
in docs/explanation/bounds.md.

X (n, d) are the rows as the learner saw them, U is one comparator (d,) or one per round, (n, d), in
units of the paper's gamma. V_m = sum ||u_k - u_(k-1)||^2 and u_1 are over the rounds with a step.

`everywhere` sums the hinge losses of all rounds with a label instead of those with a step; the
latter is sharper, but u cannot be chosen by it. The defaults are the paper's.
"""

import math

import numpy as np

from ..model.run import Run
from . import quantities
from .quantities import ROUNDING, Runs, Steps, Tradeoff, above_0, averaged, fitting, longest, steps

__all__ = ["corollary_8", "corollary_9", "drift_of", "lemma_7", "theorem_2", "theorem_4", "tuned_c"]


def theorem_2(
    run: Run, X: np.ndarray, U: np.ndarray, b: float, c: float, everywhere: bool = True
) -> float:
    """Return the bound on the mistakes of LASEC(b, c) under `Always`, eq. (6).

    Under any other asker it bounds `run.steps`: rounds without a step change nothing.

    >>> from selectron import OnlineClassifier, learners
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]] * 4)
    >>> run = OnlineClassifier(learners.LASEC(1.0, 10.0), fit_intercept=False).run(X, [-1, 1] * 4)
    >>> run.mistakes, round(theorem_2(run, X, np.array([-1.0, 1.0]), b=1.0, c=10.0), 3)
    (1, 1.225)
    """
    return theorem_4(run, X, U, b, c, everywhere).best()


def theorem_4(
    runs: Runs, X: np.ndarray, U: np.ndarray, b: float, c: float, everywhere: bool = False
) -> Tradeoff:
    """Return the bound on the expected mistakes of LASEC(b, c) under `Margin(a)`, eq. (7).

    The bound is `.at(a)`. `runs` are runs on the same rows with different seeds, over which every
    term is averaged; `.at(a)` also bounds `weighted_mistakes` in each single run. It holds under
    `SecondOrderMargin(a)` as well, since the proof drops p^2. `.tuning()` is the paper's a below
    eq. (7), and `.best()` the bound with it, for runs with that same a.

    >>> from selectron import OnlineClassifier, askers, learners
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0]] * 4), [-1, 1] * 4
    >>> parts = learners.LASEC(1.0, 10.0), askers.Margin(0.5)
    >>> clf = OnlineClassifier(*parts, fit_intercept=False, random_state=0)
    >>> bound = theorem_4(clf.run(X, y), X, np.array([-1.0, 1.0]), b=1.0, c=10.0)
    >>> round(bound.at(0.5), 3)
    1.25
    """
    above_0(b=b, c=c)
    X, U = fitting(runs, X, U)

    def terms(s: Steps, loss: float) -> Tradeoff:
        cost = _comparator(s, b, c, float((s.drifts**2).sum()))
        return Tradeoff(loss, cost, float(_shapes(s.X, b, c)[1].sum()))

    return averaged(runs, X, U, everywhere, terms)


def lemma_7(A: float, B: float, C: float, D: float, gamma: float = 1.0) -> float:
    """Return eq. (11), the largest m with m <= D / gamma + sqrt(A (B + m C)) / gamma.

    B may be negative, as a log-determinant can be: a root that does not exist is replaced by 0.

    >>> m = lemma_7(A=2.0, B=1.0, C=0.5, D=3.0)
    >>> round(m, 6), round(3.0 + math.sqrt(2.0 * (1.0 + m * 0.5)), 6)
    (5.791288, 5.791288)
    """
    half = A * C / (2 * gamma)
    inner = D * A * C / gamma + half**2 + A * B
    return (D + half + math.sqrt(max(0.0, inner))) / gamma


def drift_of(c: float, X: np.ndarray) -> float:
    """Return the drift V for which c is optimal: the inverse of `tuned_c`.

    >>> round(drift_of(10.0, np.eye(4)), 3)
    0.716
    """
    above_0(c=c)
    X = quantities.array("X", X, ensure_2d=True)
    return math.sqrt(2) * X.size * longest(X) / c**1.5


def tuned_c(V: float, X: np.ndarray) -> float:
    """Return c = (sqrt(2) T d ||x|| / V)^(2/3) of Corollaries 8 and 9; V is an upper bound of V_m.

    >>> X = np.eye(4)
    >>> round(tuned_c(0.5, X), 3), round(drift_of(tuned_c(0.5, X), X), 3)
    (12.699, 0.5)
    """
    quantities.from_0(V=V)
    X = quantities.array("X", X, ensure_2d=True)
    return (math.sqrt(2) * X.size * longest(X) / V) ** (2 / 3) if V > 0 else math.inf


def corollary_8(run: Run, X: np.ndarray, U: np.ndarray, b: float, c: float) -> float:
    """Return the bound on the mistakes of LASEC(b, c) under `Always`, by `lemma_7`.

    V is `drift_of(c, X)`. The bound holds if V_m <= V and c >= mu = max(9/8 X^2, (b + X^2)^2 /
    (8 X^2)), X the largest norm of a row; otherwise inf is returned.

    >>> from selectron import OnlineClassifier, learners
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]] * 4)
    >>> run = OnlineClassifier(learners.LASEC(1.0, 10.0), fit_intercept=False).run(X, [-1, 1] * 4)
    >>> run.mistakes, round(corollary_8(run, X, np.array([-1.0, 1.0]), b=1.0, c=10.0), 3)
    (1, 18.665)
    """
    above_0(b=b, c=c)
    X, U = fitting(run, X, U)
    explicit = _explicit(steps(run, X, U), X, b, c)
    loss = float(steps(run, X, U, everywhere=True).losses().sum())
    return lemma_7(*explicit, loss) if explicit else math.inf


def corollary_9(runs: Runs, X: np.ndarray, U: np.ndarray, b: float, c: float) -> Tradeoff:
    """Return the bound on the expected mistakes of LASEC(b, c) under `Margin(a)`: `.at(a)`.

    It is `theorem_4` without terms x' D^-1 x, under the conditions of `corollary_8`.

    >>> from selectron import OnlineClassifier, askers, learners
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]] * 4)
    >>> parts = learners.LASEC(1.0, 10.0), askers.Margin(0.5)
    >>> clf = OnlineClassifier(*parts, fit_intercept=False, random_state=0)
    >>> bound = corollary_9(clf.run(X, [-1, 1] * 4), X, np.array([-1.0, 1.0]), b=1.0, c=10.0)
    >>> round(bound.at(0.5), 3)
    17.765
    """
    above_0(b=b, c=c)
    X, U = fitting(runs, X, U)

    def terms(s: Steps, loss: float) -> Tradeoff:
        explicit = _explicit(s, X, b, c)
        if not explicit:
            return Tradeoff(math.inf, 0.0, 0.0)
        A, B, C = explicit
        return Tradeoff(loss, A, B + len(X) * C)

    return averaged(runs, X, U, False, terms)


def _comparator(s: Steps, b: float, c: float, V: float) -> float:
    """Return b ||u_1||^2 + c V + sum (u' x)^2."""
    return float(b * (s.U[:1] ** 2).sum() + (c * V if V else 0.0) + (s.margins**2).sum())


def _shapes(X: np.ndarray, b: float, c: float) -> tuple[np.ndarray, np.ndarray]:
    """Return D_m (b I before any step), and x' D_k^-1 x of every step; eq. (2)."""
    identity = np.eye(X.shape[1])
    N, forms = identity / b, []  # D_0^-1 + I / c, with D_0 = bc / (c - b) I
    D: np.ndarray = b * identity
    for x in X:
        D = np.linalg.inv(N) + np.outer(x, x)
        inverse = np.linalg.inv(D)
        forms.append(x @ inverse @ x)
        N = inverse + identity / c
    return D, np.array(forms)


def _explicit(s: Steps, X: np.ndarray, b: float, c: float) -> tuple[float, float, float] | None:
    """Return A, B and C of Corollary 8, None unless its conditions hold."""
    d, epsilon, R, V = X.shape[1], b / c, longest(X), drift_of(c, X)
    mu = max(9 / 8 * R**2, (b + R**2) ** 2 / (8 * R**2)) if R else math.inf
    if c < mu or (s.drifts**2).sum() > V * (1 + ROUNDING):
        return None
    B = np.linalg.slogdet(_shapes(s.X, b, c)[0] / b)[1] + epsilon / (1 - epsilon) * d
    return _comparator(s, b, c, V), float(B), 2 * math.sqrt(2) * d * R / math.sqrt(c)
