"""LASEC, Figure 2: its tables, its figure, and what the paper claims."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from selectron.names import written

from . import drawing
from .findings import Findings, band
from .lasec_claims import (
    accuracies,
    beyond_claim,
    ends,
    share_claims,
    supervised_claims,
    time_claims,
)

TITLE = "Selective sampling with drift: LASEC"
ASIDE = "Shifting, λ of the paper"  # which does worse than chance would have it: no curve
NAMES = {"gaussian": "switching Gaussian", "usps": "USPS, shifting classes"}
BEYOND = "LeadingHistory"  # this project's own, with nothing to set
LOOKS = 0, 1, 2, 12, 10, 6  # of the ways with few labels: the same learner, the same look
Supervised = Mapping[str, tuple[Any, list[dict]]]
Selective = Mapping[str, Mapping[float, tuple[Any, Any, list[dict]]]]


def findings(
    supervised: Mapping[str, Supervised],
    selective: Mapping[str, Selective],
    size: Any,
    every: int,
    shown: Sequence[float],
) -> Findings:
    """Return the outcome of the experiment."""
    from . import PAPERS

    curves = {
        data: {name: way for name, way in ways.items() if name != ASIDE}
        for data, ways in supervised.items()
    }
    theirs, few = _of_the_paper(curves), _of_the_paper(selective)
    claims = [
        *supervised_claims(theirs, size.rows["gaussian"], every),
        *time_claims(few["gaussian"], size.rows["gaussian"], every, shown),
        *share_claims(few, theirs, size.shares),
        *(beyond_claim(data, BEYOND, curves[data], selective[data]) for data in curves),
    ]
    tables = {
        "parameters": _parameters(supervised, selective),
        "supervised": _supervised_rows(supervised),
        "selective": _selective_rows(selective),
        "time": _time_rows(supervised, selective["gaussian"], size.rows, shown),
    }
    figure = _figure(curves, selective, size.rows, every, shown)
    return Findings(
        TITLE, PAPERS["lasec"].source, _setting(size, every), claims, tables, {"figure-2": figure}
    )


def _of_the_paper(ways: Mapping[str, Mapping]) -> dict[str, dict]:
    """Return the ways that the paper knows, for each stream."""
    return {
        data: {name: way for name, way in several.items() if name != BEYOND}
        for data, several in ways.items()
    }


def _setting(size: Any, every: int) -> list[str]:
    rows = size.rows
    return [
        f"Two streams, {size.draws} draws of each; bands are 95% intervals over the draws. "
        f"Switching Gaussian: {rows['gaussian']:,} rows of 50 features from N(0, I), labelled by a "
        f"linear concept that is drawn anew every {every} rows. USPS: {rows['usps']:,} digits in a "
        f"random order, of which a random subset of the classes is positive, another one every "
        f"{every} rows.",
        "Accuracy is the share of right predictions so far, asked or not. Parameters are chosen "
        f"on {size.tuning} other draws: b and c of LASEC, and a of the second-order Perceptron "
        "(SOP), from a grid, for each share of labels anew; the asker's parameter so that the "
        "share is met. BBQ and BBQ-I have a = 1, as in their paper. SOP-SS has the better of two "
        "askers, that of its own paper and the plain margin. The Budget Perceptron has the paper's "
        "B. With the paper's λ (0.01 and 0.0001) the Shifting Perceptron, as its own paper states "
        "it, gives the first mistakes almost all weight and stays at chance; λ is chosen like b "
        "and c instead, and that run is in the tables only.",
        "LeadingHistory is this project's own and not the paper's: it has nothing to choose, and "
        "its budget alone sets the share of labels.",
        "All learners see rows of unit length, and no constant feature. The paper does not say how "
        "its rows are scaled.",
    ]


# Tables


def _parameters(supervised: Mapping, selective: Mapping) -> list[dict]:
    rows = [
        {"data": data, "way": name, "share": 1.0, "learner": written(learner), "asker": "always"}
        for data, ways in supervised.items()
        for name, (learner, _) in ways.items()
    ]
    return rows + [
        {"data": data, "way": name, "share": share, "learner": written(p), "asker": written(a)}
        for data, ways in selective.items()
        for name, shares in ways.items()
        for share, (p, a, _) in shares.items()
    ]


def _supervised_rows(supervised: Mapping) -> list[dict]:
    return [
        {"data": data, "learner": name, "draw": draw, "accuracy": result["accuracy"]}
        for data, ways in supervised.items()
        for name, (_, results) in ways.items()
        for draw, result in enumerate(results)
    ]


def _selective_rows(selective: Mapping) -> list[dict]:
    return [
        {"data": data, "way": name, "share": share, "draw": draw}
        | {key: result[key] for key in ("rate", "accuracy", "later")}
        for data, ways in selective.items()
        for name, shares in ways.items()
        for share, (_, _, results) in shares.items()
        for draw, result in enumerate(results)
    ]


def _time_rows(
    supervised: Mapping, gaussian: Selective, rows: Mapping, shown: Sequence[float]
) -> list[dict]:
    curves = [
        (data, name, 1.0, results)
        for data, ways in supervised.items()
        for name, (_, results) in ways.items()
    ]
    curves += [
        ("gaussian", name, share, gaussian[name][share][2])
        for share, name in product(shown, gaussian)
    ]
    return [
        {"data": data, "way": name, "share": share, "round": int(end)}
        | {"accuracy": float(mean), "half_interval": float(half)}
        for data, name, share, results in curves
        for end, mean, half in zip(
            ends(rows[data]), *band(accuracies(results, rows[data])), strict=True
        )
    ]


# The figure


def _figure(
    supervised: Mapping, selective: Mapping, rows: Mapping, every: int, shown: Sequence[float]
) -> tuple[Any, str]:
    figure, axes = drawing.panels(3, 2)
    for panel, (letter, data) in zip(axes[:, 0], (("a", "gaussian"), ("d", "usps")), strict=True):
        n = rows[data]
        for i, (name, (_, results)) in enumerate(supervised[data].items()):
            drawing.curve(panel, ends(n), accuracies(results, n), name, i)
        title = f"({letter}) {NAMES[data]}, every label"
        drawing.name_panel(panel, title, "examples", "accuracy so far")
    for panel, letter, share in zip(axes[:, 1], "be", shown, strict=True):
        n = rows["gaussian"]
        for i, (name, shares) in enumerate(selective["gaussian"].items()):
            drawing.curve(panel, ends(n), accuracies(shares[share][2], n), name, LOOKS[i])
        title = f"({letter}) {NAMES['gaussian']}, {share:.0%} of the labels"
        drawing.name_panel(panel, title, "examples", "accuracy so far")
    for panel, (letter, data) in zip(axes[:, 2], (("c", "gaussian"), ("f", "usps")), strict=True):
        for i, (name, shares) in enumerate(selective[data].items()):
            _trade_off(panel, shares, name, LOOKS[i])
        best = np.mean([result["accuracy"] for result in supervised[data]["LASEC"][1]])
        panel.axhline(best, color="#555555", lw=0.8, ls=(0, (1, 3)))
        where = {"xycoords": panel.get_yaxis_transform(), "ha": "right", "va": "bottom"}
        panel.annotate("LASEC, every label", (0.99, best), fontsize=7, **where)
        title = f"({letter}) {NAMES[data]}"
        drawing.name_panel(panel, title, "share of labels asked", "accuracy")
    drawing.legend(figure, [axes[0, 0], axes[0, 2]])
    return figure, (
        f"As the paper's Figure 2. Concepts change every {every} examples. In (c) and (f) a point "
        "is the mean over all draws; its bar, the 95% interval, is mostly smaller than the mark."
    )


def _trade_off(panel: Any, shares: Mapping, name: str, i: int) -> None:
    """Draw accuracy against the share of labels that came of it."""
    rates, _ = band(np.transpose([[r["rate"] for r in entry[2]] for entry in shares.values()]))
    scores = np.transpose([[r["accuracy"] for r in entry[2]] for entry in shares.values()])
    mean, half = band(scores)
    panel.errorbar(rates, mean, half, label=name, elinewidth=0.8, **drawing.style(i, points=True))
