"""Metrics as lines of text."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..model.metrics import Metrics, RunMetrics, Tally

RARE = 0.1  # of the labels, and half of an even share at most
MOST_COLUMNS, MOST_CLASSES = 3, 12  # that are shown
PART = 12  # characters at both ends of a long name that are shown


def aligned(lines: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return a table as text, with a rule below its header; the first `left` columns are words.

    >>> print(aligned([("class", "recall"), ("ham", "1")]))
    class  recall
    -----  ------
    ham         1
    """
    lines = [[cell.replace("\n", "\\n") for cell in line] for line in lines]  # as in some names
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    ruled = [lines[0], ["-" * width for width in widths], *lines[1:]]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in ruled
    )


def short_names(names: Iterable[Any]) -> list[str]:
    """Return the names of classes, shortened to 25 characters at most if they stay different.

    >>> short_names(["ham", "mail that nobody has asked for"])
    ['ham', 'mail that no…as asked for']
    """
    full = list(map(str, names))
    cut = [name if len(name) <= 2 * PART + 1 else f"{name[:PART]}…{name[-PART:]}" for name in full]
    return cut if len(set(cut)) == len(set(full)) else full


def recalls(tallies: Sequence[Tally], names: Sequence[str]) -> dict[str, list[str]]:
    """Return a column with the recall of each rare class, by its head: the three rarest at most."""
    short = short_names(names)
    return {
        f"recall of {short[k]}": [_number(tally.recall()[k]) for tally in tallies]
        for k in _rare(tallies[0])[:MOST_COLUMNS]
    }


def left_out(true: Tally) -> str:
    """Return a line about rare classes whose recall has no column; "" if there are none."""
    rare = len(_rare(true))
    shown = f"The table has the recall of the rarest {MOST_COLUMNS} of {rare} rare classes"
    return f"{shown}: --metrics shows all." if rare > MOST_COLUMNS else ""


def _rare(true: Tally) -> list[int]:
    """Return the places of the rare classes, the rarest first."""
    shares = true.shares()
    limit = min(RARE, 0.5 / max(1, len(shares)))
    return [k for k in np.argsort(shares).tolist() if 0 < shares[k] < limit]


def majority(true: Tally, names: Sequence[str]) -> str:
    """Return a line about the accuracy of the most frequent class; "" if no row has a label."""
    shares = true.shares()
    if not shares.any():
        return ""
    most = int(np.argmax(shares))
    return f"Always predicting {names[most]} has an accuracy of {shares[most]:.4f}."


def described(metrics: RunMetrics, title: str = "metric") -> str:
    """Return metrics as lines of text: overall, for every class, and the confusion table.

    >>> from selectron import OnlineClassifier
    >>> run = OnlineClassifier().run([[1.0], [-2.0], [3.0]], ["up", "down", "up"])
    >>> print("\\n".join(described(run.metrics()).splitlines()[:4]))
    metric               true  estimated
    -----------------  ------  ---------
    accuracy           0.6667     0.6667
    majority           0.6667     0.6667
    """
    true, estimated = metrics
    found = [true] if estimated is None else [true, estimated]
    head = ("true", "estimated")[: len(found)]
    overall = "accuracy", "majority", "balanced_accuracy", "kappa", "log_loss", "calibration_error"
    whole = [(title, *head)]
    whole += [
        (name.replace("_", " "), *(_number(getattr(one, name)) for one in found))
        for name in overall
    ]
    each = [
        ("class", *(f"{name}, {one}" for name in ("recall", "precision", "F1") for one in head))
    ]
    columns = [
        *(_with_intervals(one.recall, one.recall_interval) for one in found),
        *(_with_intervals(one.precision, one.precision_interval) for one in found),
        *(map(_number, one.f1) for one in found),
    ]
    names = short_names(true.classes[:MOST_CLASSES])
    each += zip(names, *(list(column)[: len(names)] for column in columns), strict=True)
    texts = [aligned(whole), aligned(each)]
    if len(true.classes) <= MOST_CLASSES:
        texts += [confused(one, word) for one, word in zip(found, head, strict=True)]
    else:
        texts.append(f"All {len(true.classes)} classes and the confusion table: --json")
    return "\n\n".join(texts)


def confused(metrics: Metrics, word: str) -> str:
    """Return the confusion table as text."""
    names = short_names(metrics.classes)
    lines = [(f"class, {word}", *(f"predicted {name}" for name in names))]
    for name, row in zip(names, metrics.confusion.tolist(), strict=True):
        lines.append((name, *(f"{count:,.0f}" for count in row)))
    return aligned(lines)


def _with_intervals(values: np.ndarray, ends: np.ndarray) -> list[str]:
    """Return numbers, each with its interval if it has one; the digits are aligned."""
    texts = ["" if math.isnan(low) else f" [{low:.2f}, {high:.2f}]" for low, high in ends.tolist()]
    width = max(map(len, texts), default=0)
    return [_number(x) + text.ljust(width) for x, text in zip(values.tolist(), texts, strict=True)]


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"
