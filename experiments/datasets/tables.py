"""The type of a data set; tables of measurements, characters and words."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.datasets import fetch_openml, load_digits

from .files import arrays, cache, found, missing, reading

LETTERS = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
SPELLINGS = {  # the file found spells four of Shuttle's seven classes in two ways
    "Radiator Flow": "Rad Flow",
    "Flow Proportioning Valve Close": "Fpv Close",
    "Flow Proportioning Valve Open": "Fpv Open",
    "Bipropellant Valve Close": "Bpv Close",
    "Bipropellant Valve Open": "Bpv Open",
}


class Dataset(NamedTuple):
    """Rows in the order of their stream, their labels, and further columns.

    `X` is an array or a CSR matrix of shape (n, d), float64. `y` holds the labels, (n,); if a row
    may be of several classes, it is a boolean CSR matrix of shape (n, K), one column per class.
    `classes` are the names of the classes, sorted, or of the columns of y. `part` (n,) is "train"
    or "test" or a number, `time` (n,) when a row was written, as datetime64[s] in UTC, and
    `features` (d,) names the columns of X; each is None for sets that do not have it.
    """

    X: Any
    y: Any
    classes: np.ndarray
    part: np.ndarray | None = None
    time: np.ndarray | None = None
    features: np.ndarray | None = None


def digits() -> Dataset:
    """Return scikit-learn's handwritten digits: 1,797 rows, 64 features in [0, 1], classes 0 to 9.

    >>> digits().X.max()
    np.float64(1.0)
    """
    X, y = load_digits(return_X_y=True)
    return Dataset(X / 16, y, np.arange(10))


def usps() -> Dataset:
    """Return the USPS digits: 9,298 rows, 256 features (16 x 16) in [0, 1], classes 0 to 9.

    2 X - 1 is what zip.train and zip.test hold. Source: Hull, "A Database for
    Handwritten Text Recognition Research" (IEEE PAMI, 1994).
    """
    import h5py

    with reading("usps/usps.h5") as path, h5py.File(path) as groups:
        train, test = groups["train"], groups["test"]
        X = np.concatenate([train["data"], test["data"]]).astype(float)
        y = np.concatenate([train["target"], test["target"]]).astype(int)
        part = split(len(y), len(train["target"]))
    return Dataset(X, y, np.arange(10), part=part)


def letter() -> Dataset:
    """Return Letter: 20,000 rows, 16 features from 0 to 15, classes "A" to "Z".

    Source: Frey & Slate, "Letter Recognition Using Holland-Style Adaptive Classifiers" (1991).
    """
    with reading("letter/letter-recognition.data") as path:
        table = np.loadtxt(path, str, delimiter=",")
        table = table[table[:, 0] != "Letter"]  # the copy that is downloaded has a header
        X, y = table[:, 1:].astype(float), table[:, 0].astype("U1")
    return Dataset(X, y, LETTERS, part=split(len(y), 16_000))


def isolet() -> Dataset:
    """Return Isolet, spoken letters: 7,797 rows, 617 features in [-1, 1], classes "A" to "Z".

    `part` is "test" for part 5, the last 1,559 rows. The packed copy has the other parts
    sorted by class. Source: Fanty & Cole, "Spoken Letter Recognition" (NIPS 1990).
    """
    name = "isolet/isolet.npz"
    if found(name):
        with reading(name) as path:
            packed = arrays(path)
            X, y = packed["X10000"] / 10_000, packed["y"].astype(int)
    else:
        where: dict[str, Any] = {"parser": "liac-arff", "data_home": str(cache())}
        try:
            fetched = fetch_openml(data_id=300, as_frame=False, **where)
        except (OSError, ValueError):
            raise missing(name, "https://openml.org/d/300 cannot be fetched") from None
        X, y = np.asarray(fetched.data, float), fetched.target.astype(float).astype(int)
    return Dataset(X, LETTERS[y - 1], LETTERS, part=split(len(y), len(y) - 1559))


def shuttle() -> Dataset:
    """Return Statlog's Shuttle: 58,000 rows, 9 features, not scaled, 7 very uneven classes."""
    parts = []
    for name in ("shuttle/shuttle.trn.csv", "shuttle/shuttle.tst.csv"):
        with reading(name) as path:
            table = np.loadtxt(path, str, delimiter=",")
            parts.append((table[:, :-1].astype(float), table[:, -1]))
    y = np.array([SPELLINGS.get(name, name) for _, names in parts for name in names])
    part = split(len(y), len(parts[0][1]))
    return Dataset(np.concatenate([X for X, _ in parts]), y, np.unique(y), part=part)


def sparse(packed: dict[str, np.ndarray], values: np.ndarray | None = None) -> csr_matrix:
    """Return a CSR matrix of packed indices; all its values are 1 unless they are given.

    >>> packed = {"indices": np.array([2, 0]), "indptr": np.array([0, 1, 2]), "shape": (2, 3)}
    >>> sparse(packed).toarray().tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    indices = packed["indices"].astype(np.int32)
    values = np.ones(len(indices)) if values is None else values
    shape = tuple(map(int, packed["shape"]))
    X = csr_matrix((values, indices, packed["indptr"].astype(np.int32)), shape)
    X.sort_indices()
    return X


def split(n: int, train: int) -> np.ndarray:
    """Return "train" for the first rows, "test" for the rest."""
    return np.where(np.arange(n) < train, "train", "test")
