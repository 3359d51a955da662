"""What the estimators take as rows: arrays, dicts of numbers, and tables, which are encoded."""

import copy
import warnings
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, validate_data

from ..data.cells import check_unique
from ..data.dicts import Names, are_dicts, flattened, is_dict
from ..data.encoder import TableEncoder
from ..data.numbers import CLIP
from ..data.tables import FIRST_ROWS, Objects, arrow, odd_values
from ..engine.parameters import first_few, shown
from ..engine.rows import Dense, Sparse, extent, joined, narrowed, rows_of
from ..errors import SelectronError
from ..learners.leading_history import WIDE
from ..model import Model
from ..model.compose import ENSEMBLE, order_of
from ..model.widths import NARROW, is_narrow, needed_width
from . import checks
from .parameters import NestedParameters, learner_of

SEVERAL, FIRST = 20, 100  # rows that are searched for odd values
LIVE = 64  # rows that come one at a time, after which these are
MANY_NEW = 5  # rows for each value of a category, with fewer of which new ones are expected


class TakesRows(NestedParameters):
    """An estimator that makes blocks of rows for its model."""

    learner: Any
    encoder: Any
    fit_intercept: Any
    encoder_: TableEncoder
    names_: Names
    model_: Model
    n_features_in_: int

    def _check_fitted(self) -> None:
        """Raise NotFittedError before the first row; scikit-learn's check is slow."""
        if "model_" not in self.__dict__:
            check_is_fitted(self)

    def _rows(self, X: Any, new: bool = True) -> tuple[Any, int]:
        """Return the rows as a block of the model's kind, and their number.

        Unknown features of dicts are added if `new`, or else left out. The service gives a block.
        """
        if isinstance(X, Sparse):
            return X, len(X.indptr) - 1
        if isinstance(X, str | PathLike):
            raise SelectronError(f"X is {shown(X)}: give rows, as pandas.read_csv reads a file.")
        checks.check_collected(X, "X")
        fitted = hasattr(self, "model_")
        if self._encodes(X):
            return self._encoded(X, fitted, new)
        if hasattr(self, "names_") or are_dicts(X):
            return self._keyed(X, fitted, new), len(X)
        sparse = fitted and self.model_.sparse
        block, n = checks.rows(self, X, first=not fitted, sparse=sparse)
        if (
            isinstance(block, Dense)
            and block.values.shape[1] > WIDE
            and self._takes_as_sparse(fitted)
        ):
            block = checks.sparse_block(scipy.sparse.csr_array(block.values))
        return block, n

    def _takes_as_sparse(self, fitted: bool) -> bool:
        """Return whether wide dense rows, which are the first ones, become sparse.

        The default learner, LeadingHistory, would need the eigenvectors of a d x d matrix.
        """
        chosen = fitted or self.learner is not None
        return not chosen and order_of(learner_of(self, 0, True)) is ENSEMBLE

    def _width(self, block: Any) -> int:
        """Return the number of features of the first rows."""
        if isinstance(block, list):  # it grows
            return block[0].values.shape[1]
        width = self.encoder_.width_ if hasattr(self, "encoder_") else self.n_features_in_
        keyed = hasattr(self, "names_") or hasattr(self, "encoder_")
        if keyed and order_of(learner_of(self, 0, True)) is ENSEMBLE:
            first = max(1, extent(rows_of(block, 0, 1))[1])  # the model itself widens narrow rows
            return first if first + bool(self.fit_intercept) <= NARROW else width
        return width

    def _encodes(self, X: Any) -> bool:
        """Return whether rows are encoded, which the first ones decide."""
        if hasattr(self, "model_"):
            return hasattr(self, "encoder_")
        if self.encoder is not None:
            new_encoder(self.encoder)  # refuses what is none
        return self.encoder is not None and is_table(X)

    def _encoded(self, X: Any, fitted: bool, new: bool) -> tuple[Any, int]:
        """Return a table as a block, or several that grow wider, and its number of rows.

        A copy of the encoder learns, so that the old one can be restored.
        """
        table, n = encoder_input(self, X, not fitted)
        if not new:
            if isinstance(table, list):
                warn_if_strange(self.encoder_, table[0])
            if n >= SEVERAL and not isinstance(table, dict):  # of an array, all numbers
                warn_if_odd(self.encoder_, table)
            # a forged file may have features that its model has not
            return narrowed(self.encoder_.look(table), self.model_.width), n
        self.encoder_ = self.encoder_.copy() if fitted else new_encoder(self.encoder)
        if self._takes_as_sparse(fitted):
            self.encoder_ = sparse_if_wide(self.encoder_, table, WIDE)
        blocks = list(self.encoder_.learn(table))
        warn_if_learned_odd(self.encoder_)
        self.n_features_in_ = self.encoder_.n_features_in_
        if not self.encoder_.sparse_:
            return blocks, n
        block: Any = joined(blocks)
        if fitted and n:
            self._widen_for(block, self.encoder_.width_)
        return block, n

    def _keyed(self, X: Any, fitted: bool, new: bool) -> Sparse:
        """Return a list of dicts as a block."""
        if not are_dicts(X):
            empty = isinstance(X, list | tuple) and not X
            wanted = "The first rows were dicts: give a list of dicts, one a row."
            raise SelectronError("X has no rows." if empty else wanted)
        if not hasattr(self, "names_"):
            if fitted:
                raise SelectronError(
                    "The first rows were no dicts: give a table, as they were, or begin again with "
                    'encoder="auto", which takes either.'
                )
            self.names_ = Names()
        block = self.names_.block(X, new)
        self.n_features_in_ = width = len(self.names_)
        if fitted and width > self.model_.width:
            self._widen_for(block, width + width // 4)  # more than needed, to widen seldom
        return block

    def _single(self, x: Any) -> Any:
        shape: tuple[int, ...] = () if is_dict(x) else getattr(x, "shape", ())
        whole = len(shape) == 2 and shape[0] == 1 and self._encodes(x)
        return x if whole else checks.single_row(x)

    def _widen_for(self, block: Sparse, width: int) -> None:
        """Widen the model to a width, or if rows are narrow, to that of a single row."""
        several = extent(block)[0] > 1 and is_narrow(self.model_, self.model_.width)
        if not several:  # for these, the model itself widens
            self._widen(needed_width(self.model_, block, width))

    def _widen(self, width: int) -> None:
        """Widen a copy of the model, so that the old one can be restored."""
        if width > self.model_.width:
            self.model_ = copy.copy(self.model_)
            self.model_.widen(width)


def warn_if_strange(encoder: TableEncoder, row: Any, least: int = 0) -> None:
    """Warn of a dict of which no field is a known column, unless it is refused for a name.

    With `least`, this many rows, all with the columns of the first, must have come before.
    """
    if least and (encoder.n_rows_ < least or len(encoder.columns_) > encoder.n_first_):
        return
    names = [name for name in encoder.flat(row) if name not in encoder.ignore]
    strange = names and encoder.columns_ and encoder.columns_.keys().isdisjoint(names)
    if strange and all(isinstance(name, str) for name in names):
        warnings.warn(
            f"No field of this row is known: it has {first_few(names)}, and earlier rows had "
            f"{first_few(list(encoder.columns_))}.",
            stacklevel=5,
        )


def warn_if_odd(encoder: TableEncoder, rows: Any) -> None:
    """Warn of columns whose first values are mostly of another kind than was learned, or all new.

    New values are expected in a column that had many while it was learned, such as one of ids. Also
    warn of numbers that are far off, and of blanks, if a look at all rows confirms it.
    """
    n, first = judged(encoder, rows[:FIRST] if hasattr(rows, "__getitem__") else rows)
    if any(changed(encoder, name, found, n) for name, found in first.items()):
        every, found = (n, first) if len(rows) <= n else judged(encoder, rows)
        warn_if_changed(encoder, found, every)
    columns = encoder.columns_
    for name, (count, *_) in first.items():
        column, what = columns[name], "odd, and taken as blank"
        if column.kind == "category":
            what, learned = "new, and ignored", encoder.n_rows_ - column.before
            unusual = count == n and MANY_NEW * len(column.encoder.places) <= learned
        else:
            unusual = 2 * count > n
        if unusual:
            warnings.warn(
                f"{count} of the first {n} values of {name!r} are {what}: it was learned as "
                f"{column.learned()}.",
                stacklevel=5,
            )


def judged(encoder: TableEncoder, rows: Any) -> tuple[int, dict[str, np.ndarray]]:
    """Return the number of rows, and what `odd_values` returns of them."""
    whole = encoder.whole()
    some = [flattened(x, whole) for x in rows] if are_dicts(rows) else arrow(rows, whole)
    some = some[:] if isinstance(some, Objects) else some
    return len(some), odd_values(encoder.columns_, encoder.layout_, some)


def changed(encoder: TableEncoder, name: str, found: np.ndarray, rows: int) -> str:
    """Return how a column of some rows differs clearly from what was learned; empty if it does not.

    `found` is that of `odd_values`, summed over the rows.
    """
    column, learned = encoder.columns_[name], encoder.n_rows_
    if column.encoder is None:
        return ""
    _, far, numbers, blank = found.tolist()
    if 2 * far > numbers >= SEVERAL:
        of = f"{far:,} of {numbers:,} values"
        return f"{of} are more than {CLIP:.0f} standard deviations off those learned"
    last = encoder.watched_.get(name)
    if last and (last.warned or rows <= 2 * last.longest):  # known, or it comes and goes
        return ""
    share = (column.before + column.encoder.blanks) / max(1, learned)
    if blank == rows >= SEVERAL and learned >= FIRST and share < 0.5 and column.kind != "ignored":
        return f"blank in all rows, {share:.0%} when learned"
    return ""


def warn_if_changed(encoder: TableEncoder, found: dict[str, np.ndarray], rows: int) -> None:
    """Warn of columns that differ clearly from what the encoder has learned, as in `changed`."""
    for name, counts in found.items():
        if name in encoder.columns_ and (what := changed(encoder, name, counts, rows)):
            warnings.warn(f"Column {name!r}: {what}.", stacklevel=6)


class Seen(NamedTuple):
    """What a column has had by a look at its rows."""

    kind: Any
    rows: int
    values: int  # those judged: at least SEVERAL come together
    odd: int  # among these
    came: int = 0  # rows at the last look that found a new value
    total: int = 0  # values then
    longest: int = 0  # rows without a value, the most after which one came
    warned: bool = False


def seen(encoder: TableEncoder) -> dict[str, Seen]:
    """Return what every column that has any value has had so far, by name."""
    found, n = {}, encoder.n_rows_
    for name, column in encoder.columns_.items():
        if column.encoder is not None:
            values = n - column.before - column.encoder.blanks
            found[name] = Seen(column.kind, n, values, column.encoder.odd, n, values)
    return found


def learned_since(old: TableEncoder, encoder: TableEncoder) -> dict[str, np.ndarray]:
    """Return what `odd_values` would return of the rows learned since, without numbers far off.

    In the place of these are the number of values, blanks left out.
    """
    found, before, start = {}, seen(old), old.n_rows_
    for name, now in seen(encoder).items():
        was = before.get(name)
        if was is None or was.kind != now.kind:  # which counts from now on
            was = Seen(now.kind, start, max(0, start - encoder.columns_[name].before), 0)
        values = now.values - was.values
        found[name] = np.array([now.odd - was.odd, 0, values, (now.rows - start) * (values == 0)])
    return found


def warn_if_learned_odd(encoder: TableEncoder) -> None:
    """Warn of a column of which most of the last values, SEVERAL or more, are odd.

    Warn also of one that most rows had, but none of the last; once, until it is sound again.
    """
    found, messages = {}, []
    for name, now in seen(encoder).items():
        column, last, message = encoder.columns_[name], encoder.watched_.get(name), ""
        if last is None or last.kind != now.kind:
            last = Seen(now.kind, column.before, 0, 0, came=column.before)
        if now.total > last.total:
            now = now._replace(longest=max(last.longest, last.rows - last.came))
        else:
            now = now._replace(came=last.came, total=last.total, longest=last.longest)
        values, odd, gap = now.values - last.values, now.odd - last.odd, now.rows - now.came
        if values >= SEVERAL and 2 * odd > values:
            how = "declared" if column.given else "learned"
            message = (
                f"{odd:,} of the last {values:,} values of {name!r} are odd, and taken as blank: "
                f"it is {how} as {column.learned()}."
            )
        elif min(gap, now.came) >= LIVE and 2 * now.total > now.came and gap > 2 * now.longest:
            message = f"The last {gap:,} rows have no {name!r}, and most rows before had."
        if message or values >= SEVERAL:
            now = now._replace(warned=bool(message) or (last.warned and 4 * odd > values))
        else:
            now = now._replace(values=last.values, odd=last.odd, warned=last.warned)
        found[name] = now
        if message and not last.warned:
            messages.append(message)
    encoder.watched_ = encoder.watched_ | found
    for message in messages:
        warnings.warn(message, stacklevel=5)


def new_encoder(value: Any) -> TableEncoder:
    """Return a new encoder for the parameter `encoder`, "auto" or a TableEncoder."""
    if isinstance(value, str) and value == "auto":
        return TableEncoder()
    if isinstance(value, TableEncoder):
        return clone(value)
    raise SelectronError(f'encoder must be "auto", a TableEncoder or None, got {shown(value)}.')


def sparse_if_wide(encoder: TableEncoder, rows: Any, most: int) -> TableEncoder:
    """Return a new encoder of sparse rows if dense ones would have more features, else this one."""
    some = rows.slice(0, FIRST_ROWS) if hasattr(rows, "slice") else rows[:FIRST_ROWS]
    trial = clone(encoder).partial_fit(some)
    wide = encoder.form == "auto" and not trial.sparse_ and trial.width_ > most
    return clone(encoder).set_params(form="sparse") if wide else encoder


def is_table(X: Any) -> bool:
    """Return whether columns have names or kinds of their own: frames, Arrow tables, dicts.

    >>> is_table([{"age": 3, "country": "FR"}]), is_table(np.eye(2))
    (True, False)
    """
    if scipy.sparse.issparse(X) or isinstance(X, np.ndarray):
        return False
    listed = isinstance(X, list | tuple) and len(X) > 0 and is_dict(X[0])
    return listed or any(hasattr(type(X), name) for name in ("columns", "__arrow_c_stream__"))


def encoder_input(estimator: Any, X: Any, first: bool) -> tuple[Any, int]:
    """Return rows as the encoder takes them, and their number.

    The `first` rows settle names and number of the columns, unless they are dicts. Raises
    SelectronError if the number of columns without names differs, or there are no rows.
    """
    if are_dicts(X):
        return X, len(X)
    if isinstance(X, list | tuple) and len(X):
        how = "give a data frame, or dicts, such as dict(zip(columns, row))"
        raise SelectronError(f"The rows have no names of columns: {how}.")
    if not hasattr(X, "__len__"):
        kind = type(X).__name__
        raise SelectronError(f"X is a {kind}, which has no length: give a table that is in memory.")
    shape = getattr(X, "shape", (0, 1))
    if len(shape) == 1:
        hint = "one column as pandas.DataFrame(X), one row as frame.iloc[[0]]"
        raise SelectronError(f"X has one dimension, and must be a table: {hint}.")
    if len(shape) != 2 or shape[1] == 0:
        raise SelectronError("X has no columns: give a table, or a list of dicts.")
    X = X.toarray() if scipy.sparse.issparse(X) else X
    if len(X) == 0:
        raise SelectronError("X has no rows.")
    names = getattr(X, "column_names", getattr(X, "columns", ()))
    check_unique(names)
    found = _named(estimator, X) if isinstance(X, np.ndarray) else X
    named = hasattr(estimator, "feature_names_in_") and not len(names)
    if first or (named and estimator.n_features_in_ == np.shape(X)[1]):  # else matched by names
        with checks.in_one_sentence(checks.TABLE):
            validate_data(estimator, X, reset=first, skip_check_array=True)
    return found, len(X)


def _named(estimator: Any, X: np.ndarray) -> dict[str, np.ndarray]:
    """Return the columns of an array by the names of the first rows; it must have as many."""
    encoder, width = getattr(estimator, "encoder_", None), X.shape[1]
    known = [] if encoder is None else [*encoder.columns_][: encoder.n_first_]
    letter = "" if "0" in known else "x"  # a frame may have numbers for names
    default = [f"{letter}{j}" for j in range(len(known) or width)]
    names = getattr(estimator, "feature_names_in_", default)
    if len(names) != width:
        expected = f"{type(estimator).__name__} is expecting {len(names)} features as input"
        raise SelectronError(f"X has {width} features, but {expected}.")
    return dict(zip(map(str, names), X.T, strict=True))
