"""Checks of rows and labels that users give an estimator; errors are one sentence each."""

import math
import re
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import date, time, timedelta
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d, validate_data

from ..data.cells import check_unique
from ..data.dicts import HINT, Names, is_dict
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
from ..engine.rows import Dense, Sparse, as_matrix, rows_of
from ..errors import Refused, SelectronError, WrongType
from ..model import Model
from ..model.run import code_of, indices
from ..model.support import why_refused

TABLE, LABELS = "X is not a table of numbers", "y is not a list of labels"
FRAME = "the encoder takes data frames and dicts, such as pandas.DataFrame({'text': X})"
LISTS = 'needs OnlineClassifier(encoder="auto") and a data frame or dicts'
ENCODE = "TableEncoder().fit_transform(X) makes numbers of any values"
DATES = re.compile("date|time|duration")  # how such types are named, in all libraries
RUN, BY_CHANCE = 10, 1e-4  # rows of one class at the end of a batch, and the chance of such a run
LAZY = {"LazyFrame": "{}.collect()", "Expr": "its values, such as df.select({}).to_series()"}
FEW = 50  # labels of which most may differ
TIMES = date, time, timedelta, np.datetime64, np.timedelta64
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


def ticket_name(name: Any, waiting: Any) -> None:
    """Raise SelectronError if a ticket cannot have this name, or an open one has it."""
    if not isinstance(name, str) or not name:
        raise SelectronError(f"A ticket must have a text as its name, got {name!r}: take str(...).")
    if name in waiting:
        raise SelectronError(f"Ticket {name!r} is open already: answer it, or expire it.")
