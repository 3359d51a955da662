"""
Accuracy against the number of labels
=====================================

Handwritten digits whose classes change every 500 rows. LASEC gains from asking by the margin with
40% of the labels or more. With fewer, random rows are better: after a switch, margins mislead.
"""

import os

import matplotlib.pyplot as plt

from selectron import Budget, OnlineClassifier
from selectron.askers import Fixed, Margin
from selectron.learners import LASEC
from selectron.streams import digits

quick = bool(os.environ.get("SELECTRON_QUICK"))
X, y = digits(passes=1 if quick else 5)
rates = [0.05, 0.1, 0.2, 0.4, 0.8]
seeds = range(2 if quick else 10)


def accuracy(asker):
    """Return the mean share of labels, and the mean accuracy."""
    runs = [OnlineClassifier(LASEC(), asker=asker, random_state=s).run(X, y) for s in seeds]
    return (
        sum(run.label_rate for run in runs) / len(runs),
        sum(run.accuracy for run in runs) / len(runs),
    )


fig, axes = plt.subplots(figsize=(6, 4), layout="constrained")
informed = [accuracy(Budget(rate=rate, asker=Margin(0.1))) for rate in rates]
blind = [accuracy(Fixed(rate)) for rate in rates]
axes.plot(*zip(*informed, strict=True), "o-", label="by the margin, within a budget")
axes.plot(*zip(*blind, strict=True), "s--", label="at random")
axes.set(xlabel="share of labels", ylabel="accuracy", xscale="log")
axes.set_xticks(rates, [f"{rate:.0%}" for rate in rates])
axes.minorticks_off()
axes.set_title("Asking by the margin, and at random")
axes.legend()
plt.show()
