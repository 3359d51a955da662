"""
A kernel with bounded memory
============================

Two moons, which no line separates, and a Gaussian kernel. The learner keeps at most 60 examples:
when another is added, the oldest is evicted. The points are the last 400 rows, in the colours of
their classes; so are the two sides of the boundary.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from selectron import OnlineClassifier
from selectron.askers import Margin
from selectron.kernels import RBF
from selectron.learners import PassiveAggressive

X, y = make_moons(1500, noise=0.2, random_state=0)
clf = OnlineClassifier(
    PassiveAggressive(C=0.5),
    asker=Margin(0.5),
    kernel=RBF(gamma=2.0),
    max_support=60,
    random_state=0,
)
run = clf.run(X, y)

grid = np.stack(np.meshgrid(np.linspace(-2, 3, 120), np.linspace(-1.5, 2, 90)), axis=-1)
margin = clf.decision_function(grid.reshape(-1, 2)).reshape(90, 120)
fig, axes = plt.subplots(figsize=(6, 4), layout="constrained")
limit = np.abs(margin).max()
axes.contourf(*np.moveaxis(grid, -1, 0), margin, 20, cmap="coolwarm", vmin=-limit, vmax=limit)
axes.contour(*np.moveaxis(grid, -1, 0), margin, [0], colors="k")
axes.scatter(*X[-400:].T, s=8, c=y[-400:], cmap="coolwarm", edgecolors="white", linewidths=0.3)
axes.set(xlabel="first feature", ylabel="second feature")
axes.set_title(f"{run.accuracy:.0%} right, {run.label_rate:.0%} of the labels, "
               f"{clf.n_support_} examples kept")  # fmt: skip
plt.show()
