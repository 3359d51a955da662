"""LASEC (Moroshko & Crammer, AISTATS 2014), Figure 2."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from types import SimpleNamespace as Size
from typing import Any

import numpy as np

from selectron import askers, learners
from selectron.askers import Always, Budget, Margin
from selectron.evaluate.sweep import grid
from selectron.learners import LASEC, RLS, LeadingHistory, Perceptron, ShiftingPerceptron
from selectron.specs import spec_of

from . import drawing
from .findings import BEYOND, Findings, setting, table
from .lasec_claims import ASIDE, EVERY, SHOWN, STATIONARY, Passes, claims
from .trials import Play, crossed, seeds
from .trials.lasec import passed

DATA = {"gaussian": "switching Gaussian", "usps": "USPS, shifting classes"}
LAMBDAS = 1.0, 2.0, 5.0, 10.0, 30.0, 100.0  # of Shifting; 1 is the Perceptron
FIXED = {  # the paper's parameters: lambda of Shifting, budget
    "gaussian": (ShiftingPerceptron(lam=0.01), learners.BudgetPerceptron(budget=500)),
    "usps": (ShiftingPerceptron(lam=0.0001), learners.BudgetPerceptron(budget=1000)),
}
LOOKS = 0, 1, 2, 12, 10, 6  # of the ways with few labels: one style per learner
Key = tuple[str, str, float]  # stream, way, share of labels
Parts = dict[Key, tuple[Any, Any]]  # learner and asker
Way = tuple[Any, Callable, np.ndarray]  # a learner, its asker's class, and values of its parameter
SHARES = 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8
POWERS = 0.1, 1.0, 10.0, 100.0, 1000.0, 10_000.0
SOPS = grid(learners.SecondOrderPerceptron, a=POWERS[:5])
FULL = Size(
    rows={"gaussian": 10_000, "usps": 9298},
    draws=50,
    tuning=2,  # draws for it
    lasecs=[LASEC(b, b * ratio) for b, ratio in product(POWERS[:4], POWERS[2:])],
    sops=SOPS,
    askers=16,  # values of an asker's parameter
    shares=SHARES,  # of labels, which the askers are tuned to meet
    left_out=(),  # learners with every label
)
QUICK = Size(
    rows={"gaussian": 1500, "usps": 1000},
    draws=2,
    tuning=1,
    lasecs=[LASEC(10.0, 1000.0)],
    sops=SOPS[2:3],
    askers=5,
    shares=(0.1, 0.4),
    left_out=("Modified", "Budget", BEYOND),
)


def run(play: Play, size: Size) -> Findings:
    """Run the experiment."""
    shares = {**dict.fromkeys(DATA, size.shares), STATIONARY: SHOWN}
    parts: Parts = {}
    for data in DATA:
        parts |= _supervised(play, data, size)
    for data, some in shares.items():
        parts |= _selective(play, data, size, some)
    ways = {key: _way(key[0], size, *pair) for key, pair in parts.items()}
    passes = Passes(crossed(play, passed, ways, seeds(size.draws), "passes"), size.rows)
    used = {key: {"learner": spec_of(p), "asker": spec_of(a)} for key, (p, a) in parts.items()}
    return Findings(
        setting("lasec", size=size, every=EVERY),
        claims(passes, size.shares),
        {
            "parameters": table(used, "data way share"),
            "passes": table(passes.results, "data way share", "draw"),
        },
        {"figure-2": _figure(passes)},
    )


def _way(data: str, size: Size, learner: Any, asker: Any) -> dict[str, Any]:
    """Return the arguments for a learner with an asker on a stream."""
    parts = {"learner": learner, "asker": asker}
    if data == STATIONARY:
        return _way("gaussian", size, **parts) | {"every": size.rows["gaussian"]}
    return {"data": data, "n": size.rows[data], "every": EVERY, **parts}


def _tuning(play: Play, data: str, size: Size, pairs: Sequence[tuple[Any, Any]]) -> np.ndarray:
    """Return the mean rates and accuracies of learners with askers, (2, n), on draws for tuning."""
    ways = {i: _way(data, size, *pair) for i, pair in enumerate(pairs)}
    draws = [{"seed": 1000 + i} for i in range(size.tuning)]  # repetitions have other seeds
    results = crossed(play, passed, ways, draws, f"{data}, tuning")
    found = [[[one["rate"], one["accuracy"]] for one in group] for group in results.values()]
    return np.mean(found, axis=1).T


def _supervised(play: Play, data: str, size: Size) -> Parts:
    """Return the learners with every label, with tuned parameters."""

    def best(some: Sequence[Any]) -> Any:
        _, accuracies = _tuning(play, data, size, [(learner, Always()) for learner in some])
        return some[int(accuracies.argmax())]

    found = {
        "LASEC": best(size.lasecs),
        "SOP": best(size.sops),
        "Perceptron": Perceptron(),
        "Shifting": best([ShiftingPerceptron(lam) for lam in LAMBDAS]),
        ASIDE: FIXED[data][0],
        "Modified": learners.ModifiedPerceptron(),
        "Budget": FIXED[data][1],
        BEYOND: LeadingHistory(),
    }
    return {
        (data, name, 1.0): (learner, Always())
        for name, learner in found.items()
        if name not in size.left_out
    }


def _selective(play: Play, data: str, size: Size, shares: Sequence[float]) -> Parts:
    """Return the learner and the asker of each way at each share of labels."""
    doubts = np.geomspace(1e-4, 100, size.askers)
    kappas = np.linspace(0.02, 1, 2 * size.askers)
    both = askers.SecondOrderMargin, Margin
    rivals: dict[str, list[Way]] = {  # each with the candidates for its parameters
        "LASEC-SS": [(lasec, Margin, doubts) for lasec in size.lasecs],
        "SOP-SS": [(sop, asker, doubts) for sop, asker in product(size.sops, both)],
        "Perceptron-SS": [(Perceptron(), Margin, doubts)],
        "BBQ": [(RLS(a=1.0), askers.BBQ, kappas)],  # a as in its paper; a large a asks too late
        "BBQ-I": [(RLS(a=1.0), askers.BBQI, kappas)],
    }
    found = {
        (data, name, share): pair
        for name, ways in rivals.items()
        for share, pair in _tuned(play, data, size, shares, ways).items()
    }
    return found | {(data, BEYOND, s): (LeadingHistory(), Budget(rate=s)) for s in shares}


def _tuned(
    play: Play, data: str, size: Size, shares: Sequence[float], ways: Sequence[Way]
) -> dict[float, tuple[Any, Any]]:
    """Return for each share of labels the best learner, with the asker that meets the share.

    A share that no parameters reach is omitted, unless a panel shows it over time.
    """
    pairs = [(learner, kind(float(v))) for learner, kind, values in ways for v in values]
    rates, accuracies = _tuning(play, data, size, pairs).reshape(2, len(ways), -1)
    found = {}
    for share in shares:
        offers = [
            (rate.min() <= share <= rate.max(), *meeting(share, values, rate, accuracy), *pair)
            for (*pair, values), rate, accuracy in zip(ways, rates, accuracies, strict=True)
        ]
        reached, _, value, learner, kind = max(offers, key=lambda offer: offer[:2])
        if reached or share in SHOWN:
            found[share] = learner, kind(value)
    return found


def meeting(
    share: float, values: np.ndarray, rates: np.ndarray, accuracies: np.ndarray
) -> tuple[float, float]:
    """Return the accuracy and the asker's parameter at a share of labels, by interpolation.

    For a share outside the range of `rates`, the nearest end is taken.

    >>> meeting(0.3, np.array([1.0, 4.0]), np.array([0.2, 0.4]), np.array([0.6, 0.7]))
    (0.65, 2.0)
    """
    rising = np.maximum.accumulate(rates)  # random draws make small dents
    value = np.exp(np.interp(share, rising, np.log(values)))
    return round(float(np.interp(share, rising, accuracies)), 12), float(f"{value:.4g}")


def _figure(passes: Passes) -> tuple[Any, str]:
    figure, axes = drawing.panels(3, 2)
    for row, (letters, data) in enumerate((("ac", "gaussian"), ("df", "usps"))):
        left, _, right = axes[row]
        every = [name for name in passes.ways(data, 1.0) if name != ASIDE]
        title = f"({letters[0]}) {DATA[data]}, every label"
        _over_time(left, passes, data, 1.0, {name: i for i, name in enumerate(every)}, title)
        for name, look in zip(passes.ways(data), LOOKS, strict=True):
            shares = passes.shares(data, name)
            rates = np.transpose([passes.scores(data, name, s, "rate") for s in shares])
            scores = np.transpose([passes.scores(data, name, s) for s in shares])
            drawing.points(right, rates.mean(axis=0), scores, name, look)
        best = np.mean(passes.scores(data, "LASEC", 1.0))
        right.axhline(best, color="#555555", lw=0.8, ls=(0, (1, 3)))
        where = {"xycoords": right.get_yaxis_transform(), "ha": "right", "va": "bottom"}
        right.annotate("LASEC, every label", (0.99, best), fontsize=7, **where)
        title = f"({letters[1]}) {DATA[data]}"
        drawing.name_panel(right, title, "share of labels asked", "accuracy")
    looks = dict(zip(passes.ways("gaussian"), LOOKS, strict=True))
    for panel, letter, share in zip(axes[:, 1], "be", SHOWN, strict=True):
        title = f"({letter}) {DATA['gaussian']}, {share:.0%} of the labels"
        _over_time(panel, passes, "gaussian", share, looks, title)
    drawing.legend(figure, axes[0, 0], axes[0, 2])
    return figure, (
        f"As the paper's Figure 2. Concepts change every {EVERY} examples. In (c) and (f) a point "
        "is the mean over all draws; its bar, the 95% interval, is mostly smaller than the mark."
    )


def _over_time(
    panel: Any, passes: Passes, data: str, share: float, looks: Mapping[str, int], title: str
) -> None:
    for name, look in looks.items():
        drawing.curve(panel, passes.ends(data), passes.curves(data, name, share), name, look)
    drawing.name_panel(panel, title, "examples", "accuracy so far")
