"""Weights that users give rows and classes: checks, and the factor of each label."""

import warnings
from typing import Any

import numpy as np

from ..engine.parameters import first_few, shown
from ..errors import SelectronError
from ..model.weighting import MOST
from .checks import check_mask, in_one_sentence

SMALL, FEW = 0.1, 20  # a mean of weights, below which few labels are learned; weights that have one


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


def row_weights(given: Any, n: int) -> np.ndarray | None:
    """Return the weights of n rows, None if there are none; warn if their mean is small."""
    found = None if given is None else sample_weights(given, n)
    some = np.zeros(0) if found is None else found[found > 0]
    if len(some) >= FEW and (mean := some.mean()) < SMALL:
        warnings.warn(
            f"The mean sample_weight is {mean:.2g}, and a label of weight w is learned w times: "
            "few will be learned. Multiply the weights, so that their mean is about 1.",
            stacklevel=4,
        )
    return found


def check_any(given: Any) -> None:
    """Raise SelectronError if every weight is 0."""
    if given is not None and not _numbers(given).any():
        raise SelectronError("Every sample_weight is zero.")


def _numbers(given: Any) -> np.ndarray:
    check_mask(given, "sample_weight.filled(0)")
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
    if named is not None and not any(given.get(name, 1) for name in named.tolist()):
        raise SelectronError("Every class_weight is zero.")
    return dict(given)


def warn_if_unused(clf: Any) -> None:
    """Warn if `class_weight_` names what is none of the classes so far."""
    known = clf.classes_.tolist()
    for label in clf.class_weight_:
        if label not in known:
            only = f"no label so far: they are {first_few(clf.classes_)}."
            warnings.warn(f"class_weight names {label!r}, which is {only}", stacklevel=3)


def apply_class_weights(clf: Any) -> None:
    """Give the classes of a classifier's model the weights of `class_weight_`, if there are any.

    Raises SelectronError if one names a class by a value of another type, as "1" for 1.
    """
    known, given = clf.classes_.tolist(), clf.class_weight_
    by_text = {str(one): one for one in known}
    for label in given:
        if label not in known and str(label) in by_text:
            what = f"{label!r}, a {type(label).__name__}, and the class is {by_text[str(label)]!r}"
            raise SelectronError(f"class_weight names {what}.")
    if given:
        clf.model_.weighting = clf.model_.weighting.given(given, known)
