"""The picture of a pool: mistakes against rows labelled, for every order."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..pool import PoolRun
from .plot import COLOURS, DASHES

POINTS = 2_000  # a curve is drawn through at most


def plot(runs: Mapping[str, PoolRun], title: str, path: str | Path) -> None:
    """Draw the mistakes of every order, in the format of the file's ending."""
    from matplotlib.figure import Figure  # slow to import

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    for i, (name, run) in enumerate(runs.items()):
        rows, mistakes = thinned(run.curve)
        style: Any = {"color": COLOURS[i % len(COLOURS)], "ls": DASHES[i % len(DASHES)], "lw": 1.6}
        axes.plot(
            rows, mistakes, label=f"{name}: {run.mistakes:,}", drawstyle="steps-post", **style
        )
    axes.set(title=title, xlabel="rows labelled", ylabel="proposals corrected")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize="small")
    figure.savefig(path, dpi=150)


def thinned(curve: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and mistakes at a few points of a curve, its end among them.

    >>> thinned(np.array([1, 1, 2]))
    (array([0, 1, 2, 3]), array([0, 1, 1, 2]))
    """
    rows = np.unique(np.linspace(0, len(curve), min(POINTS, len(curve) + 1)).astype(int))
    return rows, np.concatenate([[0], curve])[rows]
