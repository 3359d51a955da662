"""LASEC (Moroshko & Crammer, AISTATS 2014), Figure 2: what is played, and with which parameters."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from selectron.askers import BBQ, BBQI, Always, Budget, Margin, SecondOrderMargin
from selectron.learners import (
    LASEC,
    RLS,
    BudgetPerceptron,
    LeadingHistory,
    ModifiedPerceptron,
    Perceptron,
    SecondOrderPerceptron,
    ShiftingPerceptron,
)

from . import lasec_view
from .findings import Findings, Play
from .trials.lasec import passed

EVERY = 500
DATA = "gaussian", "usps"
LAMBDAS = 1.0, 2.0, 5.0, 10.0, 30.0, 100.0  # of Shifting; 1 is the Perceptron
SHOWN = 0.1, 0.4  # the shares of labels of panels b and e
FIXED = {  # what the paper sets: lambda of Shifting, budget
    "gaussian": (ShiftingPerceptron(lam=0.01), BudgetPerceptron(budget=500)),
    "usps": (ShiftingPerceptron(lam=0.0001), BudgetPerceptron(budget=1000)),
}


class Size(NamedTuple):
    """How much is played: rows, repetitions, draws to tune on, and how fine the grids are."""

    rows: Mapping[str, int]
    draws: int
    tuning: int
    priors: Sequence[float]  # b of LASEC
    ridges: Sequence[float]  # a of SOP
    memories: Sequence[float]  # c / b of LASEC
    askers: int  # values of an asker's parameter
    shares: Sequence[float]  # of labels, which the askers are tuned to meet


FULL = Size(
    rows={"gaussian": 10_000, "usps": 9298},
    draws=50,
    tuning=2,
    priors=(0.1, 1.0, 10.0, 100.0),
    ridges=(0.1, 1.0, 10.0, 100.0, 1000.0),
    memories=(10.0, 100.0, 1000.0, 10_000.0),
    askers=16,
    shares=(0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8),
)
QUICK = Size(
    rows={"gaussian": 2000, "usps": 1500},
    draws=3,
    tuning=1,
    priors=(10.0,),
    ridges=(10.0,),
    memories=(100.0, 1000.0),
    askers=5,
    shares=(0.1, 0.4, 0.6),
)


class Way(NamedTuple):
    """A learner under an asker whose one parameter sets the share of labels."""

    learner: Any
    asker: Any  # its class
    values: np.ndarray


def run(play: Play, quick: bool) -> Findings:
    """Play the experiment."""
    size = QUICK if quick else FULL
    supervised = {data: _supervised(play, data, size) for data in DATA}
    selective = {data: _selective(play, data, size) for data in DATA}
    return lasec_view.findings(supervised, selective, size, EVERY, SHOWN)


def _call(data: str, size: Size, seed: int, learner: Any, asker: Any, **more: Any) -> dict:
    common = {"data": data, "n": size.rows[data], "every": EVERY, "seed": seed}
    return {**common, "learner": learner, "asker": asker, **more}


def _tuning_seeds(size: Size) -> range:
    """Return the seeds of the draws that parameters are tuned on: apart from the repetitions'."""
    return range(1000, 1000 + size.tuning)


# Every label


def _supervised(play: Play, data: str, size: Size) -> dict[str, tuple[Any, list[dict]]]:
    """Return each learner with its parameters, and its passes over every draw."""
    shifting = [ShiftingPerceptron(lam) for lam in LAMBDAS]
    learners = {
        "LASEC": _best(play, data, size, _lasecs(size)),
        "SOP": _best(play, data, size, [SecondOrderPerceptron(a) for a in size.ridges]),
        "Perceptron": Perceptron(),
        "Shifting": _best(play, data, size, shifting),
        lasec_view.ASIDE: FIXED[data][0],
        "Modified": ModifiedPerceptron(),
        "Budget": FIXED[data][1],
        lasec_view.BEYOND: LeadingHistory(),
    }
    calls = [
        _call(data, size, seed, learner, Always(), curve=True)
        for learner, seed in product(learners.values(), range(size.draws))
    ]
    results = iter(play(passed, calls, f"{data}, every label"))
    return {
        name: (learner, [next(results) for _ in range(size.draws)])
        for name, learner in learners.items()
    }


def _lasecs(size: Size) -> list[Any]:
    return [LASEC(b, b * ratio) for b, ratio in product(size.priors, size.memories)]


def _best(play: Play, data: str, size: Size, learners: list[Any]) -> Any:
    """Return the learner that is right most often on the draws to tune on."""
    seeds = _tuning_seeds(size)
    calls = [_call(data, size, seed, one, Always()) for one, seed in product(learners, seeds)]
    results = play(passed, calls, f"{data}, tuning")
    accuracy = np.reshape([result["accuracy"] for result in results], (len(learners), -1))
    return learners[int(accuracy.mean(axis=1).argmax())]


# Few labels


def _selective(
    play: Play, data: str, size: Size
) -> dict[str, dict[float, tuple[Any, Any, list[dict]]]]:
    """Return for each way and share of labels the learner, the asker and their passes."""
    tuned = {
        (name, share): parts
        for name, ways in _ways(size).items()
        for share, parts in _tuned(play, data, size, ways).items()
    }
    for share in size.shares:
        tuned[lasec_view.BEYOND, share] = LeadingHistory(), Budget(rate=share)
    calls = [
        _call(data, size, seed, *parts, curve=data == "gaussian" and share in SHOWN)
        for (_, share), parts in tuned.items()
        for seed in range(size.draws)
    ]
    results = iter(play(passed, calls, f"{data}, few labels"))
    found: dict[str, dict[float, tuple[Any, Any, list[dict]]]] = {}
    for (name, share), parts in tuned.items():
        found.setdefault(name, {})[share] = (*parts, [next(results) for _ in range(size.draws)])
    return found


def _ways(size: Size) -> dict[str, list[Way]]:
    """Return the rivals, each with what its parameters are chosen from."""
    doubts = np.geomspace(1e-4, 100, size.askers)
    kappas = np.linspace(0.02, 1, 2 * size.askers)
    sops = [SecondOrderPerceptron(a) for a in size.ridges]
    both = [Way(sop, kind, doubts) for sop in sops for kind in (SecondOrderMargin, Margin)]
    return {
        "LASEC-SS": [Way(lasec, Margin, doubts) for lasec in _lasecs(size)],
        "SOP-SS": both,
        "Perceptron-SS": [Way(Perceptron(), Margin, doubts)],
        "BBQ": [Way(RLS(a=1.0), BBQ, kappas)],  # as in its paper; a large a would wait for long
        "BBQ-I": [Way(RLS(a=1.0), BBQI, kappas)],
    }


def _tuned(play: Play, data: str, size: Size, ways: Sequence[Way]) -> dict[float, tuple[Any, Any]]:
    """Return for each share of labels the best learner, and the asker that asks for so many.

    A share that no parameters come to is left out, unless a panel shows it over time.
    """
    seeds = _tuning_seeds(size)
    calls = [
        _call(data, size, seed, way.learner, way.asker(float(value)))
        for way in ways
        for value in way.values
        for seed in seeds
    ]
    results = play(passed, calls, f"{data}, tuning")
    shape = len(ways), -1, len(seeds)
    rates, accuracies = (
        np.reshape([result[name] for result in results], shape).mean(axis=2)
        for name in ("rate", "accuracy")
    )
    found = {}
    for share in size.shares:
        offers = [
            (curve[0].min() <= share <= curve[0].max(), *meeting(share, way.values, *curve), way)
            for way, *curve in zip(ways, rates, accuracies, strict=True)
        ]
        reached, _, value, way = max(offers, key=lambda offer: offer[:2])
        if reached or share in SHOWN:
            found[share] = way.learner, way.asker(value)
    return found


def meeting(
    share: float, values: np.ndarray, rates: np.ndarray, accuracies: np.ndarray
) -> tuple[float, float]:
    """Return the accuracy and the asker's parameter at a share of labels, between those played.

    Where the share lies outside of what was played, the nearest end is taken.

    >>> meeting(0.3, np.array([1.0, 4.0]), np.array([0.2, 0.4]), np.array([0.6, 0.7]))
    (0.65, 2.0)
    """
    rising = np.maximum.accumulate(rates)  # draws make it dent by a hair
    value = np.exp(np.interp(share, rising, np.log(values)))
    return round(float(np.interp(share, rising, accuracies)), 12), float(f"{value:.4g}")
