"""Call one function with many arguments: in parallel, and what has been computed never again."""

import hashlib
import json
import os
import signal
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib import metadata
from inspect import ismodule
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

from ..data.files import replace
from ..errors import SelectronError

PACKAGE = Path(__file__).parents[1]
APART = {"cli", "evaluate", "serve"}  # they do not make the numbers
INSTALLED = {"site-packages", "dist-packages"}
LIBRARIES = "numba", "numpy", "scikit-learn", "scipy"

inherited: dict[str, Any] = {}  # in a worker process: what all calls share


def each(
    function: Callable[..., Any],
    calls: Sequence[Mapping[str, Any]],
    *,
    shared: Mapping[str, Any] | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: str | None = None,
) -> list[Any]:
    """Return `function(**shared, **call)` of every call, in their order.

    With a folder for `store`, results are kept there under a digest of the arguments, of the code
    that makes the numbers, and of the libraries' versions: an interrupted or extended list of calls
    goes on where it stopped. `workers` is the number of processes, or give any executor of
    `concurrent.futures`, as a cluster's client. With `progress` a bar of that name is shown on a
    terminal. Each call has one thread for linear algebra, so that results are the same anywhere.

    The function must be importable where there are several processes, its arguments of kinds that
    joblib can hash, and its result of kinds that JSON has; tuples come back as lists. What it
    raises is raised here, and what was done before is kept. Raises SelectronError if `workers` is
    below 1.

    >>> each(pow, [{"base": 2, "exp": 3}, {"base": 3, "exp": 2}])
    [8, 9]
    """
    if workers < 1:
        raise SelectronError(f"workers must be 1 or more, got {workers}.")
    common = dict(shared or {})
    files = _files(function, calls, common, Path(store)) if store else [None] * len(calls)
    results = [_read(file) for file in files]
    todo = [i for i, kept in enumerate(results) if kept is None]
    with ExitStack() as stack:
        bar = stack.enter_context(_bar(progress, len(calls), len(todo)))
        play = _at_once if workers == 1 and executor is None else _in_parallel
        args = [calls[i] for i in todo]
        for done, result in play(function, args, common, min(workers, len(todo)), executor):
            text = json.dumps(result)
            _write(files[todo[done]], text)
            results[todo[done]] = (json.loads(text),)
            bar.update()
    return [result[0] for result in results if result is not None]


def _at_once(
    function: Callable[..., Any], calls: list, shared: dict, workers: int, executor: Executor | None
) -> Iterator[tuple[int, Any]]:
    """Yield the results, computed one after another in this process."""
    for i, call in enumerate(calls):
        with _one_thread():
            result = function(**shared, **call)
        yield i, result


def _in_parallel(
    function: Callable[..., Any],
    calls: list,
    shared: dict,
    workers: int,
    executor: Executor | None,
) -> Iterator[tuple[int, Any]]:
    """Yield the results as they come; what is shared is sent to a process once."""
    if not calls:
        return
    if executor is None:
        pool = processes(workers, shared)
        futures = {pool.submit(_heir, function, call): i for i, call in enumerate(calls)}
    else:
        pool = executor
        futures = {
            pool.submit(_alone, function, {**shared, **call}): i for i, call in enumerate(calls)
        }
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        for future in futures:
            future.cancel()
        if executor is None:
            pool.shutdown()


def processes(workers: int, shared: Mapping[str, Any] | None = None) -> Executor:
    """Return an executor of so many processes, made anew: for several calls of `each`.

    They take a while to start. Ctrl-C is left to the process that waits for them.
    """
    spawn = get_context("spawn")
    return ProcessPoolExecutor(workers, spawn, _inherit, (dict(shared or {}),))


def _inherit(shared: dict) -> None:
    """Take what all calls share, in a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    inherited.update(shared)


def _end_with_parent() -> None:
    """End this process when the one that it works for has gone, however that came."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _heir(function: Callable[..., Any], call: Mapping[str, Any]) -> Any:
    """Compute a result in a worker process."""
    return _alone(function, {**inherited, **call})


def _alone(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """Compute a result."""
    with _one_thread():
        return function(**arguments)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Within, linear algebra has one thread: with several its sums may differ in the last bit."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


def _files(
    function: Callable[..., Any], calls: Sequence[Mapping], shared: dict, store: Path
) -> list[Path | None]:
    """Return the file of each result."""
    import joblib

    start = joblib.hash((function.__module__, function.__qualname__, code(function), shared))
    return [store / f"{joblib.hash((start, dict(call)))}.json" for call in calls]


def _read(file: Path | None) -> tuple[Any] | None:
    """Return a stored result in a tuple of one, None if there is none that is whole."""
    try:
        return (json.loads(file.read_text(encoding="utf-8")),) if file else None
    except (OSError, ValueError):
        return None


def _write(file: Path | None, text: str) -> None:
    """Store a result atomically: other processes may read at the same time."""
    if file is None:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    replace(file, text.encode())


@contextmanager
def _bar(name: str | None, all_of_them: int, left: int) -> Iterator[Any]:
    """Yield a progress bar, hidden if it has no name or there is no terminal."""
    from tqdm import tqdm

    hidden = True if name is None else None
    with tqdm(
        total=all_of_them, initial=all_of_them - left, desc=name, disable=hidden, smoothing=0.1
    ) as bar:
        yield bar


@cache
def code(function: Callable[..., Any]) -> str:
    """Return a digest of the code and the library versions that a result depends on.

    The code is the library's source except for the folders that only report results, and the source
    of the function's module and of the modules it imports that are not installed packages.
    """
    texts = [metadata.version(name) for name in LIBRARIES]
    files = [path.relative_to(PACKAGE) for path in sorted(PACKAGE.rglob("*.py"))]
    texts += [
        (PACKAGE / path).read_text(encoding="utf-8")
        for path in files
        if not APART & set(path.parts)
    ]
    modules = _imported(sys.modules[function.__module__])
    texts += [modules[path].read_text(encoding="utf-8") for path in sorted(modules)]
    if not modules:  # of the interpreter, or typed in
        texts.append(function.__qualname__)
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def _imported(start: ModuleType) -> dict[str, Path]:
    """Return the source files, by module, of a module and of all it imports that is not installed.

    A module counts as imported if one of the importing module's globals is it, or comes from it.
    """
    found: dict[str, Path] = {}
    todo = [start]
    while todo:
        module = todo.pop()
        path = Path(getattr(module, "__file__", None) or "")
        if module.__name__ in found or not path.is_file() or (found and _installed(path)):
            continue
        found[module.__name__] = path
        for value in vars(module).values():
            name = value.__name__ if ismodule(value) else getattr(value, "__module__", None)
            if isinstance(name, str) and name in sys.modules:
                todo.append(sys.modules[name])
    return found


def _installed(path: Path) -> bool:
    """Return whether a source file belongs to this library, the standard library or a package."""
    folders = PACKAGE, Path(sysconfig.get_path("stdlib"))
    return bool(INSTALLED & set(path.parts)) or any(map(path.is_relative_to, folders))
