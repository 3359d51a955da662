"""Blocks of rows, from arrays and from readers."""

import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import numpy as np


class Dense(NamedTuple):
    """A block of dense rows."""

    values: np.ndarray  # float64, (n, d), C order


class Sparse(NamedTuple):
    """A block of sparse rows (CSR); within a row no index occurs twice."""

    indptr: np.ndarray  # int64, (n + 1,)
    indices: np.ndarray  # int32, (nnz,)
    values: np.ndarray  # float64, (nnz,)


class DenseRows(NamedTuple):
    """Dense rows as the loop takes them."""

    values: np.ndarray  # (n, d)
    constant: float  # 1.0 or 0.0; in second and in dual form it is in front of `values`
    kernel: tuple[float, ...]  # its numbers, in dual form


class SparseRows(NamedTuple):
    """Sparse rows as the loop takes them; a signed index would cost a comparison."""

    indptr: np.ndarray  # uint64
    indices: np.ndarray  # uint32
    values: np.ndarray
    constant: float  # as in `DenseRows`
    kernel: tuple[float, ...]


def readonly(array: np.ndarray) -> np.ndarray:
    """Return a read-only view: the loop is compiled for read-only arrays only."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.setflags(write=False)
    return view


def rows_of(block: Dense | Sparse, start: int, stop: int) -> Dense | Sparse:
    """Return rows `start` to `stop` of a block, in float64 and C order, copied only if needed."""
    if isinstance(block, Dense):
        return Dense(np.ascontiguousarray(block.values[start:stop], dtype=np.float64))
    indptr = block.indptr[start : stop + 1]
    span = slice(indptr[0], indptr[-1])
    values = np.ascontiguousarray(block.values[span], dtype=np.float64)
    return Sparse(indptr - indptr[0], block.indices[span], values)


def extent(block: Dense | Sparse) -> tuple[int, int]:
    """Return the number of rows, and that of features: of sparse rows the highest index plus 1."""
    if isinstance(block, Dense):
        return block.values.shape
    return len(block.indptr) - 1, int(block.indices.max(initial=-1)) + 1


def as_matrix(block: Dense | Sparse, width: int) -> Any:
    """Return a block as an array of its first `width` columns, dense or CSR.

    >>> as_matrix(Sparse(np.array([0, 1]), np.array([2], np.int32), np.ones(1)), 3).toarray()
    array([[0., 0., 1.]])
    """
    import scipy.sparse  # takes long, and most commands do without it

    if isinstance(block, Dense):
        return block.values[:, :width]
    shape = len(block.indptr) - 1, width
    return scipy.sparse.csr_array((block.values, block.indices, block.indptr), shape=shape)


def as_dense(block: Sparse, width: int) -> Dense:
    """Return sparse rows as dense ones.

    >>> as_dense(Sparse(np.array([0, 1, 1]), np.array([1], np.int32), np.ones(1)), 2)
    Dense(values=array([[0., 1.],
           [0., 0.]]))
    """
    n = len(block.indptr) - 1
    values = np.zeros((n, width))
    row = 0 if n == 1 else np.repeat(np.arange(n), np.diff(block.indptr))  # fast for single rows
    values[row, block.indices] = block.values
    return Dense(readonly(values))


def narrowed(block: Dense | Sparse, width: int) -> Dense | Sparse:
    """Return a block without features from `width` on.

    >>> narrowed(Sparse(np.array([0, 2, 3]), np.array([0, 5, 5], np.int32), np.ones(3)), 2)
    Sparse(indptr=array([0, 1, 1]), indices=array([0], dtype=int32), values=array([1.]))
    """
    if isinstance(block, Dense):
        if block.values.shape[1] <= width:
            return block
        return Dense(readonly(np.ascontiguousarray(block.values[:, :width])))
    known = block.indices.view(np.uint32) < width  # negative ones, of forged files, are large
    if known.all():
        return block
    left = np.append(0, known.cumsum())[block.indptr]
    return Sparse(left, block.indices[known], block.values[known])


def by_width(block: Sparse, width: int, most: float = math.inf) -> list[Sparse]:
    """Return a block in pieces; each but the first begins where an index is the highest so far.

    Widths above `most` count as one.

    >>> block = Sparse(np.array([0, 1, 2, 3]), np.array([4, 4, 7], np.int32), np.ones(3))
    >>> [len(piece.values) for piece in by_width(block, 2)]
    [2, 1]
    """
    indices = np.minimum(block.indices, most)
    highest = np.maximum.accumulate(np.concatenate([[width - 1], indices]))
    of_rows = highest[block.indptr - block.indptr[0]]
    cuts = np.flatnonzero(np.diff(of_rows)).tolist()
    bounds = sorted({0, *cuts, len(of_rows) - 1})
    return [cast(Sparse, rows_of(block, *span)) for span in itertools.pairwise(bounds)]


def taken(block: Dense | Sparse, order: np.ndarray) -> Dense | Sparse:
    """Return the rows of these numbers, in this order.

    >>> taken(Dense(np.eye(2)), np.array([1, 1]))
    Dense(values=array([[0., 1.],
           [0., 1.]]))
    """
    if isinstance(block, Dense):
        return Dense(block.values[order])
    lengths = np.diff(block.indptr)[order]
    indptr = np.concatenate([[0], lengths.cumsum()])
    at = np.arange(indptr[-1]) + np.repeat(block.indptr[:-1][order] - indptr[:-1], lengths)
    return Sparse(indptr, block.indices[at], block.values[at])


def joined(blocks: list[Dense | Sparse]) -> Dense | Sparse | None:
    """Return the rows of several blocks of one kind as one block, None if there are none."""
    if not blocks:
        return None
    values = np.concatenate([block.values for block in blocks])
    sparse = [block for block in blocks if isinstance(block, Sparse)]
    if not sparse:
        return Dense(values)
    lengths = np.concatenate([np.diff(block.indptr) for block in sparse])
    indices = np.concatenate([block.indices for block in sparse])
    return Sparse(np.concatenate([[0], lengths.cumsum()]), indices, values)


def widened(block: Dense | Sparse, width: int) -> Dense | Sparse:
    """Return rows with zeros for new features at their end; sparse rows are as they were."""
    if isinstance(block, Sparse):
        return block
    return Dense(readonly(np.pad(block.values, ((0, 0), (0, width - block.values.shape[1])))))


def no_rows(sparse: bool, width: int) -> Dense | Sparse:
    """Return a block without rows."""
    if sparse:
        return Sparse(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0))
    return Dense(np.zeros((0, width)))


def pieces(block: Dense | Sparse, cuts: list[tuple[int, int]]) -> Iterator[Dense | Sparse]:
    """Yield a block in pieces, given the first row and the width of each; sparse rows as one."""
    if isinstance(block, Sparse):
        yield block
        return
    for (start, width), (stop, _) in itertools.pairwise([*cuts, (len(block.values), 0)]):
        if stop > start:
            yield Dense(np.ascontiguousarray(block.values[start:stop, :width]))
