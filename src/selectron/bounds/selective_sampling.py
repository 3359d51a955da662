"""The Perceptron and the second-order Perceptron with few labels, against one comparator u.

Source: Cesa-Bianchi, Gentile & Zaniboni, "Worst-Case Analysis of Selective Sampling for
Linear-Threshold Algorithms" (NIPS 2004). u is in units of the paper's gamma.

`runs` are runs on the same rows X with different seeds, over which every term is averaged. `.at(b)`
also bounds `weighted_mistakes` in every single run. `.tuning()` is the b of Remark 1; the bound
with it, `.best()`, holds for expected mistakes if the runs used that same b. Under any asker, it
bounds `run.steps` in every run, since b is free in that proof.

Hinge losses are those of the rounds with a step, as in the paper; with `everywhere`, those of all
rounds with a label. To choose u, use the latter: with the former, u = 0 has the number of steps.
"""

import math

import numpy as np

from .quantities import Runs, Steps, Tradeoff, above_0, as_runs, averaged, fitting, longest, steps

__all__ = ["adaptive", "theorem_1", "theorem_2"]


def theorem_1(runs: Runs, X: np.ndarray, u: np.ndarray, everywhere: bool = False) -> Tradeoff:
    """Return the bound on the expected mistakes of the Perceptron under `Margin(b)`: `.at(b)`.

    For rows of norm R or less, the paper's 2b + 1 becomes 2b + R^2 in both terms, and the first is
    still divided by 2b. `.best()` is eq. (8), corrected (docs/explanation/bounds.md).

    >>> from selectron import OnlineClassifier, learners
    >>> X, clf = np.eye(4), OnlineClassifier(learners.Perceptron(), fit_intercept=False)
    >>> run = clf.run(X, [-1] * 4, classes=[-1, 1])
    >>> run.mistakes, theorem_1(run, X, -np.ones(4)).best()
    (4, 4.0)
    """
    X, u = fitting(runs, X, u, still=True)
    square, size = longest(X) ** 2, float(u @ u)

    def terms(s: Steps, loss: float) -> Tradeoff:
        return Tradeoff(loss + square * size / 2, size, square * loss + square**2 * size / 4)

    return averaged(runs, X, u, everywhere, terms)


def theorem_2(
    runs: Runs, X: np.ndarray, u: np.ndarray, a: float = 1.0, everywhere: bool = False
) -> Tradeoff:
    """Return the bound on the expected mistakes of SecondOrderPerceptron(a): `.at(b)`.

    It holds under the paper's `SecondOrderMargin(b)`, and under `Margin(b)`, which asks more often.
    The paper's a = 1 and rows of norm 1 are not needed. `.best()` is eq. (9).

    >>> from selectron import OnlineClassifier
    >>> from selectron.learners import SecondOrderPerceptron
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]] * 4)
    >>> run = OnlineClassifier(SecondOrderPerceptron(), fit_intercept=False).run(X, [-1, 1] * 4)
    >>> run.mistakes, round(theorem_2(run, X, np.array([-1.0, 1.0])).best(), 3)
    (1, 1.442)
    """
    above_0(a=a)
    X, u = fitting(runs, X, u, still=True)

    def terms(s: Steps, loss: float) -> Tradeoff:
        A = a * np.eye(X.shape[1]) + s.X.T @ s.X
        return Tradeoff(loss, float(u @ A @ u), float(np.linalg.slogdet(A / a)[1]))

    return averaged(runs, X, u, everywhere, terms)


def adaptive(
    runs: Runs, X: np.ndarray, u: np.ndarray, beta: float, everywhere: bool = False
) -> float:
    """Return the bound on the expected mistakes of the Perceptron under `AdaptiveMargin(beta)`.

    With k steps, it is sum_t loss_t + (R + max(1, R) / beta) sqrt(k), where R = ||u|| max ||x||; in
    every single run it bounds `weighted_mistakes`. As k is at most the number of mistakes M, in
    expectation M <= L + B^2/2 + B sqrt(L + B^2/4) with B = R + max(1, R) / beta and the hinge loss
    L: the Perceptron's bound with every label, but for max(1, R) / beta.

    Source: docs/explanation/bounds.md, after Cesa-Bianchi, Gentile & Zaniboni (JMLR 7, 2006).

    >>> from selectron import OnlineClassifier, askers, learners
    >>> X, u = np.array([[1.0, 0.0], [0.0, 1.0]] * 50), np.array([-1.0, 1.0])
    >>> clf = OnlineClassifier(learners.Perceptron(), askers.AdaptiveMargin(1), fit_intercept=False)
    >>> run = clf.run(X, [-1, 1] * 50)
    >>> run.mistakes, round(adaptive(run, X, u, beta=1.0), 3)
    (1, 2.828)
    """
    above_0(beta=beta)
    X, u = fitting(runs, X, u, still=True)
    reach = float(np.linalg.norm(u)) * longest(X)
    losses = [steps(run, X, u, everywhere).losses().sum() for run in as_runs(runs)]
    roots = [math.sqrt(run.steps) for run in as_runs(runs)]
    return float(np.mean(losses) + (reach + max(1.0, reach) / beta) * np.mean(roots))
