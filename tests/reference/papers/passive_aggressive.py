"""Crammer, Dekel, Keshet, Shalev-Shwartz & Singer, "Online Passive-Aggressive Algorithms"
(JMLR 2006).
"""

import math

from .arithmetic import zeros


def passive_aggressive(state, x, C, variant):
    """Fig. 1: PA for C = infinity, else PA-I or PA-II."""
    w = zeros(x) if state is None else state  # w_1 = 0
    r = w @ x
    q = x @ x  # A = I

    def update(y):
        loss = max(0, 1 - y * r)  # l_t = max{0, 1 - y_t (w_t . x_t)}
        if loss == 0:
            return None
        if q == 0:  # no step along 0 changes w
            return w
        if math.isinf(C):
            tau = loss / q  # PA
        elif variant == "I":
            tau = min(C, loss / q)  # PA-I
        else:
            tau = loss / (q + 1 / (2 * C))  # PA-II
        return w + tau * y * x  # w_{t+1} = w_t + tau_t y_t x_t

    return r, q, update
