"""Bind: put a learner, an asker, a space and so on into the loop.

Every function reached is copied; the copies run as plain Python, or compiled (`machine.py`).
"""

import dis
import hashlib
import types
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

PARAMETERS = "Parameters"  # of a part: its own type


class Part(NamedTuple):
    """A name in a module that stands for a part of the loop, which `bind` puts in its place."""

    name: str
    contract: type


def apart(function: Callable) -> Callable:
    """Compile this function by itself: inlined wherever it is called, it would cost too much time.

    All others are inlined, which halves the time of a round in second order.
    """
    function.apart = True  # type: ignore[attr-defined]
    return function


def allocating(function: Callable) -> Callable:
    """Let this function make arrays, or return one.

    Where none does, all arrays are the caller's, and the compiled code counts no references to
    them: of many classes, that takes longer than a step of first order on a short row.
    """
    function.allocates = True  # type: ignore[attr-defined]
    return function


def variant(name: str, base: types.ModuleType, **changes: Any) -> types.ModuleType:
    """Return a namespace that has what a module has, except for these changes."""
    made = types.ModuleType(name)
    vars(made).update({key: value for key, value in vars(base).items() if key[0] != "_"}, **changes)
    return made


class Reached(NamedTuple):
    """What a global name of a function stands for, or an attribute of the part by that name."""

    name: str
    attribute: str | None
    value: Any


def bind(
    function: Callable,
    parts: Mapping[str, Any],
    wrap: Callable[[Callable], Callable] = lambda copy: copy,
) -> Callable:
    """Return a copy of `function` in which every `Part` is a namespace of functions.

    The functions that it calls are copied too, and those that they call. `parts` has what stands
    for each part, by its name: one object, or a tuple of them, the first of which comes first.
    What none of them has is taken from the part's contract. Every copy passes through `wrap`.

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
            done[value] = wrap(_copy(value, scope, convert))
            for name, attribute, found in reached(value, parts):
                if attribute is None:
                    scope[name] = convert(found)
                else:
                    namespace = scope.setdefault(name, types.ModuleType(name))
                    setattr(namespace, attribute, convert(found))
        return done[value]

    return convert(function)


def reached(function: Callable, parts: Mapping[str, Any]) -> Iterator[Reached]:
    """Yield the globals that a function reads and what they stand for, in order of their names."""
    for name, attribute in _globals_read(function.__code__):
        if name in function.__globals__:
            value = function.__globals__[name]
            if not isinstance(value, Part):
                yield Reached(name, None, value)
            elif attribute is not None:
                yield Reached(name, attribute, provided(value, attribute, parts))


def provided(part: Part, attribute: str, parts: Mapping[str, Any]) -> Any:
    """Return an attribute of a real part, or else of its contract."""
    real = parts[part.name]
    chain = real if type(real) is tuple else (real,)
    if attribute == PARAMETERS:
        return chain[0]
    for owner in (*chain, part.contract):
        if hasattr(owner, attribute):
            return getattr(owner, attribute)
    raise AttributeError(f"No {part.name} has {attribute!r}.")


def digest(function: Callable, parts: Mapping[str, Any]) -> str:
    """Return a digest of all the code that `bind(function, parts)` reaches.

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
    """Yield a function and all that it calls, as `bind` would copy them.

    >>> from selectron.engine.round import mistake
    >>> [one.__name__ for one in reachable(mistake, {})]
    ['mistake']
    """
    queue, seen = [function], {function}
    while queue:
        current = queue.pop()
        yield current
        for value in [found.value for found in reached(current, parts)] + _enclosed(current):
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
    """Return the global names that a code reads, each with the attribute that is taken of it."""
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
    """Return what a value contributes: the same in every process that would compile the same."""
    if isinstance(value, types.CodeType | types.FunctionType):
        return "code"  # taken in by itself
    if isinstance(value, types.ModuleType):
        return value.__name__
    if isinstance(value, type):
        return f"{value.__qualname__}{getattr(value, '_fields', ())}"
    if isinstance(value, frozenset):
        return repr(sorted(map(repr, value)))
    if isinstance(value, np.ndarray):  # whose repr leaves out most of it
        return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    return repr(value)
