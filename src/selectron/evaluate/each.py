"""Call one function with many arguments: in parallel, and never twice with the same ones."""

import hashlib
import json
import os
import signal
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, ProcessPoolExecutor, as_completed
from contextlib import suppress
from functools import cache, partial
from importlib import metadata
from inspect import ismodule
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

import joblib
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from ..errors import SelectronError
from ..storage import replace

PACKAGE = Path(__file__).parents[1]
APART = {"cli", "evaluate", "serve"}  # folders that do not make the numbers
INSTALLED = {"site-packages", "dist-packages"}
SENT_MOST = 4  # times that shared arguments are sent to a Dask cluster which loses them
LIBRARIES = "numba", "numpy", "scikit-learn", "scipy"

Calls = Mapping[int, Mapping[str, Any]]  # by number
Results = Iterator[tuple[int, Any]]  # with the number of the call

inherited: dict[str, Any] = {}  # in a worker process: the shared arguments


def each(
    function: Callable[..., Any],
    calls: Sequence[Mapping[str, Any]],
    *,
    shared: Mapping[str, Any] | None = None,
    workers: int = 1,
    executor: Any = None,
    store: str | os.PathLike[str] | None = None,
    progress: str | None = None,
) -> list[Any]:
    """Return `function(**shared, **call)` for every call, in order.

    With a folder for `store`, results are stored there under a digest of the arguments, the code
    that makes the numbers, and the libraries' versions: an interrupted or extended list of calls
    continues where it stopped. `workers` is the number of processes; or give an executor of
    `concurrent.futures`, or a Dask client, whose workers get the shared arguments once, and repeat
    what a worker that died had not finished. With `progress`, a terminal shows a bar of that name.

    With several processes, the function must be importable; with a store, joblib must be able to
    hash the arguments. Results must be of JSON types; tuples are returned as lists. Exceptions of
    the function are raised here. Raises SelectronError if `workers` is below 1.

    >>> each(pow, [{"base": 2, "exp": 3}, {"base": 3, "exp": 2}])
    [8, 9]
    """
    if workers < 1:
        raise SelectronError(f"workers must be 1 or more, got {workers}.")
    common = dict(shared or {})
    files, results = list[Path](), dict[int, Any]()
    if store:
        names = function.__module__, function.__qualname__
        start = joblib.hash((*names, code_digest(function), common))
        files = [Path(store, f"{joblib.hash((start, dict(call)))}.json") for call in calls]
    for i, file in enumerate(files):
        with suppress(OSError, ValueError):  # there is none, or it is cut short
            results[i] = json.loads(file.read_text(encoding="utf-8"))
    todo = {i: call for i, call in enumerate(calls) if i not in results}
    hidden = None if progress else True  # None: hidden where there is no terminal
    with tqdm(total=len(calls), initial=len(results), desc=progress, disable=hidden) as bar:
        for i, result in _computed(partial(_result, function), todo, common, workers, executor):
            text = json.dumps(result)
            if files:
                files[i].parent.mkdir(parents=True, exist_ok=True)
                replace(files[i], text.encode())  # atomically, as other processes may read it
            results[i] = json.loads(text)
            bar.update()
    return [results[i] for i in range(len(calls))]


def _computed(work: Any, calls: Calls, shared: Any, workers: int, executor: Any) -> Results:
    """Yield the result of each call when it is computed."""
    if not calls or (workers == 1 and executor is None):
        for i, call in calls.items():
            yield i, work(call, **shared)
    elif executor is None:  # these processes receive the shared arguments once
        with processes(min(workers, len(calls)), shared) as own:
            yield from _submitted(work, calls, {}, own)
    elif hasattr(executor, "scatter"):
        yield from _on_dask(work, dict(calls), shared, executor)
    else:
        yield from _submitted(work, calls, shared, executor)


def _on_dask(work: Any, left: dict[int, Any], shared: dict[str, Any], client: Any) -> Results:
    """Yield what a Dask cluster computes.

    Others compute again what a dead worker left; shared arguments that none has are sent again.
    """
    for attempt in range(SENT_MOST):
        sent = {  # to every worker; these are futures
            name: client.scatter([value], broadcast=True, hash=False)[0]
            for name, value in shared.items()
        }
        executor = client.get_executor(pure=False)
        try:
            for i, result in _submitted(work, left, sent, executor):
                yield i, result
                del left[i]
            return
        except CancelledError:
            if attempt == SENT_MOST - 1:
                raise


def _submitted(work: Any, calls: Calls, shared: dict[str, Any], executor: Any) -> Results:
    """Yield the result of each call when an executor has computed it."""
    futures = {executor.submit(work, call, **shared): i for i, call in calls.items()}
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        for future in futures:
            future.cancel()


def processes(workers: int, shared: Mapping[str, Any] | None = None) -> Executor:
    """Return an executor of new processes, for several calls of `each`, as they start slowly."""
    return ProcessPoolExecutor(workers, get_context("spawn"), _inherit, (dict(shared or {}),))


def _inherit(shared: dict) -> None:
    """Receive the shared arguments, in a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that waits
    Thread(target=_end_with_parent, daemon=True).start()
    inherited.update(shared)


def _end_with_parent() -> None:
    """End this process when its parent has ended, even if that was killed."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _result(function: Callable[..., Any], call: Mapping[str, Any], /, **shared: Any) -> Any:
    """Call the function; linear algebra has one thread, as several may change the last bit."""
    with threadpool_limits(1):
        return function(**inherited, **shared, **call)


@cache
def code_digest(function: Callable[..., Any]) -> str:
    """Return a digest of the code and the library versions that a result depends on.

    The code is the library's source except for the folders that only report results, and the source
    of the function's module and of the modules it imports that are not installed packages.
    """
    own = [p for p in PACKAGE.rglob("*.py") if not APART & {*p.relative_to(PACKAGE).parts}]
    modules = _imported(sys.modules[function.__module__])
    files = [*sorted(own), *(modules[name] for name in sorted(modules))]
    texts = [metadata.version(name) for name in LIBRARIES]
    texts += [path.read_text(encoding="utf-8") for path in files]
    if not modules:  # a built-in, or typed in
        texts.append(function.__qualname__)
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def _imported(start: ModuleType) -> dict[str, Path]:
    """Return the source files of a module and of its imports that are not installed, by module.

    A module counts as imported if a global of the importing module is it, or comes from it.
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
