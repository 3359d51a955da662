"""The Perceptron and the second-order Perceptron with few labels, against one comparator.

Source: Cesa-Bianchi, Gentile & Zaniboni, "Worst-Case Analysis of Selective Sampling for
Linear-Threshold Algorithms" (NIPS 2004).

All bounds hold for every comparator u and every gamma > 0, and depend on u / gamma only. `runs` are
runs on the same rows X with different seeds, over which every term is averaged: the theorems bound
the expected number of mistakes over the draws. `.at(b)` also bounds `weighted_mistakes` in every
single run. X (n, d) are the rows as the learner saw them.

`.tuning()` is the b of Remark 1. The bound with it, `.best()`, holds for expected mistakes if the
runs used that same b, since the terms depend on b. Under any asker, it bounds `run.steps` in every
run, since b is free in that proof.

The hinge losses are those of the rounds with a step, as in the paper; with `everywhere`, those of
all rounds with a label. To choose u by its bound on the steps, use the latter: with the former, the
bound for u = 0 is the number of steps.
"""

import numpy as np

from .quantities import Runs, Tradeoff, above_0, averaged, fitting, listed, longest, losses, steps


def theorem_1(
    runs: Runs, X: np.ndarray, u: np.ndarray, gamma: float = 1.0, everywhere: bool = False
) -> Tradeoff:
    """Return the bound on the expected mistakes of the Perceptron under `Margin(b)`: `.at(b)`.

    The paper's rows have norm 1. For rows of norm R or less, its 2b + 1 becomes 2b + R^2 in both
    terms, and the first is still divided by 2b.

    `.best()` is eq. (8). As printed, its last term is too small by a factor of 2: it should be
    ||u|| / gamma sqrt(D + ||u||^2 / (4 gamma^2)), which gives the paper's ||u||^2 / gamma^2 for
    separable streams.

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

    It holds under the paper's `SecondOrderMargin(b)`, and under `Margin(b)`, which asks more often.
    The paper's a = 1 and rows of norm 1 are not needed. `.best()` is eq. (9). (In the proof, x'
    A^-1 x is at most once the logarithm of the ratio of determinants, not twice.)

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
