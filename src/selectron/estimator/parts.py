"""Checks of learners and askers, and of those that a user wrote, before they are compiled.

The likeliest mistakes get a sentence that names the method; those of the compiler name its code.
"""

import inspect
import math
from difflib import get_close_matches
from itertools import product
from typing import Any

import numpy as np

from ..engine.loop import READS, Asker
from ..engine.machine import is_ours
from ..engine.parameters import first_few, floats, shown
from ..engine.parts import Learner, declared
from ..engine.round import Projection, Round, ShapeStep, Situation, Step
from ..errors import SelectronError
from ..model.compose import ENSEMBLE, FIRST, L1, SECOND, order_of

A = {"learner": "a learner", "asker": "an asker"}
CONTRACTS = {"learner": Learner, "asker": Asker}
EXAMPLES = {"learner": "LASEC()", "asker": "Margin(0.1)"}
METHODS = {"learner": ("numbers", "step"), "asker": ("numbers", "probability")}
OF_MEMORY = ("numbers", "past", "chance", "after")  # of an asker that remembers
MARGINS = [*map(np.float64, (-1.0, -1e-3, 0.0, 0.5))]  # NumPy's may be divided by 0, as in the loop
FIRST_ROUND = Round(*map(np.float64, (0, 1, -1, 0, 0, 0)))  # w = 0
ROUNDS = [Round(m, 1.0, y, 3.0, 2.0, 0.0) for m, y in product((-0.5, 0.5), (-1.0, 1.0))]
# Arguments with which methods are tried
OF_ROUNDS: list[tuple[Any, ...]] = [(r,) for r in (*ROUNDS, FIRST_ROUND)]
CALLS: dict[str, dict[str, list[tuple[Any, ...]]]] = {
    "learner": {
        "step": OF_ROUNDS,
        "steps": list(product((-0.5, 0.0, 0.5), (-1.0, 1.0))),
        "score": list(product((-0.5, 0.0, 0.5), (0.5, 2.0))),
        "noted": OF_ROUNDS,
        "feasible": OF_ROUNDS,
        "probability": [(r,) for r in MARGINS],
    },
    "asker": {"probability": list(product(MARGINS, (0.5, 2.0), (1, 1000)))},
}
ALIKE = 0.88  # names of methods that are as similar as `normalise` and `normalize`
FAILED = "failed"  # in place of a result
NUMBER, TRUTH = (int, float, np.number, np.bool_), (bool, np.bool_)
STEPS: dict[Any, tuple[Any, str]] = {
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
    remembers = role == "asker" and any(hasattr(value, name) for name in OF_MEMORY[1:])
    methods = OF_MEMORY if remembers else METHODS[role]
    lacking = [name for name in methods if not callable(getattr(value, name, None))]
    if lacking:
        why = f"it has no {' and no '.join(lacking)}"
        raise SelectronError(f"{value!r} is not {A[role]}: {why}.")
    floats(value)
    for one in theirs:
        if role == "asker" and (reads := declared(one, Asker, "reads")(one)) not in READS:
            raise SelectronError(
                f"{type(one).__name__}.reads() must return one of {first_few(READS)}, got "
                f"{shown(reads)}."
            )
        for method, calls in CALLS[role].items():
            if hasattr(one, method):
                _check_results(one, method, calls, one is value)
    if remembers and not is_ours(type(value)):
        _check_memory(value)
    return value


def _check_names(value: Any, role: str) -> None:
    """Raise SelectronError if a parameter has the name of a method, or a method nearly so."""
    taken = [field for field in value._fields if hasattr(CONTRACTS[role], field)]
    if taken:
        raise SelectronError(
            f"{type(value).__name__}: a parameter cannot be named {taken[0]}, as that is a method "
            f"of {A[role]}."
        )
    known = [name for name in dir(CONTRACTS[role]) if name[0] != "_"]
    for name in dir(type(value)):
        alike = get_close_matches(name, known, 1, ALIKE) if name not in known else []
        if alike and name[0] != "_" and inspect.isfunction(getattr(type(value), name)):
            raise SelectronError(
                f"{type(value).__name__}.{name} is not a method of {A[role]}, and would be "
                f"ignored: rename it, perhaps to {alike[0]}."
            )


def _check_signatures(value: Any, role: str) -> None:
    """Raise SelectronError if a method is none, or has other arguments than its contract."""
    for name in dir(CONTRACTS[role]):
        mine, contract = (getattr(one, name, None) for one in (type(value), CONTRACTS[role]))
        if name[0] == "_" or mine is None or not inspect.isfunction(contract):
            continue
        if not inspect.isfunction(mine):
            raise SelectronError(f"{type(value).__name__}.{name} must be a method, got {mine!r}.")
        wanted, given = [*inspect.signature(contract).parameters], inspect.signature(mine)
        swapped = given.parameters.keys() == {*wanted} and [*given.parameters] != wanted
        reason = "its own are in another order" if swapped else ""
        try:
            given.bind(*wanted)
        except TypeError as error:
            reason = str(error)
        if reason:
            raise SelectronError(
                f"{type(value).__name__}.{name} must have the arguments ({', '.join(wanted)}): "
                f"{reason}."
            )


def _check_results(value: Any, method: str, calls: list[tuple[Any, ...]], outermost: bool) -> None:
    """Raise SelectronError if a method, called as plain Python, does not return what it should."""
    in_loop, texts = type(value)(*floats(value)), _texts(getattr(type(value), method))
    compares = any(isinstance(one, str) and one in texts for one in value)
    for args in calls:
        found = _tried(in_loop, method, args)
        call = f"{type(value).__name__}.{method}({', '.join(map(shown, args))})"
        if found is not FAILED and (wanted := _unmet(value, method, args, found, outermost)):
            raise SelectronError(f"{call} must return {wanted}, got {shown(found)}.")
        if compares and shown(as_given := _tried(value, method, args)) != shown(found):
            raise SelectronError(
                f"{call} returns {shown(as_given)}, but {shown(found)} in compiled code, where a "
                "parameter that is text is the number that numbers() returns for it."
            )


def _check_memory(value: Any) -> None:
    """Raise SelectronError unless the past, chance and after of an asker fit together."""
    name, in_loop = type(value).__name__, type(value)(*floats(value))
    past = _tried(value, "past", ())
    if not _is_numbers(past):
        raise SelectronError(f"{name}.past() must return a tuple of numbers, got {shown(past)}.")
    for r, asked in product(MARGINS, (False, True)):
        args = np.array(past, float), r, 1.0, 1, 0.0, Situation(0.0, 0.0, 0.0)
        chance = _tried(in_loop, "chance", args)
        if chance is not FAILED and not (isinstance(chance, NUMBER) and 0 <= chance <= 1):
            at = f"{name}.chance(past={shown(past)}, r={shown(r)}, q=1.0, ...)"
            raise SelectronError(f"{at} must return a number from 0 to 1, got {shown(chance)}.")
        found = _tried(in_loop, "after", (*args, asked))
        if found is not FAILED and not (_is_numbers(found) and len(found) == len(past)):
            raise SelectronError(
                f"{name}.after must return as many numbers as past(), {len(past)}, in a tuple, got "
                f"{shown(found)}."
            )


def _is_numbers(found: Any) -> bool:
    return isinstance(found, tuple) and all(isinstance(x, NUMBER) for x in found)


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


def _unmet(value: Any, method: str, args: tuple[Any, ...], found: Any, outermost: bool) -> str:
    """Return what a method should have returned; nothing if it did.

    Within a budget, which ranks rows, an asker may return any finite number.
    """
    if method == "step":
        kind, wanted = STEPS[order_of(value)]
        if not isinstance(found, kind):
            return wanted
        if not all(isinstance(x, NUMBER) for x in found):
            return f"{kind.__name__} of numbers"
        first = args[0] is FIRST_ROUND and declared(value, Learner, "steps")(value, 0.0, -1.0)
        return "" if not first or np.isfinite(np.array(found)).all() else "finite numbers"
    if method in ("steps", "feasible"):
        return "" if isinstance(found, TRUTH) else "True or False"
    if not isinstance(found, NUMBER):
        return "a number"
    learners = hasattr(value, "step")  # which may have no probability, NaN
    if method != "probability" or (learners and math.isnan(found)):
        return ""
    if 0 <= found <= 1 if outermost else math.isfinite(found):
        return ""
    return "a number from 0 to 1" if outermost else "a finite number"
