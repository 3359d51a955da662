"""Compose: one learner, one asker and one space make one compiled loop, kept for the process."""

from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType
from typing import Any

from .engine.loop import play
from .engine.machine import compiled
from .spaces import dense_first, dense_second, sparse_first, sparse_second

SPACES = {
    (1, False): dense_first,
    (2, False): dense_second,
    (1, True): sparse_first,
    (2, True): sparse_second,
}


def space_for(learner: Any, sparse: bool) -> ModuleType:
    """Return the space for a learner of its order, and for dense or sparse rows."""
    return SPACES[2 if hasattr(learner, "shape") else 1, sparse]


def parts(learner: Any, asker: Any, space: ModuleType) -> Mapping[str, Any]:
    """Return what the blanks of the loop stand for."""
    from_space = ("State", "Rows", "inner", "length", "form", "ceiling", "move", "count", "square")
    return {
        "Learner": learner,
        "score": learner.score,
        "steps": learner.steps,
        "step": learner.step,
        "Asker": asker,
        "probability": asker.probability,
        **{name: getattr(space, name) for name in from_space},
    }


@cache
def loop(learner: Any, asker: Any, space: ModuleType) -> Callable:
    """Return the compiled loop of the classes of a learner and an asker, and a space."""
    names = (part.__name__.rpartition(".")[2] for part in (learner, asker, space))
    name = "_".join(["play", *names])
    return compiled(play, parts(learner, asker, space), name)
