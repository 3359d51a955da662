"""The classes of labels that are known beforehand, where none have been named."""

import numpy as np

from ..data.labels import distinct
from ..errors import SelectronError
from ..estimator.checks import classifiable

FEW = 20  # classes that a pool may have however few rows there are of each


def classes_of(labels: np.ndarray) -> np.ndarray:
    """Return the classes, sorted; refuse measurements, and labels nearly all of which differ.

    >>> classes_of(np.arange(100))
    Traceback (most recent call last):
    selectron.errors.SelectronError: 100 labels are of 100 classes, too many to be learned from so \
few: if they are no ids, name them all with classes=.
    """
    found = distinct(classifiable(labels))
    if scarce(len(found), len(labels)):
        raise SelectronError(
            f"{len(labels):,} labels are of {len(found):,} classes, too many to be learned from so "
            "few: if they are no ids, name them all with classes=."
        )
    return found


def scarce(classes: int, labels: int) -> bool:
    """Are there no more than two labels of a class, as where they are ids or measurements?

    Every class costs a mistake when it comes, and every pair of classes a fit after each: a minute
    goes by for nothing.
    """
    return classes > FEW and 2 * classes >= labels
