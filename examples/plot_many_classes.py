"""
Ten classes
===========

Handwritten digits in one pass, with a third of the labels: the confusion table over all rows, and
as it is estimated from the labels asked for.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from selectron import OnlineClassifier
from selectron.askers import Margin
from selectron.learners import AROW

X, y = load_digits(return_X_y=True)
clf = OnlineClassifier(AROW(), asker=Margin(0.3), random_state=0)
run = clf.run(X / 16, y)
true, estimated = run.metrics()

fig, panels = plt.subplots(1, 2, figsize=(9, 4.4), layout="constrained")
for axes, metrics, title in zip(panels, (true, estimated), ("all rows", "estimated"), strict=True):
    table = np.array(metrics.confusion, float)
    axes.imshow(table / table.sum(axis=1, keepdims=True), cmap="Blues", vmin=0, vmax=1)
    axes.set(xlabel="predicted", ylabel="true", xticks=range(10), yticks=range(10))
    axes.set_title(f"{title}: {metrics.accuracy:.1%} right")
fig.suptitle(f"{run.label_rate:.0%} of the labels")
plt.show()
