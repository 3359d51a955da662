"""What a model may hold: whether in dual form, how many examples, and how much memory."""

import math
from types import FunctionType
from typing import Any

from ..classes.stack import of_one
from ..engine.parts import Learner, declared
from ..errors import SelectronError
from ..kernels import Linear
from .refusal import check_memory


def kernel_for(learner: Any, kernel: Any, max_support: int | None, sparse: bool) -> Any:
    """Return the kernel to be used, or None for the primal form; SelectronError if there is none.

    A learner with a budget takes the linear one where none is given.
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


def limit(learner: Any, max_support: int | None) -> float:
    """Return how many examples may be held."""
    return min(capacity(learner), max_support or math.inf)


def capacity(learner: Any) -> float:
    """Return how many examples a learner keeps at most; inf where it sets no limit."""
    return float(declared(learner, Learner, "capacity")(learner))


def kind(kernel: Any) -> Any:
    """Return what a loop is compiled for: the class of a kernel, or the function that it is."""
    return kernel if kernel is None or isinstance(kernel, FunctionType) else type(kernel)


def numbers(kernel: Any) -> tuple[float, ...]:
    """Return the parameters of a kernel, checked; a function has none."""
    return () if isinstance(kernel, FunctionType) else tuple(kernel.numbers())


def grown(model: Any, rows: Any, i: int) -> Any:
    """Return the state with room for a step on row i; None if there is room in it."""
    space = model.space
    room = space.wanted(model.state, rows, i)
    if room == space.room(model.state):
        return None
    check_room(model, room)
    return space.grow(model.state, *room)


def check_room(model: Any, room: tuple[int, int]) -> None:
    """Refuse room for examples that would not fit into memory, before it is asked for."""
    what = f"{type(model.learner).__name__} with room for {room[0]} examples"
    bounds = "lower max_support" if model.space.order == 1 else "take a first-order learner"
    size = _size(model, model.width, model.classes, *room)
    check_memory(size, f"{what} of {model.width} features", f"{bounds}, or ask for fewer labels")


def check_start(model: Any, width: int, classes: int) -> None:
    """Refuse a state larger than the machine's memory before it is asked for."""
    what = f"{type(model.learner).__name__} on {width} features"
    if classes > 2:
        what = f"{what} and {classes} classes"
    instead = "take a first-order learner, or fewer features"
    if model.many == "exact" and not model.dual:
        instead = f'{instead}, or many="joint"'
    if model.space.order == 2 and model.sparse and not model.dual:
        instead = f'{instead}, or kernel="linear"'
    check_memory(_size(model, width, classes), what, instead)


def _size(model: Any, width: int, classes: int, *room: int) -> int:
    """Return the bytes that the state takes, or would take with so many classes."""
    one = of_one(model.space)
    weights, stacked = model.weights_of(width), model.stacked or classes > 2
    if model.many == "exact" and model.space.order == 2:
        return one.size(weights * classes, *room)
    return (classes if stacked else 1) * one.size(weights, *room)
