"""
A whole table, in which order?
==============================

Corrections until every row has a label. If the most certain proposals come first, uncertain rows
wait until the weights are good.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from selectron.pool import Confident, InOrder, SelfDirectedClassifier

X, y = load_breast_cancer(return_X_y=True)
orders = {
    "certain rows first": Confident(),
    "random order": InOrder("random"),
    "uncertain rows first": InOrder("worst"),
}

fig, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name, learner in orders.items():
    pool = SelfDirectedClassifier(learner, features="standard", random_state=0)
    run = pool.run(X, y)
    wrong = run.curve
    axes.plot(np.arange(1, len(wrong) + 1), wrong, label=f"{name}: {wrong[-1]}")
axes.set(xlabel="rows labelled", ylabel="corrections")
axes.set_title("Certain rows first: the fewest corrections")
fig.legend(loc="outside right upper")
plt.show()
