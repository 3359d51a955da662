"""Crammer, Kulesza & Dredze, "Adaptive Regularization of Weight Vectors" (NIPS 2009)."""

import numpy as np

from .arithmetic import eye, inverse, zeros


def arow(state, x, r):
    """Fig. 1."""
    mu, Sigma = (zeros(x), eye(x)) if state is None else state  # mu_0 = 0, Sigma_0 = I
    m = mu @ x  # margin m_t = mu_{t-1} . x_t
    v = x @ Sigma @ x  # confidence v_t = x_t' Sigma_{t-1} x_t

    def update(y):
        if m * y >= 1:  # if m_t y_t < 1
            return None
        beta = 1 / (v + r)  # beta_t = 1 / (x_t' Sigma_{t-1} x_t + r)
        alpha = max(0, 1 - y * m) * beta  # alpha_t = max(0, 1 - y_t x_t' mu_{t-1}) beta_t
        return (
            mu + alpha * (Sigma @ (y * x)),  # mu_t = mu_{t-1} + alpha_t Sigma_{t-1} y_t x_t
            Sigma - beta * (Sigma @ np.outer(x, x) @ Sigma),
        )

    return m, v, update


def arow_objective(state, x, r):
    """The minimum of the objective that Fig. 1 solves in closed form.

    KL(N(mu, Sigma) || N(mu_{t-1}, Sigma_{t-1})) + max(0, 1 - y mu.x)^2 / 2r + x' Sigma x / 2r,
    whose gradients vanish where Sigma^-1 = Sigma_{t-1}^-1 + x x'/r, and where
    Sigma_{t-1}^-1 (mu - mu_{t-1}) = y x (1 - y mu.x)/r, that is,
    (Sigma_{t-1}^-1 + x x'/r) mu = Sigma_{t-1}^-1 mu_{t-1} + y x/r.
    """
    b, A = (zeros(x), eye(x)) if state is None else state  # A = Sigma^-1, b = A mu
    m = inverse(A) @ b @ x
    v = x @ inverse(A) @ x

    def update(y):
        return None if y * m >= 1 else (b + y * x / r, A + np.outer(x, x) / r)

    return m, v, update
