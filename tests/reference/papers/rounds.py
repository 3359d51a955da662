"""The rounds that the papers share: see a row, predict, perhaps ask, perhaps update."""

from typing import NamedTuple

import numpy as np

from .arithmetic import sgn


class Played(NamedTuple):
    """What happened, one element a round."""

    margin: np.ndarray
    probability: np.ndarray
    prediction: np.ndarray
    asked: np.ndarray
    updated: np.ndarray


def everything(r, y):
    """Tell the learner every label that was asked for."""
    return True


def play(learner, probability, X, y, draws, tells=everything):
    """Play the rounds: a label is asked for iff its draw is below the probability."""
    state, rounds = None, []
    for t, (x, label, u) in enumerate(zip(X, y, draws, strict=True), 1):
        r, q, update = learner(state, x)
        p = probability(r, q, t)
        asked = bool(u < p)
        after = update(int(label)) if asked and tells(r, label) else None
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
