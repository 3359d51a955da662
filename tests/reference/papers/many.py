"""Many classes. Yang, Jin & Ye's multi-label form, after Crammer et al. (JMLR 2006), section 8:
one big vector v = (w_1, ..., w_K), and z with x at the right class and -x at its rival.

A step between classes hi > lo goes along z = e_hi (x) x - e_lo (x) x with y = +1 if hi is right.
Of equal scores, the last class has the best.
"""

from typing import NamedTuple

import numpy as np

from .arithmetic import inverse, zeros


class PlayedMany(NamedTuple):
    """What happened, one element a round; predictions are indices of classes."""

    margin: np.ndarray
    probability: np.ndarray
    prediction: np.ndarray
    asked: np.ndarray
    updated: np.ndarray


def ranked(scores):
    """Return the classes from the best score to the worst; of equal ones, the last comes first."""
    return sorted(range(len(scores)), key=lambda k: (scores[k], k), reverse=True)


def difference(x, hi, lo, classes):
    """Return e_hi (x) x - e_lo (x) x."""
    z = np.zeros((classes, len(x)), x.dtype)
    z[hi], z[lo] = x, -x
    return z.ravel()


class Big:
    """A learner on big vectors: its state holds all of v, and in second order all of P."""

    def __init__(self, learner, classes, weights):
        self.learner, self.classes, self.weights, self.state = learner, classes, weights, None

    def scores(self, x):
        if self.state is None:
            return np.zeros(self.classes, x.dtype)
        return self.weights(self.state).reshape(self.classes, len(x)) @ x

    def sight(self, x, best, second):
        """Return (r, q) of the two best classes, best first."""
        return self.learner(self.state, difference(x, best, second, self.classes))[:2]

    def learn(self, x, right, rival):
        hi, lo = max(right, rival), min(right, rival)
        update = self.learner(self.state, difference(x, hi, lo, self.classes))[2]
        after = update(1 if right == hi else -1)
        self.state = self.state if after is None else after
        return after is not None


class Blocks:
    """A second-order learner on two classes' part of v, of whose P only the two blocks are kept.

    `write` makes the learner's state of (w, P, number of steps), and `read` makes (w, P) of it;
    `first` is P at the start, for one class.
    """

    def __init__(self, learner, classes, first, write, read):
        self.learner, self.read, self.write, self.count = learner, read, write, 0
        d = len(first)
        self.w = [zeros(first[0]) for _ in range(classes)]
        self.P = [first.copy() for _ in range(classes)]
        self.d = d

    def pair(self, hi, lo):
        P = np.zeros((2 * self.d, 2 * self.d), self.w[0].dtype)
        P[: self.d, : self.d], P[self.d :, self.d :] = self.P[hi], self.P[lo]
        return self.write(np.concatenate([self.w[hi], self.w[lo]]), P, self.count)

    def scores(self, x):
        return np.array([w @ x for w in self.w])

    def sight(self, x, best, second):
        return self.learner(self.pair(best, second), np.concatenate([x, -x]))[:2]

    def learn(self, x, right, rival):
        hi, lo = max(right, rival), min(right, rival)
        update = self.learner(self.pair(hi, lo), np.concatenate([x, -x]))[2]
        after = update(1 if right == hi else -1)
        if after is None:
            return False
        w, P = self.read(after)
        for part, k in ((slice(0, self.d), hi), (slice(self.d, None), lo)):
            self.w[k], self.P[k] = w[part], P[part, part]
        self.count += 1
        return True


class Rest:
    """One against the rest: a learner a class.

    `raw` returns w_k.x from (r, q), and `score` the margin quantity r from w_k.x and q.
    """

    def __init__(self, learner, classes, raw, score):
        self.learner, self.raw, self.score = learner, raw, score
        self.states = [None] * classes

    def scores(self, x):
        return np.array([self.raw(*self.learner(s, x)[:2]) for s in self.states])

    def sight(self, x, best, second):
        scores, q = self.scores(x), self.learner(self.states[best], x)[1]
        return self.score(scores[best] - scores[second], q), q

    def learn(self, x, right, rival):
        after = [self.learner(s, x)[2](1 if k == right else -1) for k, s in enumerate(self.states)]
        pairs = zip(self.states, after, strict=True)
        self.states = [old if new is None else new for old, new in pairs]
        return any(new is not None for new in after)


def play_many(joined, probability, X, y, draws, only_mistakes=False):
    """Play the rounds; `y` are indices of classes."""
    rounds = []
    for t, (x, right, u) in enumerate(zip(X, y, draws, strict=True), 1):
        order = ranked(joined.scores(x))
        best, second = order[:2]
        r, q = joined.sight(x, best, second)
        p = probability(r, q, t)
        asked = bool(u < p)
        rival = second if best == right else best
        told = asked and not (only_mistakes and best == right)
        rounds.append((r, p, best, asked, told and joined.learn(x, right, rival)))
    return PlayedMany(*map(np.array, zip(*rounds, strict=True)))


# The states of second-order learners that keep A = P^-1 and v = A w


def by_inverse(w, P, count):
    A = inverse(P)
    return A @ w, A


def of_inverse(state):
    v, A = state
    P = inverse(A)
    return P @ v, P


def as_it_is(w, P, count):
    return w, P


def counted(w, P, count):
    return w, P, count + 1
