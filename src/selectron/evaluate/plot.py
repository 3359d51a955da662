"""The picture of a pass: accuracy and asking over time."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .contest import Contestant
from .curves import Curve

# Okabe and Ito's colours, which colour-blind readers can tell apart, told apart by dashes as well.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES = ("-", "--", "-.", ":")


def plot(contestants: Sequence[Contestant], title: str, path: str | Path) -> None:
    """Draw accuracy and share of labels asked over time, in the format of the file's ending."""
    from matplotlib.figure import Figure  # slow to import

    figure = Figure(figsize=(9, 6), layout="constrained")
    above, below = figure.subplots(2, sharex=True, height_ratios=(3, 2))
    askers = {contestant.asker for contestant in contestants}
    for i, contestant in enumerate(contestants):
        right, labelled, asked = smoothed(contestant.curve.sums())
        ends = contestant.curve.ends()
        rows = np.diff(ends, prepend=0)
        result = contestant.result()
        name = contestant.name if len(askers) == 1 else f"{contestant.name}, {contestant.asker}"
        accuracy = "-" if result["accuracy"] is None else f"{result['accuracy']:.1%}"
        style = {"color": COLOURS[i % len(COLOURS)], "ls": DASHES[i // len(COLOURS) % len(DASHES)]}
        with np.errstate(invalid="ignore", divide="ignore"):
            above.plot(ends, right / labelled, lw=1.4, label=f"{name}  ({accuracy})", **style)
            below.plot(ends, asked / smoothed(rows[None])[0], lw=1.4, **style)
        below.plot([], [], label=f"{result['label_rate']:.1%} in all", **style)
    asker = f", asker {askers.pop()}" if len(askers) == 1 else ""
    above.set(title=title + asker, ylabel=f"accuracy over {window(contestants[0].curve):,} rows")
    below.set(xlabel="rows", ylabel="share of labels asked", ylim=(-0.03, 1.03))
    for axes in (above, below):
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    figure.savefig(path, dpi=150)


def bins_in_window(bins: int, apart: int = 64) -> int:
    """Return how many bins a window has, so that about so many windows stand apart."""
    return max(1, bins // apart)


def window(curve: Curve) -> int:
    """Return the rows that a point of the picture stands for."""
    return curve.size * bins_in_window(curve.sums().shape[1])


def smoothed(sums: np.ndarray) -> np.ndarray:
    """Return sums over a window that slides over the bins, and ends at each.

    >>> smoothed(np.ones((1, 128)))[0, :4]
    array([1., 2., 2., 2.])
    """
    width = bins_in_window(sums.shape[1])
    total = np.pad(sums.cumsum(axis=1), ((0, 0), (width, 0)))
    return total[:, width:] - total[:, :-width]
