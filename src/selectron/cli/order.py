"""The order of rows: a budget per period of time goes by the latest time so far."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..streams.readers import Chunk

WARNING = (
    "selectron: {}: row {} is earlier than row {}: labels are asked for by the latest time so far, "
    "too few if that is far ahead; sort the file by {!r}"
)


def in_order(chunks: Iterable["Chunk"], file: str, column: str) -> Iterator["Chunk"]:
    """Pass chunks on, and say once which row is earlier than the one before it.

    It is not refused: clocks are set back, and how far rows are out of order shows at the end only.
    """
    last, row = float("-inf"), None
    for chunk in chunks:
        if row is None:
            row = earlier(chunk, last)
            last = float(chunk.times[-1])
            if row is not None:
                click.echo(WARNING.format(file, row + 1, row, column), err=True)
        yield chunk


def earlier(chunk: "Chunk", last: float) -> int | None:
    """Return the first row of a chunk that is earlier than the one before it, counted from 0.

    `last` is the time of the last row before the chunk.
    """
    import numpy as np

    found = np.flatnonzero(np.diff(chunk.times, prepend=last) < 0)
    return chunk.first + int(found[0]) if len(found) else None
