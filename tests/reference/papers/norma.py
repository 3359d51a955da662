"""Kivinen, Smola & Williamson, "Online Learning with Kernels" (IEEE Transactions on Signal
Processing 52, 2004).
"""

from .arithmetic import zeros


def norma(state, x, eta, lam, nu, power):
    """Classification with the nu-trick: a gradient step on max(0, rho - y f(x)) - nu rho,
    and on lam |f|^2 / 2, with the learning rate eta_t = eta t^-power.
    """
    f, rho, t = (zeros(x), x.dtype.type(0), 1) if state is None else state
    m = f @ x

    def update(y):
        rate = eta * t**-power
        sigma = 1 if y * m <= rho else 0
        return (1 - rate * lam) * f + rate * sigma * y * x, rho + rate * (nu - sigma), t + 1

    return m, x @ x, update
