"""
Answers that come late
======================

The person answers some rows later. The model decides in the meantime with what it has learned; the
tickets keep the rows. The concept switches every 500 rows, and the model follows later, the later
the answers come.
"""

import os
from collections import deque

import matplotlib.pyplot as plt
import numpy as np

from selectron import OnlineClassifier
from selectron.askers import Margin
from selectron.learners import LASEC
from selectron.streams import switching_gaussian

n = 1200 if os.environ.get("SELECTRON_QUICK") else 3000
X, y = switching_gaussian(n, d=10, seed=2)

fig, axes = plt.subplots(figsize=(9, 4), layout="constrained")
for delay in 0, 100, 400:
    clf = OnlineClassifier(LASEC(c=100.0), asker=Margin(0.3), classes=[-1, 1], random_state=0)
    waiting, right = deque(), []
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        decision = clf.decide(x)
        right.append(decision.label == label)
        if decision.ask:
            waiting.append((t + delay, decision.ticket, label))
        while waiting and waiting[0][0] <= t:
            _, ticket, answer = waiting.popleft()
            clf.tell(ticket, answer)
    recent = np.convolve(right, np.ones(150) / 150, mode="valid")
    label = f"after {delay} rows: {np.mean(right):.0%} right"
    axes.plot(np.arange(150, n + 1), recent, label=label)
axes.set(xlabel="row", ylabel="accuracy of the last 150 rows")
axes.set_title("The later the answers, the later the model follows")
fig.legend(title="answers come", loc="outside right upper")
plt.show()
