"""Checks of learners and askers, and of those that a user wrote, before they are compiled.

The likeliest mistakes get a sentence that names the method; those of the compiler name its code.
"""

import inspect
import math
from itertools import product
from typing import Any

import numpy as np

from ..engine.loop import Asker
from ..engine.machine import is_ours
from ..engine.parameters import floats, shown
from ..engine.parts import Learner
from ..engine.round import Projection, Round, ShapeStep, Step
from ..errors import SelectronError
from ..model.compose import ENSEMBLE, FIRST, L1, SECOND, order_of

A = {"learner": "a learner", "asker": "an asker"}
CONTRACTS = {"learner": Learner, "asker": Asker}
EXAMPLES = {"learner": "LASEC()", "asker": "Margin(0.1)"}
METHODS = {"learner": ("numbers", "step"), "asker": ("numbers", "probability")}
OF_MEMORY = ("numbers", "past", "chance", "after")  # of an asker that remembers
CALLS: dict[str, list[tuple[Any, ...]]] = {  # arguments with which methods are tried
    "step": [(Round(m, 1.0, y, 3.0, 2.0, 0.0),) for m, y in product((-0.5, 0.5), (-1.0, 1.0))],
    "probability": list(product((-1.0, 0.0, 0.5), (0.5, 2.0), (1, 1000))),
}
FAILED = "failed"  # in place of a result
STEPS = {
    FIRST: (Step, "Step(keep, eta), or ShapeStep and a shape"),
    SECOND: (ShapeStep, "ShapeStep(eta, mu, nu), as there is a shape"),
    ENSEMBLE: (ShapeStep, "ShapeStep(eta, mu, nu)"),
    L1: (Projection, "Projection(radius), as there is a radius"),
}


def checked(value: Any, role: str) -> Any:
    """Return a learner or an asker; raise SelectronError if it is none, or not sound."""
    if not isinstance(value, tuple) or not hasattr(value, "_fields"):
        raise SelectronError(
            f"{role} must be an object from selectron.{role}s, such as {EXAMPLES[role]}, or a "
            f"NamedTuple of your own, got {value!r}."
        )
    theirs = [one for one in (value, *value) if hasattr(one, "_fields") and not is_ours(type(one))]
    for one in theirs:
        _check_names(one, role)
        _check_signatures(one, role)
    methods = OF_MEMORY if role == "asker" and hasattr(value, "after") else METHODS[role]
    lacking = [name for name in methods if not callable(getattr(value, name, None))]
    if lacking:
        why = f"it has no {' and no '.join(lacking)}"
        raise SelectronError(f"{value!r} is not {A[role]}: {why}.")
    floats(value)
    for one in theirs:
        if hasattr(one, METHODS[role][-1]):
            _check_results(one, METHODS[role][-1], one is value)
    return value


def _check_names(value: Any, role: str) -> None:
    """Raise SelectronError if a parameter has the name of a method, in whose place it would be."""
    taken = [field for field in value._fields if hasattr(CONTRACTS[role], field)]
    if taken:
        raise SelectronError(
            f"{type(value).__name__}: a parameter cannot be named {taken[0]}, as that is a method "
            f"of {A[role]}."
        )


def _check_signatures(value: Any, role: str) -> None:
    """Raise SelectronError if a method has other arguments than its contract."""
    for name in dir(CONTRACTS[role]):
        mine, contract = (getattr(one, name, None) for one in (type(value), CONTRACTS[role]))
        if name[0] != "_" and inspect.isfunction(mine):
            wanted = inspect.signature(contract)  # type: ignore[arg-type]
            try:
                inspect.signature(mine).bind(*wanted.parameters)
            except TypeError as error:
                raise SelectronError(
                    f"{type(value).__name__}.{name} must have the arguments "
                    f"({', '.join(wanted.parameters)}): {error}."
                ) from error


def _check_results(value: Any, method: str, outermost: bool) -> None:
    """Raise SelectronError if a method, called as plain Python, does not return what it should."""
    in_loop, texts = type(value)(*floats(value)), _texts(getattr(type(value), method))
    compares = any(isinstance(one, str) and one in texts for one in value)
    for args in CALLS[method]:
        found = _tried(in_loop, method, args)
        call = f"{type(value).__name__}.{method}({', '.join(map(shown, args))})"
        if found is not FAILED and (wanted := _unmet(value, method, found, outermost)):
            raise SelectronError(f"{call} must return {wanted}, got {shown(found)}.")
        if compares and (as_given := _tried(value, method, args)) != found:
            raise SelectronError(
                f"{call} returns {shown(as_given)}, but {shown(found)} in compiled code, where a "
                "parameter that is text is the number that numbers() returns for it."
            )


def _texts(function: Any) -> set[str]:
    """Return the texts with which a function may compare."""
    consts = getattr(getattr(function, "__code__", None), "co_consts", ())
    return {one for one in consts if isinstance(one, str)} - {function.__doc__}


def _tried(value: Any, method: str, args: tuple[Any, ...]) -> Any:
    """Return the result of a method; FAILED if arithmetic raises, as it does not in the loop."""
    try:
        with np.errstate(all="ignore"):
            return getattr(type(value), method)(value, *args)
    except (ArithmeticError, ValueError):
        return FAILED
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise SelectronError(f"{type(value).__name__}.{method} failed: {reason}.") from error


def _unmet(value: Any, method: str, found: Any, outermost: bool) -> str:
    """Return what a method should have returned; nothing if it did.

    Within a budget, which ranks rows, an asker may return any finite number.
    """
    if method == "probability":
        is_number = isinstance(found, int | float | np.number | np.bool_)
        met = is_number and (0 <= found <= 1 if outermost else math.isfinite(found))
        return "" if met else "a number from 0 to 1" if outermost else "a finite number"
    kind, wanted = STEPS[order_of(value)]
    return "" if isinstance(found, kind) else wanted
