"""
Honest accuracy
===============

The accuracy that is estimated from the labels asked for, in 40 streams. The plain share of right
predictions among them is far too low, since the asker prefers doubtful rows. Weighted by 1 /
probability of asking, it is right on average, and its interval covers the truth.
"""

import os

import matplotlib.pyplot as plt
import numpy as np

from selectron import Budget, OnlineClassifier
from selectron.askers import Margin
from selectron.evaluate import audited
from selectron.learners import LASEC
from selectron.streams import switching_gaussian

seeds = range(10 if os.environ.get("SELECTRON_QUICK") else 40)
rows = []
for seed in seeds:
    X, y = switching_gaussian(2000, d=20, seed=seed)
    asker = Budget(rate=0.2, asker=Margin(0.1))
    run = OnlineClassifier(LASEC(), asker=asker, random_state=seed).run(X, y)
    rows.append((run.accuracy, run.correct[run.asked].mean(), *audited(run)))
rows = np.array(sorted(rows))
true, naive, honest, low, high = rows.T
covered = ((low <= true) & (true <= high)).mean()

fig, axes = plt.subplots(figsize=(9, 4), layout="constrained")
axes.errorbar(
    seeds, honest, [honest - low, high - honest], fmt="o", ms=3, capsize=2,
    label=f"honest, with 95% intervals ({covered:.0%} cover the truth)",
)  # fmt: skip
axes.plot(seeds, naive, "x", label="of the labels asked for")
axes.plot(seeds, true, "k-", label="true")
axes.set(xlabel="stream, ordered by accuracy", ylabel="accuracy")
axes.set_title("Accuracy as estimated from the labels")
fig.legend(loc="outside upper center", ncols=3)
plt.show()
