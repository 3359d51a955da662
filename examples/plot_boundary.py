"""
Which rows are asked for
========================

Rows in the plane, and the line that separates the classes. The labels asked for lie near the line,
and the probability of asking falls with the distance from it.
"""

import matplotlib.pyplot as plt
import numpy as np

from selectron import OnlineClassifier
from selectron.askers import Margin
from selectron.learners import Perceptron

random = np.random.default_rng(0)
X = random.normal(size=(1500, 2))
y = np.where(X @ [1.0, 2.0] > 0.3, 1, -1)
clf = OnlineClassifier(Perceptron(), asker=Margin(0.3), normalize=False, random_state=0)
run = clf.run(X, y)
late = np.arange(len(X)) > 300

fig, axes = plt.subplots(figsize=(6, 5), layout="constrained")
axes.scatter(*X[late & ~run.asked].T, s=8, c="lightgrey", label="not asked for")
for sign, colour in (1, "tab:red"), (-1, "tab:blue"):
    axes.scatter(
        *X[late & run.asked & (y == sign)].T, s=14, c=colour, label=f"asked for: {sign:+d}"
    )
(a, b), c = clf.coef_[0], clf.intercept_[0]
line = np.array([-3.0, 3.0])
axes.plot(line, -(a * line + c) / b, "k-", label="the learned boundary")
axes.set(xlim=(-3, 3), ylim=(-3, 3), xlabel="first feature", ylabel="second feature")
axes.set_title(f"{run.label_rate:.0%} of the labels, {run.accuracy:.0%} right")
axes.legend(loc="upper right")
plt.show()
