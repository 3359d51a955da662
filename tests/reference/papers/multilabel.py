"""Yang, Jin & Ye's multi-label form: one ellipsoid for v = (w_1, ..., w_K), P of size K d x K d.

The talk leaves open which of equal scores counts: here the last of the irrelevant classes, and the
first of the relevant ones. Rows of which no class is relevant, or every class, have no pair.
"""

from typing import NamedTuple

import numpy as np

DEEPEST = 1 - 1e-6  # as in `ellipsoid`


class Ranked(NamedTuple):
    """What happened, one element a round, and v and P after the last one."""

    scores: np.ndarray
    margin: np.ndarray
    probability: np.ndarray
    asked: np.ndarray
    updated: np.ndarray
    v: np.ndarray
    P: np.ndarray


def worst_pair(scores, Y):
    """Return b_i, the worst relevant class, and a_i, the best irrelevant one."""
    a = max(np.flatnonzero(Y == 0), key=lambda k: (scores[k], k))
    b = min(np.flatnonzero(Y == 1), key=lambda k: (scores[k], k))
    return b, a


def big(x, b, a, classes):
    """z_i^j = x^k at j = (b - 1) d + k, -x^k at j = (a - 1) d + k, and 0 elsewhere."""
    z, d = np.zeros(classes * len(x)), len(x)
    for k in range(d):
        z[b * d + k] = x[k]
        z[a * d + k] = -x[k]
    return z


def cellip(v, P, z, t, gamma, a, start, rho):
    """Theorem 1, "except that y_t x_t is replaced by z_t"; rho_t = rho (1 - alpha_t)."""
    norm = np.sqrt(z @ P @ z)
    alpha = min((a * gamma - v @ z) / norm, DEEPEST)
    g = z / norm
    rho_t = rho * (1 - alpha)
    mu2 = (1 - alpha**2) / (1 - rho_t**2 / (1 - alpha - rho_t) ** 2)
    v_next = v + (alpha + rho_t) * (P @ g)
    P_next = mu2 * P + ((1 - alpha - rho_t) ** 2 - mu2) * (P @ np.outer(g, g) @ P)
    return v_next, P_next


def iellip(v, P, z, t, gamma, c, b, p0):
    """The improved method on z, at the t-th mistake."""
    norm = np.sqrt(z @ P @ z)
    alpha = (gamma - v @ z) / norm
    g = z / norm
    c_t = c * b ** (t - 1)
    return v + alpha * (P @ g), (P - c_t * (P @ np.outer(g, g) @ P)) / (1 - c_t)


def play_ranked(cut, first, reach, asker, X, Y, draws):
    """Play the rounds, from P = first; a row of NaN in Y has no label.

    A label is asked for by the margin of the two best classes, and cuts if eta <= 0, or below
    `reach`.
    """
    classes, d = Y.shape[1], X.shape[1]
    v, P, mistakes, rounds = np.zeros(classes * d), first * np.eye(classes * d), 0, []
    for t, (x, y, u) in enumerate(zip(X, Y, draws, strict=True), 1):
        scores = v.reshape(classes, d) @ x
        best, second = sorted(range(classes), key=lambda k: (scores[k], k), reverse=True)[:2]
        z = big(x, best, second, classes)
        r, q = v @ z, z @ P @ z
        p = asker(r, q, t)
        asked = bool(u < p) and not np.isnan(y).any()
        cuts = False
        if asked and 0 < y.sum() < classes:
            z = big(x, *worst_pair(scores, y), classes)
            eta = v @ z
            cuts = bool(eta <= 0 or eta < reach)
            if cuts:
                mistakes += 1
                if z.any():  # x = 0 makes no half-plane
                    v, P = cut(v, P, z, mistakes)
        rounds.append((scores, r, p, asked, cuts))
    return Ranked(*map(np.array, zip(*rounds, strict=True)), v, P)
