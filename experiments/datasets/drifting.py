"""Streams of two classes that drift by themselves: electricity, weather, Luxembourg, chess."""

import io

import numpy as np

from .blocks import table
from .dataset import Dataset
from .home import contents, file, reading

PRICES = ["nswprice", "nswdemand", "vicprice", "vicdemand", "transfer"]  # of two states


def electricity() -> Dataset:
    """Return Elec2: 45,312 half hours of a market, 8 features in [0, 1] (day: 1 to 7).

    Classes "DOWN" and "UP": against the mean price of the last 24 hours. The rows are in order of
    time. `features` names the columns; "date" and "nswprice" are commonly left out. Mind that
    labels hang together in time: predicting the last label again is right on 85%. Raises
    SelectronError where the files are not to be had.

    Source: Harries, "Splice-2 Comparative Evaluation: Electricity Pricing" (1999), normalised as in
    MOA.
    """
    with reading(file("elec2/elec2_data.dat")) as path:
        X = np.loadtxt(io.BytesIO(contents(path)))
    with reading(file("elec2/elec2_label.dat")) as path:
        down = np.loadtxt(io.BytesIO(contents(path))) == 1
    classes = np.array(["DOWN", "UP"])
    features = np.array(["date", "day", "period", *PRICES])
    return Dataset(X, np.where(down, *classes), classes, features=features)


def weather() -> Dataset:
    """Return NOAA's daily weather in Bellevue: 18,159 rows, 8 measurements, "dry" or "rain".

    The rows are in order of time, and not scaled. Raises SelectronError where the files are not to
    be had.

    Source: Elwell & Polikar, "Incremental Learning of Concept Drift in Nonstationary Environments"
    (IEEE TNN, 2011).
    """
    X, _ = table(file("weather/NEweather_data.csv"), format="csv", label="", header=False)
    with reading(file("weather/NEweather_class.csv")) as path:
        rain = np.loadtxt(io.BytesIO(contents(path))) == 1
    classes = np.array(["dry", "rain"])
    return Dataset(X, np.where(rain, *classes[::-1]), classes)


def luxembourg() -> Dataset:
    """Return use of the internet in Luxembourg: 1,901 rows, 31 features, classes 0 and 1.

    Answers to a survey from 2002 to 2007, in order of time. Raises SelectronError where the file is
    not to be had.

    Source: Žliobaitė, "Combining Similarity in Time and Space for Training Set Formation under
    Concept Drift" (Intelligent Data Analysis, 2011).
    """
    return _with_target("luxembourg_chess/LUdata.csv")


def chess() -> Dataset:
    """Return one player's games of chess: 503 rows, 8 features, classes 0 and 1.

    The games are in order of time, and the features not scaled. Raises SelectronError where the
    file is not to be had.

    Source: Žliobaitė (2011), as `luxembourg`.
    """
    return _with_target("luxembourg_chess/chessweka.csv")


def _with_target(name: str) -> Dataset:
    """Return a table whose last column is the class, 0 or 1."""
    X, y = table(file(name), format="csv", label="target")
    return Dataset(X, y.astype(float).astype(int), np.array([0, 1]))
