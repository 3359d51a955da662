"""Worst-case analysis of selective sampling (Cesa-Bianchi et al., NIPS 2004), Figure 3."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import SimpleNamespace as Size
from typing import Any

import numpy as np

from selectron.askers import Always, Budget, Fixed, Margin, SecondOrderMargin
from selectron.learners import LeadingHistory, Perceptron, SecondOrderPerceptron

from . import drawing
from .findings import BEYOND, Claim, Findings, all_above, listed, setting
from .trials import Play, crossed
from .trials.selective_sampling import passed, topics
from .verdicts import FAILS, every, paired, some

NAMES = {"rcv1": "RCV1", "reuters": "Reuters-21578", "ohsumed": "OHSUMED"}
NEAR = 0.01  # of F-measure: "almost the same"
FEW = 0.5  # of the labels: "a substantial reduction"
UNDER: Any = {"fontsize": 7, "loc": "upper center", "bbox_to_anchor": (0.5, -0.25)}  # a legend
Key = tuple[str, float]  # a way and its b; of LeadingHistory its budget
Ways = Mapping[Key, list[dict]]  # the result of each topic

FULL = Size(
    topics={"rcv1": 50, "reuters": 10, "ohsumed": 23},
    n=None,  # stories: all
    second=(0.001, 0.003, 0.01, 0.03, 0.1),  # b of the second-order margin
    first=(0.003, 0.01, 0.03, 0.1, 0.3),  # b of the margin
    shares=(0.03, 0.06, 0.12, 0.25, 0.5),  # budgets of this project's own learner
)
QUICK = Size(
    topics={"rcv1": 3},
    n=1000,
    second=FULL.second[1:4],
    first=FULL.first[1:4],
    shares=(),  # sparse experts compile for long
)


def run(play: Play, size: Size) -> Findings:
    """Run the experiment."""
    calls = [{"data": data, "n": size.n, "most": most} for data, most in size.topics.items()]
    names = dict(zip(size.topics, play(topics, calls, "topics"), strict=True))
    found = {data: _ways(play, data, names[data], size) for data in size.topics}
    several = "; ".join(f"{NAMES[data]}: {len(some)}" for data, some in names.items())
    figures = {f"figure-3-{data}": _figure(data, found[data], names[data][0]) for data in found}
    return Findings(
        setting("selective_sampling", size=size, topics=several),
        [claim for data, ways in found.items() for claim in _claims(NAMES[data], ways, size)],
        {"topics": _topic_rows(found, names)},
        figures,
    )


def _ways(play: Play, data: str, names: list[str], size: Size) -> Ways:
    """Return the result of every topic, by way and b."""
    sop = SecondOrderPerceptron(a=1.0)
    parts: dict[Key, tuple[Any, Any]] = {("every label", 0.0): (sop, Always())}
    parts |= {("2nd order", b): (sop, SecondOrderMargin(b)) for b in size.second}
    parts |= {("1st order", b): (Perceptron(), Margin(b)) for b in size.first}
    parts |= {(BEYOND, share): (LeadingHistory(), Budget(rate=share)) for share in size.shares}
    stories = [{"data": data, "n": size.n, "topic": topic} for topic in names]
    ways = {key: {"learner": learner, "asker": asker} for key, (learner, asker) in parts.items()}
    found = crossed(play, passed, ways, stories, data)
    for b in size.second:
        fixed = [
            {**story, "learner": sop, "asker": Fixed(float(rate))}
            for story, rate in zip(stories, rates(found["2nd order", b]), strict=True)
        ]
        found["fixed bias", b] = play(passed, fixed, f"{data}, fixed bias")
    return found


def f_measure(result: Mapping, part: slice) -> float:
    """Return the F-measure over some points, NaN without relevant stories and alarms.

    >>> f_measure({"hits": [1, 2], "alarms": [1, 1], "misses": [0, 1]}, slice(0, 2))
    0.6666666666666666
    """
    hits, alarms, misses = (sum(result[name][part]) for name in ("hits", "alarms", "misses"))
    everything = 2 * hits + alarms + misses
    return 2 * hits / everything if everything else float("nan")


def late(results: Sequence[Mapping]) -> np.ndarray:
    """Return each topic's F-measure in the second half."""
    return np.array([f_measure(r, slice(len(r["rows"]) // 2, None)) for r in results])


def rates(results: Sequence[Mapping]) -> np.ndarray:
    """Return each topic's share of labels."""
    return np.array([sum(r["asked"]) / sum(r["rows"]) for r in results])


def over_time(results: Sequence[Mapping]) -> tuple[np.ndarray, ...]:
    """Return the number of stories, F-measure and label rate at each point, over all topics."""
    points = range(len(results[0]["rows"]))
    f = [np.nanmean([f_measure(r, slice(i, i + 1)) for r in results]) for i in points]
    asked = [np.mean([r["asked"][i] / r["rows"][i] for r in results]) for i in points]
    return np.cumsum(results[0]["rows"]), np.array(f), np.array(asked)


def _topic_rows(found: Mapping[str, Ways], names: Mapping[str, list[str]]) -> list[dict]:
    return [
        {"data": data, "way": way, "b": b, "topic": topic, "rate": float(rate), "f": float(f)}
        for data, ways in found.items()
        for (way, b), results in ways.items()
        for topic, rate, f in zip(names[data], rates(results), late(results), strict=True)
    ]


def _figure(data: str, ways: Ways, topic: str) -> tuple[Any, str]:
    figure, axes = drawing.panels(4, 2)
    second = [key for key in ways if key[0] == "2nd order"]
    middle = matched(ways, second[len(second) // 2])
    wanted, budgets = rates(ways[middle[0]]).mean(), [key for key in ways if key[0] == BEYOND]
    middle += sorted(budgets, key=lambda key: abs(rates(ways[key]).mean() - wanted))[:1]
    first = {key: results[:1] for key, results in ways.items()}
    _draw_time(axes[:, 0], ways, [("every label", 0.0), *second[-3:]], f"(a) {NAMES[data]}")
    _draw_time(axes[:, 1], ways, middle, f"(b) {NAMES[data]}")
    _draw_time(axes[:, 2], first, middle, f"(c) {topic} alone")
    for panel, which, title in ((axes[0, 3], ways, NAMES[data]), (axes[1, 3], first, None)):
        for i, name in enumerate(("2nd order", "1st order", "fixed bias", BEYOND)):
            some = [results for key, results in which.items() if key[0] == name]
            x, y = ([measure(r).mean() for r in some] for measure in (rates, late))
            panel.plot(x, y, label=name, **drawing.style(i, True))
        panel.axhline(late(which["every label", 0.0]).mean(), color="#555555", lw=0.8, ls=":")
        title = f"(d) {title}" if title else "(d), first topic"
        drawing.name_panel(panel, title, "label rate", "F-measure")
    axes[1, 3].legend(frameon=False, **UNDER)
    figure.align_ylabels()
    return figure, (
        f"As the paper's Figure 3, on {NAMES[data]}: above F-measure, below label rate; (d) "
        "F-measure against label rate, a point per value of b, after half of the stories."
    )


def _draw_time(column: Any, ways: Ways, keys: Sequence[Key], title: str) -> None:
    for i, (way, b) in enumerate(keys):
        ends, f, asked = over_time(ways[way, b])
        label = f"{way}, {b:.0%}" if way == BEYOND else f"{way}, b = {b:g}" if b else way
        column[0].plot(ends, f, label=label, **drawing.style(i))
        column[1].plot(ends, asked, **drawing.style(i))
    drawing.name_panel(column[0], title, "stories", "F-measure")
    drawing.name_panel(column[1], "", "stories", "label rate")
    column[1].set_ylim(0, 1.03)
    column[1].legend(*column[0].get_legend_handles_labels(), frameon=False, **UNDER)


def matched(ways: Ways, own: Key) -> list[Key]:
    """Return a way, and of each rival the b whose F-measure is just below that of the way.

    If a rival is above it with every b, return the b with its lowest F-measure.
    """
    found = [own]
    for rival in ("1st order", "fixed bias"):
        scores = {key: late(results).mean() for key, results in ways.items() if key[0] == rival}
        below = [key for key in scores if scores[key] <= late(ways[own]).mean()]
        best = max(below, key=scores.__getitem__, default=None)
        found.append(best or min(scores, key=scores.__getitem__))
    return found


def _claims(named: str, ways: Ways, size: Size) -> list[Claim]:
    f = {key: late(results) for key, results in ways.items()}
    asked = {key: rates(results) for key, results in ways.items()}
    shown = {key: f"F {f[key].mean():.3f} with {asked[key].mean():.1%}" for key in ways}
    full, second = f["every label", 0.0].mean(), [("2nd order", b) for b in size.second]
    few = [key for key in second if asked[key].mean() < FEW]
    own, *rivals = matched(ways, second[len(second) // 2])
    gaps = {key: paired(asked[key], asked[own]) for key in rivals}
    biased = {key: ("fixed bias", key[1]) for key in second}
    better = {key: paired(f[key], f[biased[key]]) for key in second}
    return [
        Claim(
            f"{named}, (a): with some b, 2nd order has almost the F-measure of all labels (here: "
            f"within {NEAR}) with substantially fewer (here: under {FEW:.0%}).",
            some([paired(f["every label", 0.0], f[key]) for key in few], NEAR),
            listed({f"b = {k[1]:g}": shown[k] for k in second}, f"All labels: F {full:.3f}."),
        ),
        Claim(
            f"{named}, (b): at an F-measure just above that of 1st order and of fixed bias, 2nd "
            "order asks for far fewer labels.",
            every(gaps.values())
            if all(f[key].mean() <= f[own].mean() for key in rivals)
            else FAILS,
            "; ".join(f"{way}, b = {b:g}: {shown[way, b]}" for way, b in (own, *rivals))
            + listed({way: gap for (way, _), gap in gaps.items()}, ". Asked more:"),
        ),
        all_above(
            f"{named}, (d): 2nd order outperforms fixed bias with as many labels.",
            {
                f"b = {k[1]:g}, {asked[biased[k]].mean():.1%} asked": gap
                for k, gap in better.items()
            },
            "In F, with",
        ),
        Claim(
            f"{named}, (d): the difference shrinks as b grows.",
            every([paired(*pair) for pair in pairwise(f[key] - f[biased[key]] for key in second)]),
            "In points of F: " + ", ".join(f"{100 * g.gap:.1f}" for g in better.values()) + ".",
        ),
        _beyond(named, f, {key: rate.mean() for key, rate in asked.items()}, second),
    ]


def _beyond(
    named: str, f: Mapping[Key, np.ndarray], asked: Mapping[Key, float], second: Sequence[Key]
) -> Claim:
    """Compare with 2nd order at equal shares of labels, interpolating between its values of b."""
    known, scores = [asked[key] for key in second], np.array([f[key] for key in second])
    gaps = {}
    for key, share in asked.items():
        if key[0] == BEYOND and known[0] <= share <= known[-1]:
            theirs = [np.interp(share, known, of_topic) for of_topic in scores.T]
            gaps[f"{share:.1%} of the labels"] = paired(f[key], theirs)
    return all_above(
        f"Beyond the paper, {named}: {BEYOND} has a higher F-measure than 2nd order with as many "
        "labels.",
        gaps,
        "With",
    )
