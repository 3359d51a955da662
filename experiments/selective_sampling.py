"""Worst-case analysis of selective sampling (Cesa-Bianchi et al., NIPS 2004), Figure 3."""

from itertools import product
from typing import Any, NamedTuple

import numpy as np

from selectron.askers import Always, Budget, Fixed, Margin, SecondOrderMargin
from selectron.learners import LeadingHistory, Perceptron, SecondOrderPerceptron

from . import selective_sampling_view
from .findings import Findings, Play
from .selective_sampling_view import BEYOND
from .trials.selective_sampling import passed, topics

SECOND = 0.001, 0.003, 0.01, 0.03, 0.1  # b of the second-order margin
FIRST = 0.003, 0.01, 0.03, 0.1, 0.3  # b of the margin
SHARES = 0.03, 0.06, 0.12, 0.25, 0.5  # budgets of this project's own learner


class Size(NamedTuple):
    """How much is played: topics of each collection, the first stories (None: all), values of b."""

    topics: dict[str, int]
    n: int | None
    second: tuple[float, ...]
    first: tuple[float, ...]
    shares: tuple[float, ...]


FULL = Size({"rcv1": 50, "reuters": 10}, None, SECOND, FIRST, SHARES)
QUICK = Size({"rcv1": 4}, 1500, SECOND[1:4], FIRST[1:4], SHARES[1:4])


def run(play: Play, quick: bool) -> Findings:
    """Play the experiment."""
    size = QUICK if quick else FULL
    found = {data: _collection(play, data, size) for data in size.topics}
    return selective_sampling_view.findings(found, size)


def _collection(play: Play, data: str, size: Size) -> dict[str, Any]:
    """Return the names of topics, and for each way and b what came of every topic."""
    [names] = play(topics, [{"data": data, "n": size.n, "most": size.topics[data]}], data)
    sop = SecondOrderPerceptron(a=1.0)
    ways: list[tuple[str, float, Any, Any]] = [("every label", 0.0, sop, Always())]
    ways += [("2nd order", b, sop, SecondOrderMargin(b)) for b in size.second]
    ways += [("1st order", b, Perceptron(), Margin(b)) for b in size.first]
    ways += [(BEYOND, share, LeadingHistory(), Budget(rate=share)) for share in size.shares]
    common = {"data": data, "n": size.n}
    calls = [
        {**common, "topic": topic, "learner": learner, "asker": asker}
        for (*_, learner, asker), topic in product(ways, names)
    ]
    results = iter(play(passed, calls, data))
    found = {(way, b): [next(results) for _ in names] for way, b, *_ in ways}
    rates = {
        b: [float(np.sum(r["asked"]) / np.sum(r["rows"])) for r in found["2nd order", b]]
        for b in size.second
    }
    calls = [
        {**common, "topic": topic, "learner": sop, "asker": Fixed(rate)}
        for b in size.second
        for topic, rate in zip(names, rates[b], strict=True)
    ]
    results = iter(play(passed, calls, f"{data}, fixed bias"))
    found |= {("fixed bias", b): [next(results) for _ in names] for b in size.second}
    return {"topics": names, "ways": found}
