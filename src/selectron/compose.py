"""Compose: learner, asker, space and reduction make one compiled loop, kept for the process."""

from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType
from typing import Any

from .engine.asking import memoryless, nothing
from .engine.bind import blank, digest
from .engine.loop import play
from .engine.machine import compiled
from .engine.round import Life
from .errors import SelectronError
from .kernels import Linear
from .reductions import binary, exact, joint, ranking, rest, ultraconservative
from .reductions.stack import Stack, of_one
from .spaces import (
    dense_first,
    dense_l1,
    dense_second,
    dual,
    dual_first,
    ring_dense,
    ring_sparse,
    scalars,
    sparse_first,
    sparse_l1,
    sparse_second,
)

FIRST, SECOND, L1 = "first order", "second order", "first order in an L1 ball"
RING = "a ring of members"
SPACES = {
    (FIRST, False): dense_first,
    (SECOND, False): dense_second,
    (L1, False): dense_l1,
    (RING, False): ring_dense,
    (FIRST, True): sparse_first,
    (SECOND, True): sparse_second,
    (RING, True): ring_sparse,
    (L1, True): sparse_l1,
}
KINDS = {"shape": SECOND, "radius": L1, "ring": RING}  # by what a learner has
FROM_LEARNER = ("score", "steps", "step")
FROM_SPACE = ("inner", "length", "form", "ceiling", "move", "at")
FROM_RING = (
    "taken",
    "inspect",
    "replayed",
    "shift",
    "reshift",
    "renew",
    "fade",
    "imitate",
    "rescale",
    "hold",
    "remember",
)
FROM_SCALARS = ("full", "count", "square", "note", "jot", "trim")  # unless the space has its own
FROM_REDUCTION = (
    "margin",
    "extent",
    "spread",
    "limit",
    "predicted",
    "copied",
    "truth",
    "due",
    "learn",
    "rivals",
)


def space_for(
    learner: Any,
    sparse: bool,
    many: str | None = None,
    kernel: Any = None,
    bounded: bool = False,
) -> Any:
    """Return the space for a learner of its order, for dense or sparse rows, and for many classes.

    `many` is None for two classes; for many, "joint", "exact" or "rest", or "ranking" where a row
    may be of several. A kernel, a NamedTuple's class or a function, takes a space in dual form;
    `bounded`, one from which examples leave.
    """
    kind = next((kind for name, kind in KINDS.items() if hasattr(learner, name)), FIRST)
    order = 2 if kind is SECOND else 1
    if kind is RING and kernel is not None:
        raise SelectronError(f"{type(learner).__name__} has no kernel: leave out kernel.")
    space = SPACES[kind, sparse] if kernel is None else _dual(order, sparse, kernel, bounded)
    if many is None:
        return space
    if kind in (L1, RING) and many == "ranking":
        raise SelectronError(f"{type(learner).__name__} cannot rank: its step is no sum of rows.")
    if kind in (L1, RING):  # its step is no sum of rows, which is what a joint one is made of
        return stack(space, rest)
    if many == "exact" and kind is SECOND:
        return exact_stack(_long(kernel))
    at_once = many in ("joint", "exact") and hasattr(learner, "ceded")
    return stack(space, ultraconservative if at_once else REDUCTIONS[many])


_dual = cache(dual.dual)
REDUCTIONS = {"joint": joint, "exact": joint, "rest": rest, "ranking": ranking}


@cache
def stack(space: ModuleType | dual.Dual, reduction: ModuleType) -> Stack:
    """Return the one stack of a space under a reduction."""
    return Stack(space, reduction)


@cache
def exact_stack(space: ModuleType | dual.Dual) -> Stack:
    """Return the one stack for exact joint steps in second order."""
    return exact.Exact(space, exact)


def _long(kernel: Any) -> ModuleType | dual.Dual:
    """Return the space for the one vector of all classes, whose rows are sparse."""
    if kernel is None:
        return sparse_second
    if kernel is not Linear:
        raise SelectronError(
            f'many="exact" takes no kernel but the linear one, got {kernel.__name__}.'
        )
    return _dual(2, True, kernel, False)


def check_pair(learner: Any, asker: Any) -> None:
    """Refuse an asker with a learner that does not give it the r and q that it reads.

    A ring's q is no variance, so that askers by variance would hardly ever ask. In first order q is
    <x, x>, which no label changes, and only a ring's r and q are probabilities and bits. Within a
    budget worth counts relatively, and only rings are refused.
    """
    name, inner = type(learner).__name__, getattr(asker, "asker", asker)
    if hasattr(asker, "by_belief") and not hasattr(learner, "ring"):
        raise SelectronError(
            f"{type(asker).__name__} asks by probabilities, which {name} does not give: take "
            "Margin(b=0.1), or LeadingHistory()."
        )
    first_order = not (hasattr(learner, "shape") or hasattr(learner, "ring"))
    if first_order and hasattr(asker, "by_variance") and not hasattr(asker, "by_cuts"):
        raise SelectronError(
            f"{type(asker).__name__} asks by the variance of a row, which {name} does not learn: "
            "take Margin(b=0.1), or RLS()."
        )
    if hasattr(learner, "ring") and hasattr(inner, "by_variance"):
        raise SelectronError(
            f"{type(inner).__name__} asks by the variance of a row, which {type(learner).__name__} "
            "does not tell: take Uncertainty() or Budget(rate=0.1)."
        )


def parts(learner: Any, asker: Any, space: Any) -> Mapping[str, Any]:
    """Return what the blanks of the loop, and of what it calls, stand for."""
    reduction, base = getattr(space, "reduction", binary), of_one(space)
    return {
        "Learner": learner,
        **{name: getattr(learner, name) for name in FROM_LEARNER},
        "steps": _steps(learner, asker),
        **{name: getattr(learner, name, default) for name, default in LEFT_OUT.items()},
        **_asking(asker),
        "State": space.State,
        "Rows": space.Rows,
        **{name: getattr(base, name, blank) for name in FROM_SPACE + FROM_RING},
        "belief": getattr(learner, "belief", blank),
        **{name: getattr(base, name, None) or getattr(scalars, name) for name in FROM_SCALARS},
        **getattr(base, "inside", {}),
        **_facing(reduction, base),
    }


def kind_of(asker: Any) -> Any:
    """Return what a loop is compiled for: an asker's class, with that of one which it wraps."""
    inner = getattr(asker, "asker", None)
    return type(asker) if inner is None else (type(asker), type(inner))


def _steps(learner: Any, kind: Any) -> Any:
    """Return when the learner steps: on whatever cuts, if the asker and the learner go by that."""
    inner = kind[-1] if isinstance(kind, tuple) else kind
    cuts = getattr(learner, "cuts", None) if hasattr(inner, "by_cuts") else None
    return cuts or learner.steps


def _asking(kind: Any) -> Mapping[str, Any]:
    """Return what the blanks of the asker stand for."""
    asker, inner = kind if isinstance(kind, tuple) else (kind, kind)
    if hasattr(kind, "asker"):  # a class alone wraps what it does by default
        inner = type(kind._field_defaults["asker"])
    memory = hasattr(asker, "after")
    return {
        "Asker": asker,
        "Inner": inner,
        "probability": getattr(inner, "worth", inner.probability) if memory else inner.probability,
        "surprise": getattr(inner, "surprise", getattr(inner, "worth", inner.probability)),
        "news": getattr(inner, "news", as_it_is),
        "passes": getattr(asker, "passes", everything),
        "remaining": getattr(asker, "remaining", boundless),
        "chance": asker.chance if memory else memoryless,
        "after": asker.after if memory else nothing,
    }


def _facing(reduction: ModuleType, base: Any) -> Mapping[str, Any]:
    """Return how the space faces the classes of the reduction."""
    if reduction is binary:
        own = {"margin": "inner", "extent": "length", "spread": "form", "limit": "ceiling"}
        return {
            **{name: getattr(base, one) for name, one in own.items()},
            **{
                name: getattr(binary, name)
                for name in ("predicted", "copied", "truth", "due", "learn")
            },
            "crowded": getattr(base, "full", scalars.full),
            "age": getattr(base, "age", ageless),
            "life": getattr(base, "life", endless),
            **({"learn": base.learn} if hasattr(base, "learn") else {}),
        }
    order = "first" if base.order == 1 else "second"
    grows = hasattr(base, "full")
    found = {name: getattr(reduction, name, blank) for name in FROM_REDUCTION}
    return {
        **{name: getattr(joint, f"{name}_{order}") for name in ("still", "shrunk", "turned")},
        "score_all": getattr(base, "score_all", joint.one_by_one),
        "ceiling_all": getattr(base, "ceiling_all", joint.ceilings),
        "like": getattr(base, "like", None),
        "age": reduction.age if hasattr(base, "age") else ageless,
        "age_one": getattr(base, "age", ageless),
        "life": reduction.life if hasattr(base, "life") else endless,
        "life_one": getattr(base, "life", endless),
        "learn_one": getattr(base, "learn", binary.learn),
        "rivals": joint.nearest,
        **{name: getattr(joint, name) for name in FROM_REDUCTION if name != "rivals"},
        **{name: part for name, part in found.items() if part is not blank},
        "crowded": getattr(reduction, "crowded", joint.crowded) if grows else scalars.full,
    }


def always(p, r):
    """Can the learner's step do all that it should? Where the learner does not say, it can."""
    return True


def unchanged(p, r):
    """Return the learner's own number after the step: a learner that keeps none has 0."""
    return r.note


def everything(a, m, y):
    """Does the asker pass this label on? Where it does not say, every one."""
    return True


def boundless(a, past):
    """How many rounds are to come: most askers know of no end."""
    return 0.0


def as_it_is(a, q, usual):
    """What counts of q in a budget: all of it, where the asker does not say."""
    return q


LEFT_OUT = {
    "feasible": always,
    "noted": unchanged,
    "ceded": None,
    "shrink": dual_first.whole,
    "at_random": dual_first.oldest,
}


def ageless(s, t):
    """How old is what leads the prediction? Of most spaces, nobody asks."""
    return 0.0


def endless(p, s, t, remaining):
    """How long the concept may last: most spaces know nothing of it."""
    return Life(ahead=1.0, lasting=0.0)


def loop(learner: Any, asker: Any, space: Any) -> Callable:
    """Return the compiled loop of the classes of a learner and an asker, and a space.

    What a class of the user's calls may be defined anew in the same process, as in a notebook.
    """
    askers = asker if isinstance(asker, tuple) else (asker,)
    kinds = learner, *askers, getattr(of_one(space), "kernel", learner)
    users = [kind for kind in kinds if not kind.__module__.startswith(f"{__package__}.")]
    code = digest(play, parts(learner, asker, space)) if users else ""
    what = " or ".join(dict.fromkeys(map(_described, users or kinds)))
    return _loop(learner, asker, space, code, what)


def _described(kind: Any) -> str:
    """Return a part as a message tells of it."""
    if isinstance(kind, type):
        return kind.__name__
    return f"The kernel {kind.__name__}, which takes two arrays and returns a number,"


@cache
def _loop(learner: Any, asker: Any, space: Any, code: str, what: str) -> Callable:
    askers = asker if isinstance(asker, tuple) else (asker,)
    names = (part.__name__.rpartition(".")[2] for part in (learner, *askers, space))
    return compiled(play, parts(learner, asker, space), "_".join(["play", *names]), what)
