"""`python -m benchmarks.leading`: LeadingHistory within a budget, and without its ingredients."""

from collections.abc import Callable

import numpy as np

from selectron import OnlineClassifier
from selectron.askers import Budget, Fixed, Margin, Uncertainty
from selectron.learners import LASEC, BayesianPerceptron, LeadingHistory
from selectron.streams import digits, switching_gaussian

SEEDS = 5
RATES = (0.1, 0.2, 0.4, 1.0)
STREAMS: dict[str, Callable] = {
    "switching Gaussian": lambda seed: switching_gaussian(10_000, seed=seed),
    "Gaussian at rest": lambda seed: switching_gaussian(10_000, every=10_000, seed=seed),
    "digits, shifting": lambda seed: digits(seed=seed),
}
HISTORY = LeadingHistory()
VARIANTS = {
    "LeadingHistory": (HISTORY, {}),
    "no replays": (LeadingHistory(replays=0), {}),
    "no switches expected": (LeadingHistory(switches=0), {}),
    "nothing saved": (HISTORY, {"saved": 0}),
    "no doubt": (HISTORY, {"asker": Uncertainty(doubt=0)}),
    "rows at random": (HISTORY, {"asker": Fixed(1.0)}),
    "no audits": (HISTORY, {"audits": 0}),
    "BayesianPerceptron(s0=0.5)": (BayesianPerceptron(s0=0.5), {"asker": Margin(0.1)}),
    "LASEC(b=1, c=1000)": (LASEC(), {"asker": Margin(0.1)}),
}


def accuracy(make: Callable, learner: object, rate: float, options: dict) -> float:
    """Return the mean accuracy over whole streams."""
    found = []
    for seed in range(SEEDS):
        clf = OnlineClassifier(
            learner, asker=Budget(rate, **options), fit_intercept=False, random_state=seed
        )
        found.append(clf.run(*make(seed), margins=False).accuracy)
    return float(np.mean(found))


def main() -> None:
    """Print a table a stream."""
    for stream, make in STREAMS.items():
        print(f"| {stream} | {' | '.join(f'{rate:.0%}' for rate in RATES)} |")
        print("|---|" + "---|" * len(RATES))
        for name, (learner, options) in VARIANTS.items():
            row = [f"{accuracy(make, learner, rate, options):.3f}" for rate in RATES]
            print(f"| {name} | {' | '.join(row)} |", flush=True)
        print()


if __name__ == "__main__":
    main()
