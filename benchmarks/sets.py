"""Data sets that only the benchmarks use: streams that drift, mail, and a census.

Their files are found, downloaded and checked like those of `experiments.datasets`.
"""

import io

import numpy as np
from experiments.datasets.files import arrays, contents, reading
from experiments.datasets.tables import Dataset, sparse, split
from scipy.sparse import csr_matrix, vstack
from sklearn.datasets import load_svmlight_file

PRICES = ["nswprice", "nswdemand", "vicprice", "vicdemand", "transfer"]  # of two states


def a9a() -> Dataset:
    """Return a9a, the census set Adult: 48,842 rows, 123 binary features, classes -1 and 1.

    Rows are sparse. Source: Platt, "Fast Training of Support Vector Machines" (1998).
    """
    parts = []
    for name in ("a9a/a9a", "a9a/a9a.t"):
        with reading(name) as path:
            file = io.BytesIO(contents(path))
            parts.append(load_svmlight_file(file, n_features=123, zero_based=False))
    y = np.concatenate([y for _, y in parts]).astype(int)
    part = split(len(y), len(parts[0][1]))
    return Dataset(csr_matrix(vstack([X for X, _ in parts])), y, np.array([-1, 1]), part=part)


def electricity() -> Dataset:
    """Return Elec2: 45,312 half hours of a market, 8 features in [0, 1] (day: 1 to 7).

    The classes "DOWN" and "UP" compare the price with the mean of the last 24 hours; predicting the
    last label again is right for 85% of the rows. `features` names the columns; "date" and
    "nswprice" are commonly left out. Source: Harries, "Splice-2 Comparative Evaluation" (1999).
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

    Answers to a survey from 2002 to 2007. Source: Žliobaitė, "Combining Similarity in Time and
    Space for Training Set Formation under Concept Drift" (Intelligent Data Analysis, 2011).
    """
    return _with_target("luxembourg_chess/LUdata.csv")


def chess() -> Dataset:
    """Return one player's games: 503 rows, 8 features, classes 0 and 1. Source as `luxembourg`."""
    return _with_target("luxembourg_chess/chessweka.csv")


def spam() -> Dataset:
    """Return the spam corpus: 9,324 mails, 39,916 words (0 or 1, sparse), "ham" or "spam".

    In order of time, according to its sources; the share of spam falls from 3/4 to 1/10.
    Source: Katakis, Tsoumakas & Vlahavas, "Tracking Recurring Contexts Using Ensemble Classifiers"
    (Knowledge and Information Systems, 2010).
    """
    classes = np.array(["ham", "spam"])
    with reading("spam_corpus/spam_corpus.npz") as path:
        packed = arrays(path)
        X, y = sparse(packed), classes[packed["y"].astype(int)]
    return Dataset(X, y, classes)


def _with_target(name: str) -> Dataset:
    """Return a table whose last column, "target", is the class, 0 or 1."""
    with reading(name) as path:
        header, *rows = np.loadtxt(path, str, delimiter=",", ndmin=2)
        if header[-1] != "target":
            raise ValueError("its last column is not named target")
        table = np.array(rows).astype(float)
    return Dataset(table[:, :-1], table[:, -1].astype(int), np.array([0, 1]))
