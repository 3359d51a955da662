"""Yang, Jin & Ye, "Online Learning by Ellipsoid Method" (talk, ICML 2009)."""

import numpy as np

from .arithmetic import eye, sgn, zeros

DEEPEST = 1 - 1e-6  # at alpha >= 1 the half-plane misses the ellipsoid: cut as deep as this


def cellip(state, x, gamma, a, start, rho=0, mistakes_only=True):
    """The classical method: Theorem 1 with rho_t = rho (1 - alpha_t) and the least mu.

    The algorithm has rho = 0 and mu = sqrt(1 - alpha_t^2), which is the least for that rho.

    For selective sampling, the theorem is applied wherever it may be, at alpha_t > 0.
    """
    far = 1 + (1 - a) * gamma  # the talk's P_1 = far I; the sound one reaches as far as that
    w, P = (zeros(x), (far if start == "talk" else far**2) * eye(x)) if state is None else state
    m, q = w @ x, x @ P @ x

    def update(y):
        if sgn(m) == y and (mistakes_only or y * m >= a * gamma):
            return None
        if q == 0:  # x = 0 makes no half-plane
            return w, P
        alpha = min((a * gamma - y * m) / np.sqrt(q), DEEPEST)
        g = y * x / np.sqrt(q)
        rho_t = rho * (1 - alpha)
        mu2 = (1 - alpha**2) / (1 - rho_t**2 / (1 - alpha - rho_t) ** 2)  # the constraint, as "="
        return (
            w + (alpha + rho_t) * (P @ g),
            mu2 * P + ((1 - alpha - rho_t) ** 2 - mu2) * (P @ np.outer(g, g) @ P),
        )

    return m, q, update


def iellip(state, x, gamma, c, b, p0):
    """The improved method, with P_1 = p0 I, and c_t = c b^(t-1) for the t-th mistake."""
    w, P, t = (zeros(x), p0 * eye(x), 1) if state is None else state
    m, q = w @ x, x @ P @ x

    def update(y):
        if sgn(m) == y:
            return None
        if q == 0:  # x = 0 makes no half-plane, but is a mistake
            return w, P, t + 1
        alpha = (gamma - y * m) / np.sqrt(q)
        g = y * x / np.sqrt(q)
        ct = c * b ** (t - 1)
        return w + alpha * (P @ g), (P - ct * (P @ np.outer(g, g) @ P)) / (1 - ct), t + 1

    return m, q, update


def disagreement(r, q, t, margin):
    """Ask if y z'x >= margin for some z of {z: (z - w)' P^-1 (z - w) <= 1}, whichever y is."""
    return 1.0 if -abs(r) + np.sqrt(q) >= margin else 0.0
