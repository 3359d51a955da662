"""The papers' pseudo-code, transcribed literally: explicit matrices, every inverse as written.

A learner is a function of (state, x, its parameters) that returns (r, q, update): the margin
quantity r, the quadratic form q that the asking rule of eq. (3) knows as x' A^-1 x, and a function
of the label that returns the next state, or None if there is no update. The first state is None.
The arithmetic is that of x: double, or long double where a transcription is ill-conditioned.

Sources:
[CGZ] Cesa-Bianchi, Gentile & Zaniboni, "Worst-Case Analysis of Selective Sampling for
      Linear-Threshold Algorithms" (NIPS 2004).
[MC]  Moroshko & Crammer, "Selective Sampling with Drift" (AISTATS 2014).
[PA]  Crammer, Dekel, Keshet, Shalev-Shwartz & Singer, "Online Passive-Aggressive Algorithms"
      (JMLR 2006).
[AR]  Crammer, Kulesza & Dredze, "Adaptive Regularization of Weight Vectors" (NIPS 2009).
"""

import math
from typing import NamedTuple

import numpy as np

# Learners


def perceptron(state, x):
    """[CGZ] Fig. 1."""
    v = zeros(x) if state is None else state  # v_0 = 0
    r = v @ x  # 1. r_t = v_{k-1}' x_t
    q = x @ x  # A = I

    def update(y):
        if sgn(r) == y:  # 4(b). if yhat_t != y_t
            return None
        return v + y * x  # v_k = v_{k-1} + y_t x_t

    return r, q, update


def second_order_perceptron(state, x, a):
    """[CGZ] Fig. 2, with A_0 = a I in place of I."""
    v, A = (zeros(x), a * eye(x)) if state is None else state
    S = A + np.outer(x, x)
    r = v @ inverse(S) @ x  # 1. r_t = v_{k-1}' (A_{k-1} + x_t x_t')^-1 x_t
    q = x @ inverse(A) @ x  # eq. (3): x_t' A_{k-1}^-1 x_t

    def update(y):
        if sgn(r) == y:  # 4(b). if yhat_t != y_t
            return None
        return v + y * x, S  # v_k = v_{k-1} + y_t x_t, A_k = A_{k-1} + x_t x_t'

    return r, q, update


def lasec(state, x, b, c):
    """[MC] Fig. 1; for c = infinity, 1/c = 0 and D_0 = (bc)/(c-b) I = b I."""
    I = eye(x)  # noqa: E741
    e, D = (zeros(x), (b * c / (c - b) if c < math.inf else b) * I) if state is None else state
    N = inverse(D) + I / c
    S = inverse(N) + np.outer(x, x)  # S_t = (D_{k-1}^-1 + c^-1 I)^-1 + x_t x_t', eq. (2)
    f = inverse(I + D / c) @ e  # (I + c^-1 D_{k-1})^-1 e_{k-1}
    r = x @ inverse(S) @ f  # phat_t = x_t' S_t^-1 (I + c^-1 D_{k-1})^-1 e_{k-1}, eq. (5)
    q = x @ N @ x  # S_t less its x_t x_t' is the A of eq. (3)

    def update(y):
        if sgn(r) == y:  # if yhat_t != y_t
            return None
        return f + y * x, S  # e_k as in eq. (3), D_k = S_t

    return r, q, update


def passive_aggressive(state, x, C, variant):
    """[PA] Fig. 1: PA for C = infinity, else PA-I or PA-II."""
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


def arow(state, x, r):
    """[AR] Fig. 1."""
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
    """[AR] the minimum of the objective that Fig. 1 solves in closed form.

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


# When to ask


def always(r, q):
    return 1.0


def fixed(r, q, p):
    """[CGZ] section 4: 2ND-ORDER-FIXED-BIAS."""
    return p


def margin(r, q, b):
    """[CGZ] Fig. 1, step 3; [MC] Fig. 1, where b is called a. The limit at b = infinity is 1."""
    return b / (b + abs(r)) if b < math.inf else 1.0


def second_order_margin(r, q, b):
    """[CGZ] Fig. 2, step 3, eq. (3). The limit at b = infinity is 1."""
    return b / (b + abs(r) + r**2 / 2 * (1 + q)) if b < math.inf else 1.0


# A stream


class Played(NamedTuple):
    """What happened, one element a round."""

    margin: np.ndarray
    probability: np.ndarray
    prediction: np.ndarray
    asked: np.ndarray
    updated: np.ndarray


def play(learner, probability, X, y, draws):
    """Play the rounds: a label is asked for iff its draw is below the probability."""
    state, rounds = None, []
    for x, label, u in zip(X, y, draws, strict=True):
        r, q, update = learner(state, x)
        p = probability(r, q)
        asked = bool(u < p)
        after = update(int(label)) if asked else None
        rounds.append((r, p, sgn(r), asked, after is not None))
        state = state if after is None else after
    return Played(*map(np.array, zip(*rounds, strict=True)))


def prepare(X, intercept, normalize):
    """Return the rows that the learner sees: with a 1 in front, then scaled to unit length."""
    X = np.hstack([np.ones((len(X), int(intercept)), X.dtype), X])
    if not normalize:
        return X
    norms = np.sqrt((X**2).sum(axis=1, keepdims=True))
    return X / np.where(norms > 0, norms, 1)  # xhat_t = x_t / ||x_t||; 0 stays 0


# Arithmetic


def sgn(r):
    return 1 if r >= 0 else -1


def zeros(x):
    return np.zeros(len(x), x.dtype)


def eye(x):
    return np.eye(len(x), dtype=x.dtype)


def inverse(M):
    """Return M^-1; NumPy has none in long double."""
    return np.linalg.inv(M) if M.dtype == np.float64 else eliminated(M)


def eliminated(M):
    """Return M^-1 by Gauss-Jordan elimination with row pivoting."""
    d = len(M)
    rows = np.hstack([M, np.eye(d, dtype=M.dtype)])
    for i in range(d):
        pivot = i + int(np.argmax(abs(rows[i:, i])))
        rows[[i, pivot]] = rows[[pivot, i]]
        rows[i] /= rows[i, i]
        factors = rows[:, i].copy()
        factors[i] = 0
        rows -= np.outer(factors, rows[i])
    return rows[:, d:]
