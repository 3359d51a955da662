"""Weights of labels, as users give them."""

from typing import Any

import numpy as np

from ..engine.parameters import shown
from ..errors import SelectronError
from ..model.run import indices
from ..model.weighting import MOST
from . import checks


def checked(given: Any, n: int | None) -> np.ndarray:
    """Return the weights of n rows as floats, or a single one.

    Raises SelectronError if there is another number of them, or one is not from 0 to `MOST`.
    """
    with checks.in_one_sentence("sample_weight is no list of numbers"):
        found = np.asarray(given, dtype=float)
    if n is not None and found.ndim == 0:
        found = np.full(n, found)
    if found.shape != (() if n is None else (n,)):
        wanted = "one number" if n is None else f"one number for each of {n} rows"
        raise SelectronError(f"sample_weight must be {wanted}, got shape {found.shape}.")
    if not ((found >= 0) & (found <= MOST)).all():
        raise SelectronError(f"sample_weight must be from 0 to {MOST:.0f} everywhere.")
    return found


def of_classes(given: Any, named: np.ndarray | None) -> dict:
    """Return the weights of classes of the parameter `class_weight`: those that it names.

    Raises SelectronError if it is something else, or a class is none of those `named`.
    """
    if given is None or (isinstance(given, str) and given == "balanced"):
        return {}
    if not isinstance(given, dict):
        raise SelectronError(f'class_weight must be a dict or "balanced", got {shown(given)}.')
    for label, weight in given.items():
        if not (isinstance(weight, int | float | np.number) and 0 <= weight <= MOST):
            raise SelectronError(
                f"class_weight must be from 0 to {MOST:.0f}, got {shown(weight)} for {label!r}."
            )
        if named is not None and label not in named.tolist():
            raise SelectronError(f"class_weight names {label!r}, which is none of the classes.")
    return dict(given)


def factors(clf: Any) -> np.ndarray:
    """Return the weights that a classifier's `class_weight_` gives its classes."""
    return np.array([float(clf.class_weight_.get(one, 1.0)) for one in clf.classes_.tolist()])


def of_rows(clf: Any, given: Any, codes: np.ndarray) -> np.ndarray | None:
    """Return the weights of labels, those of their classes included; None if there are none."""
    weights = None if given is None else checked(given, len(codes))
    if not clf.class_weight_:
        return weights
    index = np.maximum(indices(codes, clf.model_.stacked), 0)  # where there is no label, any
    return factors(clf)[index] * (1.0 if weights is None else weights)
