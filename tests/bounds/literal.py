"""Learners as the papers write them, with matrices in full, and faults that can be put into them.

They are there for what the library has not: learners that are broken, and learners that remove
small weights from w.
"""

import math
from typing import Any

import numpy as np

from selectron import Run
from selectron.bounds.large_margin import without_small
from selectron.engine.round import ASKED, CLASS, UPDATED
from selectron.spaces.l1 import Coordinates, nearest

from .streams import CLASSES, Stream


class Mistaken:
    """Steps on a mistake."""

    def __init__(self, d: int):
        self.w, self.P, self.k = np.zeros(d), np.eye(d), 0

    def look(self, x, w):
        return w @ x

    def wants(self, m, y):
        return (m >= 0) != (y > 0)


class Perceptron(Mistaken):
    def step(self, x, y, m):
        self.w = self.w + y * x


class LASEC(Mistaken):
    """Fig. 1 with P = D^-1 and w = D^-1 e; c = inf is the second-order Perceptron."""

    def __init__(self, d, b, c):
        super().__init__(d)
        self.c, self.P = c, (1 / b - 1 / c) * np.eye(d)

    def prior(self):
        return self.P + np.eye(len(self.w)) / self.c

    def look(self, x, w):
        return w @ x / (1 + x @ self.prior() @ x)

    def step(self, x, y, m):
        N = self.prior()
        D = np.linalg.inv(N) + np.outer(x, x)
        e = np.linalg.solve(N, self.w) + y * x
        self.P = np.linalg.inv(D)
        self.w = self.P @ e


class CELLIP(Mistaken):
    def __init__(self, d, gamma, a):
        super().__init__(d)
        self.aim, self.P = a * gamma, (1 + (1 - a) * gamma) ** 2 * np.eye(d)

    def step(self, x, y, m):
        s = math.sqrt(max(1e-12, x @ self.P @ x))  # a fault can make P indefinite
        alpha, g = min((self.aim - y * m) / s, 1 - 1e-6), y * x / s
        Pg = self.P @ g
        self.w = self.w + alpha * Pg
        self.P = (1 - alpha**2) * self.P - 2 * alpha * (1 - alpha) * np.outer(Pg, Pg)


class IELLIP(Mistaken):
    def __init__(self, d, gamma, c, b):
        super().__init__(d)
        self.gamma, self.c, self.b = gamma, c, b

    def step(self, x, y, m):
        s = math.sqrt(x @ self.P @ x)
        Pg = self.P @ x * y / s
        self.w = self.w + (self.gamma - y * m) / s * Pg
        c = self.c * self.b**self.k
        self.P = (self.P - c * np.outer(Pg, Pg)) / (1 - c)


class Regularized(Mistaken):
    """Lemmas 3.1 and 5.1; small weights are removed after the step."""

    def __init__(self, d, alpha, C=math.inf, sigma=0.0):
        super().__init__(d)
        self.alpha, self.C, self.sigma = alpha, C, sigma

    def wants(self, m, y):
        return y * m < 1

    def step(self, x, y, m):
        tau = (1 - y * m + self.alpha) / (x @ x + (1 + self.alpha) / (2 * self.C))
        self.w = without_small((self.w + tau * y * x) / (1 + self.alpha), self.sigma)


class Constrained(Regularized):
    """Lemma 3.2, and problem (3.9) by the library's projection, which has tests of its own."""

    def __init__(self, d, beta, norm, sigma=0.0):
        super().__init__(d, 0.0, math.inf, sigma)
        self.beta, self.norm = beta, norm

    def step(self, x, y, m):
        if self.norm == 1:
            w = nearest(Coordinates(np.arange(len(x)), self.w, y * x), self.beta).v
        else:
            q = x @ x
            across = max(0.0, self.w @ self.w * q - m * m)
            z = max(1.0, math.sqrt(across / (self.beta**2 * q - 1)))
            w = (self.w + (z - y * m) / q * y * x) / z
        self.w = without_small(w, self.sigma)


def play(learner: Any, s: Stream, a: float = math.inf, fault: str = "") -> Run:
    """Return the run of a learner that asks with probability a / (a + |margin|).

    Faults: "sign", every fifth step goes the wrong way; "eager", it steps on every label; "stale",
    it looks with w as it was two steps before; "frozen", P is not updated.
    """
    draws, rounds, past = np.random.default_rng(0).random(len(s.y)), [], [learner.w] * 3
    for x, y, u in zip(s.X, s.y, draws, strict=True):
        m = float(learner.look(x, past[-3] if fault == "stale" else learner.w))
        p = a / (a + abs(m)) if a < math.inf else 1.0
        step = u < p and (fault == "eager" or learner.wants(m, y))
        if step:
            P = learner.P
            learner.step(x, -y if fault == "sign" and learner.k % 5 == 4 else y, m)
            learner.P = P if fault == "frozen" else learner.P
            learner.k += 1
            past.append(learner.w)
        rounds.append((m, p, (m >= 0) << CLASS | ASKED * (u < p) | UPDATED * step))
    margin, probability, flags = map(np.array, zip(*rounds, strict=True))
    told = {"label": s.y, "code": s.y, "classes": CLASSES}
    return Run(margin=margin, ask_probability=probability, flags=flags, **told)
