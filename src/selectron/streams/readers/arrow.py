"""Numbers from Arrow to NumPy, without `to_numpy`, which imports pandas where it is installed."""

import numpy as np
import pyarrow as pa


def plain(array: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """A view, not to be written to, of int32 or float64 numbers without nulls.

    >>> plain(pa.array([1.0, 2.0, 4.0]).slice(1))
    array([2., 4.])
    """
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    kind = np.dtype(np.int32 if pa.types.is_int32(array.type) else np.float64)
    buffer = array.buffers()[1]
    if not len(array) or buffer is None:
        return np.empty(0, kind)
    return np.frombuffer(buffer, kind, len(array), array.offset * kind.itemsize)
