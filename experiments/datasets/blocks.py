"""From files and packed arrays to matrices."""

import io
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from selectron.engine.rows import Sparse, joined
from selectron.streams.readers import read

from .home import contents, reading


def table(path: Path, **options: Any) -> tuple[Any, np.ndarray]:
    """Return the rows and the labels of a file that the library's readers know."""
    with reading(path):
        chunks = list(read(path, **options))
        block = joined([chunk.rows for chunk in chunks])
        y = np.concatenate([chunk.labels for chunk in chunks])
    if isinstance(block, Sparse):
        shape = len(y), chunks[-1].width
        return csr_matrix((block.values, block.indices, block.indptr), shape), y
    return (block.values if block else np.zeros((0, 0))), y


def arrays(path: Path) -> dict[str, np.ndarray]:
    """Return the arrays of a file that NumPy saved."""
    with np.load(io.BytesIO(contents(path)), allow_pickle=False) as packed:
        return dict(packed)


def sparse(packed: dict[str, np.ndarray], values: np.ndarray | None = None) -> csr_matrix:
    """Return a CSR matrix of packed indices; all its values are 1 unless they are given.

    >>> packed = {"indices": np.array([2, 0]), "indptr": np.array([0, 1, 2]), "shape": (2, 3)}
    >>> sparse(packed).toarray().tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    indices = packed["indices"].astype(np.int32)
    values = np.ones(len(indices)) if values is None else values
    shape = tuple(map(int, packed["shape"]))
    X = csr_matrix((values, indices, packed["indptr"].astype(np.int32)), shape)
    X.sort_indices()
    return X


def indicator(relevant: np.ndarray) -> csr_matrix:
    """Return which rows (n) are of which classes (K) as a boolean CSR matrix."""
    return csr_matrix(relevant.astype(bool))
