"""Bind: fill the blanks of the loop with a learner, an asker and a space.

Every function reached is copied; the copies run as plain Python, or compiled (`machine.py`).
"""

import dis
import hashlib
import types
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np


def blank(*_: Any) -> Any:
    """Stand for a part that `bind` fills in by its name, in whatever module."""
    raise NotImplementedError("this part is filled in by bind()")


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


def bind(
    function: Callable,
    parts: Mapping[str, Any],
    wrap: Callable[[Callable], Callable] = lambda copy: copy,
) -> Callable:
    """Return a copy of `function` in whose module global names stand for `parts`.

    The functions that it calls are copied too, and those that they call; parts and their callees
    keep the names of their own modules, but for those that are `blank`. Every copy passes through
    `wrap`.

    >>> from selectron.engine.round import hinge
    >>> bind(hinge, {"max": min})(0.25, 1.0)
    0.0
    """
    done: dict[Callable, Callable] = {}

    def convert(value: Any) -> Any:
        if not isinstance(value, types.FunctionType):
            return value
        if value not in done:
            scope: dict[str, Any] = {}
            done[value] = wrap(_copy(value, scope, convert))
            names = reached(value, parts, function.__globals__)
            scope.update((name, convert(found)) for name, found in names)
        return done[value]

    return convert(function)


def reached(
    function: Callable, parts: Mapping[str, Any], home: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield the global names that a function reads and what they stand for: parts at home."""
    for name in _globals_read(function.__code__):
        own = function.__globals__.get(name)
        if name in parts and (own is blank or function.__globals__ is home):
            yield name, parts[name]
        elif name in function.__globals__:
            yield name, own


def digest(function: Callable, parts: Mapping[str, Any]) -> str:
    """Return a digest of all the code that `bind(function, parts)` reaches.

    >>> from selectron.engine.round import hinge
    >>> digest(hinge, {}) == digest(hinge, {"max": min})
    False
    """
    total = hashlib.sha256()
    for current in reachable(function, parts):
        total.update(_fingerprint(current).encode())
        names = sorted(reached(current, parts, function.__globals__), key=lambda item: item[0])
        total.update(repr([(name, _describe(value)) for name, value in names]).encode())
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
        names = sorted(reached(current, parts, function.__globals__), key=lambda item: item[0])
        for value in [value for _, value in names] + _enclosed(current):
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
def _globals_read(code: types.CodeType) -> set[str]:
    return {
        step.argval
        for inner in _codes(code)
        for step in dis.get_instructions(inner)
        if step.opname == "LOAD_GLOBAL"
    }


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
