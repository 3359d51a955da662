"""Rows that grow wider, and narrow sparse rows, which an ensemble takes as dense ones.

On sparse rows, an ensemble has few directions, and no Fourier features. So narrow rows are dense to
it, and what it learned from them is brought to sparse ones when there are more features.
"""

import copy
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..classes.stack import carried, of_one
from ..engine.rows import Dense, Sparse, by_width, extent
from ..history.state import WHOLE
from ..spaces import sparse_second
from . import support

# Most features of narrow rows, with the constant. Dense rows have all directions up to WHOLE, but
# there renewals for thirty classes take half a minute, and the model of a key 3 MB
NARROW = WHOLE // 2


def is_narrow(model: Any, width: int) -> bool:
    """Return whether sparse rows of this width are dense to the learner."""
    return model.sparse and model.aging and width + model.constant <= NARROW


def needed_width(model: Any, block: Any, width: int) -> int:
    """Return the width that a model needs for a single row: the row's own, if rows are narrow."""
    narrow = isinstance(block, Sparse) and is_narrow(model, model.width)
    return extent(block)[1] if narrow else width


def grows_by_row(model: Any) -> bool:
    """Return whether results depend on the width of sparse rows at every row.

    It bounds the rounding of P in second order, and is part of the prior on dense rows.
    """
    return of_one(model.space) is sparse_second or is_narrow(model, model.width)


def blocks_by_width(model: Any, block: Any, n: int) -> Iterator[tuple[int, int, Dense | Sparse]]:
    """Yield blocks of one width, each with its first row and number of rows; widen for each.

    Sparse rows are cut where the width counts, so that results do not depend on how a stream is.
    """
    if isinstance(block, Sparse) and grows_by_row(model) and extent(block)[1] > model.width:
        most = NARROW if is_narrow(model, model.width) else math.inf
        block = by_width(block, model.width, most)
    if not isinstance(block, list):
        yield 0, n, block
        return
    first = 0
    for piece in block:
        n, width = extent(piece)
        model.widen(width)
        yield first, n, piece
        first += n


def outgrow(model: Any, width: int) -> None:
    """Bring what was learned from narrow rows to a space for sparse ones of this width."""
    wide = copy.copy(model)
    wide.width = width
    wide.equip()
    support.check_start(wide, width, model.classes)
    if model.correctable:
        model.remember_rows()
    wide.state = wide.new_state()
    olds, news = (
        [one.state] if not one.stacked else one.space.unstacked(one.state) for one in (model, wide)
    )
    with np.errstate(all="ignore"):  # as of rows near the limits of floats
        of_one(wide.space).outgrow(olds, news)
    if model.stacked:
        carried(model.state, wide.state)
    model.space, model.loop, model.state = wide.space, wide.loop, wide.state
