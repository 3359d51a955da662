"""Crammer & Singer, "Ultraconservative Online Algorithms for Multiclass Problems" (JMLR 3, 2003),
with a margin of 1.
"""

from .arithmetic import zeros


def mira(state, x, C):
    """Two classes: minimise |w' - w|^2 / 2 + C max(0, 1 - y w'.x).

    Its dual is max over 0 <= tau <= C of tau (1 - y w.x) - tau^2 |x|^2 / 2.
    """
    w = zeros(x) if state is None else state
    m, q = w @ x, x @ x

    def update(y):
        if y * m >= 1:
            return None
        if q == 0:
            return w
        return w + min(C, (1 - y * m) / q) * y * x

    return m, q, update
