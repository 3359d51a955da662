"""Kin of the Perceptron.

[CCG] Cavallanti, Cesa-Bianchi & Gentile, "Tracking the best hyperplane with a simple budget
      Perceptron" (Machine Learning 69, 2007).
[BV]  Blum, Frieze, Kannan & Vempala, "A Polynomial-Time Algorithm for Learning Noisy Linear
      Threshold Functions" (Algorithmica 22, 1998); size 2 is Dasgupta, Kalai & Monteleoni's,
      "Analysis of Perceptron-Based Active Learning" (COLT 2005).
"""

import numpy as np

from .arithmetic import sgn, zeros


def shifting_perceptron(state, x, lam):
    """[CCG] Fig. 1."""
    w, k = (zeros(x), 0) if state is None else state
    r = w @ x

    def update(y):
        if sgn(r) == y:
            return None
        decay = lam / (lam + k)  # lambda_k
        return (1 - decay) * w + decay * y * x, k + 1

    return r, x @ x, update


def modified_perceptron(state, x, size):
    """[BV] w <- w - size (w.xhat) xhat, from w = 0 to y xhat, for xhat = x / |x|."""
    w = zeros(x) if state is None else state
    r = w @ x

    def update(y):
        if sgn(r) == y:
            return None
        length = np.sqrt(x @ x)
        if length == 0:
            return w
        xhat = x / length
        return w - size * (w @ xhat) * xhat if w.any() else y * xhat

    return r, x @ x, update
