"""Compose: one learner, one asker and one space make one compiled loop, kept for the process."""

from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType
from typing import Any

from .engine.bind import digest
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


def loop(learner: Any, asker: Any, space: ModuleType) -> Callable:
    """Return the compiled loop of the classes of a learner and an asker, and a space.

    What a class of the user's calls may be defined anew in the same process, as in a notebook.
    """
    own = all(kind.__module__.startswith(f"{__package__}.") for kind in (learner, asker))
    code = "" if own else digest(play, parts(learner, asker, space))
    return _loop(learner, asker, space, code)


@cache
def _loop(learner: Any, asker: Any, space: ModuleType, code: str) -> Callable:
    names = (part.__name__.rpartition(".")[2] for part in (learner, asker, space))
    return compiled(play, parts(learner, asker, space), "_".join(["play", *names]))
