"""Compose a learner, an asker, a space and classes into one compiled loop, cached in memory."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from ..classes import exact, joint, rest
from ..classes.stack import Stack, of_one
from ..engine.bind import digest
from ..engine.loop import READS_BELIEF, READS_FORM, READS_SQUARED_NORM, READS_VARIANCE, Asker, play
from ..engine.machine import compiled
from ..engine.parts import Learner, declared
from ..engine.round import Shape
from ..errors import SelectronError
from ..history import dense as ensemble_dense
from ..history import sparse as ensemble_sparse
from ..kernels import Linear
from ..spaces import (
    dense_first,
    dense_second,
    dual,
    l1,
    sketched_dense,
    sketched_sparse,
    sparse_first,
    sparse_second,
)

FIRST, SECOND, L1 = "first order", "second order", "first order in an L1 ball"
ENSEMBLE = "an ensemble of experts"
SPACES = {
    (FIRST, False): dense_first,
    (SECOND, False): dense_second,
    (L1, False): l1.dense,
    (ENSEMBLE, False): ensemble_dense,
    (FIRST, True): sparse_first,
    (SECOND, True): sparse_second,
    (ENSEMBLE, True): ensemble_sparse,
    (L1, True): l1.sparse,
}


def order_of(learner: Any) -> str:
    """Return the order of a learner, which decides its kind of space."""
    if declared(learner, Learner, "ensemble")(learner):
        return ENSEMBLE
    if declared(learner, Learner, "radius")(learner) is not None:
        return L1
    shape = declared(learner, Learner, "shape")(learner)
    if not isinstance(shape, Shape | None):
        name = type(learner).__name__
        raise SelectronError(f"{name}.shape must return a Shape or None, got {shape!r}.")
    return FIRST if shape is None else SECOND


def space_for(
    learner: Any,
    sparse: bool,
    many: Any = None,
    kernel: Any = None,
    bounded: bool = False,
    sketched: bool = False,
) -> Any:
    """Return the space for a learner, for dense or sparse rows, and two or many classes.

    `many` is None for two classes; for many, "joint", "exact" or "rest", or "ranking" or "exact
    ranking" where a row may be of several. `kernel`, the class of a NamedTuple or a function,
    selects the dual form; `bounded`, a dual form that evicts examples; `sketched`, the sketch of P.
    Raises SelectronError if there is no such space.
    """
    order, name = order_of(learner), type(learner).__name__
    if sketched and order is not SECOND:
        raise SelectronError(f"{name} has no sketch: take LASEC(), or leave out sketch.")
    if sketched and kernel is not None:
        raise SelectronError("sketch and kernel exclude each other: leave out one of them.")
    if sketched and many in EXACT:
        raise SelectronError('many="exact" takes no sketch: take many="joint".')
    if order is ENSEMBLE and kernel is not None:
        raise SelectronError(f"{name} has no kernel: leave out kernel.")
    space: Any = SPACES[order, sparse]
    if kernel is not None:
        space = _dual(2 if order is SECOND else 1, sparse, kernel, bounded)
    if sketched:
        space = sketched_sparse if sparse else sketched_dense
    if many is None:
        return space
    if order in (L1, ENSEMBLE):  # a joint step is a sum of rows, and theirs is not
        if many in RANKINGS:
            raise SelectronError(f"{name} cannot rank: its step is not a sum of rows.")
        return stack(space, rest.coupled if order is ENSEMBLE else rest)
    if many in EXACT and order is SECOND:
        if kernel not in (None, Linear):
            raise SelectronError(
                f'many="exact" takes no kernel but the linear one, got {kernel.__name__}.'
            )
        long = sparse_second if kernel is None else _dual(2, True, kernel, False)
        return exact_stack(long, EXACT[many])  # one long vector, whose rows are sparse
    at_once = many in ("joint", "exact") and hasattr(learner, "ceded")
    return stack(space, joint.ultraconservative if at_once else REDUCTIONS[many])


# one object each
_dual, stack, exact_stack = cache(dual.Dual), cache(Stack), cache(exact.Exact)
RANKINGS = "ranking", "exact ranking"
EXACT = {"exact": exact, "exact ranking": exact.ranking}  # in second order; in first, all are exact
REDUCTIONS = {"joint": joint, "exact": joint, "rest": rest} | dict.fromkeys(RANKINGS, joint.ranking)


def check_pair(learner: Any, asker: Any) -> None:
    """Raise SelectronError if the learner does not give the r and q that the asker reads.

    An ensemble's q is not a variance: askers by variance would hardly ever ask. In first order q is
    <x, x>, which no label changes, and only an ensemble's r and q are probabilities and bits.
    A budget ranks rows relative to each other: within it, only ensembles are refused.
    """
    order, name = order_of(learner), type(learner).__name__
    inner = getattr(asker, "asker", asker)
    reads, inner_reads = (declared(one, Asker, "reads")(one) for one in (asker, inner))
    first, ensemble = order in (FIRST, L1), order is ENSEMBLE
    if reads == READS_BELIEF and not ensemble:
        by, lacks, instead = "bits of information", "give", "Margin(b=0.1), or LeadingHistory()"
    elif inner_reads == READS_SQUARED_NORM and not first:
        by, lacks, instead = "the lengths of rows", "compute", "Margin(b=0.1), or Perceptron()"
    elif reads == READS_VARIANCE and first:
        by, lacks, instead = "the variance of a row", "learn", "Margin(b=0.1), or RLS()"
    elif inner_reads in (READS_VARIANCE, READS_FORM) and ensemble:
        by, lacks, instead = "the variance of a row", "give", "Uncertainty() or Budget(rate=0.1)"
    else:
        return
    raise SelectronError(
        f"{type(inner).__name__} asks by {by}, which {name} does not {lacks}: take {instead}."
    )


def parts(learner: type, asker: Any, space: Any) -> Mapping[str, Any]:
    """Return the objects for the parts of the loop, given the types of learner and asker."""
    base = of_one(space)
    outer, inner = asker if isinstance(asker, tuple) else (asker, asker)
    own = getattr(base, "parts", {"space": base})
    classes = (space.reduction, space) if isinstance(space, Stack) else own["space"]
    return {"learner": learner, "asker": outer, "wrapped": inner, "classes": classes, **own}


def asker_type(asker: Any) -> Any:
    """Return the class of an asker, paired with that of the asker it wraps, if any."""
    inner = getattr(asker, "asker", None)
    return type(asker) if inner is None else (type(asker), type(inner))


def loop(learner: Any, asker: Any, space: Any) -> Callable:
    """Return the compiled loop for the classes of a learner and an asker, and a space.

    A user's class may be redefined in the same process, as in a notebook: its code is compared too.
    """
    askers = asker if isinstance(asker, tuple) else (asker,)
    kinds = learner, *askers, getattr(of_one(space), "kernel", learner)
    users = [kind for kind in kinds if not kind.__module__.startswith("selectron.")]
    code = digest(play, parts(learner, asker, space)) if users else ""
    what = " or ".join(dict.fromkeys(map(_described, users or kinds)))
    return _loop(learner, asker, space, code, what)


def _described(kind: Any) -> str:
    if isinstance(kind, type):
        return kind.__name__
    return f"The kernel {kind.__name__}, which takes two arrays and returns a number,"


@cache
def _loop(learner: Any, asker: Any, space: Any, code: str, what: str) -> Callable:
    askers = asker if isinstance(asker, tuple) else (asker,)
    names = (part.__name__.rpartition(".")[2] for part in (learner, *askers, space))
    return compiled(play, parts(learner, asker, space), "_".join(["play", *names]), what)
