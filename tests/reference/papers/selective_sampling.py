"""Cesa-Bianchi, Gentile & Zaniboni, "Worst-Case Analysis of Selective Sampling for
Linear-Threshold Algorithms" (NIPS 2004).
"""

import math

import numpy as np

from .arithmetic import eye, inverse, sgn, zeros


def perceptron(state, x):
    """Fig. 1."""
    v = zeros(x) if state is None else state  # v_0 = 0
    r = v @ x  # 1. r_t = v_{k-1}' x_t
    q = x @ x  # A = I

    def update(y):
        if sgn(r) == y:  # 4(b). if yhat_t != y_t
            return None
        return v + y * x  # v_k = v_{k-1} + y_t x_t

    return r, q, update


def second_order_perceptron(state, x, a):
    """Fig. 2, with A_0 = a I in place of I."""
    v, A = (zeros(x), a * eye(x)) if state is None else state
    S = A + np.outer(x, x)
    r = v @ inverse(S) @ x  # 1. r_t = v_{k-1}' (A_{k-1} + x_t x_t')^-1 x_t
    q = x @ inverse(A) @ x  # eq. (3): x_t' A_{k-1}^-1 x_t

    def update(y):
        if sgn(r) == y:  # 4(b). if yhat_t != y_t
            return None
        return v + y * x, S  # v_k = v_{k-1} + y_t x_t, A_k = A_{k-1} + x_t x_t'

    return r, q, update


def always(r, q, t):
    return 1.0


def fixed(r, q, t, p):
    """Section 4: 2ND-ORDER-FIXED-BIAS."""
    return p


def margin(r, q, t, b):
    """Fig. 1, step 3; the LASEC paper's Fig. 1, where b is called a. The limit at infinity is 1."""
    return b / (b + abs(r)) if b < math.inf else 1.0


def second_order_margin(r, q, t, b):
    """Fig. 2, step 3, eq. (3). The limit at b = infinity is 1."""
    return b / (b + abs(r) + r**2 / 2 * (1 + q)) if b < math.inf else 1.0
