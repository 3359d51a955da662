"""Checks of labels, classes and weights that users give an estimator; the factor of each label."""

import warnings
from collections.abc import Collection
from datetime import date, time, timedelta
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d

from ..data.labels import (
    SORTED,
    Order,
    appended,
    as_array,
    as_objects,
    check_fit,
    distinct,
    given_classes,
    missing,
    no_class,
    none_of,
)
from ..engine.parameters import first_few, shown
from ..errors import SelectronError
from ..model.run import code_of, indices
from ..model.weighting import MOST
from .checks import LABELS, check_collected, check_mask, in_one_sentence

RUN, BY_CHANCE = 10, 1e-4  # rows of one class at the end of a batch, and the chance of such a run
FEW, ALMOST_ALL = 50, 0.9  # labels of which most may differ; a part that seems odd
TIMES = date, time, timedelta, np.datetime64, np.timedelta64
SMALL, SEVERAL = 0.1, 20  # a mean of weights, below which few labels are learned; of how many


def labels(y: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels of n rows as an array, and which of them are missing."""
    check_mask(y, "y.astype(object).filled(None)")
    check_collected(y, "y")
    if y is None:
        raise SelectronError("This classifier requires y to be passed, but the target y is None.")
    if not (type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biuU"):
        with in_one_sentence(LABELS):
            y = column_or_1d(as_array(y), warn=True)
    if len(y) != n:
        raise SelectronError(f"X has {n} rows, and y has {len(y)} labels.")
    without = missing(y)
    if y.dtype.kind == "f":
        with in_one_sentence(LABELS):
            assert_all_finite(y[~without], input_name="y")
    return y, without


def classes(
    estimator: Any, present: np.ndarray, given: Any, *, least: int = 2
) -> tuple[np.ndarray, bool]:
    """Return the classes, and whether they have been named, so that no others are allowed.

    They are the known ones, and those given, or `present` in the labels: at first `least` or more.
    Where classes have been named, the parameter may name more by now.
    """
    known, named = getattr(estimator, "classes_", None), getattr(estimator, "named_", False)
    if given is None and (known is None or (named and _adds(estimator.classes, known))):
        given = estimator.classes
    if given is not None:
        return _named_classes(known, given)
    if known is not None:
        return known if named else extended(known, present), named
    found = extended(np.empty(0, object), present)
    if len(found) < least:
        only = f"There is only one class ({first_few(found)})"
        how = only if len(found) else "Every label is missing"
        raise SelectronError(f"{how}: name the classes with classes=.")
    if len(present) >= FEW and 2 * len(found) > len(present):
        differ = f"{len(found):,} of {len(present):,}"
        if isinstance(found[0], TIMES):
            why = f"as {differ} dates or times in y differ; classes are text or whole numbers"
            raise SelectronError(f"Unknown label type: continuous, {why}.")
        if len(found) > ALMOST_ALL * len(present):
            what = f"{differ} labels differ, and each is a class"
            warnings.warn(f"{what}: is y the column of the labels?", stacklevel=6)
    return found, False


def check_label(label: Any) -> None:
    """Raise SelectronError if this cannot be a label."""
    alone = np.empty(1, dtype=object)  # NumPy would unpack a sequence
    alone[0] = label
    if missing(alone).any():
        raise SelectronError(
            f"There is no class {shown(label)}: where there is no label, leave the ticket open, or "
            "the row out."
        )
    if isinstance(label, Collection) and not isinstance(label, str | bytes):
        raise no_class(label)
    check_fit(alone)


def with_label(estimator: Any, label: Any) -> np.ndarray:
    """Return the classes with that of a label; raise SelectronError if it is refused."""
    known, named = classes(estimator, np.empty(0, object), None, least=0)
    if code(label, known, many=True):
        return known
    if named:
        raise SelectronError(f"There is no class {shown(label)}: it is {none_of(known)}.")
    check_label(label)
    return classifiable(extended(known, as_array([label])))


def extended(known: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Return the known classes, followed by the new ones of these labels; warn of an empty one."""
    found = appended(known, classifiable(present))
    if any(isinstance(label, str) and not label for label in as_objects(found[len(known) :])):
        hint = "give None where there is no label, or name the class with classes="
        warnings.warn(f"The empty text '' is learned as a class: {hint}.", stacklevel=7)
    return found


def check_answer(estimator: Any, label: Any) -> None:
    """Raise SelectronError if `tell` would refuse this label."""
    known = getattr(estimator, "classes_", None)
    if known is None or not code(label, known, many=True):
        with_label(estimator, label)


def _adds(given: Any, known: np.ndarray) -> bool:
    """Return whether the classes given, if there are any, are the known ones and others."""
    more = known if given is None else _several_classes(given)
    return len(appended(more, known)) == len(more) > len(known)


def _several_classes(given: Any) -> np.ndarray:
    """Return the classes given, sorted; raise SelectronError unless there are two or more."""
    with in_one_sentence("classes are not a list of labels"):
        several = isinstance(given, set | frozenset) or np.ndim(given) == 1
    wanted = given_classes(given) if several else np.empty(0)
    check_fit(wanted)
    if len(wanted) < 2 or missing(wanted).any() or len(distinct(wanted)) < len(wanted):
        raise SelectronError(f"classes must be two or more different labels, got {given!r}.")
    return distinct(wanted)


def _named_classes(known: np.ndarray | None, given: Any) -> tuple[np.ndarray, bool]:
    """Return the named classes: first those known already, then the others, sorted."""
    wanted = _several_classes(given)
    if known is None:
        return wanted, True
    joint = appended(known, wanted)
    if len(joint) > len(wanted):
        raise SelectronError(f"The classes are {known.tolist()} already, got {wanted.tolist()}.")
    return joint, True


def classifiable(present: np.ndarray) -> np.ndarray:
    """Return labels if they can be classes: more than two different fractions cannot."""
    check_fit(present)
    fractions = present.dtype.kind == "f" and len(np.unique(present)) > 2
    if fractions and type_of_target(present) == "continuous":
        raise SelectronError(
            "Unknown label type: continuous, as y has fractions; classes are text or whole numbers."
        )
    return present


def warn_of_order(codes: np.ndarray, classes: np.ndarray, many: bool) -> None:
    """Warn if the rows of a batch are sorted by class, or end with too long a run of one class."""
    if codes.ndim != 1:  # rows have several labels
        return
    order, known = Order(), codes[codes != 0]
    order.add(known)
    if order.sorted:
        warnings.warn(f"{SORTED}, as with sklearn.utils.shuffle.", stacklevel=3)
        return
    others = np.flatnonzero(known != known[-1:])
    run, share = len(known) - 1 - others.max(initial=-1), 1 - len(others) / max(1, len(known))
    if run >= RUN and share ** (run - 1) < BY_CHANCE:
        warnings.warn(
            f"The last {run} rows are all of class {shown(classes[indices(known[-1], many)])}, and "
            "look like a new concept: unless the rows are in order of time, shuffle them, in "
            "cross-validation with StratifiedKFold(shuffle=True).",
            stacklevel=3,
        )


def code(label: Any, known: np.ndarray, many: bool) -> int:
    """Return the code of a label; 0 if it is none of the known classes."""
    try:
        return code_of(as_objects(known).index(label), many)
    except (TypeError, ValueError):  # unknown, or pandas' NA, or an array
        return 0


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
    if len(some) >= SEVERAL and (mean := some.mean()) < SMALL:
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
