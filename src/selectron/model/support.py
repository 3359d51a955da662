"""Limits of a model: its kernel, examples and memory, and why it refuses rows and tickets."""

import math
import os
import warnings
from types import FunctionType
from typing import Any

import numpy as np

from ..classes.exact import Exact
from ..classes.stack import of_one
from ..engine.parts import Learner, declared
from ..engine.rows import Dense, Sparse
from ..errors import SelectronError
from ..kernels import Linear

NO_TICKET = "A decision is not a ticket: pass decision.ticket."
COPY_EVERY = 16  # answers that can be corrected between two copies of the state
MUCH = 2**31  # bytes of a state that are worth a warning
TOO_LARGE = " is too large for floating point: scale the features."
BLANKS = (
    '; an encoder, as of OnlineClassifier(encoder="auto") or TableEncoder(), takes blanks in a '
    "data frame, such as pandas.DataFrame(X)"
)


def kernel_for(learner: Any, kernel: Any, max_support: int | None, sparse: bool) -> Any:
    """Return the kernel to be used, or None for the primal form.

    A learner with a budget uses the linear kernel if none is given. Raises SelectronError if the
    learner, the rows and the kernel do not go together.
    """
    name, budget = type(learner).__name__, capacity(learner) < math.inf
    kernel = Linear() if kernel is None and budget else kernel
    if kernel is not None and declared(learner, Learner, "radius")(learner) is not None:
        raise SelectronError(
            f"{name} has no kernel: its L1 ball takes the weights themselves, so leave out kernel."
        )
    if isinstance(kernel, FunctionType) and sparse:
        raise SelectronError(
            f"The kernel {kernel.__name__} takes arrays: on sparse rows, kernel must be a "
            "NamedTuple of inner products, as those in selectron.kernels are."
        )
    if max_support is None:
        return kernel
    if kernel is None:
        raise SelectronError(
            f"max_support bounds examples that are kept, got {max_support} without a kernel: "
            'give kernel="linear" too.'
        )
    if budget or declared(learner, Learner, "shape")(learner) is not None:
        why = "has a budget of its own" if budget else "is of second order and has to keep all"
        raise SelectronError(f"max_support must be left out with {name}, which {why}.")
    return kernel


def capacity(learner: Any) -> float:
    """Return how many examples a learner keeps at most; inf if it sets no limit."""
    return float(declared(learner, Learner, "capacity")(learner))


def kernel_type(kernel: Any) -> Any:
    """Return what the loop is compiled for: the class of a kernel, or the function itself."""
    return kernel if kernel is None or isinstance(kernel, FunctionType) else type(kernel)


def check_room(model: Any, room: tuple[int, int]) -> None:
    """Raise SelectronError if room for this many examples would not fit into memory."""
    what = f"{type(model.learner).__name__} with room for {room[0]} examples"
    bounds = "lower max_support" if model.space.order == 1 else "take a first-order learner"
    size = _size(model, model.width, model.classes, *room)
    instead = f"{bounds}, or ask for fewer labels"
    _check(model, size, f"{what} of {model.width} features", instead, copies=2)


def check_start(model: Any, width: int, classes: int) -> None:
    """Raise SelectronError if the state would not fit into memory, at first or when it grows."""
    what = f"{type(model.learner).__name__} on {width} features"
    if classes > 2:
        what = f"{what} and {classes} classes"
    instead = "take a first-order learner, or fewer features"
    exact = isinstance(model.space, Exact)
    if exact and not model.dual:
        instead = f'{instead}, or many="joint"'
    if model.space.order == 2 and not (model.dual or model.sketch or exact):
        instead = f"{instead}, or sketch=32"
    copies = 3 if width > model.width else 2  # the narrow one is kept while rows are played
    _check(model, _size(model, width, classes), what, instead, copies)


def _check(model: Any, size: int, what: str, instead: str, copies: int) -> None:
    if model.correctable:  # `correct` starts from a copy
        instead = f"{instead}, or less correctable"
        copies += 2 + model.correctable // COPY_EVERY
    check_memory(size, what, instead, copies)
    if size > MUCH:
        needed = f"{what} takes {size / 2**30:.0f} GiB, over which each step passes"
        warnings.warn(f"{needed}: {instead}.", stacklevel=2)


def _size(model: Any, width: int, classes: int, *room: int) -> int:
    """Return the bytes that the state takes with this many features, classes and examples."""
    one = of_one(model.space)
    weights, stacked = model.weights_of(width), model.stacked or classes > 2
    room = room or model.start_room
    if isinstance(model.space, Exact):
        return one.size(weights * classes, *room)
    return one.size(weights, *room, classes=classes if stacked else 1)


def why_refused(block: Dense | Sparse, i: int) -> str:
    """Return what is wrong with row i of a block, as the rest of a sentence."""
    if isinstance(block, Dense):
        values = block.values[i]
        features = np.arange(len(values))
    else:
        span = slice(block.indptr[i], block.indptr[i + 1])
        values, features = block.values[span], block.indices[span]
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        blank = np.isnan(values[bad[0]])
        what, advice = "infinite", ""
        if blank:
            what, advice = "NaN", BLANKS
        return f", feature {features[bad[0]]} is {what}: every value must be finite{advice}."
    with np.errstate(over="ignore"):
        large = not np.isfinite(values @ values)
    beyond = " goes beyond what floating point resolves: scale the features"
    return TOO_LARGE if large else f"{beyond}, or check the learner or the kernel if it is yours."


def check_memory(size: int, what: str, instead: str, copies: int = 2) -> None:
    """Raise SelectronError if a state of `size` bytes would not fit into the machine's memory.

    It is counted twice, as a copy is kept while rows are played, or as often as `copies`.
    """
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # unknown on this system
        return
    if copies * size > memory:
        raise SelectronError(f"{what} needs {copies * size / 2**30:.0f} GiB: {instead}.")


def why_not_open(ticket: Any, waiting: Any, given: int, max_open: int) -> str:
    """Return why a ticket cannot be answered, `given` being the number of tickets so far."""
    if hasattr(ticket, "ticket"):
        return NO_TICKET
    if ticket is None:
        return "There is no ticket: the label was not asked for, as decision.ask shows."
    if isinstance(ticket, str):
        if ticket.isdecimal() and int(ticket) in waiting:
            return f"Ticket {ticket!r} is a name, and {ticket} is open: give the number."
        return (
            f"No open ticket has the name {ticket!r}: it is answered, has expired, or is newer "
            "than the file of this classifier."
        )
    if not isinstance(ticket, int | np.integer) or not 0 < ticket <= given:
        known = f"tickets are numbers from 1 to {given}" if given else "none has been given out"
        return f"Ticket {ticket!r} is unknown: {known}."
    return (
        f"Ticket {ticket} is not open: it was answered, was opened under a name, or has expired, "
        f"as the oldest one does when more than {max_open:,} are open."
    )


def why_not_corrected(ticket: Any, waiting: Any, correctable: int) -> str:
    """Return why the answer to a ticket cannot be corrected."""
    if hasattr(ticket, "ticket"):
        return NO_TICKET
    if isinstance(ticket, int | str | np.integer) and ticket in waiting:
        return f"Ticket {ticket!r} is open: answer it first."
    if not correctable:
        return "Answers cannot be corrected: set correctable, the number of the latest that can."
    return (
        f"Ticket {ticket!r} cannot be corrected: it is none of the last {correctable} answered "
        "since the last run, partial_fit or load."
    )
