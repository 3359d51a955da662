"""Bind a learner, an asker, a space and so on to the loop.

Every function that the loop reaches is copied, to run as plain Python, or compiled (`machine.py`).
"""

import dis
import hashlib
import types
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

PARAMETERS = "Parameters"  # this attribute of a part is its own type


class StandIn(NamedTuple):
    """A name in a module for a part of the loop, which `bind` replaces by the real part."""

    name: str
    contract: type


def noinline(function: Callable) -> Callable:
    """Mark a function that is not to be inlined, because inlining it takes too long to compile.

    All others are inlined, which halves the time of a round in second order.
    """
    function.noinline = True  # type: ignore[attr-defined]
    return function


def needs_refcounts(function: Callable) -> Callable:
    """Mark a function that makes or returns arrays, so that references to arrays are counted.

    If the loop reaches no such function, all arrays are the caller's, and the compiled code counts
    no references: with many classes, counting takes longer than a first-order step on a short row.
    """
    function.needs_refcounts = True  # type: ignore[attr-defined]
    return function


def variant(name: str, base: types.ModuleType, **changes: Any) -> types.ModuleType:
    """Return a namespace with the public names of a module, some of them changed or added."""
    made = types.ModuleType(name)
    vars(made).update({key: value for key, value in vars(base).items() if key[0] != "_"}, **changes)
    return made


def bind(
    function: Callable,
    parts: Mapping[str, Any],
    wrap: Callable[[Callable, Callable], Callable] = lambda copy, original: copy,
    shared: dict[Any, Callable] | None = None,
) -> Callable:
    """Return a copy of `function` in which every `StandIn` is a namespace of functions.

    The functions that it calls are copied too, and so on. `parts` maps the name of each part to an
    object, or to a tuple of objects, which are searched in order and before the part's contract.
    Every copy passes through `wrap`, with the original. `shared` has the copies of earlier calls:
    one that reads the same values is used again, so that it is compiled once; others are added.

    >>> from types import SimpleNamespace
    >>> from selectron.engine.parts import Learner, learner
    >>> def doubled(m):
    ...     return 2 * learner.score(None, m, 0.0)
    >>> doubled.__globals__["learner"] = learner
    >>> bind(doubled, {"learner": SimpleNamespace(score=lambda p, m, q: m + 1)})(1.0)
    4.0
    """
    done: dict[Callable, Callable] = {}

    def convert(value: Any) -> Any:
        if not isinstance(value, types.FunctionType):
            return value
        if value not in done:
            scope: dict[str, Any] = {}
            done[value] = wrap(_copy(value, scope, convert), value)
            read = [value, value.__code__, repr(value.__defaults__), repr(vars(value))]
            read += (_identity(convert(cell)) for cell in _enclosed(value))
            for name, attribute, found in reached(value, parts):
                read += name, attribute, _identity(bound := convert(found))
                if attribute is None:
                    scope[name] = bound
                else:
                    namespace = scope.setdefault(name, types.ModuleType(name))
                    setattr(namespace, attribute, bound)
            if shared is not None and value is not function:
                done[value] = shared.setdefault(tuple(read), done[value])
        return done[value]

    return convert(function)


def _identity(value: Any) -> Any:
    """Return what is equal for the same value only: a number, text or array described, or an id.

    The copy that reads an object keeps it, so that no other can have its id.
    """
    if isinstance(value, np.ndarray):  # which may be changed in place
        return _describe(value)
    return (type(value), repr(value)) if isinstance(value, int | float | str) else id(value)


def reached(function: Callable, parts: Mapping[str, Any]) -> Iterator[tuple[str, str | None, Any]]:
    """Yield the globals that a function reads, attributes of parts, and values, by name."""
    for name, attribute in _globals_read(function.__code__):
        if name in function.__globals__:
            value = function.__globals__[name]
            if not isinstance(value, StandIn):
                yield name, None, value
            elif attribute is not None:
                yield name, attribute, provided(value, attribute, parts)


def provided(stand_in: StandIn, attribute: str, parts: Mapping[str, Any]) -> Any:
    """Return an attribute of a real part, or of its contract; AttributeError if none has it."""
    real = parts[stand_in.name]
    chain = real if type(real) is tuple else (real,)
    if attribute == PARAMETERS:
        return getattr(chain[0], PARAMETERS, chain[0])
    for owner in (*chain, stand_in.contract):
        if hasattr(owner, attribute):
            return getattr(owner, attribute)
    raise AttributeError(f"No {stand_in.name} has {attribute!r}.")


def digest(function: Callable, parts: Mapping[str, Any]) -> str:
    """Return a digest of all the code that `bind(function, parts)` reaches, 16 hex digits.

    >>> from selectron.engine.round import hinge, mistake
    >>> digest(hinge, {}) == digest(mistake, {})
    False
    """
    total = hashlib.sha256()
    for current in reachable(function, parts):
        total.update(_fingerprint(current).encode())
        found = [(n, a, _describe(value)) for n, a, value in reached(current, parts)]
        total.update(repr(found).encode())
    return total.hexdigest()[:16]


def reachable(function: Callable, parts: Mapping[str, Any]) -> Iterator[Callable]:
    """Yield a function and all functions that it calls, as `bind` would copy them."""
    queue, seen = [function], {function}
    while queue:
        current = queue.pop()
        yield current
        for value in [value for *_, value in reached(current, parts)] + _enclosed(current):
            if isinstance(value, types.FunctionType) and value not in seen:
                seen.add(value)
                queue.append(value)


def _enclosed(function: Callable) -> list[Any]:
    return [cell.cell_contents for cell in function.__closure__ or ()]


def _copy(function: Callable, scope: dict[str, Any], convert: Callable) -> Callable:
    cells = tuple(types.CellType(convert(value)) for value in _enclosed(function))
    copy = types.FunctionType(
        function.__code__, scope, function.__name__, function.__defaults__, cells
    )
    copy.__module__ = function.__module__
    copy.__dict__.update(function.__dict__)
    return copy


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


@cache  # the same code is read for the digest and for the copy
def _globals_read(code: types.CodeType) -> list[tuple[str, str | None]]:
    """Return the global names that a code object reads, each with the attribute read from it."""
    found = set()
    for inner in _codes(code):
        steps = [step for step in dis.get_instructions(inner) if step.opname != "EXTENDED_ARG"]
        for step, following in pairwise(steps):
            if step.opname == "LOAD_GLOBAL":
                taken = following.opname in ("LOAD_ATTR", "LOAD_METHOD")
                found.add((step.argval, following.argval if taken else None))
    return sorted(found, key=repr)


def _fingerprint(function: Callable) -> str:
    codes = [
        (c.co_code.hex(), c.co_names, c.co_varnames, [_describe(k) for k in c.co_consts])
        for c in _codes(function.__code__)
    ]
    cells = [_describe(value) for value in _enclosed(function)]
    options = sorted(getattr(function, "fastmath", ()))
    return repr((codes, cells, function.__defaults__, options))


def _describe(value: Any) -> str:
    """Return what a value contributes to a digest: the same in every process."""
    if isinstance(value, types.CodeType | types.FunctionType):
        return "code"  # it has a fingerprint of its own
    if isinstance(value, types.ModuleType):
        return value.__name__
    if isinstance(value, type):
        return f"{value.__qualname__}{getattr(value, '_fields', ())}"
    if isinstance(value, frozenset):
        return repr(sorted(map(repr, value)))
    if isinstance(value, np.ndarray):  # its repr leaves out most entries
        return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    return repr(value)
