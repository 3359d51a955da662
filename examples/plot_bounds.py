"""
A theorem and a run
===================

The bound of LASEC's theorem 2 on the number of mistakes, for the parameter c, next to the mistakes
that it makes. The comparator is found in hindsight, and does not move: a large c is best for it. A
bound holds for every stream, and is not tight on this one.
"""

import matplotlib.pyplot as plt

from selectron import OnlineClassifier
from selectron.bounds import comparator, seen
from selectron.bounds.lasec import theorem_2
from selectron.learners import LASEC
from selectron.streams import switching_gaussian

X, y = switching_gaussian(500, d=10, seed=0)
cs = [2.0, 5.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 10_000.0]
mistakes, bounds = [], []
rows = seen(X, False, False)
u = comparator(rows, y)[0]
for c in cs:
    run = OnlineClassifier(LASEC(b=1.0, c=c), fit_intercept=False).run(X, y)
    mistakes.append(run.mistakes)
    bounds.append(theorem_2(run, rows, u, b=1.0, c=c))

fig, axes = plt.subplots(figsize=(6, 4), layout="constrained")
axes.plot(cs, bounds, "o-", label="bound")
axes.plot(cs, mistakes, "s-", label="mistakes")
axes.set(xlabel="c: the larger, the less it forgets", ylabel="of 500 rows", xscale="log", ylim=0)
axes.set_title("LASEC stays below its bound")
axes.legend()
plt.show()
