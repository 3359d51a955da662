"""LASEC (Moroshko & Crammer, AISTATS 2014), Figure 2."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from selectron import askers, learners
from selectron.askers import Always, Budget, Margin
from selectron.learners import LASEC, RLS, LeadingHistory, Perceptron, ShiftingPerceptron
from selectron.specs import written

from . import drawing
from .findings import BEYOND, Findings, Play, crossed, seeds, tidy
from .lasec_claims import ASIDE, EVERY, SHOWN, STATIONARY, Passes, claims
from .trials.lasec import passed

DATA = {"gaussian": "switching Gaussian", "usps": "USPS, shifting classes"}
LAMBDAS = 1.0, 2.0, 5.0, 10.0, 30.0, 100.0  # of Shifting; 1 is the Perceptron
PANELS = [("gaussian", share) for share in SHOWN]
FIXED = {  # the paper's parameters: lambda of Shifting, budget
    "gaussian": (ShiftingPerceptron(lam=0.01), learners.BudgetPerceptron(budget=500)),
    "usps": (ShiftingPerceptron(lam=0.0001), learners.BudgetPerceptron(budget=1000)),
}
LOOKS = 0, 1, 2, 12, 10, 6  # of the ways with few labels: one style per learner
Key = tuple[str, str, float]  # stream, way, share of labels
Parts = dict[Key, tuple[Any, Any]]  # learner and asker


class Size(NamedTuple):
    """The size of a run: rows, repetitions, draws for tuning, and grids of parameters."""

    rows: Mapping[str, int]
    draws: int
    tuning: int
    priors: Sequence[float]  # b of LASEC
    ridges: Sequence[float]  # a of SOP
    memories: Sequence[float]  # c / b of LASEC
    askers: int  # values of an asker's parameter
    shares: Sequence[float]  # of labels, which the askers are tuned to meet
    left_out: Sequence[str] = ()  # learners with every label


SHARES = 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8
POWERS = 0.1, 1.0, 10.0, 100.0, 1000.0, 10_000.0
ROWS, FEW = {"gaussian": 10_000, "usps": 9298}, {"gaussian": 1500, "usps": 1000}
FULL = Size(ROWS, 50, 2, POWERS[:4], POWERS[:5], POWERS[2:], 16, SHARES)
QUICK = Size(FEW, 2, 1, (10.0,), (10.0,), (100.0,), 5, (0.1, 0.4), ("Modified", "Budget", BEYOND))


class Way(NamedTuple):
    """A learner with an asker whose one parameter determines the share of labels."""

    learner: Any
    asker: Any  # its class
    values: np.ndarray


def run(play: Play, quick: bool) -> Findings:
    """Run the experiment."""
    size = QUICK if quick else FULL
    parts: Parts = {}
    for choose in (_supervised, _selective):
        for data in DATA:
            parts |= choose(play, data, size)
    parts |= _selective(play, STATIONARY, size._replace(shares=SHOWN))
    ways = {
        (data, way, share): {
            **_way(data, size, *pair),
            "curve": share == 1 or (data, share) in PANELS,
        }
        for (data, way, share), pair in parts.items()
    }
    passes = Passes(crossed(play, passed, ways, seeds(size.draws), "passes"), size.rows)
    return Findings(
        _setting(size),
        claims(passes, size.shares),
        _tables(passes, parts),
        {"figure-2": _figure(passes)},
    )


def _way(data: str, size: Size, learner: Any, asker: Any) -> dict[str, Any]:
    """Return the arguments for a learner with an asker on a stream."""
    parts = {"learner": learner, "asker": asker}
    if data == STATIONARY:
        n = size.rows["gaussian"]
        return {"data": "gaussian", "n": n, "every": n, **parts}
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

    def best(some: list[Any]) -> Any:
        _, accuracies = _tuning(play, data, size, [(learner, Always()) for learner in some])
        return some[int(accuracies.argmax())]

    found = {
        "LASEC": best(_lasecs(size)),
        "SOP": best(_sops(size)),
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


def _lasecs(size: Size) -> list[Any]:
    return [LASEC(b, b * ratio) for b, ratio in product(size.priors, size.memories)]


def _sops(size: Size) -> list[Any]:
    return [learners.SecondOrderPerceptron(a) for a in size.ridges]


def _selective(play: Play, data: str, size: Size) -> Parts:
    """Return the learner and the asker of each way at each share of labels."""
    doubts = np.geomspace(1e-4, 100, size.askers)
    kappas = np.linspace(0.02, 1, 2 * size.askers)
    both = askers.SecondOrderMargin, Margin
    rivals = {  # each with the candidates for its parameters
        "LASEC-SS": [Way(lasec, Margin, doubts) for lasec in _lasecs(size)],
        "SOP-SS": [Way(sop, asker, doubts) for sop, asker in product(_sops(size), both)],
        "Perceptron-SS": [Way(Perceptron(), Margin, doubts)],
        "BBQ": [Way(RLS(a=1.0), askers.BBQ, kappas)],  # a as in its paper; a large a asks too late
        "BBQ-I": [Way(RLS(a=1.0), askers.BBQI, kappas)],
    }
    found: Parts = {}
    for name, ways in rivals.items():
        tuned = _tuned(play, data, size, ways)
        found |= {(data, name, share): pair for share, pair in tuned.items()}
    ours = {(data, BEYOND, s): (LeadingHistory(), Budget(rate=s)) for s in size.shares}
    return found | ours


def _tuned(play: Play, data: str, size: Size, ways: Sequence[Way]) -> dict[float, tuple[Any, Any]]:
    """Return for each share of labels the best learner, with the asker that meets the share.

    A share that no parameters reach is omitted, unless a panel shows it over time.
    """
    pairs = [(way.learner, way.asker(float(value))) for way in ways for value in way.values]
    rates, accuracies = _tuning(play, data, size, pairs).reshape(2, len(ways), -1)
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
    """Return the accuracy and the asker's parameter at a share of labels, by interpolation.

    For a share outside the range of `rates`, the nearest end is taken.

    >>> meeting(0.3, np.array([1.0, 4.0]), np.array([0.2, 0.4]), np.array([0.6, 0.7]))
    (0.65, 2.0)
    """
    rising = np.maximum.accumulate(rates)  # random draws make small dents
    value = np.exp(np.interp(share, rising, np.log(values)))
    return round(float(np.interp(share, rising, accuracies)), 12), float(f"{value:.4g}")


def _setting(size: Size) -> list[str]:
    rows = size.rows
    return [
        f"Two streams, {size.draws} draws of each; bands are 95% intervals over the draws. "
        f"Switching Gaussian: {rows['gaussian']:,} rows of 50 features from N(0, I), labelled by a "
        f"linear concept that is drawn again every {EVERY} rows. USPS: {rows['usps']:,} digits in "
        f"random order, of which a random subset of the classes is positive, another one every "
        f"{EVERY} rows. Rows have unit length, and there is no constant feature; the paper does "
        "not state how its rows are scaled. A third stream is the Gaussian without a switch.",
        "Accuracy is the share of correct predictions so far, on all rows. Parameters are chosen "
        f"on {size.tuning} other draws: b and c of LASEC, and a of the second-order Perceptron "
        "(SOP), from a grid, for each share of labels; the asker's parameter so that the share is "
        "met. BBQ and BBQ-I have a = 1, as in their paper. SOP-SS has the better of two askers, "
        "its own and the plain margin. The Budget Perceptron has the paper's B. With the paper's λ "
        "(0.01 and 0.0001) the Shifting Perceptron, as its own paper defines it, gives the first "
        "mistakes almost all weight and stays at chance level (see the tables); λ is tuned "
        "instead.",
        "LeadingHistory is this project's own and not the paper's: it has no parameters to choose, "
        "and its budget alone determines the share of labels.",
    ]


def _tables(passes: Passes, parts: Parts) -> dict[str, list[dict]]:
    return {
        "parameters": [
            {"data": data, "way": name, "share": share, "learner": written(p), "asker": written(a)}
            for (data, name, share), (p, a) in parts.items()
        ],
        "supervised": tidy(
            {key[:2]: some for key, some in passes.results.items() if key[2] == 1},
            ("data", "learner", "draw"),
            lambda result: {"accuracy": result["accuracy"]},
        ),
        "selective": tidy(
            {key: some for key, some in passes.results.items() if key[2] < 1},
            ("data", "way", "share", "draw"),
            lambda result: {name: result[name] for name in ("rate", "accuracy", "later")},
        ),
    }


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
