"""Shen & Dietterich, "A Family of Large Margin Linear Classifiers and Its Application in Dynamic
Environments" (SDM 2009).
"""

import math

import numpy as np

from .arithmetic import zeros


def objective_regularized(state, x, alpha, C):
    """Lemma 3.1 for C = infinity, else Lemma 5.1, with Z_t = y_t x_t."""
    w = zeros(x) if state is None else state
    m = w @ x
    q = x @ x

    def update(y):
        loss = max(0, 1 - y * m)
        if loss == 0:
            return None
        if math.isinf(C):
            if q == 0:  # (3.1) has no solution
                return w
            tau = (loss + alpha) / q  # Lemma 3.1
        else:
            tau = (1 - y * m + alpha) / (q + (1 + alpha) / (2 * C))  # (5.29)
        return (w + tau * y * x) / (1 + alpha)  # (5.28)

    return m, q, update


def l2_constrained(state, x, beta):
    """Lemma 3.2; where no w of length beta has margin 1, the one of largest margin."""
    w = zeros(x) if state is None else state
    m = w @ x
    q = x @ x

    def update(y):
        loss = max(0, 1 - y * m)
        if loss == 0:
            return None
        if q == 0:  # all of the ball has the same margin
            return w
        if beta * np.sqrt(q) <= 1:  # max y w.x over the ball is beta |x|
            return beta * y * x / np.sqrt(q)
        Z = max(1, np.sqrt(max(0, (w @ w) * q - m**2) / (beta**2 * q - 1)))
        tau = (loss + Z - 1) / q
        return (w + tau * y * x) / Z

    return m, q, update
