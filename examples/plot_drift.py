"""
A concept that switches
=======================

Accuracy over the last 200 rows, while the right classifier changes. A learner that weights all
labels equally falls behind; LeadingHistory finds out when concepts end. All ask for a fifth of the
labels.
"""

import os

import matplotlib.pyplot as plt
import numpy as np

from selectron import Budget, LeadingHistory, OnlineClassifier
from selectron.askers import Margin
from selectron.learners import LASEC, SecondOrderPerceptron
from selectron.streams import switching_gaussian

n = 1500 if os.environ.get("SELECTRON_QUICK") else 6000
X, y = switching_gaussian(n, d=20, seed=1)
learners = {
    SecondOrderPerceptron(): Margin(0.1),
    LASEC(c=100.0): Margin(0.1),
    LeadingHistory(): None,
}

fig, axes = plt.subplots(figsize=(8, 4), layout="constrained")
for learner, inner in learners.items():
    asker = Budget(rate=0.2, asker=inner) if inner else Budget(rate=0.2)
    run = OnlineClassifier(learner, asker=asker, random_state=0).run(X, y)
    recent = np.convolve(run.correct, np.ones(200) / 200, mode="valid")
    name = type(learner).__name__
    axes.plot(np.arange(200, n + 1), recent, label=f"{name}: {run.accuracy:.0%}")
axes.set(xlabel="row", ylabel="accuracy of the last 200 rows", ylim=(0.3, 1))
axes.set_title("Accuracy while the concept switches")
axes.legend(loc="lower right")
plt.show()
