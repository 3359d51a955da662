"""Checks of rows, delays and tickets that users give an estimator; errors are one sentence each."""

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils.validation import validate_data

from ..data.cells import check_unique
from ..data.dicts import HINT, Names, is_dict
from ..data.labels import as_array
from ..engine.parameters import shown
from ..engine.rows import Dense, Sparse, as_matrix, rows_of
from ..errors import Refused, SelectronError, WrongType
from ..model import Model
from ..model.support import why_refused

TABLE, LABELS = "X is not a table of numbers", "y is not a list of labels"
FRAME = "the encoder takes data frames and dicts, such as pandas.DataFrame({'text': X})"
LISTS = 'needs OnlineClassifier(encoder="auto") and a data frame or dicts'
ENCODE = "TableEncoder().fit_transform(X) makes numbers of any values"
DATES = re.compile("date|time|duration")  # how such types are named, in all libraries
LAZY = {"LazyFrame": "{}.collect()", "Expr": "its values, such as df.select({}).to_series()"}
WIDEST = 2**31 - 1  # features of sparse rows, whose indices take 4 bytes


def rows(estimator: Any, X: Any, *, first: bool, sparse: bool) -> tuple[Dense | Sparse, int]:
    """Return X as a block, and its number of rows.

    The `first` rows decide the kind of block, the names and the number of features; later ones are
    converted to `sparse` or dense. Raises SelectronError if X is not a table of numbers, or its
    names or number of features differ from those of the first rows.
    """
    if _as_expected(estimator, X, first, sparse):  # scikit-learn's checks take 0.1 ms
        return Dense(X), len(X)
    hint = ENCODE
    if hasattr(estimator, "encoder"):
        hint = HINT if estimator.encoder is None else FRAME
    _check_columns(X, hint)
    check_mask(X, "X.filled(0)")
    if isinstance(X, Iterator):
        raise SelectronError("X is an iterator: give rows that are in memory, such as list(X).")
    if getattr(getattr(X, "dtype", None), "names", None):
        raise SelectronError(f"X is a structured array: give pandas.DataFrame(X); {hint}.")
    with in_one_sentence(TABLE, hint):
        if scipy.sparse.issparse(X):
            X = _sound(X)
        X = validate_data(
            estimator,
            X,
            reset=first,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,  # the loop checks that
        )
    found = scipy.sparse.issparse(X)
    if found and not sparse and not first:
        X = X.toarray()
    elif sparse and not found:
        X = scipy.sparse.csr_array(X)
    n = X.shape[0]
    if n == 1:  # a single row may be kept for its label, and the loop takes 64 bits
        X = X.astype(np.float64)
    return (sparse_block(X) if scipy.sparse.issparse(X) else Dense(X)), n


def sparse_block(X: Any) -> Sparse:
    """Return a CSR matrix as a block."""
    indptr = np.ascontiguousarray(X.indptr, np.int64)
    return Sparse(indptr, np.ascontiguousarray(X.indices, np.int32), X.data)


def finite(estimator: Any, X: Any, *, first: bool = True, sparse: bool | None = None) -> Any:
    """Return X as an array, dense or CSR; raise SelectronError if a value is not finite."""
    sparse = scipy.sparse.issparse(X) if sparse is None else sparse
    block, n = rows(estimator, X, first=first, sparse=sparse)
    if not np.isfinite(block.values).all():
        row = next(i for i in range(n) if not np.isfinite(rows_of(block, i, i + 1).values).all())
        raise Refused(row, why_refused(block, row))
    return as_matrix(block, estimator.n_features_in_)


def _as_expected(estimator: Any, X: Any, first: bool, sparse: bool) -> bool:
    """Return whether X needs no conversion; if so, set the width of the first rows."""
    plain = type(X) is np.ndarray and X.ndim == 2 and X.dtype == np.float64 and X.size > 0
    if not plain or len(X) == 1 or sparse or hasattr(estimator, "feature_names_in_"):
        return False
    if first:
        estimator.n_features_in_ = X.shape[1]
    return X.shape[1] == estimator.n_features_in_


def _check_columns(X: Any, hint: str) -> None:
    """Raise SelectronError if a table has equal names, or dates, which NumPy takes for numbers."""
    names, kinds = [None], [getattr(X, "dtype", None)]
    if hasattr(X, "column_names"):  # Arrow's
        names, kinds = X.column_names, X.schema.types
    elif hasattr(X, "columns") and hasattr(X, "dtypes"):
        names, kinds = X.columns, X.dtypes
    check_unique(names)
    for name, kind in zip(names, kinds, strict=True):
        if DATES.match(str(kind).lower()):
            what = "X" if name is None else f"Column {name!r}"
            advice = f"leave it out, or make numbers of it; {hint}"
            raise SelectronError(f"{what} holds dates or times ({kind}): {advice}.")


@contextmanager
def in_one_sentence(what: str, hint: str = ENCODE) -> Iterator[None]:
    """Turn errors of NumPy, SciPy and scikit-learn into SelectronErrors of one sentence."""
    try:
        yield
    except SelectronError:
        raise
    except TypeError as error:
        raise WrongType(_brief(str(error), what, hint)) from error
    except (ValueError, ArithmeticError) as error:
        raise SelectronError(_brief(str(error), what, hint)) from error


def _brief(text: str, what: str, hint: str) -> str:
    if "Reshape your data" in text:
        return "Reshape your data: X must have two dimensions, as x.reshape(1, -1) has for one row."
    if text.startswith("The feature names"):  # a list of them follows
        return text
    if text.startswith("Feature names are only supported"):
        return "Some columns have names that are not text: use X.columns = X.columns.astype(str)."
    if text.startswith("setting an array element with a sequence") and what == TABLE:
        return f"{what}: rows differ in length, or have lists in them; a column of lists {LISTS}."
    text = text.splitlines()[0].partition(". ")[0].rstrip(".:")
    text = re.sub(r"np\.str_\((.*)\)", r"\1", text)
    if text.startswith("could not convert string") and what == TABLE:
        text += f"; {hint}"
    unclear = text[:1].islower() or text.startswith("Complex")
    return f"{what}: {text}." if unclear else f"{text}."


def _sound(X: Any) -> Any:
    """Return a sparse matrix as CSR, with indices in range and unique within each row."""
    if X.shape[-1] > WIDEST:
        raise SelectronError(f"X has {X.shape[-1]} features, and a sparse one at most {WIDEST}.")
    try:
        if X.format in ("csc", "bsr"):  # the conversion does not check indices
            X.check_format(full_check=True)
        X = X.tocsr() if X.format != "csr" else X
        X.check_format(full_check=True)
    except ValueError as error:
        raise SelectronError(f"X is not a sound sparse matrix: {error}.") from error
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def plain_row(x: Any, model: Model, names: Names | None) -> Dense | Sparse | None:
    """Return a copy of x as a block if it is plainly a row of the model's kind, else None.

    That is a 1-D array, a sparse matrix of one row with sorted indices, or a dict with the names of
    the last row. `decide` takes everything else through the slower checks of tables.
    """
    if names is not None:
        return names.row(x)
    if model.sparse:
        return _plain_sparse_row(x, model.width) if scipy.sparse.issparse(x) else None
    plain = type(x) is np.ndarray and x.ndim == 1 and x.dtype.kind in "fiub"
    if not plain or len(x) != model.width:
        return None
    row = np.array(x, float, ndmin=2)
    row.setflags(write=False)
    return Dense(row)


def _plain_sparse_row(x: Any, width: int) -> Sparse | None:
    plain = x.format in ("csr", "coo") and x.dtype.kind in "fiub"
    if not plain or x.shape not in ((width,), (1, width)):
        return None
    values, n = np.array(x.data, float), len(x.data)
    if x.format == "csr":
        found, sound = x.indices, x.indptr[0] == 0 and x.indptr[-1] == n
    else:
        found, sound = x.coords[-1], True
    sound = sound and len(found) == n and (found[1:] > found[:-1]).all()
    if not sound or (n and not 0 <= found[0] <= found[-1] < width):
        return None
    return Sparse(np.array([0, n]), found.astype(np.int32), values)


def single_row(x: Any) -> Any:
    """Return a table of one row from a 1-D array, a dict, or a table of one row."""
    given = type(x).__name__
    if is_dict(x):
        return [x]
    if isinstance(x, list | tuple) and any(map(is_dict, x)):
        if len(x) != 1:
            raise SelectronError(f"decide takes one row, got a list of {len(x)} rows.")
        return list(x)
    if hasattr(x, "iloc"):
        x = x.to_frame().T if x.ndim == 1 else x
    elif not scipy.sparse.issparse(x):
        with in_one_sentence(TABLE):
            x = np.asanyarray(x)  # a mask is refused later
    if x.ndim == 0:
        raise SelectronError(f"decide takes one row, a dict or a list of numbers, got one {given}.")
    if x.ndim == 1:
        x = x.reshape(1, -1)
    if x.shape[0] != 1:
        raise SelectronError(f"decide takes one row, got an array of shape {x.shape}.")
    return x


def check_mask(given: Any, instead: str) -> None:
    """Raise SelectronError if values are masked: NumPy would take those that the mask hides."""
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        name = instead.partition(".")[0]
        raise SelectronError(f"{name} has masked values: give others instead, as {instead} does.")


def check_collected(given: Any, name: str) -> None:
    """Raise SelectronError if a table or a column of Polars is lazy, and so has no values."""
    if (kind := type(given).__name__) in LAZY:
        raise SelectronError(f"{name} is a Polars {kind}: give {LAZY[kind].format(name)}.")


def delays(given: Any, n: int, ranks: bool = False) -> np.ndarray:
    """Return the delays of the labels of n rows, in rounds; one number is for all of them.

    >>> delays(2, 3)
    array([2, 2, 2])
    """
    if ranks:
        raise SelectronError("delay must be left out with OnlineRanker: use decide and tell.")
    found = as_array(given)
    if found.shape not in ((), (n,)):
        raise SelectronError(
            f"delay must be one number, or one for each of {n} rows, got shape {found.shape}."
        )
    numbers = found.dtype.kind in "iuf"
    whole = (found >= 0) & (found == np.floor(found)) & (found < math.inf) if numbers else False
    wrong = np.flatnonzero(~np.broadcast_to(whole, found.shape))
    if len(wrong):
        row = f" for row {wrong[0]}" if found.ndim else ""
        value = shown(found.reshape(-1)[wrong[0]])
        raise SelectronError(f"delay must be whole numbers of rounds from 0 on, got {value}{row}.")
    return np.broadcast_to(np.minimum(found, 2**62).astype(np.int64), n)


def ticket_name(name: Any, waiting: Any) -> None:
    """Raise SelectronError if a ticket cannot have this name, or an open one has it."""
    if not isinstance(name, str) or not name:
        raise SelectronError(f"A ticket must have a text as its name, got {name!r}: take str(...).")
    if name in waiting:
        raise SelectronError(f"Ticket {name!r} is open already: answer it, or expire it.")
