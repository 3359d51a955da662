"""What a data set consists of; tables of measurements, characters and words."""

import io
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.datasets import fetch_openml, load_digits, load_svmlight_file

from .files import arrays, cache, contents, found, missing, reading

LETTERS = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
PRICES = ["nswprice", "nswdemand", "vicprice", "vicdemand", "transfer"]  # of two states
SPELLINGS = {  # the file found spells four of Shuttle's seven classes in two ways
    "Radiator Flow": "Rad Flow",
    "Flow Proportioning Valve Close": "Fpv Close",
    "Flow Proportioning Valve Open": "Fpv Open",
    "Bipropellant Valve Close": "Bpv Close",
    "Bipropellant Valve Open": "Bpv Open",
}


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Rows in the order of their stream, their labels, and what else is known of them.

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

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.X.shape[0]

    def __repr__(self) -> str:
        rows, width = self.X.shape
        return f"<Dataset: {rows:,} rows, {width:,} features, {len(self.classes)} classes>"

    @cached_property
    def frequency(self) -> np.ndarray:
        """Number of rows of each class, (K,).

        >>> digits().frequency
        array([178, 182, 177, 183, 181, 182, 181, 179, 174, 180])
        """
        if isinstance(self.y, np.ndarray):
            return (self.y[:, None] == self.classes).sum(axis=0)
        return np.asarray(self.y.sum(axis=0)).ravel()


# Characters


def digits() -> Dataset:
    """Return scikit-learn's handwritten digits: 1,797 rows, 64 features in [0, 1], classes 0 to 9.

    >>> digits().X.max()
    np.float64(1.0)
    """
    X, y = load_digits(return_X_y=True)
    return Dataset(X / 16, y, np.arange(10))


def usps() -> Dataset:
    """Return the USPS digits: 9,298 rows, 256 features (16 x 16) in [0, 1], classes 0 to 9.

    `part` is "train" for the first 7,291 rows; 2 X - 1 is what zip.train and zip.test hold.

    Source: Hull, "A Database for Handwritten Text Recognition Research" (IEEE PAMI, 1994).
    """
    import h5py

    with reading("usps/usps.h5") as path, h5py.File(path) as groups:
        train, test = groups["train"], groups["test"]
        X = np.concatenate([train["data"], test["data"]]).astype(float)
        y = np.concatenate([train["target"], test["target"]]).astype(int)
        part = _split(len(y), len(train["target"]))
    return Dataset(X, y, np.arange(10), part=part)


def letter() -> Dataset:
    """Return Letter: 20,000 rows, 16 features from 0 to 15, classes "A" to "Z", in UCI's order.

    `part` is "train" for the first 16,000 rows.

    Source: Frey & Slate, "Letter Recognition Using Holland-Style Adaptive Classifiers" (1991).
    """
    with reading("letter/letter-recognition.data") as path:
        table = np.loadtxt(path, str, delimiter=",")
        table = table[table[:, 0] != "Letter"]  # the copy that is downloaded has a header
        X, y = table[:, 1:].astype(float), table[:, 0].astype("U1")
    return Dataset(X, y, LETTERS, part=_split(len(y), 16_000))


def isolet() -> Dataset:
    """Return Isolet, spoken letters: 7,797 rows, 617 features in [-1, 1], classes "A" to "Z".

    `part` is "train" for parts 1 to 4 and "test" for part 5, the last 1,559 rows. The packed copy
    has parts 1 to 4 sorted by class: shuffle the rows to make a stream of them. Downloads are
    OpenML's, under its checksum.

    Source: Fanty & Cole, "Spoken Letter Recognition" (NIPS 1990).
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
    return Dataset(X, LETTERS[y - 1], LETTERS, part=_split(len(y), len(y) - 1559))


# Measurements and people


def shuttle() -> Dataset:
    """Return Shuttle: 58,000 rows, 9 integer features, 7 very uneven classes ("Rad Flow", ...).

    `part` is "train" for the first 43,500 rows. The features are not scaled, and reach thousands.

    Source: Statlog (Shuttle), UCI.
    """
    parts = []
    for name in ("shuttle/shuttle.trn.csv", "shuttle/shuttle.tst.csv"):
        with reading(name) as path:
            table = np.loadtxt(path, str, delimiter=",")
            parts.append((table[:, :-1].astype(float), table[:, -1]))
    y = np.array([SPELLINGS.get(name, name) for _, names in parts for name in names])
    part = _split(len(y), len(parts[0][1]))
    return Dataset(np.concatenate([X for X, _ in parts]), y, np.unique(y), part=part)


def a9a() -> Dataset:
    """Return a9a, the census set Adult: 48,842 rows, 123 binary features, classes -1 and 1.

    Rows are sparse. `part` is "train" for the first 32,561.

    Source: Platt, "Fast Training of Support Vector Machines" (1998); LIBSVM's data sets.
    """
    parts = []
    for name in ("a9a/a9a", "a9a/a9a.t"):
        with reading(name) as path:
            file = io.BytesIO(contents(path))
            parts.append(load_svmlight_file(file, n_features=123, zero_based=False))
    y = np.concatenate([y for _, y in parts]).astype(int)
    part = _split(len(y), len(parts[0][1]))
    return Dataset(csr_matrix(vstack([X for X, _ in parts])), y, np.array([-1, 1]), part=part)


# Streams of two classes that drift, in order of time


def electricity() -> Dataset:
    """Return Elec2: 45,312 half hours of a market, 8 features in [0, 1] (day: 1 to 7).

    The classes "DOWN" and "UP" compare the price with the mean of the last 24 hours. `features`
    names the columns; "date" and "nswprice" are commonly left out. Labels are correlated in time:
    predicting the last label again is right for 85% of the rows.

    Source: Harries, "Splice-2 Comparative Evaluation: Electricity Pricing" (1999), normalised as in
    MOA.
    """
    with reading("elec2/elec2_data.dat") as path:
        X = np.loadtxt(path)
    with reading("elec2/elec2_label.dat") as path:
        down = np.loadtxt(path) == 1
    classes = np.array(["DOWN", "UP"])
    features = np.array(["date", "day", "period", *PRICES])
    return Dataset(X, np.where(down, *classes), classes, features=features)


def weather() -> Dataset:
    """Return NOAA's daily weather in Bellevue: 18,159 rows, 8 measurements, "dry" or "rain".

    Source: Elwell & Polikar, "Incremental Learning of Concept Drift in Nonstationary Environments"
    (IEEE TNN, 2011).
    """
    with reading("weather/NEweather_data.csv") as path:
        X = np.loadtxt(path, delimiter=",")
    with reading("weather/NEweather_class.csv") as path:
        rain = np.loadtxt(path) == 1
    classes = np.array(["dry", "rain"])
    return Dataset(X, np.where(rain, *classes[::-1]), classes)


def luxembourg() -> Dataset:
    """Return use of the internet in Luxembourg: 1,901 rows, 31 features, classes 0 and 1.

    Answers to a survey from 2002 to 2007.

    Source: Žliobaitė, "Combining Similarity in Time and Space for Training Set Formation under
    Concept Drift" (Intelligent Data Analysis, 2011).
    """
    return _with_target("luxembourg_chess/LUdata.csv")


def chess() -> Dataset:
    """Return one player's games of chess: 503 rows, 8 features, classes 0 and 1.

    Source: Žliobaitė (2011), as `luxembourg`.
    """
    return _with_target("luxembourg_chess/chessweka.csv")


def spam() -> Dataset:
    """Return the spam corpus: 9,324 mails, 39,916 words (0 or 1, sparse), "ham" or "spam".

    From SpamAssassin's archives, by all accounts in order of time; the share of spam falls from
    three quarters to a tenth.

    Source: Katakis, Tsoumakas & Vlahavas, "Tracking Recurring Contexts Using Ensemble Classifiers"
    (Knowledge and Information Systems, 2010).
    """
    classes = np.array(["ham", "spam"])
    with reading("spam_corpus/spam_corpus.npz") as path:
        packed = arrays(path)
        X, y = sparse(packed), classes[packed["y"].astype(int)]
    return Dataset(X, y, classes)


# Formats


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


def _with_target(name: str) -> Dataset:
    """Return a table whose last column, "target", is the class, 0 or 1."""
    with reading(name) as path:
        header, *rows = np.loadtxt(path, str, delimiter=",", ndmin=2)
        if header[-1] != "target":
            raise ValueError("its last column is not named target")
        table = np.array(rows).astype(float)
    return Dataset(table[:, :-1], table[:, -1].astype(int), np.array([0, 1]))


def _split(n: int, train: int) -> np.ndarray:
    """Return "train" for the first rows, "test" for the rest."""
    return np.where(np.arange(n) < train, "train", "test")
