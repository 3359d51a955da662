"""The large-margin learners: mistakes against drifting comparators without loss.

Source: Shen & Dietterich, "A Family of Large Margin Linear Classifiers and Its Application in
Dynamic Environments" (SDM 2009).

The learners also step without a mistake, which the theorems as printed omit
(docs/explanation/bounds.md). The bound that holds, and is returned, is

    m <= (D^2 - sum of the gains of the other steps) / g

where a step gains what it decreases ||w - u||^2 by, and one on a mistake gains g or more. m is
`stepped_mistakes`. The bound is inf if g <= 0, or if a comparator has a loss on a step.

The comparators are those of the rounds with a step, and mu is the largest distance of two
consecutive ones; D is their largest norm. The runs must have their margins recorded; X (n, d) are
the rows as the learner saw them, U one comparator (d,) or one per round, (n, d).
"""

import math

import numpy as np

from ..engine.parameters import shown
from ..errors import SelectronError
from ..model.run import Run
from . import quantities
from .quantities import ROUNDING, Steps, above_0, fitting, from_0, longest, recorded, steps

__all__ = [
    "stepped_mistakes",
    "theorem_3_1",
    "theorem_3_2",
    "theorem_3_3",
    "theorem_3_4",
    "theorem_5_1",
]


def stepped_mistakes(run: Run) -> int:
    """Return the number of mistakes with a step.

    >>> from selectron import OnlineClassifier, learners
    >>> clf = OnlineClassifier(learners.L2Constrained(1.0), fit_intercept=False)
    >>> stepped_mistakes(clf.run(np.eye(4), [-1] * 4, classes=[-1, 1]))
    4
    """
    (run,) = quantities.as_runs(run)
    return int((run.updated & ~run.correct).sum())


def theorem_3_1(run: Run, X: np.ndarray, U: np.ndarray, alpha: float, sigma: float = 0.0) -> float:
    """Return the bound for ObjectiveRegularized(alpha), the hard margin.

    A step gains (l^2 - alpha^2) / ||x||^2 - 2 (1 + alpha) mu beta - alpha D^2 / (2 + alpha), with l
    the learner's hinge loss and beta the largest ||w||, found by repeating the steps.

    With `sigma` it is Theorem 3.3, for a learner that removes small weights from w after every
    step, the smallest first, while the sum of their squares stays below sigma: a step gains
    2 sqrt(sigma) D less. Weights dropped from predictions only are not covered.

    >>> from selectron import OnlineClassifier, learners
    >>> X = np.eye(4)
    >>> clf = OnlineClassifier(learners.ObjectiveRegularized(0.001), fit_intercept=False)
    >>> run = clf.run(X, [-1] * 4, classes=[-1, 1])
    >>> run.mistakes, round(theorem_3_1(run, X, -np.ones(4), alpha=0.001), 3)
    (4, 4.008)
    """
    from_0(alpha=alpha, sigma=sigma)
    X, U = fitting(run, X, U)
    s = steps(run, X, U)
    beta = float(np.linalg.norm(replayed(s, alpha, sigma), axis=1).max(initial=0.0))
    mu, D = float(s.drifts.max(initial=0.0)), longest(s.U)
    lost = 2 * (1 + alpha) * mu * beta + alpha / (2 + alpha) * D**2 + 2 * math.sqrt(sigma) * D
    return _bound(run, s, D**2, lost, alpha)


def theorem_3_2(
    run: Run, X: np.ndarray, U: np.ndarray, beta: float, norm: int = 2, sigma: float = 0.0
) -> float:
    """Return the bound for L2Constrained(beta), norm = 2, or L1Constrained(beta), norm = 1.

    A step gains l^2 / ||x||^2 - 2 mu beta. inf if a comparator's norm is above beta. In the L1 case
    mu is the largest change of one weight; D is ||u||_2, which is smaller than the paper's ||u||_1.
    With `sigma` it is Theorem 3.4, for small weights removed as in `theorem_3_1`.

    >>> from selectron import OnlineClassifier, learners
    >>> X = np.eye(4)
    >>> clf = OnlineClassifier(learners.L2Constrained(2.0), fit_intercept=False)
    >>> run = clf.run(X, [-1] * 4, classes=[-1, 1])
    >>> run.mistakes, theorem_3_2(run, X, -np.ones(4), beta=2.0)
    (4, 4.0)
    """
    above_0(beta=beta)
    from_0(sigma=sigma)
    if norm not in (1, 2):
        raise SelectronError(f"norm must be 1 or 2, got {shown(norm)}.")
    X, U = fitting(run, X, U)
    s = steps(run, X, U)
    if np.linalg.norm(s.U, norm, axis=1).max(initial=0.0) > beta * (1 + ROUNDING):
        return math.inf
    dual, D = {1: np.inf, 2: 2}[norm], longest(s.U)
    mu = float(np.linalg.norm(np.diff(s.U, axis=0), dual, axis=1).max(initial=0.0))
    return _bound(run, s, D**2, 2 * mu * beta + 2 * math.sqrt(sigma) * D)


theorem_3_3, theorem_3_4 = theorem_3_1, theorem_3_2  # with sigma


def theorem_5_1(
    run: Run, X: np.ndarray, u: np.ndarray, alpha: float, C: float, everywhere: bool = True
) -> float:
    """Return the bound for ObjectiveRegularized(alpha, C), the soft margin; u may have losses l*.

    With psi^2 = (1 + alpha) / (2 C), a step gains (l^2 - alpha^2) / (||x||^2 + psi^2) -
    alpha ||u||^2 / (2 + alpha) - l*^2 / psi^2. alpha = 0 makes it PassiveAggressive, variant II.
    As in the paper, the l* of all labels are summed; with `everywhere=False`, those of the steps.

    >>> from selectron import OnlineClassifier, learners
    >>> X = np.eye(4)
    >>> clf = OnlineClassifier(learners.ObjectiveRegularized(0.0, C=1.0), fit_intercept=False)
    >>> run = clf.run(X, [-1] * 4, classes=[-1, 1])
    >>> run.mistakes, theorem_5_1(run, X, -np.ones(4), alpha=0.0, C=1.0)
    (4, 6.0)
    """
    above_0(C=C)
    from_0(alpha=alpha)
    X, u = fitting(run, X, u, still=True)
    s = steps(run, X, u)
    psi2, size = (1 + alpha) / (2 * C), float(u @ u)
    if psi2 == 0:
        return theorem_3_1(run, X, u, alpha)
    loss = float((steps(run, X, u, everywhere).losses() ** 2).sum()) / psi2
    return _bound(run, s, size + loss, alpha / (2 + alpha) * size, alpha, psi2)


def replayed(s: Steps, alpha: float, sigma: float) -> np.ndarray:
    """Return w after each step with a hard margin, before small weights are removed, (m, d)."""
    w, after = np.zeros(s.X.shape[1]), np.empty_like(s.X)
    for i, (x, y) in enumerate(zip(s.X, s.y, strict=True)):
        norm = x @ x
        tau = (max(0.0, 1 - y * (w @ x)) + alpha) / norm if norm else 0.0
        after[i] = (w + tau * y * x) / (1 + alpha) if norm else w
        w = without_small(after[i], sigma)
    return after


def without_small(w: np.ndarray, sigma: float) -> np.ndarray:
    """Return w with its smallest weights removed while their squares add up to less than sigma."""
    kept = w.copy()
    order = np.argsort(abs(kept), kind="stable")
    kept[order[np.cumsum(kept[order] ** 2) < sigma]] = 0.0
    return kept


def _bound(
    run: Run, s: Steps, right: float, lost: float, alpha: float = 0.0, psi2: float = 0.0
) -> float:
    """Return (right - gains of the steps without a mistake) / g; see the module.

    The gain of a step is (l^2 - alpha^2) / (||x||^2 + psi2) - lost.
    """
    margin = recorded(run, "margin")
    if psi2 == 0 and s.margins.min(initial=1.0) < 1 - ROUNDING:
        return math.inf
    least = longest(s.X) ** 2 + psi2
    g = (1 - alpha**2) / least - lost if least else 1.0
    if g <= 0 or alpha >= 1:
        return math.inf
    loss = np.maximum(0.0, 1 - s.y * margin[run.updated])
    gains = (loss**2 - alpha**2) / ((s.X**2).sum(axis=1) + psi2) - lost
    return float((right - gains[run.correct[run.updated]].sum()) / g)
