"""Pictures: a pass (accuracy, asking and drift over time), and a pool (mistakes by order)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.audit import ROWS, estimated
from .contest import Contestant

if TYPE_CHECKING:
    from ..pool import PoolRun

# Okabe and Ito's colours, which colour-blind readers can distinguish; dashes differ as well.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES = ("-", "--", "-.", ":")


def plot(
    contestants: Sequence[Contestant], title: str, path: str | Path, calibration: bool = False
) -> None:
    """Draw a pass over time, in the format of the file extension.

    Panels: accuracy, with a 95% band for the first contestant, estimated from asked labels, if each
    point stands for enough rows; the share of labels asked; the age of the leading expert, for
    learners that have one; and with `calibration`, how often predictions of each probability were
    right. Marks at the bottom of the first panel are rows in which drift began.
    """
    from matplotlib.figure import Figure  # slow to import

    first = contestants[0].curve
    watching = any(contestant.watches for contestant in contestants)
    heights = [3, 2, 2][: 2 + watching] + [3] * calibration
    figure = Figure(figsize=(8, 4 + len(heights) + 0.2 * len(contestants)), layout="constrained")
    panels = figure.subplots(len(heights), height_ratios=heights).tolist()
    if calibration:
        draw_calibration(panels.pop(), contestants)
    for axes in panels[:-1]:
        axes.sharex(panels[-1])
        axes.tick_params(labelbottom=False)
    for i, contestant in enumerate(contestants):
        draw(panels, contestant, i)
    marks = ["band: estimate for the first from asked labels, 95%"] * banded(contestants[0])
    marks += ["\N{BLACK UP-POINTING TRIANGLE}: drift detected"] * watching
    panels[0].set(
        title=title.replace("$", r"\$"),
        ylabel=f"accuracy over {first.size * first.window:,} rows",
        ylim=(min(0.45, panels[0].dataLim.y0), 1.02),
        xlabel="     ".join(marks),
    )
    panels[1].set(ylabel="share of labels asked", ylim=(-0.03, 1.03))
    if watching:
        panels[2].set(ylabel="age of the leader, rows")
    panels[-1].set(xlabel="rows")
    for axes in panels:
        _tidy(axes)
    figure.legend(
        *panels[0].get_legend_handles_labels(),
        loc="outside lower center",
        frameon=False,
        fontsize="small",
    )
    figure.savefig(path, dpi=150)


def draw(panels: Sequence[Any], contestant: Contestant, i: int) -> None:
    """Draw contestant i into the panels, with a band for the first only."""
    style = styled(i)
    colour, result = style["color"], contestant.result()
    accuracy = "-" if result["accuracy"] is None else f"{result['accuracy']:.1%}"
    caption = f"{contestant.title}: {accuracy} right, "
    ends, right, asked, age = curves(contestant)
    panels[0].plot(ends, right, label=f"{caption}{result['label_rate']:.1%} asked", **style)
    panels[1].plot(ends, asked, **style)
    if i == 0 and banded(contestant):
        panels[0].fill_between(ends, *band(contestant), color=colour, alpha=0.15, lw=0)
    if contestant.watches:
        panels[2].plot(ends, age, **style)
        drifts = [at for at in contestant.drifts if at >= contestant.first]
        foot = panels[0].get_xaxis_transform()  # heights from 0 to 1
        panels[0].plot(drifts, [0.02] * len(drifts), "^", color=colour, ms=5, transform=foot)


def draw_calibration(axes: Any, contestants: Sequence[Contestant]) -> None:
    """Draw the share of predictions that were right against their probability, and the diagonal."""
    axes.plot([0, 1], [0, 1], color="0.7", lw=1)
    lowest = 1.0
    for i, contestant in enumerate(contestants):
        bins = contestant.true.bins
        weight, likely, right, _ = bins[bins[:, 0] > 0].T
        axes.plot(likely / weight, right / weight, marker="o", ms=3, **styled(i))
        lowest = min([lowest, *(likely / weight)])
    axes.set(xlabel="probability of the predicted class", ylabel="share right", ylim=(-0.03, 1.03))
    axes.set_xlim(lowest - 0.03, 1.03)
    _tidy(axes)


def curves(contestant: Contestant) -> tuple[np.ndarray, ...]:
    """Return the ends of windows, and accuracy, share of labels asked and mean age in each."""
    curve = contestant.curve
    ends = curve.ends()
    sums = np.vstack([curve.sums[:4], np.diff(ends, prepend=0)])
    right, labelled, asked, age, rows = curve.sliding(sums)
    with np.errstate(invalid="ignore", divide="ignore"):  # a window may have no label
        return contestant.first + ends, right / labelled, asked / rows, age / rows


def banded(contestant: Contestant) -> bool:
    """Return whether there is a band: every point must stand for enough rows."""
    return contestant.estimates and contestant.curve.size * contestant.curve.window >= ROWS


def band(contestant: Contestant) -> tuple[np.ndarray, ...]:
    """Return the limits of accuracy estimated from asked labels, window by window."""
    curve = contestant.curve
    sums = np.maximum(curve.sliding(curve.sums[4:]), 0.0)  # differences of sums may round
    found = [estimated(column, contestant.audit.z) for column in sums.T]
    return np.array([one.low for one in found]), np.array([one.high for one in found])


def plot_pool(runs: Mapping[str, "PoolRun"], title: str, path: str | Path) -> None:
    """Draw the mistakes of each order against rows labelled, in the format of the extension."""
    from matplotlib.figure import Figure  # slow to import

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    for i, (name, run) in enumerate(runs.items()):
        label = f"{name}: {run.mistakes:,}"
        axes.plot(np.append(0, run.curve), label=label, drawstyle="steps-post", **styled(i))
    axes.set(title=title.replace("$", r"\$"), xlabel="rows labelled", ylabel="proposals corrected")
    axes.set_ylim(bottom=0)
    _tidy(axes)
    axes.legend(frameon=False, fontsize="small")
    figure.savefig(path, dpi=150)


def styled(i: int) -> dict[str, Any]:
    """Return the style of line i."""
    return {"color": COLOURS[i % len(COLOURS)], "ls": DASHES[i % len(DASHES)], "lw": 1.4}


def _tidy(axes: Any) -> None:
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
