"""The style of figures: panels as wide as a paper's column, and lines distinct without colour."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from selectron.evaluate.plot import COLOURS

from .verdicts import band

PANEL = 3.4, 2.6  # inches; a paper's column is some 3.3 wide
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 2)), (0, (8, 2)))
MARKERS = "osD^vPX"


def panels(columns: int, rows: int = 1, **options: Any) -> tuple[Any, np.ndarray]:
    """Return a figure with this number of panels, and its axes."""
    size = PANEL[0] * columns, PANEL[1] * rows + 0.5
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    for panel in axes.flat:
        panel.grid(alpha=0.3)
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(labelsize=8)
    return figure, axes


def name_panel(panel: Any, title: str, x: str, y: str) -> None:
    """Write a panel's title and the names of its axes."""
    panel.set_title(title, fontsize=9)
    panel.set_xlabel(x, fontsize=8)
    panel.set_ylabel(y, fontsize=8)


def style(i: int, points: bool = False) -> dict[str, Any]:
    """Return the colour, the dashes and, for points, the marker of the i-th of several curves."""
    dashes = DASHES[(i + i // len(COLOURS)) % len(DASHES)]
    marker = {"marker": MARKERS[i % len(MARKERS)], "ms": 3.5} if points else {}
    return {"color": COLOURS[i % len(COLOURS)], "ls": dashes, "lw": 1.3, **marker}


def curve(panel: Any, x: Any, repetitions: Any, label: str, i: int, most: float = 1.0) -> None:
    """Draw the mean of repetitions (rows), from 0 to `most`, with its 95% band."""
    mean, low, high = band(repetitions, (0.0, most))
    panel.plot(x, mean, label=label, **style(i))
    panel.fill_between(x, low, high, color=style(i)["color"], alpha=0.2, lw=0)


def points(panel: Any, x: Any, repetitions: Any, label: str, i: int) -> None:
    """Draw the mean of repetitions (rows) as points, with bars for the 95% interval."""
    mean, low, high = band(repetitions)
    panel.errorbar(
        x, mean, (mean - low, high - mean), label=label, elinewidth=0.8, **style(i, points=True)
    )


def legend(figure: Any, *several: Any) -> None:
    """Write one legend for these panels, under all panels, where it covers nothing."""
    entries: dict[str, Any] = {}
    for panel in several:
        handles, names = panel.get_legend_handles_labels()
        entries |= dict(zip(names, handles, strict=True))
    columns = min(int(figure.get_figwidth() / 1.2), len(entries))
    where = {"loc": "outside lower center", "ncols": columns}
    figure.legend(entries.values(), entries.keys(), frameon=False, fontsize=8, **where)
