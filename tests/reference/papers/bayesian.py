"""Solla & Winther, "Optimal Perceptron Learning: an On-line Bayesian Approach" (in On-line
Learning in Neural Networks, 1998).
"""

import numpy as np
from scipy.special import log_ndtr

from .arithmetic import eye, zeros


def bayesian_perceptron(state, x, s0):
    """Match the moments of N(w, P) times Phi(y w.x / s0), from log Z = log Phi(y m / sigma)."""
    w, P = (zeros(x), eye(x)) if state is None else state
    sigma = np.sqrt(s0**2 + x @ P @ x)
    m = w @ x

    def update(y):
        z = float(y * m / sigma)
        h = np.exp(-(z**2) / 2 - log_ndtr(z)) / np.sqrt(2 * np.pi)  # N(z) / Phi(z)
        return (
            w + y * h / sigma * (P @ x),  # P times the gradient of log Z in w
            P - h * (h + z) / sigma**2 * (P @ np.outer(x, x) @ P),  # and minus its second one
        )

    return m / sigma, x @ P @ x, update
