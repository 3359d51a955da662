"""`python -m benchmarks.demonstration`: the best parameters and asker of each rival on the digits.

The streams are that of `selectron run` and those of other seeds; all may ask for a tenth of the
labels. Parameters and askers are chosen in hindsight, by the mean over all seeds.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from selectron import Budget, OnlineClassifier
from selectron.askers import Fixed, Margin
from selectron.evaluate.sweep import grid
from selectron.learners import (
    AROW,
    LASEC,
    RLS,
    BayesianPerceptron,
    L2Constrained,
    LeadingHistory,
    ObjectiveRegularized,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    ShiftingPerceptron,
)
from selectron.specs import spec_of
from selectron.streams import digits

SEEDS = range(10)
ASKERS = Fixed(0.1), Margin(0.01), Margin(0.1), Margin(1.0)
TENFOLD = [0.01, 0.1, 1.0, 10.0]
RIVALS: list[list[Any]] = [
    grid(LASEC, b=TENFOLD[1:], c=[30.0, 100.0, 300.0, 1000.0]),
    grid(SecondOrderPerceptron, a=[*TENFOLD, 100.0]),
    grid(RLS, a=TENFOLD),
    grid(AROW, r=TENFOLD),
    grid(BayesianPerceptron, s0=TENFOLD),
    [PassiveAggressive(), *grid(PassiveAggressive, C=TENFOLD)],
    grid(ObjectiveRegularized, alpha=[0.001, 0.01, 0.1], C=[0.1, 1.0, 10.0]),
    grid(L2Constrained, beta=[0.3, 1.0, 3.0, 10.0]),
    grid(ShiftingPerceptron, lam=[0.001, 0.01, 0.1]),
    [Perceptron()],
]


def accuracies(learner: Any, asker: Any, streams: Sequence[tuple]) -> list[float]:
    """Return the accuracy on each stream."""
    return [
        OnlineClassifier(learner, asker, random_state=seed).run(X, y).accuracy
        for seed, (X, y) in enumerate(streams)
    ]


def main() -> None:
    """Print the best setting of every learner, and the best of all on the stream of seed 0."""
    streams = [digits(seed=seed) for seed in SEEDS]
    print(f"| learner | asker | seed 0 | mean of {len(streams)} seeds |\n|---|---|---|---|")
    found = accuracies(LeadingHistory(), Budget(0.1), streams)
    print(f"| leading-history | uncertainty | {found[0]:.3f} | {np.mean(found):.3f} |")
    tried: dict[tuple[str, str], list[float]] = {}
    for learners in RIVALS:
        own = {
            (spec_of(learner), spec_of(asker)): accuracies(
                learner, Budget(0.1, asker=asker), streams
            )
            for learner, asker in product(learners, ASKERS)
        }
        names, found = max(own.items(), key=lambda item: float(np.mean(item[1])))
        print(f"| {' | '.join(names)} | {found[0]:.3f} | {np.mean(found):.3f} |", flush=True)
        tried |= own
    names, found = max(tried.items(), key=lambda item: item[1][0])
    best = f"{' under '.join(names)}, {found[0]:.3f}"
    print(f"\nThe best of {len(tried)} settings of rivals on seed 0: {best}")


if __name__ == "__main__":
    main()
