"""Online learning by ellipsoid method (Yang, Jin & Ye, ICML 2009): IELLIP, PA and MIRA."""

from itertools import product
from types import SimpleNamespace as Size
from typing import Any

import numpy as np

from selectron.learners import IELLIP, MIRA, LeadingHistory, PassiveAggressive, Perceptron

from . import drawing
from .findings import BEYOND, Claim, Findings, all_above, listed, percents, setting, table
from .trials import Play, crossed, error, seeds
from .trials.ellipsoid import cut, passed
from .verdicts import counted, every, paired

DATA = {"usps": "USPS", "letter": "Letter", "isolet": "Isolet", "shuttle": "Shuttle"}
DUAL = "usps", "isolet"  # where one matrix over all classes would be too large
DIAGONAL = ("isolet",)  # where LeadingHistory's matrices, one per class and expert, take hours
CS, BS = (0.02, 0.05, 0.1, 0.2, 0.5, 0.8), (0.5, 0.8, 0.9, 0.95, 0.98, 0.995, 0.999)
TUNING = 1000  # seed of the order that c and b are chosen on
SEPARABLE = {"n": 5000, "d": 50, "gamma": 0.05}
A = 0.5  # CELLIP's
FIRST_ORDER = {"PA": PassiveAggressive(), "MIRA": MIRA(), "Perceptron": Perceptron()}
Passes = dict[str, dict[str, list[dict]]]  # set -> learner -> the result of each order
Volumes = dict[str, list[dict]]  # start -> the result of each draw

FULL = Size(
    rows=None,  # all of each set
    orders=10,
    memories=list(product(CS, BS)),
    data=list(DATA),
    beyond=True,  # whether to run LeadingHistory, whose loop takes half a minute to compile
)
QUICK = Size(rows=800, orders=2, memories=[(0.1, 0.8)], data=["letter", "shuttle"], beyond=False)


def run(play: Play, size: Size) -> Findings:
    """Run the experiment."""
    chosen = {data: _chosen(play, data, size) for data in size.data}
    passes: Passes = {
        data: crossed(play, passed, _ways(data, size, chosen[data]), seeds(size.orders), data)
        for data in size.data
    }
    starts = {start: {**SEPARABLE, "a": A, "start": start} for start in ("sound", "talk")}
    volumes: Volumes = crossed(play, cut, starts, seeds(size.orders), "separable")
    logs = {start: [result["volume"] for result in some] for start, some in volumes.items()}
    return Findings(
        setting("ellipsoid", size=size, separable=SEPARABLE, a=A),
        [*_claims(passes), *_volume_claims(volumes)],
        {
            "memories": [{"data": data, "c": c, "b": b} for data, (c, b) in chosen.items()],
            "passes": table(passes, "data", "learner", "order"),
            "volume": table(logs, "start", "draw", "mistakes"),
        },
        {"errors": _figure(passes), "volume": _volume_figure(volumes)},
    )


def _ellip(data: str, size: Size, c: float, b: float) -> dict[str, Any]:
    """Return the arguments for IELLIP with one matrix over all classes, as in the talk."""
    options = {"many": "exact", "kernel": "linear" if data in DUAL else None}
    return {"data": data, "n": size.rows, "learner": IELLIP(0.1, c, b, p0=0.1), **options}


def _chosen(play: Play, data: str, size: Size) -> tuple[float, float]:
    """Return the c and b with the fewest errors on an order for tuning."""
    calls = [{**_ellip(data, size, *pair), "seed": TUNING} for pair in size.memories]
    results = play(passed, calls, f"{data}, tuning")
    return size.memories[int(np.argmin([result["mistakes"][-1] for result in results]))]


def _ways(data: str, size: Size, memory: tuple[float, float]) -> dict[str, dict]:
    """Return the arguments for each learner."""
    common = {"data": data, "n": size.rows}
    first = {name: {**common, "learner": one, "many": "joint"} for name, one in FIRST_ORDER.items()}
    ours = {"learner": LeadingHistory(), "many": "rest", "sparse": data in DIAGONAL}
    beyond = {BEYOND: {**common, **ours}} if size.beyond else {}
    return {"IELLIP": _ellip(data, size, *memory), **first, **beyond}


def _figure(passes: Passes) -> tuple[Any, str]:
    figure, axes = drawing.panels(len(passes), 2, sharex="col")
    for column, (data, ways) in zip(axes.T, passes.items(), strict=True):
        for i, (name, results) in enumerate(ways.items()):
            ends = np.array(results[0]["ends"])
            errors = np.array([result["mistakes"] for result in results]) / ends
            drawing.curve(column[0], ends, errors, name, i)
            updates = [result["steps"] for result in results]
            drawing.curve(column[1], ends, updates, name, i, most=np.inf)
        column[0].set_ylim(bottom=0)
        drawing.name_panel(column[0], DATA[data], "", "online error so far")
        drawing.name_panel(column[1], "", "examples", "updates so far")
    drawing.legend(figure, axes[0, 0])
    return figure, "Online error (above) and number of updates (below) against examples."


def _volume_figure(volumes: Volumes) -> tuple[Any, str]:
    figure, axes = drawing.panels(1)
    for i, (start, results) in enumerate(volumes.items()):
        for draw, result in enumerate(results):
            label = f"{start} start" if draw == 0 else None
            axes[0, 0].plot(result["volume"], label=label, **{**drawing.style(i), "lw": 0.8})
    title = f"CELLIP, {SEPARABLE['d']} features"
    drawing.name_panel(axes[0, 0], title, "mistakes", "log of volume over the first's")
    drawing.legend(figure, axes[0, 0])
    return figure, "The volume of CELLIP's ellipsoid on separable data, a line per draw."


def _claims(passes: Passes) -> list[Claim]:
    names = "IELLIP", *FIRST_ORDER
    beyond = f"Beyond the talk: {BEYOND} has a lower error than the best of them."
    below, ahead, counts, fewer, better = [], {}, {}, [], {}
    for data, ways in passes.items():
        errors = {name: [error(result) for result in results] for name, results in ways.items()}
        mean = {name: float(np.mean(values)) for name, values in errors.items()}
        updates = {name: [r["steps"][-1] for r in results] for name, results in ways.items()}
        counts[DATA[data]] = ", ".join(f"{name} {np.mean(updates[name]):,.0f}" for name in names)
        fewer += [paired(updates[name], updates["IELLIP"], "updates") for name in ("PA", "MIRA")]
        better[DATA[data]] = paired(errors["Perceptron"], errors["PA"])
        paper = f"On {DATA[data]} the error of IELLIP is below those of PA and MIRA."
        leads = {name: paired(errors[name], errors["IELLIP"]) for name in ("PA", "MIRA")}
        below.append(all_above(paper, leads, f"{percents(mean)}. IELLIP's lead over"))
        if BEYOND in ways:
            best = min(names, key=mean.__getitem__)
            means = f"{mean[BEYOND]:.2%} against {best}'s {mean[best]:.2%}"
            ahead[f"{DATA[data]}, {means}"] = paired(errors[best], errors[BEYOND])
    return [
        all_above(
            "PA is better than generalized Perceptron algorithms.",
            better,
            "PA makes fewer errors than the Perceptron by:",
        ),
        *below,
        Claim(
            "IELLIP makes fewer updates than PA and MIRA.",
            every(fewer),
            listed(counts, "Updates on"),
        ),
        *[all_above(beyond, ahead, "On")] * bool(ahead),
    ]


def _volume_claims(volumes: Volumes) -> list[Claim]:
    d, sound, talk = SEPARABLE["d"], volumes["sound"], volumes["talk"]
    least = -max(np.diff(result["volume"]).max() for result in (*sound, *talk))
    kept = [sum(result["good"] for result in results) for results in (sound, talk)]
    mistakes, bounds, shown = {}, {}, {}
    for start, results in volumes.items():
        mistakes[start] = [len(result["volume"]) - 1 for result in results]
        bounds[start] = min(result["bound"] for result in results)
        average = f"{np.mean(mistakes[start]):.0f} on average"
        shown[start] = f"{average}, the bound is {bounds[start]:,.0f}"
    return [
        Claim(
            "Each cut makes the ellipsoid smaller, by more than e^(-1/2n) as Shor's does.",
            counted(least > 1 / (2 * d)),
            f"The smallest cut decreases the logarithm of the volume by {least:.3f}; 1/2n is "
            f"{1 / (2 * d):.3f}.",
        ),
        Claim(
            "The ellipsoid holds every good classifier.",
            counted(kept[1] == len(talk)),
            f"From the talk's start the ball of good classifiers was held throughout in "
            f"{kept[1]} of {len(talk)} draws, from the sound one in {kept[0]}.",
        ),
        Claim(
            "The mistakes are below the bound (Theorem 2).",
            counted(all(max(mistakes[start]) <= bound for start, bound in bounds.items())),
            listed(shown, "Mistakes,"),
        ),
    ]
