"""Weights that users give rows and classes: checks, and the factor of each label."""

from typing import Any

import numpy as np

from ..engine.parameters import shown
from ..errors import SelectronError
from ..model.run import indices
from ..model.weighting import MOST
from .checks import check_mask, in_one_sentence


def sample_weights(given: Any, n: int | None) -> np.ndarray:
    """Return the weights of n rows as floats, or a single one.

    Raises SelectronError if there is another number of them, or one is not from 0 to `MOST`.
    """
    found = _numbers(given)
    if n is not None and found.ndim == 0:
        found = np.full(n, found)
    if found.shape != (() if n is None else (n,)):
        wanted = "one number" if n is None else f"one number for each of {n} rows"
        raise SelectronError(f"sample_weight must be {wanted}, got shape {found.shape}.")
    if not ((found >= 0) & (found <= MOST)).all():
        raise SelectronError(f"sample_weight must be from 0 to {MOST:.0f} everywhere.")
    return found


def check_some(given: Any) -> None:
    """Raise SelectronError if every weight is 0."""
    if given is not None and not _numbers(given).any():
        raise SelectronError("Every sample_weight is zero.")


def _numbers(given: Any) -> np.ndarray:
    check_mask(given, "sample_weight", "0")
    with in_one_sentence("sample_weight is not a list of numbers"):
        return np.asarray(given, dtype=float)


def class_weights(given: Any, named: np.ndarray | None) -> dict:
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


def check_types(given: dict, known: list) -> None:
    """Raise SelectronError if weights name a class by a value of another type, as "1" for 1."""
    for label in given:
        if label not in known and str(label) in map(str, known):
            raise SelectronError(
                f"class_weight names {label!r}, a {type(label).__name__}, and the class is "
                f"{next(one for one in known if str(one) == str(label))!r}."
            )


def class_factors(clf: Any) -> np.ndarray:
    """Return the weights that a classifier's `class_weight_` gives its classes."""
    return np.array([float(clf.class_weight_.get(one, 1.0)) for one in clf.classes_.tolist()])


def row_weights(clf: Any, given: Any, codes: np.ndarray) -> np.ndarray | None:
    """Return the weights of labels, those of their classes included; None if there are none."""
    own = None if given is None else sample_weights(given, len(codes))
    if not clf.class_weight_:
        return own
    check_types(clf.class_weight_, clf.classes_.tolist())
    index = np.maximum(indices(codes, clf.model_.stacked), 0)  # where there is no label, any
    return class_factors(clf)[index] * (1.0 if own is None else own)
