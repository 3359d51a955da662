"""Cesa-Bianchi, Gentile & Orabona, "Robust Bounds for Classification via Selective Sampling"
(ICML 2009).
"""

import numpy as np

from .arithmetic import eye, inverse, zeros


def rls(state, x, a):
    """w_t = A_t^-1 b_{t-1} with A_t = a I + the asked rows' x x', the row itself included."""
    b, A = (zeros(x), a * eye(x)) if state is None else state
    S = A + np.outer(x, x)
    margin = b @ inverse(S) @ x
    q = x @ inverse(A) @ x

    def update(y):
        return b + y * x, S

    return margin, q, update


def bbq(r, q, t, kappa):
    """Ask if r_t = x_t' A_t^-1 x_t > t^-kappa; by Sherman-Morrison it is q/(1 + q)."""
    return 1.0 if q / (1 + q) > t**-kappa else 0.0
