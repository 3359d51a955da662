"""`python -m benchmarks.bayes`: accuracy of the best of all learners on the switching Gaussian.

It is given every switch and all labels since, and predicts by the posterior over all concepts that
agree with them. Its rate of mistakes after alpha = labels / features is known in the limit of many
features (Opper & Haussler, "Generalization Performance of Bayes Optimal Classification
Algorithm for Learning a Perceptron", Physical Review Letters 66, 1991): arccos(sqrt(R)) / pi, where

    R = alpha / pi sqrt(1 - R) E[exp(-R t^2 / 2) / Phi(-sqrt(R) t)],  t ~ N(0, 1)

is the overlap of two draws from the posterior. For large alpha that is 0.44 / alpha.
"""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

FEATURES, EVERY = 50, 500
T = np.linspace(-10, 10, 2001)


def overlap(alpha: float) -> float:
    """Return R, from 0 to 1."""

    def gap(r: float) -> float:
        inside = norm.pdf(T) * np.exp(-r * T * T / 2 - norm.logsf(math.sqrt(r) * T))
        return alpha / math.pi * math.sqrt(1 - r) * inside.sum() * (T[1] - T[0]) - r

    return float(brentq(gap, 0.0, 1.0)) if alpha > 0 else 0.0


def mistaken(alpha: float) -> float:
    """Return the probability of a mistake after alpha labels per feature."""
    return math.acos(math.sqrt(overlap(alpha))) / math.pi


def main() -> None:
    """Print the mean accuracy between two switches."""
    found = 1 - np.mean([mistaken(n / FEATURES) for n in range(EVERY)])
    print(f"{FEATURES} features, a switch every {EVERY} rows, all labels: {found:.4f}")


if __name__ == "__main__":
    main()
