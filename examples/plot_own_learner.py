"""
Your own learner
================

A learner is a NamedTuple with a few pure functions of scalars. This one shrinks w at each mistake,
so that old mistakes fade; it runs compiled, under every asker.
"""

import os
from typing import NamedTuple

import matplotlib.pyplot as plt

from selectron import OnlineClassifier
from selectron.engine.round import Round, Step
from selectron.streams import switching_gaussian


class Shrinking(NamedTuple):
    """On a mistake: w <- (1 - rate) w + y x."""

    rate: float = 0.01

    def numbers(self):
        """Return the parameters as floats."""
        return (float(self.rate),)

    def normalize(self):
        """Rows are scaled to unit length."""
        return True

    def step(self, r: Round):
        """Return the coefficients of the step."""
        return Step(keep=1 - self.rate, eta=r.y)


n = 3000 if os.environ.get("SELECTRON_QUICK") else 20_000
X, y = switching_gaussian(n, d=20, seed=0)
rates = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3]
right = [OnlineClassifier(Shrinking(rate)).run(X, y).accuracy for rate in rates]

fig, axes = plt.subplots(figsize=(6, 4), layout="constrained")
axes.plot(rates, right, "o-")
axes.set(xlabel="rate of shrinking", ylabel="accuracy", xscale="log")
axes.set_title("On this stream, fast forgetting costs accuracy")
plt.show()
