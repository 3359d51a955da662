"""Why a row or a state is refused, in one sentence."""

import os
from typing import Any

import numpy as np

from ..engine.rows import Dense, Sparse
from ..errors import SelectronError

TOO_LARGE = " is too large for floating point: scale the features."


def why_refused(block: Dense | Sparse, i: int) -> str:
    """Tell what is wrong with row i of a block."""
    if isinstance(block, Dense):
        values = block.values[i]
        features = np.arange(len(values))
    else:
        span = slice(block.indptr[i], block.indptr[i + 1])
        values, features = block.values[span], block.indices[span]
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        what = "NaN" if np.isnan(values[bad[0]]) else "infinite"
        return f", feature {features[bad[0]]} is {what}: every value must be finite."
    with np.errstate(over="ignore"):
        large = not np.isfinite(values @ values)
    beyond = " goes beyond what floating point resolves: scale the features."
    return TOO_LARGE if large else beyond


def check_memory(size: int, what: str, instead: str) -> None:
    """Refuse a state of `size` bytes that is larger than the machine's memory, before it is made.

    It is counted twice: a copy is kept while rows are played.
    """
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not known on this system
        return
    if 2 * size > memory:
        raise SelectronError(f"{what} needs {2 * size / 2**30:.0f} GiB: {instead}.")


def why_not_open(ticket: Any, given: int, max_open: int) -> str:
    """Tell why a ticket cannot be answered, `given` having been given out."""
    if not isinstance(ticket, int | np.integer) or not 0 < ticket <= given:
        return f"Ticket {ticket!r} is unknown: {given} have been given out, from 1 on."
    return (
        f"Ticket {ticket} is not open: it has been answered, or has expired "
        f"because {max_open} younger ones were open."
    )
