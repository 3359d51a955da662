"""Compile a bound function, and cache the machine code on disk.

Numba's cache looks only at the file of the outermost function, so the name of the compiled copy
contains a digest of all code that it reaches: an edit anywhere, as in a notebook, makes a new one.
"""

import gc
import hashlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path, PurePath
from threading import Timer
from typing import Any

from ..errors import SelectronError
from .bind import bind, digest, reachable

FORMAT = 2  # of the cache: files of others are never read
COMPILED: dict[str, dict[Any, Callable]] = {}  # what loops of a kind have in common
PRIVATE = "_library_class", "_engine", "set_env"  # names of Numba that `_linked` uses, and of its
PRIVATE_OF_LIBRARY = "_optimize_final_module", "_finalize_final_module", "_finalized"  # library
PATIENCE = 1.0  # seconds of compiling until a terminal shows a line about it


def compiled(function: Callable, parts: Mapping[str, Any], name: str, what: str = "") -> Callable:
    """Return `bind(function, parts)` as machine code, compiled or loaded when first called.

    `what` names it in the SelectronError that is raised if it does not compile. Without a writable
    folder for the cache, every process compiles it again; damaged cache files are replaced. Call it
    with one combination of types only: those of later calls are not checked.
    """
    ready: list[Callable] = []

    def call(*args: Any) -> Any:
        if not ready:
            ready.append(_load(function, parts, name, args, what or name))
        try:
            return ready[0](*args)
        except TypeError as error:
            if not str(error).startswith("expected "):  # of a result that is None in some cases
                raise
            raise SelectronError(f"{what or name} returns None in some rounds: {error}.") from error

    return call


def _load(function: Callable, parts: Mapping[str, Any], name: str, args: tuple, what: str) -> Any:
    """Return machine code for arguments of these types."""
    import numba
    from numba.core import errors

    if getattr(numba.config, "DISABLE_JIT", False):
        return bind(function, parts)
    functions = list(reachable(function, parts))
    linking = _linked if _can_link() and all(map(is_ours, functions)) else nullcontext
    checked = bool(getattr(numba.config, "BOUNDSCHECK", None))  # it is not in Numba's own key
    kind = f"{FORMAT}{'_checked' * checked}{'_counting' * any(map(_counts, functions))}"
    signature = tuple(numba.typeof(a) for a in args)
    try:
        with _uncollected(), _announced(what), linking():
            return _cached(function, parts, name, kind, signature)
    except (errors.NumbaError, errors.UnsupportedBytecodeError, TypeError, ValueError) as error:
        raise SelectronError(f"{what} does not compile: {_reason(error)}.") from error
    except (OSError, RuntimeError):  # no folder to write to, or no room in it
        with linking():
            return _bound(function, parts, name, kind, cached=False).compile(signature)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Pause garbage collection: a compiler makes millions of objects, and hardly any garbage.

    They then count as old ones, which the next collection does not visit.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():  # nobody else has frozen any, to keep them so
            gc.freeze()
            gc.unfreeze()
        if enabled:
            gc.enable()


@contextmanager
def _linked() -> Iterator[None]:
    """Generate machine code for the outermost function alone, and for what Python may call.

    Numba would optimise each function and generate its machine code. Those without a wrapper are
    only linked into others, where they are optimised again: leaving it to these saves a third of
    the time. It is not for functions that use their environment, as to print or in object mode.
    """
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.registry import cpu_target

    codegen = cpu_target.target_context.codegen()

    def set_env(name: str, environment: Any) -> None:
        if codegen._engine.get_global_value_address(name):  # 0 without machine code
            type(codegen).set_env(codegen, name, environment)

    with global_compiler_lock:
        vars(codegen).update(_library_class=_library(), set_env=set_env)
        try:
            yield
        finally:
            del codegen._library_class, codegen.set_env


def _can_link() -> bool:
    """Return whether Numba has the private names that `_linked` uses, as versions 0.61 to 0.68 do.

    Without them, compiling takes longer.
    """
    from numba.core.codegen import JITCodeLibrary
    from numba.core.registry import cpu_target

    codegen = cpu_target.target_context.codegen()
    return {*PRIVATE} <= {*dir(codegen)} and {*PRIVATE_OF_LIBRARY} <= {*dir(JITCodeLibrary)}


@cache
def _library() -> type:
    """Return Numba's class for the code of a function, changed as `_linked` needs it."""
    from numba.core.codegen import JITCodeLibrary
    from numba.core.targetconfig import ConfigStack

    def is_inner() -> bool:
        flags = ConfigStack.top_or_none()
        return flags is not None and flags.no_cpython_wrapper and flags.no_cfunc_wrapper

    class Library(JITCodeLibrary):
        def _optimize_final_module(self) -> None:
            if not is_inner():
                super()._optimize_final_module()

        def _finalize_final_module(self) -> None:
            if not is_inner():
                super()._finalize_final_module()
            self._finalized = True

    return Library


@contextmanager
def _announced(what: str) -> Iterator[None]:
    """Print one line to a terminal if compiling takes more than a second."""

    def announce() -> None:
        if sys.stderr is not None and sys.stderr.isatty():
            parts = what.replace(" or ", " and ")
            print(f"selectron: compiling {parts}, which is kept for later runs", file=sys.stderr)

    timer = Timer(PATIENCE, announce)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _reason(error: Exception) -> str:
    """Return the first sentence of a compiler's message, and the file and line that it is about."""
    lines = [line for line in str(error).splitlines() if line and "pipeline" not in line]
    if not lines:
        return type(error).__name__
    reason = lines[0].partition(". ")[0].rstrip(".: ")
    at = re.search(r'^File "(.+)", line (\d+)|Raised from (.+) \((\d+)\)', str(error), re.MULTILINE)
    file, line = (at[1] or at[3], at[2] or at[4]) if at else ("", "")
    return f"{reason} ({PurePath(file).name}, line {line})" if at else reason


def _counts(function: Callable) -> bool:
    """Return whether this function needs counted references; any function of a user may."""
    return not is_ours(function) or getattr(function, "needs_refcounts", False)


def is_ours(part: Any) -> bool:
    """Return whether a function or class is ours; one of a user may do whatever Numba compiles."""
    return (part.__module__ or "").startswith(f"{__package__.partition('.')[0]}.")


def _cached(
    function: Callable, parts: Mapping[str, Any], name: str, kind: str, signature: tuple
) -> Any:
    dispatcher = _bound(function, parts, name, kind, cached=True)
    folder, name = Path(dispatcher.stats.cache_path), dispatcher.py_func.__name__
    seal = folder / f"{name}.sha256"  # of the files, so that damaged machine code is never run
    if not seal.is_file() or seal.read_bytes() != _files_digest(folder, name):
        for file in folder.glob(f"*{name}*"):
            file.unlink()
    entry = dispatcher.compile(signature)
    if dispatcher.stats.cache_misses:
        seal.write_bytes(_files_digest(folder, name))
    return entry


def _bound(function: Callable, parts: Mapping[str, Any], name: str, kind: str, cached: bool) -> Any:
    """Return Numba's dispatcher; what it calls is shared with other loops of the same kind.

    Only the outermost function is cached on disk, with all that it calls. The names of all have a
    digest. Numba only numbers functions, in each process: one in a file of the cache could have the
    name, number and types of one of another loop, and run in its place.
    """
    import numba

    lean: dict[str, Any] = {"_nrt": "counting" in kind}  # Numba's run time, which counts references
    # inner functions are not called from Python, and their wrappers take half of the compile time
    unwrapped = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

    def wrap(copy: Callable, original: Callable) -> Callable:
        outer = original is function
        title = name if outer else original.__name__
        copy.__qualname__ = copy.__name__ = f"{title}_{kind}_{digest(original, parts)}"
        return numba.njit(
            copy,
            cache=cached and outer,
            forceinline=not (outer or getattr(copy, "noinline", False)),
            nogil=True,
            error_model="numpy",
            fastmath=set(getattr(copy, "fastmath", ())),
            **(lean if outer else lean | unwrapped),
        )

    return bind(function, parts, wrap, COMPILED.setdefault(kind, {}))


def _files_digest(folder: Path, name: str) -> bytes:
    total = hashlib.sha256()
    for file in sorted(folder.glob(f"*{name}*.nb?")):
        total.update(file.read_bytes())
    return total.hexdigest().encode()
