"""Self-directed linear classification (COLT 2023): mistakes when the learner chooses the order."""

from collections.abc import Mapping, Sequence
from itertools import product
from types import SimpleNamespace as Size
from typing import Any

import numpy as np
from matplotlib.ticker import LogLocator, StrMethodFormatter

from selectron.learners import Perceptron
from selectron.pool import Boosted, Confident, Greedy, InOrder, Sphere

from . import drawing
from .findings import Claim, Findings, listed, setting, table
from .trials import Play, crossed, seeds
from .trials.self_directed import angles, mistakes
from .verdicts import Comparison, counted, every, paired

RANDOM = "Perceptron, random order"
LEARNERS = {
    "Confident": Confident(),
    "Greedy": Greedy(),
    "Algorithm 1": Sphere(),
    "random order": InOrder("random"),
    "worst order": InOrder("worst"),
    RANDOM: Perceptron(),
}
ARBITRARY = {"Confident": Confident(), "Algorithm 2, boosted": Boosted()}
POOLS = ("line", "clusters", "skewed")
Results = dict[tuple[str, int, int], list[int]]  # (learner or pool, n, d) -> mistakes of each draw

FULL = Size(rows=(2_000, 20_000, 200_000), widths=(5, 20, 50), draws=10, angle_rows=200_000)
QUICK = Size(rows=(500, 2_000), widths=(5, 10), draws=2, angle_rows=2_000)


def run(play: Play, size: Size) -> Findings:
    """Run the experiment."""
    draws, d = seeds(size.draws), size.widths[1]
    on_sphere = {
        (name, n, d): {"pool": "sphere", "n": n, "d": d, "learner": learner}
        for n, d, (name, learner) in product(size.rows, size.widths, LEARNERS.items())
    }
    sphere: Results = crossed(play, mistakes, on_sphere, draws, "sphere")
    common = {"d": d, "mode": "strong"}
    ways = {
        (f"{pool}: {name}", n, d): {"pool": pool, "n": n, "learner": learner, **common}
        for pool, n, (name, learner) in product(POOLS, size.rows, ARBITRARY.items())
    }
    arbitrary: Results = crossed(play, mistakes, ways, draws, "arbitrary points")
    of_angles = {d: {"n": size.angle_rows, "d": d} for d in size.widths[:2]}
    paths = crossed(play, angles, of_angles, draws, "angles")

    return Findings(
        setting("self_directed", size=size),
        _claims(sphere, arbitrary, paths, size),
        {
            "sphere": table(sphere, "learner n d", "draw"),
            "arbitrary": table(arbitrary, "way n d", "draw"),
        },
        {"mistakes": _figure(sphere, size), "angle": _angle_figure(paths)},
    )


def _figure(sphere: Results, size: Size) -> tuple[Any, str]:
    figure, axes = drawing.panels(len(size.widths))
    for panel, d in zip(axes[0], size.widths, strict=True):
        for i, name in enumerate(LEARNERS):
            middles = [np.median(sphere[name, n, d]) for n in size.rows]
            panel.plot(size.rows, middles, label=name, **drawing.style(i, points=True))
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_xticks(size.rows, [f"{n:,}" for n in size.rows])
        panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        panel.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        panel.minorticks_off()
        drawing.name_panel(panel, f"sphere, {d} dimensions", "points", "mistakes, median")
    drawing.legend(figure, axes[0, 0])
    return figure, "Mistakes until every point of the sphere is labelled, against their number."


def _angle_figure(paths: Mapping[int, list[list[float]]]) -> tuple[Any, str]:
    figure, axes = drawing.panels(len(paths))
    for panel, (d, draws) in zip(axes[0], paths.items(), strict=True):
        for path in draws:
            panel.plot(range(1, len(path) + 1), path, **{**drawing.style(0), "lw": 0.8})
        panel.set_yscale("log")
        drawing.name_panel(panel, f"{d} dimensions", "mistakes", "angle to the target, radians")
    return figure, "The angle after every step, a line per draw: straight if it fell linearly."


def _claims(sphere: Results, arbitrary: Results, paths: Mapping, size: Size) -> list[Claim]:
    middle = {key: float(np.median(mistakes)) for key, mistakes in sphere.items()}
    cells = list(product(size.rows, size.widths))
    growth = [middle["Algorithm 1", n, d] / (d * np.log(np.log(n))) for n, d in cells]
    shares = [middle["Confident", *cell] / middle["Greedy", *cell] for cell in cells]
    return [
        Claim(
            "On the sphere O(d log log n) mistakes classify all points (Theorem 3).",
            counted(max(growth) <= 2 * min(growth)),
            f"Mistakes over d log log n: {min(growth):.2f} to {max(growth):.2f} over all n and d. "
            "The claim is taken to hold if they stay within a factor of 2.",
        ),
        _below(sphere, cells, RANDOM, "the Perceptron in random order"),
        _below(sphere, cells, "random order", "the default learner's fits in random order"),
        _barrier(middle, cells),
        _independent(arbitrary, size),
        _superlinear(paths),
        Claim(
            "Beyond the paper: the default learner makes fewer mistakes than its step in greedy "
            "order.",
            every([_fewer(sphere, "Confident", "Greedy", cell) for cell in cells]),
            f"Confident's mistakes over Greedy's: {min(shares):.2f} to {max(shares):.2f}.",
        ),
    ]


def _fewer(sphere: Results, ours: str, theirs: str, cell: tuple[int, int]) -> Comparison:
    """Return by how many mistakes a learner is below another, on the same points."""
    return paired(sphere[theirs, *cell], sphere[ours, *cell], "mistakes")


def _below(sphere: Results, cells: Sequence[tuple[int, int]], other: str, named: str) -> Claim:
    """Return the claim that the paper's algorithm is below a random order."""
    shown = (
        f"n = {n:,}, d = {d}: {np.median(sphere['Algorithm 1', n, d]):.0f} against "
        f"{np.median(sphere[other, n, d]):.0f}"
        for n, d in cells
    )
    return Claim(
        f"Choosing the order makes far fewer mistakes than a random one: here, {named}.",
        every([_fewer(sphere, "Algorithm 1", other, cell) for cell in cells]),
        "; ".join(shown) + ".",
    )


def _barrier(middle: Mapping, cells: Sequence[tuple[int, int]]) -> Claim:
    """Return the claim about the learners whose order is random."""
    over = {
        name: [middle[name, n, d] / (d * np.log(n / d)) for n, d in cells]
        for name in ("random order", RANDOM)
    }
    shown = {name: f"{min(found):.2f} to {max(found):.2f}" for name, found in over.items()}
    best = over["random order"]
    return Claim(
        "In random order any learner makes d log n mistakes or more, up to a constant.",
        counted(max(best) <= 2 * min(best) and min(over[RANDOM]) >= min(best)),
        listed(shown, "Mistakes over d log(n/d), over all n and d, of")
        + " The claim is taken to hold if those of the best learner stay within a factor of 2.",
    )


def _independent(arbitrary: Results, size: Size) -> Claim:
    d = size.widths[1]
    middles = {
        pool: [np.median(arbitrary[f"{pool}: Algorithm 2, boosted", n, d]) for n in size.rows]
        for pool in POOLS
    }
    shown = "; ".join(f"{p}: {', '.join(f'{m:.0f}' for m in some)}" for p, some in middles.items())
    return Claim(
        "For arbitrary points the mistakes up to a share of 99% do not depend on n (Theorem 4).",
        counted(all(max(found) <= 1.5 * min(found) for found in middles.values())),
        f"Mistakes at n = {', '.join(f'{n:,}' for n in size.rows)}: {shown}; d log(1/delta) is "
        f"{d * np.log(100):.0f}. Taken to hold if none is 1.5 times another.",
    )


def _superlinear(paths: Mapping[int, list[list[float]]]) -> Claim:
    """Return the claim that the logarithm of the angle falls faster in the second half."""
    means, gaps = {}, []
    for d, draws in paths.items():
        logs = [np.log(np.maximum(path, 1e-12)) for path in draws if len(path) > 3]
        halves = [np.array_split(-np.diff(one), [len(one) // 2]) for one in logs]
        found = np.array([[half.mean() for half in pair] for pair in halves])
        means[d] = found.mean(axis=0)
        gaps.append(paired(found[:, 1], found[:, 0]))
    shown = (
        f"d = {d}: a mistake decreases its logarithm by {early:.3f} in the first half of them, "
        f"by {late:.3f} in the second"
        for d, (early, late) in means.items()
    )
    return Claim(
        "The angle to the target converges faster than linearly.",
        every(gaps),
        "; ".join(shown) + ".",
    )
