"""
When askers ask
===============

The probability of asking for a label, against the margin. Each asker is a pure function of the
margin score r, the quadratic form q and the round t.
"""

import matplotlib.pyplot as plt
import numpy as np

from selectron.askers import Always, Fixed, Margin, SecondOrderMargin

margins = np.linspace(-2, 2, 201)
askers = [Always(), Fixed(0.2), Margin(0.1), Margin(0.5), SecondOrderMargin(0.5)]

fig, axes = plt.subplots(figsize=(9, 4), layout="constrained")
for asker in askers:
    chance = [asker.probability(r, 1.0, 1.0) for r in margins]
    axes.plot(margins, chance, label=repr(asker))
axes.set(xlabel="margin score r", ylabel="probability of asking", ylim=(0, 1.05))
axes.set_title("The smaller the margin, the more labels are asked for")
fig.legend(loc="outside right upper")
plt.show()
