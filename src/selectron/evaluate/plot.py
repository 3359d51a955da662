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

    figure = Figure(figsize=(8, 6 + 0.2 * len(contestants)), layout="constrained")
    above, below = figure.subplots(2, sharex=True, height_ratios=(3, 2))
    for i, contestant in enumerate(contestants):
        style = {"color": COLOURS[i % len(COLOURS)], "ls": DASHES[i % len(DASHES)], "lw": 1.4}
        ends, accuracy, asking = curves(contestant)
        above.plot(ends, accuracy, label=caption(contestant), **style)
        below.plot(ends, asking, **style)
    above.set(title=title, ylabel=f"accuracy over {window(contestants[0].curve):,} rows")
    below.set(xlabel="rows", ylabel="share of labels asked", ylim=(-0.03, 1.03))
    for axes in (above, below):
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", frameon=False, fontsize="small")
    figure.savefig(path, dpi=150)


def curves(contestant: Contestant) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, and accuracy and share of labels asked in the window that ends there."""
    right, labelled, asked = smoothed(contestant.curve.sums())
    ends = contestant.curve.ends()
    rows = smoothed(np.diff(ends, prepend=0)[None])[0]
    with np.errstate(invalid="ignore", divide="ignore"):  # a window may have no label
        return ends, right / labelled, asked / rows


def caption(contestant: Contestant) -> str:
    """Return what the legend says."""
    result = contestant.result()
    accuracy = "-" if result["accuracy"] is None else f"{result['accuracy']:.1%}"
    asked = f"{result['label_rate']:.1%}"
    return f"{contestant.name}, {contestant.asker}: {accuracy} right, {asked} asked"


def bins_in_window(bins: int, apart: int = 40) -> int:
    """Return how many bins a window has, so that about so many windows stand apart."""
    return max(1, bins // apart)


def window(curve: Curve) -> int:
    """Return the rows that a point of the picture stands for."""
    return curve.size * bins_in_window(curve.sums().shape[1])


def smoothed(sums: np.ndarray) -> np.ndarray:
    """Return sums over a window that slides over the bins, and ends at each.

    >>> smoothed(np.ones((1, 80)))[0, :4]
    array([1., 2., 2., 2.])
    """
    width = bins_in_window(sums.shape[1])
    total = np.pad(sums.cumsum(axis=1), ((0, 0), (width, 0)))
    return total[:, width:] - total[:, :-width]
