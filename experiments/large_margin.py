"""Large-margin learners (Shen & Dietterich, SDM 2009), Figures 1, 3 and 4: what is played."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from selectron.evaluate.sweep import grid
from selectron.learners import (
    NORMA,
    BayesianPerceptron,
    L1Constrained,
    L2Constrained,
    LeadingHistory,
    ObjectiveRegularized,
    PassiveAggressive,
)

from . import large_margin_view
from .findings import Findings, Play
from .large_margin_claims import BEYOND
from .trials.large_margin import lean, passed, pictures, selected, weights

WAYS = {  # what each parameter is chosen from
    "objective": grid(ObjectiveRegularized, alpha=(1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1)),
    "L2": grid(L2Constrained, beta=(0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 5.0)),
    "L1": grid(L1Constrained, beta=(5.0, 10.0, 20.0, 40.0, 80.0, 160.0)),
    "PA": [PassiveAggressive()],
    "NORMA": grid(NORMA, eta=(0.01, 0.1), lam=(0.001, 0.01, 0.1)),
    "Bayesian": grid(BayesianPerceptron, s0=(0.3, 1.0, 3.0)),
    BEYOND: [LeadingHistory()],
}
REGULARIZED = "objective", "L2", "L1"
SIGMAS = {
    "usps": [0.0, 0.1, 0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0],
    "newsgroups": [0.0, 2.0, 5.0, 10.0, 16.0, 24.0, 32.0, 48.0, 64.0, 80.0, 96.0],
}
SIZES = {"usps": [8, 16, 32, 64, 128, 192], "newsgroups": [50, 150, 500, 1500, 4000]}
EVERY = {"information gain": 100, "game": 250}  # rounds between two selections


class Size(NamedTuple):
    """How much is played: sets, trials, rounds of a phase (None: the paper's), and of Figure 3."""

    data: Sequence[str]
    trials: int
    n: int | None
    selected: Sequence[str]
    selections: int
    sizes: int


FULL = Size(("usps", "newsgroups", "rcv1"), 40, None, ("usps", "newsgroups"), 10, 6)
QUICK = Size(("usps",), 3, 100, ("usps",), 1, 2)


def run(play: Play, quick: bool) -> Findings:
    """Play the experiment."""
    size = QUICK if quick else FULL
    errors = {data: _errors(play, data, size) for data in size.data}
    features = {data: _features(play, data, size) for data in size.selected}
    some = {name: WAYS[name] for name in ("PA", "L2", "L1")}
    images = play(weights, [{"data": "usps", "seed": 0, "ways": some}], "images")[0]
    return large_margin_view.findings(
        errors, features, images, play(pictures, [{}], "images")[0], WAYS, size
    )


def _errors(play: Play, data: str, size: Size) -> dict[str, list[dict]]:
    """Return the passes of Figure 1 over one set."""
    calls = [
        {"data": data, "seed": seed, "learners": learners, "n": size.n}
        | {"kernel": "linear" if name == "Bayesian" and data != "usps" else None}
        for name, learners in WAYS.items()
        for seed in range(size.trials)
    ]
    results = iter(play(passed, calls, f"{data}, figure 1"))
    return {name: [next(results) for _ in range(size.trials)] for name in WAYS}


def _features(play: Play, data: str, size: Size) -> Mapping[str, list[list[dict]]]:
    """Return for each way of selection what came of it: by trial, then by how much is left out."""
    seeds = range(size.selections)
    calls = [
        {"data": data, "seed": seed, "learners": WAYS[name], "sigmas": SIGMAS[data], "n": size.n}
        for name, seed in product(REGULARIZED, seeds)
    ]
    results = play(lean, calls, f"{data}, figure 3")
    others = ["information gain", *(["game"] if data == "usps" else [])]
    choices: list[dict[str, Any]] = [
        {"data": data, "seed": seed, "way": way, "every": EVERY[way], "n": size.n}
        | {"sizes": SIZES[data][: size.sizes]}
        for way, seed in product(others, seeds)
    ]
    found = iter([*results, *play(selected, choices, f"{data}, figure 3")])
    return {name: [next(found) for _ in seeds] for name in (*REGULARIZED, *others)}
