"""
Are probabilities right?
========================

How often predictions of a given probability are right. Probabilities are calibrated while the
stream runs, from the labels asked for alone.
"""

import os

import matplotlib.pyplot as plt
import numpy as np

from selectron import OnlineClassifier
from selectron.askers import Margin
from selectron.learners import AROW, LASEC, Perceptron

n = 3000 if os.environ.get("SELECTRON_QUICK") else 20_000
random = np.random.default_rng(0)
X = random.normal(size=(n, 10))
u = random.normal(size=10)
y = np.where(random.random(n) < 1 / (1 + np.exp(-X @ u)), 1, -1)  # labels with a known probability

fig, axes = plt.subplots(figsize=(5, 5), layout="constrained")
axes.plot([0.5, 1], [0.5, 1], "k:", label="perfect")
for learner in Perceptron(), LASEC(), AROW():
    run = OnlineClassifier(learner, asker=Margin(0.5), random_state=0).run(X, y)
    metrics = run.metrics().true
    bins = np.array(metrics.reliability)
    name = f"{type(learner).__name__}: error {metrics.calibration_error:.3f}"
    axes.plot(bins[:, 1], bins[:, 2], "o-", ms=4, label=name)
axes.set(xlabel="probability of the prediction", ylabel="share that is right", aspect="equal")
axes.set_title("Predictions are as often right as they claim")
axes.legend()
plt.show()
