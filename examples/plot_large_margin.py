"""
Steps of large-margin learners
==============================

One row is seen again and again, with the label +1, after the weights were learned from another
concept. Each learner steps until the margin is 1, at most 12 times; those that limit w also forget
the old weights, and ObjectiveRegularized stays below a margin of 1.
"""

import matplotlib.pyplot as plt
import numpy as np

from selectron.engine.round import Round
from selectron.learners import L2Constrained, ObjectiveRegularized, PassiveAggressive

x, start = np.array([0.8, 0.6]), np.array([-1.5, 1.0])
learners = [PassiveAggressive(C=0.3), ObjectiveRegularized(0.1, C=0.3), L2Constrained(beta=1.3)]

fig, axes = plt.subplots(figsize=(6, 5), layout="constrained")
for learner in learners:
    path = [start]
    # compiled functions have the variant "I" as the number 1
    parameters = learner._replace(variant=1) if hasattr(learner, "variant") else learner
    for k in range(12):
        w = path[-1]
        r = Round(m=w @ x, q=x @ x, y=1.0, k=float(k), ww=w @ w, note=0.0)
        if not type(learner).steps(parameters, r.m, r.y):
            break
        step = type(learner).step(parameters, r)
        path.append(step.keep * w + step.eta * x)
    axes.plot(
        *np.array(path).T, "o-", ms=4, label=f"{type(learner).__name__}, steps: {len(path) - 1}"
    )
line = np.array([-2.0, 2.0])
axes.plot(line, (1 - x[0] * line) / x[1], "k:", label="margin 1")
axes.plot(*start, "k*", ms=12, label="start")
axes.set(
    aspect="equal", xlim=(-2, 2), ylim=(-0.5, 2.2), xlabel="first weight", ylabel="second weight"
)
axes.set_title("Steps towards a margin of 1")
axes.legend()
plt.show()
