"""Tables of measurements and of people: Shuttle, a9a."""

import numpy as np
from scipy.sparse import csr_matrix, vstack

from .blocks import table
from .dataset import Dataset
from .home import file

SPELLINGS = {  # the file found spells four of the seven classes in two ways
    "Radiator Flow": "Rad Flow",
    "Flow Proportioning Valve Close": "Fpv Close",
    "Flow Proportioning Valve Open": "Fpv Open",
    "Bipropellant Valve Close": "Bpv Close",
    "Bipropellant Valve Open": "Bpv Open",
}


def shuttle() -> Dataset:
    """Return Shuttle: 58,000 rows, 9 integer features, 7 very uneven classes ("Rad Flow", ...).

    `part` is "train" for the first 43,500 rows and "test" for the rest. The features are as they
    were measured, up to some thousands: scale them for learners that look at length. Raises
    SelectronError where the files are not to be had.

    Source: Statlog (Shuttle), UCI.
    """
    parts = {"train": "shuttle/shuttle.trn.csv", "test": "shuttle/shuttle.tst.csv"}
    tables = [table(file(name), format="csv", label=-1, header=False) for name in parts.values()]
    y = np.array([SPELLINGS.get(name, name) for _, names in tables for name in names])
    part = np.repeat(list(parts), [len(names) for _, names in tables])
    return Dataset(np.concatenate([X for X, _ in tables]), y, np.unique(y), part=part)


def a9a() -> Dataset:
    """Return a9a, the census set Adult: 48,842 rows, 123 binary features, classes -1 and 1.

    Rows are sparse. `part` is "train" for the first 32,561 and "test" for the rest. Raises
    SelectronError where the files are not to be had.

    Source: Platt, "Fast Training of Support Vector Machines" (1998); LIBSVM's data sets.
    """
    tables = [table(file(f"a9a/{name}"), format="svmlight") for name in ("a9a", "a9a.t")]
    part = np.repeat(["train", "test"], [len(y) for _, y in tables])
    y = np.concatenate([y for _, y in tables]).astype(int)
    return Dataset(vstack([_from_0(X, 123) for X, _ in tables]), y, np.array([-1, 1]), part=part)


def _from_0(X: csr_matrix, width: int) -> csr_matrix:
    """Return rows whose features are counted from 0; in the file they are from 1."""
    return csr_matrix((X.data, X.indices - 1, X.indptr), (X.shape[0], width))
