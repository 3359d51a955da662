"""The Perceptron and the second-order Perceptron with few labels, against one comparator.

Source: Cesa-Bianchi, Gentile & Zaniboni, "Worst-Case Analysis of Selective Sampling for
Linear-Threshold Algorithms" (NIPS 2004).

All here hold for every comparator u and every gamma > 0; what counts is u / gamma. `runs` are runs
on the same rows X with different seeds, over which every term is averaged: the theorems bound the
expected number of mistakes, over the draws. One run will do for `weighted_mistakes`, which `.at(b)`
bounds in every run. X (n, d) are the rows as the learner saw them.

`.tuning()` is the b of Remark 1. The bound with it, `.best()`, holds for expected mistakes if the
runs were played with that very b: the terms depend on b as well. But whatever the asker, it bounds
the number of steps, `run.steps`, in every run, since in the proof b is then free.

The hinge losses are those of the rounds with a step, as in the paper; with `everywhere`, those of
all rounds with a label. Whoever chooses u to make the bound on the steps small should take these:
u = 0 makes the others the number of steps itself.
"""

import numpy as np

from .checks import Runs, above_0, fitting, listed
from .quantities import Tradeoff, averaged, longest, losses, steps


def theorem_1(
    runs: Runs, X: np.ndarray, u: np.ndarray, gamma: float = 1.0, everywhere: bool = False
) -> Tradeoff:
    """Return the bound on the expected mistakes of the Perceptron under `Margin(b)`: `.at(b)`.

    The paper's rows have length 1. For rows of length R at most, its (2b + 1) becomes 2b + R^2 in
    both terms, and the first is divided by 2b still; that is what is returned. Rows shorter than 1,
    as zero rows are, do no harm.

    `.best()` is eq. (8). As printed, its last term is too small by a factor of 2: it should be
    ||u|| / gamma sqrt(D + ||u||^2 / (4 gamma^2)), which yields the ||u||^2 / gamma^2 of separable
    streams that the paper names next.

    >>> from selectron import OnlineClassifier
    >>> from selectron.learners import Perceptron
    >>> X = np.eye(4)
    >>> run = OnlineClassifier(Perceptron(), fit_intercept=False).run(X, [-1] * 4, classes=[-1, 1])
    >>> run.mistakes, theorem_1(run, X, -np.ones(4)).best()
    (4, 4.0)
    """
    above_0(gamma=gamma)
    X, u = fitting(runs, X, u, still=True)
    square = longest(X) ** 2
    size = float(u @ u) / gamma**2
    bounds = []
    for run in listed(runs):
        loss = float(losses(steps(run, X, u, everywhere), gamma).sum()) / gamma
        spread = square * loss + square**2 * size / 4
        bounds.append(Tradeoff(loss + square * size / 2, size, spread))
    return averaged(bounds)


def theorem_2(
    runs: Runs,
    X: np.ndarray,
    u: np.ndarray,
    a: float = 1.0,
    gamma: float = 1.0,
    everywhere: bool = False,
) -> Tradeoff:
    """Return the bound on the expected mistakes of SecondOrderPerceptron(a): `.at(b)`.

    It holds under `SecondOrderMargin(b)`, as the paper has it, and under `Margin(b)`, which asks
    more often. The paper has a = 1, A_0 = a I and rows of length 1; neither is needed. `.best()`
    is eq. (9). (Where the proof says that x' A^-1 x is at most twice the logarithm of the ratio of
    determinants, it means once.)

    >>> from selectron import OnlineClassifier
    >>> from selectron.learners import SecondOrderPerceptron
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]] * 4)
    >>> run = OnlineClassifier(SecondOrderPerceptron(), fit_intercept=False).run(X, [-1, 1] * 4)
    >>> run.mistakes, round(theorem_2(run, X, np.array([-1.0, 1.0])).best(), 3)
    (1, 1.442)
    """
    above_0(a=a, gamma=gamma)
    X, u = fitting(runs, X, u, still=True)
    bounds = []
    for run in listed(runs):
        s = steps(run, X, u)
        A = a * np.eye(X.shape[1]) + s.X.T @ s.X
        loss = losses(steps(run, X, u, everywhere), gamma).sum() / gamma
        spread = np.linalg.slogdet(A / a)[1]
        bounds.append(Tradeoff(float(loss), float(u @ A @ u) / gamma**2, float(spread)))
    return averaged(bounds)
