"""TableEncoder: tables of mixed columns as rows of numbers, learned with the stream."""

import itertools
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from datetime import date, datetime
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..engine.parameters import no_columns, shown
from ..engine.rows import Dense, Sparse, as_matrix, pieces
from ..errors import SelectronError
from .cells import check_unique
from .dicts import Objects, flattened, is_dict
from .kinds import MOST, Cells, Layout
from .tables import FIRST_ROWS, UNTYPED, Column, Kinds, arrow, check_kinds, schema
from .values import blanks_of, records, without_members
from .words import TEXT_PLACES

CHUNK = 8192  # rows that are encoded at a time
FORMS = ("auto", "dense", "sparse")
PLAIN = {str, int, float, bool, type(None), np.float64, np.int64, np.bool_, date, datetime}
SLOW = (
    f"New keys have made over {MOST} columns, and each slows every row and is blank where it is "
    "missing; with encoder=None, which takes numbers alone, it is 0."
)


class TableEncoder(TransformerMixin, BaseEstimator):
    """Encode tables of mixed columns as rows of numbers, and learn the encoding with the stream.

    Numbers are standardised by the mean and deviation so far; a blank counts as the mean, and sets
    a feature that marks it; skewed numbers get a logarithm. Categories and booleans get a feature
    for every value, dates a trend and the hour, weekday and day of the year as sine and cosine,
    text its words (hashed, with tf-idf weights); lists of numbers are used as they are. The type of
    a column determines its kind, or else its first 100 values do; later ones of another kind count
    as blank. Except for the choice of dense or sparse rows, the encoding of a row depends on that
    row and those before it only, so a stream gives the same rows in any chunks.

    Parameters
    ----------
    columns : dict, default None
        The kinds of some columns, by name: "number", "category", "date", "text", "vector" or
        "ignored".
    ignore : sequence of str, default ()
        Columns to leave out, if a table has them.
    form : {"auto", "dense", "sparse"}, default "auto"
        The form of the rows; "auto" is sparse if, judged by the first rows given (100 at most), a
        column of the first row is text, or over 256 columns are categories. Next to numbers,
        dates or vectors, it takes more than tags and codes to make rows sparse.
    text_size : int, default 32768
        Number of features that words are hashed to in sparse rows.

    Attributes
    ----------
    kinds_ : dict
        The kind of every column, None before its first value.
    sparse_ : bool
    width_ : int
        Number of features, including those that are 0 so far; it grows with the stream.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
    n_rows_ : int
        Rows learned.

    Examples
    --------
    >>> rows = [{"age": 31, "country": "FR"}, {"age": None, "country": "DE"}, {"age": 45}]
    >>> encoder = TableEncoder()
    >>> encoder.fit_transform(rows).round(2).tolist()
    [[-1.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0, 1.0]]
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'country=FR', 'age is blank', 'country=DE', 'country is blank']
    >>> print(*encoder.report(), sep="\\n")
    age: number, 33.3% blank
    country: category, 2 values, 33.3% blank
    """

    def __init__(
        self,
        columns: Mapping[str, str] | None = None,
        *,
        ignore: Sequence[str] = (),
        form: str = "auto",
        text_size: int = 2**15,
    ) -> None:
        self.columns = columns
        self.ignore = ignore
        self.form = form
        self.text_size = text_size

    # A stream

    def learn(self, X: Any) -> Iterator[Dense | Sparse]:
        """Encode rows and learn from each before the next; yield blocks, each of one width.

        X is a data frame (pandas, Polars, Arrow), a dict of columns, or a list of dicts. Raises
        SelectronError if the column names, apart from those in `ignore`, are not those of the
        first table, in any order.
        """
        table = X if isinstance(X, list | tuple) else arrow(X, self.whole())
        start, kinds = 0, schema(table)
        if len(table) == 0:
            return
        if not isinstance(table, pa.Table):
            if "columns_" not in self.__dict__:
                self._add_columns([*map(self.flat, table[:FIRST_ROWS])], kinds)
            if isinstance(table, Objects):
                self._check_columns(table.others, False, table.fields)
            for start in range(0, len(table), CHUNK):
                yield from self._joined(table[start : start + CHUNK], kinds)
            return
        table = self._selected(table)
        while start < len(table):
            part = table.slice(start, CHUNK)
            waiting = [one for one in self.columns_.values() if not one.settled_by(kinds)]
            values = (part[one.name].combine_chunks() for one in waiting)
            if any(one.values for one in waiting) or not all(blanks_of(x).all() for x in values):
                part = part.slice(0, FIRST_ROWS)
                yield from self._joined(records(part), kinds)
            else:
                yield from self._learn_arrays(part, kinds)
            start += len(part)

    def learn_one(self, x: Mapping[str, Any]) -> Dense | Sparse:
        """Encode a row, given as a dict, and learn from it.

        Columns that are missing are blank, and new ones may appear. Raises SelectronError if x is
        not a dict, or a name is not text.
        """
        return self._rows([self._encode(x, True)[0]])

    def look(self, X: Any) -> Dense | Sparse:
        """Encode rows without learning; new columns and values have no features."""
        if "columns_" not in self.__dict__:
            check_is_fitted(self, "columns_")  # it is slow
        table = X if isinstance(X, list | tuple) else arrow(X, self.whole())
        if not isinstance(table, pa.Table):
            if isinstance(table, Objects):
                self._check_columns(table.others, True, table.fields)
            return self._rows([self._encode(x, False)[0] for x in table[:]])
        table, found = self._selected(table, others=True), []
        for column in self.columns_.values():
            if column.encoder is not None:
                array = table.column(column.name).combine_chunks()
                ready, _ = column.encoder.prepare(array, self.layout_, False)
                found += column.encoder.emit(ready, self.layout_)
        return self._block(found, len(table))

    def flat(self, x: Any) -> Mapping[str, Any]:
        """Return a dict with the fields of its dicts as columns; refuse what is no dict."""
        if not is_dict(x):
            raise SelectronError(f"A row must be a dict, got {shown(x)}.")
        plain = PLAIN.issuperset(map(type, x.values()))  # a look at their bases takes longer
        nested = not plain and any(isinstance(value, Mapping) for value in x.values())
        x = flattened(x, self.whole()) if nested else x
        return x if plain else {name: without_members(value) for name, value in x.items()}

    # As scikit-learn has it

    def fit(self, X: Any, y: Any = None) -> "TableEncoder":
        """Learn the encoding from these rows alone."""
        twin = copy(self)
        twin.__dict__.pop("columns_", None)
        return self._learned(twin, X)

    def partial_fit(self, X: Any, y: Any = None) -> "TableEncoder":
        """Learn the encoding from more rows; after an error, it is as before."""
        return self._learned(self.copy(), X)

    def _learned(self, twin: "TableEncoder", X: Any) -> "TableEncoder":
        for _ in twin.learn(X):
            pass
        self.__dict__ = twin.__dict__
        return self

    def transform(self, X: Any) -> Any:
        """Return the rows as an array, or as a CSR array if they are sparse."""
        rows = as_matrix(self.look(X), len(self.layout_))
        return rows.copy() if isinstance(rows, np.ndarray) else rows

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the features."""
        check_is_fitted(self, "columns_")
        return np.array(self.layout_.all_names(), dtype=object)

    # What has been learned

    @property
    def kinds_(self) -> dict[str, str | None]:
        """The kind of every column."""
        return {name: column.kind for name, column in self.columns_.items()}

    @property
    def width_(self) -> int:
        """Number of features, including some that are 0 so far."""
        return self.layout_.width

    @property
    def sparse_(self) -> bool:
        """Whether rows are sparse."""
        return self.layout_.hashed > 0

    @property
    def n_features_in_(self) -> int:
        """Number of columns."""
        return len(self.columns_)

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Names of the columns."""
        return np.array(list(self.columns_), dtype=object)

    def report(self) -> list[str]:
        """Return a line about every column: its kind, its values, blanks and odd values."""
        check_is_fitted(self, "columns_")
        few = "" if self.sparse_ else f", hashed to {TEXT_PLACES} features"
        lines = [(one.kind, one.report(max(1, self.n_rows_))) for one in self.columns_.values()]
        return [line + few if kind == "text" else line for kind, line in lines]

    def whole(self) -> set[str]:
        """Return the columns that parameters name, where objects stay whole."""
        if not hasattr(self, "columns_"):
            self._check_parameters()
        return {str(name) for name in (*(self.columns or {}), *self.ignore)}

    def copy(self) -> "TableEncoder":
        """Return an independent copy."""
        twin = copy(self)
        if hasattr(self, "columns_"):
            twin.columns_ = {name: column.copy() for name, column in self.columns_.items()}
            twin.layout_ = Layout(*self.layout_.pack())
        return twin

    def pack(self) -> dict[str, Any]:
        """Return everything as values for JSON."""
        check_is_fitted(self, "columns_")
        params = self.get_params()
        params |= {"columns": dict(self.columns or {}), "ignore": list(self.ignore)}
        columns = [column.pack() for column in self.columns_.values()]
        found = {"params": params, "columns": columns, "layout": self.layout_.pack()}
        return {**found, "first": self.n_first_, "rows": self.n_rows_}

    @classmethod
    def unpack(cls, packed: dict[str, Any]) -> "TableEncoder":
        """Return the encoder that was packed."""
        encoder = cls(**packed["params"])
        encoder.layout_, encoder.n_rows_ = Layout(*packed["layout"]), int(packed["rows"])
        encoder.columns_ = {one.name: one for one in map(Column.unpack, packed["columns"])}
        encoder.n_first_ = int(packed["first"])
        return encoder

    # Internals

    def _encode(self, x: Any, learn: bool, kinds: Kinds = UNTYPED) -> tuple[dict[int, float], int]:
        """Return the features of a row by their places, and the width, given kinds by type."""
        x = self.flat(x)
        if learn and ("columns_" not in self.__dict__ or not x.keys() <= self.columns_.keys()):
            self._add_columns([x])
        out: dict[int, float] = {}
        layout, get = self.layout_, x.get
        for name, column in self.columns_.items():
            value = get(name)
            if not column.settled and learn:
                column.recognise(value, kinds)
                if column.settled:
                    column.forget_values(layout)
            if (kind := column.encoder) is not None:
                kind.encode_one(value, layout, learn, out)
            elif learn:
                column.before = self.n_rows_ + 1
        self.n_rows_ += learn
        return out, layout.width

    def _add_columns(self, rows: Sequence[Mapping[str, Any]], kinds: Kinds = UNTYPED) -> None:
        """Make the columns of the first row, given further ones, or add new columns."""
        for name in (x := rows[0]):
            if not isinstance(name, str):
                raise SelectronError(f"A row has the key {name!r}: the names must be text.")
        if not hasattr(self, "columns_"):
            self._start(rows, kinds)
        known = len(self.columns_)
        for name in x:
            if name not in self.columns_ and name not in map(str, self.ignore):
                self.columns_[name] = Column(name, self._given(name))
                self.columns_[name].before = self.n_rows_
        if known <= MOST < len(self.columns_):
            warnings.warn(SLOW, stacklevel=2)

    def _learn_arrays(self, part: pa.Table, kinds: Kinds) -> Iterator[Dense | Sparse]:
        """Encode a table whose columns are blank, or settled, also by a type at the first value."""
        events, ready = [], []
        for j, column in enumerate(self.columns_.values()):
            array = part.column(column.name).combine_chunks()
            first = 0 if column.settled else column.begin(array, kinds, self.n_rows_)
            if column.encoder is not None:
                state, found = column.encoder.prepare(array[first:], self.layout_, True)
                ready.append((column.encoder, state, first))
                events += [(first + row, j, begin) for row, begin in found]
        cuts = [(0, self.width_)]
        for row, _, begin in sorted(events, key=lambda event: event[:2]):
            begin(self.layout_)
            if self.width_ > cuts[-1][1]:
                cuts.append((row, self.width_))
        self.n_rows_ += len(part)
        found = [cell.after(at) for kind, x, at in ready for cell in kind.emit(x, self.layout_)]
        yield from pieces(self._block(found, len(part)), cuts)

    def _joined(self, rows: Sequence[Any], kinds: Kinds = UNTYPED) -> Iterator[Dense | Sparse]:
        """Learn rows one by one, and yield them as blocks, each of one width."""
        found, widths = zip(*(self._encode(x, True, kinds) for x in rows), strict=True)
        cuts = [(i, w) for i, w in enumerate(widths) if i == 0 or w > widths[i - 1]]
        yield from pieces(self._rows(found), cuts)

    def _rows(self, rows: Sequence[dict[int, float]]) -> Dense | Sparse:
        """Return rows of features by their places as a block."""
        if len(rows) != 1:
            at = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
            places = np.array([place for row in rows for place in row], int)
            values = np.array([value for row in rows for value in row.values()], float)
            return self._block([Cells(at, places, values)], len(rows))
        entries, n = rows[0], len(rows[0])
        places, found = np.fromiter(entries, np.int32, n), np.fromiter(entries.values(), float, n)
        if not self.sparse_:
            values = np.zeros((1, self.width_))
            values[0, places] = found
            values.setflags(write=False)
            return Dense(values)
        order = places.argsort()
        places, found = places[order], found[order]
        if n and not 0 <= places[0] <= places[-1] < self.width_:  # compiled code checks no places
            raise SelectronError("The encoder is not sound: it has a feature beyond its rows.")
        return Sparse(np.array([0, n]), places, found)

    def _block(self, found: list[Cells], n: int) -> Dense | Sparse:
        """Return entries as a block of n rows; in sparse rows, those at one place are summed."""
        if not self.sparse_:
            values = np.zeros((n, self.width_))
            for cell in found:
                values[cell.rows, cell.places] = cell.values
            return Dense(values)
        at = np.arange(n)
        parts = [(at[rows], np.broadcast_to(places, len(v)), v) for rows, places, v in found]
        rows, places, entries = map(np.concatenate, zip(*parts or [3 * (at[:0],)], strict=True))
        keys = rows * self.width_ + places
        order = keys.argsort()  # the stable sort takes five times as long
        new = np.diff(keys[order], prepend=-1) > 0
        if not new.all():
            order = keys.argsort(kind="stable")
        keys, entries = keys[order][new], np.bincount(new.cumsum() - 1, entries[order])
        indptr = np.searchsorted(keys, np.arange(n + 1) * self.width_)
        return Sparse(indptr.astype(np.int64), (keys % self.width_).astype(np.int32), entries)

    def _selected(self, table: pa.Table, others: bool = False) -> pa.Table:
        """Return a table with the columns of the first one; it may have `others`."""
        check_unique(names := table.column_names)
        if not hasattr(self, "columns_"):
            self._check_names(names)
            self._start(records(table.slice(0, FIRST_ROWS)), schema(table))
        self._check_columns(names, others, ())
        for name in self.columns_.keys() - {*names}:
            table = table.append_column(name, pa.nulls(len(table)))
        return table.select(list(self.columns_))

    def _check_columns(self, names: Sequence[str], others: bool, fields: tuple[str, ...]) -> None:
        """Raise SelectronError if columns are missing, except `fields` of objects, or are new."""
        known = {*names}
        first = itertools.islice(self.columns_, self.n_first_)
        gone = [name for name in first if name not in known and not name.startswith(fields)]
        if missing := [x for x in gone if self.columns_[x].kind not in (None, "ignored")]:
            raise SelectronError(f"There {no_columns(missing, 'earlier rows had')}.")
        new = known - self.columns_.keys() - {*map(str, self.ignore)}
        if new and not others:
            raise SelectronError(f"There was no column {min(new)!r} in earlier rows: leave it out.")

    def _start(self, rows: Sequence[Mapping[str, Any]], kinds: Kinds) -> None:
        """Make the columns, given the first rows and the kinds that types settle."""
        self._check_parameters()
        columns = {name: Column(name, self._given(name)) for name in rows[0]}
        trial = [column.copy() for column in columns.values()]
        for x, column in itertools.product(rows, trial):
            if not column.settled:
                column.recognise(x.get(column.name), kinds)
        found = [column.kind for column in trial]
        measured = not {"number", "date", "vector"}.isdisjoint(found)  # dense rows show curves
        texts = (one for one in trial if one.kind == "text")
        sparse = not all(one.composed and measured for one in texts)
        sparse = sparse or found.count("category") > MOST  # dense rows have no more places
        sparse = sparse if self.form == "auto" else self.form == "sparse"
        self.columns_, self.n_first_, self.n_rows_ = columns, len(columns), 0
        self.watched_: dict[str, Any] = {}  # for warnings of live rows; not saved
        self.layout_ = Layout(int(self.text_size) if sparse else 0)

    def _check_parameters(self) -> None:
        """Raise SelectronError if a parameter is not valid."""
        if self.form not in FORMS:
            raise SelectronError(f"form must be one of {', '.join(FORMS)}, got {shown(self.form)}.")
        if isinstance(self.ignore, str) or not isinstance(self.ignore, Iterable):
            raise SelectronError(f"ignore must be a list of names, got {shown(self.ignore)}.")
        if not isinstance(self.text_size, int | np.integer) or self.text_size < 1:
            raise SelectronError(f"text_size must be 1 or more, got {shown(self.text_size)}.")
        check_kinds({} if self.columns is None else self.columns)

    def _given(self, name: str) -> str | None:
        """Return the kind that a parameter gives a column."""
        given = {str(key): kind for key, kind in (self.columns or {}).items()}
        return (given | dict.fromkeys(map(str, self.ignore), "ignored")).get(name)

    def _check_names(self, names: Sequence[str]) -> None:
        """Refuse a kind for a column that a table has not, and warn of one to ignore."""
        known = {*names}
        for name in self.columns or ():
            if str(name) not in known:
                raise SelectronError(f"There is no column {name!r}: there are {', '.join(names)}.")
        if missing := [name for name in self.ignore if str(name) not in known]:
            warnings.warn(f"There is no column {missing[0]!r} to ignore.", stacklevel=2)
