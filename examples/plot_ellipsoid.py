"""
An ellipse of possible classifiers
==================================

CELLIP keeps an ellipsoid that holds every classifier with the margin. Each mistake cuts it, and the
smaller ellipsoid around what is left is the next one. The step is the learner's own; the vectors
are two-dimensional, so that the ellipse can be drawn.
"""

import matplotlib.pyplot as plt
import numpy as np

from selectron.engine.round import Round, mistake
from selectron.learners import CELLIP

random = np.random.default_rng(4)
u = np.array([0.6, 0.8])  # the best classifier
learner = CELLIP(gamma=0.05, a=0.5, rho=1 / 3)
w, P = np.zeros(2), learner.shape().scale * np.eye(2)
kept = [(w, P)]
for _ in range(2000):
    x = random.normal(size=2)
    x /= np.linalg.norm(x)
    y = float(np.sign(u @ x))
    if abs(u @ x) < learner.gamma or not mistake(w @ x, y):
        continue
    g = P @ x
    r = Round(m=w @ x, q=x @ g, y=y, k=float(len(kept) - 1), ww=w @ w, note=0.0)
    step = learner.step(r)
    w, P = w + step.eta * g, step.mu * P - step.nu * np.outer(g, g)
    kept.append((w, P))
    if len(kept) == 8:
        break

circle = np.stack([np.cos(a := np.linspace(0, 2 * np.pi, 200)), np.sin(a)])
fig, axes = plt.subplots(figsize=(7, 5), layout="constrained")
for i, (centre, shape) in enumerate(kept):
    ellipse = centre[:, None] + np.linalg.cholesky(shape) @ circle
    axes.plot(*ellipse, color=plt.cm.viridis(i / len(kept)), label=f"after {i} mistakes")
axes.plot(*u, "k*", markersize=12, label="the best classifier")
axes.set(aspect="equal", xlabel="w, first weight", ylabel="w, second weight")
axes.set_title("Each mistake makes the ellipse smaller")
fig.legend(loc="outside right upper")
plt.show()
