"""Checks of what users give a theorem."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse

from ..engine.parameters import shown
from ..errors import SelectronError
from ..model.run import Run

Runs: TypeAlias = Run | list[Run] | tuple[Run, ...]


def listed(runs: Runs) -> Sequence[Run]:
    """Return the runs as a sequence of one at least."""
    found = runs if isinstance(runs, list | tuple) else [runs]
    if not found:
        raise SelectronError("There must be one run at least, got none.")
    for run in found:
        if not isinstance(run, Run):
            raise SelectronError(f"A run must be what run() returned, got {shown(run)}.")
    return found


def fitting(runs: Runs, X: Any, U: Any, still: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (n, d), and comparators (d,) or one a round (n, d), that fit these runs.

    With `still`, there is one comparator for all rounds.
    """
    X, U = rows(X), dense("The comparator", U)
    for run in listed(runs):
        check_run(run, len(X))
    shapes = [X.shape[1:], *([] if still else [X.shape])]
    if U.shape not in shapes:
        wanted = " or ".join(map(str, shapes))
        raise SelectronError(f"The comparator must have the shape {wanted}, got {U.shape}.")
    return X, U


def check_run(run: Run, n: int) -> None:
    """Refuse a run that no theorem is about, or not one on n rows."""
    if run.many:
        raise SelectronError("The theorems are about two classes, and this run is of many.")
    if run.max_support is not None:
        raise SelectronError(
            "The theorems are about learners that forget no example, and in this run "
            f"max_support was {run.max_support}."
        )
    if len(run) != n:
        raise SelectronError(f"X has {n} rows, and the run has {len(run)} rounds.")


def rows(X: Any) -> np.ndarray:
    """Return rows as a learner saw them, (n, d)."""
    X = dense("X", X)
    if X.ndim != 2:
        raise SelectronError(f"X must have two dimensions, got an array of shape {X.shape}.")
    return X


def dense(name: str, given: Any) -> np.ndarray:
    """Return an array of finite numbers."""
    if scipy.sparse.issparse(given):
        raise SelectronError(f"{name} must be dense, as toarray() makes it, got a sparse matrix.")
    try:
        array = np.asarray(given)
        array = array.astype(complex if array.dtype.kind == "c" else float)
    except (TypeError, ValueError) as error:
        what = shown(given) if isinstance(given, str) else f"a {type(given).__name__}"
        raise SelectronError(f"{name} must hold numbers, got {what}.") from error
    if array.dtype.kind == "c" or not np.isfinite(array).all():
        raise SelectronError(f"{name} must hold finite, real numbers only.")
    return array


def recorded(run: Run, name: str) -> np.ndarray:
    """Return the margins or probabilities of a run."""
    values = getattr(run, name)
    if values is None:
        raise SelectronError(f"The run has no {name} recorded: play it with margins=True.")
    return np.asarray(values)


def above_0(**given: Any) -> None:
    """Refuse parameters that are not numbers above 0; inf will do."""
    _numbers(given, lambda value: value > 0, "above 0")


def from_0(**given: Any) -> None:
    """Refuse parameters that are not numbers from 0 on; inf will do."""
    _numbers(given, lambda value: value >= 0, "from 0 on")


def _numbers(given: dict[str, Any], fits: Callable[[Any], bool], wanted: str) -> None:
    for name, value in given.items():
        if not isinstance(value, int | float | np.integer | np.floating) or not fits(value):
            raise SelectronError(f"{name} must be a number {wanted}, got {shown(value)}.")
