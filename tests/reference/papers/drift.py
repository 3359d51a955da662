"""Moroshko & Crammer, "Selective Sampling with Drift" (AISTATS 2014)."""

import math

import numpy as np

from .arithmetic import eye, inverse, sgn, zeros


def lasec(state, x, b, c):
    """Fig. 1; for c = infinity, 1/c = 0 and D_0 = (bc)/(c-b) I = b I."""
    I = eye(x)  # noqa: E741
    e, D = (zeros(x), (b * c / (c - b) if c < math.inf else b) * I) if state is None else state
    N = inverse(D) + I / c
    S = inverse(N) + np.outer(x, x)  # S_t = (D_{k-1}^-1 + c^-1 I)^-1 + x_t x_t', eq. (2)
    f = inverse(I + D / c) @ e  # (I + c^-1 D_{k-1})^-1 e_{k-1}
    r = x @ inverse(S) @ f  # phat_t = x_t' S_t^-1 (I + c^-1 D_{k-1})^-1 e_{k-1}, eq. (5)
    q = x @ N @ x  # S_t less its x_t x_t' is the A of the asking rule

    def update(y):
        if sgn(r) == y:  # if yhat_t != y_t
            return None
        return f + y * x, S  # e_k as in eq. (3), D_k = S_t

    return r, q, update


def only_mistakes(r, y):
    """Section 5: BBQ-I updates "only when the queried label is different from the predicted"."""
    return sgn(r) != y
