"""Tables of pandas, Polars, NumPy and Arrow, and dicts of columns, as Arrow tables."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from ..errors import SelectronError
from .columns import kind_of
from .values import text_of


def schema(table: pa.Table) -> dict[str, str | None]:
    """Return the kinds that the types of columns settle."""
    return {field.name: kind_of(field.type) for field in table.schema}


def arrow(X: Any) -> pa.Table:
    """Return a data frame, or a dict of columns, as an Arrow table."""
    if isinstance(X, pa.Table):
        return _usual(X)
    if isinstance(X, np.ndarray) and X.ndim == 2:
        X = {f"x{j}": column for j, column in enumerate(X.T)}
    try:
        if hasattr(X, "iloc"):
            arrays = [array_of(X.iloc[:, j]) for j in range(X.shape[1])]
            return pa.table(arrays, names=list(map(str, X.columns)))
        if isinstance(X, Mapping):
            return pa.table(list(map(array_of, X.values())), names=list(map(str, X)))
        return _usual(pa.table(X))
    except (TypeError, ValueError, pa.ArrowException) as error:
        if hasattr(type(X), "columns"):
            reason = str(error)[:200].rstrip(".")
            raise SelectronError(f"Arrow cannot take this table: {reason}.") from error
        raise SelectronError(
            "X must be a data frame, a dict of columns of one length, or a list of dicts, got "
            f"{type(X).__name__}."
        ) from error


def _usual(table: pa.Table) -> pa.Table:
    """Return a table whose text is of the type that Arrow computes with; Polars has views."""
    types = {pa.string_view(): pa.string()}
    for field in table.schema:
        if pa.types.is_dictionary(field.type) and field.type.value_type == pa.string_view():
            types[field.type] = pa.dictionary(pa.int64(), pa.string())
    wanted = [field.with_type(types.get(field.type, field.type)) for field in table.schema]
    return table.cast(pa.schema(wanted))


def check_unique(names: Iterable[Any]) -> None:
    """Raise SelectronError if two columns have the same name."""
    known = set()
    for name in names:
        if name in known:
            raise SelectronError(f"Two columns are named {name!r}: rename one of them.")
        known.add(name)


def array_of(column: Any) -> pa.Array:
    """Return a column as an Arrow array, as text if its values are of several types."""
    try:
        return pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.array([text_of(x) for x in column])
