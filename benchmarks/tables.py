"""Tables in Markdown."""

from collections.abc import Iterable, Sequence

import numpy as np

failures: list[str] = []  # rows that could not be measured


def show(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table, each row as soon as it is measured.

    If a program to compare with is missing or fails, the table and `failures` state it.
    """
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    try:
        for row in rows:
            print(f"| {' | '.join(row)} |", flush=True)
    except Exception as error:
        failures.append(f"{head[0]}: {type(error).__name__}: {error}")
        print(f"| FAILED | - | {failures[-1]} |", flush=True)
    print()


def with_errors(found: Sequence[Sequence[float]]) -> list[str]:
    """Return the mean of every column, and its standard error over the rows."""
    errors = np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    means = np.mean(found, axis=0)
    return [f"{mean:.3f} ± {error:.3f}" for mean, error in zip(means, errors, strict=True)]
