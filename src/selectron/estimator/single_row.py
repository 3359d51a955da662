"""One row on its own, as `decide` takes it."""

from typing import Any

import numpy as np
import scipy.sparse

from ..data.dicts import Names, is_dict
from ..engine.rows import Dense, Sparse
from ..errors import SelectronError
from ..model.model import Model
from .checks import TABLE, in_one_sentence


def plain(x: Any, model: Model, names: Names | None = None) -> Dense | Sparse | None:
    """Return a copy of x as a block, if it is clearly a row of numbers of the model's kind.

    That is a 1-D array, a sparse one of one row and sorted indices, or a dict of the same names as
    the one before; whatever else it may be takes longer to find out.
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


def table(x: Any) -> Any:
    """Return one row of a table from a 1-D array, or from anything that has one row."""
    given = type(x).__name__
    if is_dict(x):
        return [x]
    if hasattr(x, "iloc"):
        x = x.to_frame().T if x.ndim == 1 else x
    elif not scipy.sparse.issparse(x):
        with in_one_sentence(TABLE):
            x = np.asarray(x)
    if x.ndim == 0:
        raise SelectronError(f"decide takes one row of numbers, got one {given}.")
    if x.ndim == 1:
        x = x.reshape(1, -1)
    if x.shape[0] != 1:
        raise SelectronError(f"decide takes one row, got an array of shape {x.shape}.")
    return x
