"""`python -m benchmarks.leading [STREAM ...]`: LeadingHistory and its ablations.

USPS and Elec2 are played if `SELECTRON_DATA` names their folder.
"""

import math
import os
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from itertools import product
from multiprocessing import get_context
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from experiments import datasets

from benchmarks import sets
from selectron import OnlineClassifier
from selectron.askers import Budget, Fixed, Margin, Uncertainty
from selectron.engine.loop import Worth
from selectron.evaluate.each import each
from selectron.learners import LASEC, BayesianPerceptron, LeadingHistory
from selectron.streams import digits, switching_gaussian

RATES = 0.1, 0.2, 0.4, 1.0
SEEDS, FEWER = 10, 3  # of LeadingHistory, and of the other variants
WORKERS = 2


def usps(seed: int, least: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return USPS in random order; other digits are positive every 500 rows, 1 to 9 of them.

    With another `least`, from `least` to 10 - `least` of them.
    """
    random, data = np.random.default_rng(seed), datasets.usps()
    order = random.permutation(len(data.y))
    y = np.empty(len(order), int)
    for start in range(0, len(order), 500):
        part = slice(start, start + 500)
        positive = random.choice(data.classes, random.integers(least, 11 - least), replace=False)
        y[part] = np.where(np.isin(data.y[order[part]], positive), 1, -1)
    return data.X[order], y


def irregular(seed: int, n: int = 10_000, d: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """Return the switching Gaussian with switches at any time: one every 500 rows on average."""
    random = np.random.default_rng(seed)
    concept = np.cumsum(random.random(n) < 1 / 500)
    X, targets = random.standard_normal((n, d)), random.standard_normal((concept[-1] + 1, d))
    return X, np.where(np.einsum("td,td->t", X, targets[concept]) >= 0, 1, -1)


def drifting(seed: int, n: int = 10_000, d: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Return a Gaussian whose concept takes a random step of a hundredth in every row."""
    random = np.random.default_rng(seed)
    X, start = random.standard_normal((n, d)), random.standard_normal(d)
    targets = start + np.cumsum(0.01 * random.standard_normal((n, d)), axis=0)
    return X, np.where((X * targets).sum(axis=1) >= 0, 1, -1)


def sized(seed: int, n: int = 2000, d: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Return a stationary Gaussian whose features have scales from a thousandth to a thousand."""
    random = np.random.default_rng(seed)
    X, target = random.standard_normal((n, d)), random.standard_normal(d)
    return X * 10.0 ** random.uniform(-3, 3, d), np.where(X @ target >= 0, 1, -1)


def elec2(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Elec2, which has one order only."""
    data = sets.electricity()
    return data.X, data.y


STREAMS: dict[str, Callable] = {
    "switching Gaussian": lambda seed: switching_gaussian(10_000, seed=seed),
    "Gaussian, irregular switches": irregular,
    "Gaussian, drifting": drifting,
    "stationary Gaussian": lambda seed: switching_gaussian(10_000, every=10_000, seed=seed),
    "Gaussian of all scales": sized,
    "digits, shifting": lambda seed: digits(seed=seed),
}
if "SELECTRON_DATA" in os.environ:
    STREAMS["USPS, shifting"], STREAMS["Elec2"] = usps, elec2
    STREAMS["USPS, shifting, 0 to 10"] = partial(usps, least=0)
SWITCHING = {name for name in STREAMS if name == "switching Gaussian" or "shifting" in name}


class Variant(NamedTuple):
    """A learner, its budget's options, and constants that replace those of its modules.

    With a `horizon`, the budget is a number of labels, not a rate. With `known_switches`, the
    learner restarts at every switch, with a share of the labels for each concept.
    """

    learner: Any = LeadingHistory()
    budget: Mapping[str, Any] = MappingProxyType({})
    constants: Mapping[str, Any] = MappingProxyType({})
    horizon: bool = False
    known_switches: bool = False


def every_row(self: Any, r: float, q: float, t: float) -> float:
    """Return the utility of a row without the discount; replaces `Uncertainty.surprise`."""
    return max(0.0, 1.0 - abs(r)) ** 1.5 + self.doubt * q


VARIANTS = {
    "LeadingHistory": Variant(),
    "first 3 seeds only": Variant(),
    "no replays": Variant(LeadingHistory(replays=0)),
    "no switches expected": Variant(LeadingHistory(switches=0)),
    "no archive": Variant(
        constants={"history.posterior.ARCHIVE_PART": 0.0, "history.experts.RETURNING": 2.0}
    ),
    "one prior": Variant(constants={"history.renewal.POWERS": (("scaled", 1),) * 4}),
    "no forgetting expert": Variant(constants={"history.experts.FORGETTING_ROUNDS": math.inf}),
    "forgetting over 1,000 rows": Variant(constants={"history.experts.FORGETTING_ROUNDS": 1000.0}),
    "disagreement not discounted": Variant(
        constants={"askers.uncertainty.Uncertainty.news": Worth.news}
    ),
    "no wrong labels": Variant(
        constants={"history.posterior.LABEL_NOISE": 1e-6, "history.posterior.NOISE_MEMORY": 1.0}
    ),
    "no bursts": Variant(budget={"saved": 0}),
    "no labels in advance": Variant(constants={"askers.budget.START": 1.0}),
    "bursts by utility": Variant(constants={"askers.uncertainty.Uncertainty.surprise": every_row}),
    "with a horizon": Variant(horizon=True),
    "no disagreement term": Variant(budget={"asker": Uncertainty(doubt=0)}),
    "random rows": Variant(budget={"asker": Fixed(1.0)}),
    "no audits": Variant(budget={"audits": 0}),
    "BayesianPerceptron(s0=0.5)": Variant(BayesianPerceptron(s0=0.5), {"asker": Margin(0.1)}),
    "LASEC(b=1, c=1000)": Variant(LASEC(), {"asker": Margin(0.1)}),
    "given the switches": Variant(LeadingHistory(switches=0), horizon=True, known_switches=True),
}


def changed(constants: dict[str, Any]) -> None:
    """Set constants of modules, by their paths, before code that uses them is compiled."""
    for path, value in constants.items():
        *parents, name = path.split(".")
        place: Any = import_module(".".join(["selectron", *parents[:2]]))
        for parent in parents[2:]:
            place = getattr(place, parent)
        setattr(place, name, value)


def passed(stream: str, variant: str, rate: float, seed: int) -> tuple[float, float]:
    """Play one pass; return the rate of labels and the accuracy."""
    X, y = STREAMS[stream](seed)
    learner, options, _, horizon, known_switches = VARIANTS[variant]
    intercept, asked, right, n = stream == "Elec2", 0, 0, len(y)
    for part in np.split(np.arange(n), range(500, n, 500) if known_switches else []):
        labels = {"labels": int(rate * len(part)), "horizon": len(part)}
        asker = Budget(**(labels if horizon else {"rate": rate}), **options)
        clf = OnlineClassifier(learner, asker=asker, fit_intercept=intercept, random_state=seed)
        run = clf.run(X[part], y[part], margins=False)
        asked, right = asked + run.label_rate * len(part), right + run.accuracy * len(part)
    return asked / n, right / n


def row(stream: str, variant: str) -> list[str]:
    """Return mean accuracies at all rates; the first variant's with their standard errors."""
    first = variant == next(iter(VARIANTS))
    seeds = range(SEEDS if first else FEWER)
    calls = [
        {"stream": stream, "variant": variant, "rate": rate, "seed": seed}
        for rate, seed in product(RATES, seeds)
    ]
    setting = {"initializer": changed, "initargs": (dict(VARIANTS[variant].constants),)}
    with ProcessPoolExecutor(WORKERS, get_context("spawn"), **setting) as executor:
        found = np.array(each(passed, calls, executor=executor)).reshape(len(RATES), -1, 2)
    means, errors = found.mean(axis=1), found.std(axis=1, ddof=1) / np.sqrt(len(seeds))
    return [
        f"{mean[1]:.3f} ± {error[1]:.3f} (asked {mean[0]:.3f})" if first else f"{mean[1]:.3f}"
        for mean, error in zip(means, errors, strict=True)
    ]


def main() -> None:
    """Print a table per stream."""
    for stream in sys.argv[1:] or STREAMS:
        print(f"| {stream} | {' | '.join(f'{rate:.0%}' for rate in RATES)} |")
        print("|---|" + "---|" * len(RATES))
        for variant in VARIANTS:
            if VARIANTS[variant].known_switches and stream not in SWITCHING:
                continue
            print(f"| {variant} | {' | '.join(row(stream, variant))} |", flush=True)
        print()


if __name__ == "__main__":
    main()
