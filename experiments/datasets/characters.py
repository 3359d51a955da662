"""Handwritten and spoken characters: digits, USPS, Letter, Isolet."""

from pathlib import Path

import numpy as np

from .blocks import arrays, table
from .dataset import Dataset
from .home import cache, contents, file, found, missing, needs, reading

LETTERS = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
PART_5 = 1559  # the last rows of Isolet: the part that is kept for tests


def digits() -> Dataset:
    """Return scikit-learn's handwritten digits: 1,797 rows, 64 features in [0, 1], classes 0 to 9.

    They need no file.

    >>> digits().X.max()
    np.float64(1.0)
    """
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return Dataset(X / 16, y, np.arange(10))


def usps() -> Dataset:
    """Return the USPS digits: 9,298 rows, 256 features (16 x 16) in [0, 1], classes 0 to 9.

    `part` is "train" for the first 7,291 rows and "test" for the rest; 2 X - 1 is what the files
    zip.train and zip.test hold. Raises SelectronError where h5py is not installed, or the file is
    not to be had.

    Source: Hull, "A Database for Handwritten Text Recognition Research" (IEEE PAMI, 1994).
    """
    with reading(file("usps/usps.h5")) as path:
        import h5py

        with h5py.File(path) as groups:
            parts = [(name, groups[name]) for name in ("train", "test")]
            X = np.concatenate([group["data"][:] for _, group in parts]).astype(float)
            y = np.concatenate([group["target"][:] for _, group in parts]).astype(int)
            part = np.concatenate([np.full(len(group["target"]), name) for name, group in parts])
    return Dataset(X, y, np.arange(10), part=part)


def letter() -> Dataset:
    """Return Letter: 20,000 rows, 16 features from 0 to 15, classes "A" to "Z", in UCI's order.

    `part` is "train" for the first 16,000 rows, "test" for the rest. Raises SelectronError where
    the file is not to be had.

    Source: Frey & Slate, "Letter Recognition Using Holland-Style Adaptive Classifiers" (1991).
    """
    path = file("letter/letter-recognition.data")
    X, y = table(path, format="csv", label=0, header=_headed(path))
    return Dataset(X, y.astype("U1"), LETTERS, part=_split(len(y), 16_000))


def _headed(path: Path) -> bool:
    """Return whether the file has a header: the copy that is downloaded has, UCI's has not."""
    with reading(path):
        return contents(path).startswith(b"Letter")


def isolet() -> Dataset:
    """Return Isolet, spoken letters: 7,797 rows, 617 features in [-1, 1], classes "A" to "Z".

    `part` is "train" for parts 1 to 4 and "test" for part 5, the last 1,559 rows. The packed copy
    of the data home has parts 1 to 4 sorted by class, so shuffle the rows to make a stream of them.
    Raises SelectronError where the file is not to be had.

    Source: Fanty & Cole, "Spoken Letter Recognition" (NIPS 1990).
    """
    if path := found("isolet/isolet.npz"):
        with reading(path):
            packed = arrays(path)
            X, y = packed["X10000"] / 10_000, packed["y"].astype(int)
    else:
        X, y = _isolet_from_openml()
    return Dataset(X, LETTERS[y - 1], LETTERS, part=_split(len(y), len(y) - PART_5))


def _isolet_from_openml() -> tuple[np.ndarray, np.ndarray]:
    """Return Isolet as OpenML has it, under the checksum that OpenML states."""
    from sklearn.datasets import fetch_openml

    try:
        fetched = fetch_openml(
            data_id=300, as_frame=False, parser="liac-arff", data_home=str(cache())
        )
    except ImportError as error:
        raise needs(error) from None
    except (OSError, ValueError):
        raise missing("isolet/isolet.npz", "https://openml.org/d/300 cannot be fetched") from None
    return np.asarray(fetched.data, float), fetched.target.astype(float).astype(int)


def _split(n: int, train: int) -> np.ndarray:
    """Return "train" for the first rows, "test" for the rest."""
    return np.where(np.arange(n) < train, "train", "test")
